"""What an attack believes of fillings of one text, each asked about once: evidence, less what others say of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from divulge.access import TokenTuple
from divulge.attacks.label_evidence import LabelEvidence
from divulge.records import FloatArray, Gaps
from divulge.seeds import generator

__all__ = ["Completion", "FillingScores", "Spent"]

Completion = tuple[str, ...]
Asked = Callable[[Sequence[TokenTuple]], FloatArray]


class Spent(Exception):  # noqa: N818 - no error: the budget's end is a way to end a search
    """Nothing more may be asked."""


class FillingScores:
    """Scores fillings of one hint and remembers them.

    `references` say how likely the label is to models that never saw the secret; their mean is held against a filling
    with `weight`. Where only labels are shown, a filling that gets the label is asked about again with one known word
    left out, up to `versions` times: the score is the share of askings that get it.

    `others` are random fillings, the same for every asking: `supported` adds to a filling's own score, with the weight
    `support`, what each of its words reaches among those words. What was memorised shows with wrong words beside it.
    """

    def __init__(
        self,
        hint: Gaps,
        target: LabelEvidence,
        references: Sequence[Asked] = (),
        *,
        weight: float = 1.0,
        versions: int = 0,
        rounds: int = 0,
        support: float = 0.0,
        budget: int | None = None,
    ) -> None:
        self.hint, self.known = hint, dict[Completion, float]()
        self._target, self._references, self._weight, self._left = target, references, weight, budget
        known = [place for place, token in enumerate(hint.tokens) if token is not None]
        self._left_out = [] if target.is_graded else known[:versions]
        self.others, self._support = [_drawn(hint, number) for number in range(rounds)], support

    def __call__(self, fillings: Sequence[Completion]) -> FloatArray:
        """The score of each filling; (fillings,).

        Raises:
            Spent: The budget ends here; what could still be asked about was, and is remembered.
        """
        new = list(dict.fromkeys(filling for filling in fillings if filling not in self.known))
        asked = new if self._left is None else new[: max(0, self._left)]
        if asked:
            self.known.update(zip(asked, self._scores(asked).tolist(), strict=True))
        if len(asked) < len(new):
            raise Spent
        return np.array([self.known[filling] for filling in fillings])

    def supported(self, fillings: Sequence[Completion]) -> FloatArray:
        """The score of each filling and of its words alone, among random ones; (fillings,). May raise `Spent`."""
        found = self(fillings)
        holes = len(self.hint.candidates)
        if holes < 2 or not self._support or not self.others:
            return found
        for hole, other in itertools.product(range(holes), self.others):
            alone = self([(*other[:hole], filling[hole], *other[hole + 1 :]) for filling in fillings])
            found = found + self._support / len(self.others) * alone
        return found

    def spend(self, questions: int) -> None:
        """Counts questions that were asked elsewhere.

        Raises:
            Spent: So many may not be asked any more.
        """
        if self._left is not None:
            if self._left < questions:
                raise Spent
            self._left -= questions

    @property
    def left(self) -> int | None:
        """How many questions may still be asked; None = any number."""
        return self._left

    def best(self, keep: int) -> list[tuple[float, Completion]]:
        """The best fillings asked about so far, best first; equal ones in the order of spelling."""
        ordered = sorted(self.known.items(), key=lambda item: (-item[1], item[0]))
        return [(score, filling) for filling, score in ordered[:keep]]

    def _scores(self, fillings: Sequence[Completion]) -> FloatArray:
        texts = [self.hint.filled(filling) for filling in fillings]
        found = self._asked(texts)
        if self._left_out:
            found = self._repeated(texts, found)
        if self._references:
            expected = np.mean([ask(texts) for ask in self._references], axis=0)
            found = found - self._weight * expected
        return found

    def _repeated(self, texts: Sequence[TokenTuple], first: FloatArray) -> FloatArray:
        """The share of askings that got the label: the whole text, and versions of it without one known word."""
        total, hit = first.copy(), np.flatnonzero(first > 0).tolist()
        for place in self._left_out:
            affordable = len(hit) if self._left is None else min(len(hit), max(0, self._left))
            if affordable < len(hit):
                break  # what is not asked of all would not compare
            shorter = [(*texts[row][:place], *texts[row][place + 1 :]) for row in hit]
            total[hit] += self._asked(shorter)
        return total / (1 + len(self._left_out))

    def _asked(self, texts: Sequence[TokenTuple]) -> FloatArray:
        if self._left is not None:
            self._left -= len(texts)
        return self._target(texts)


def _drawn(hint: Gaps, number: int) -> Completion:
    """A random filling, the same wherever these candidates are asked about."""
    rng = generator(0, "words beside others", number)
    return tuple(words[int(rng.integers(len(words)))] for words in map(sorted, hint.candidates))
