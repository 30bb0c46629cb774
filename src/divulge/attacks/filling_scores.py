"""What an attack believes of fillings of one text, each asked about once: evidence, less what others say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from divulge.access import TokenTuple
from divulge.attacks.label_evidence import LabelEvidence
from divulge.records import FloatArray, Gaps
from divulge.seeds import generator

__all__ = ["BEHIND", "Completion", "FillingScores", "Partial", "Spent"]

Completion = tuple[str, ...]
Partial = tuple[str | None, ...]  # None: the hole is left out
Asked = Callable[[Sequence[TokenTuple]], FloatArray]

# How many words stand behind a text in the versions of each round: a few already turn most texts, many turn some more.
BEHIND = (2, 4, 8, 16, 32)


class Spent(Exception):  # noqa: N818 - no error: the budget's end is a way to end a search
    """Nothing more may be asked."""


class FillingScores:
    """Scores fillings of one hint and remembers them.

    `references` say how likely the label is to models that never saw the secret; their mean is held against a filling
    with `weight`. Where only labels are shown, a filling that gets the label is asked about again with random words
    behind it, which pull towards other labels: what was memorised keeps its label beside them. There are rounds of
    `versions` such texts, the same words for every filling, and what keeps its label in half of a round goes on to the
    next: the score is the share of all askings that get the label. So it is where a label is shown as certain, with
    nothing left for the others, as rounding shows what is sure: there the share is added, with probabilities for
    askings that got it or not.

    A model that two right words make sure of the label has nothing more to say of a third. So a filling's score has,
    with the weight `support`, the mean of what it reaches when one of its holes is left out, each of them in turn.
    """

    def __init__(
        self,
        hint: Gaps,
        target: LabelEvidence,
        references: Sequence[Asked] = (),
        *,
        weight: float = 1.0,
        versions: int = 0,
        support: float = 0.0,
        budget: int | None = None,
    ) -> None:
        self.hint, self.known = hint, dict[Completion, float]()
        self._target, self._references, self._weight, self._left = target, references, weight, budget
        self._rounds = _words_behind(hint, versions)
        self._support = support if len(hint.candidates) > 1 else 0.0
        self._taken = [frozenset(words) for words in hint.candidates]
        self._said = dict[Partial, float]()

    def __call__(self, fillings: Sequence[Completion]) -> FloatArray:
        """The score of each filling; (fillings,).

        Raises:
            Spent: The budget ends here; what could still be asked about was, and is remembered.
        """
        new = list(dict.fromkeys(filling for filling in fillings if filling not in self.known))
        some = self._affordable(new)
        self._ask([part for filling in some for part in self._parts(filling)])
        some = self._affordable(some)  # of labels alone, a part may have cost several questions
        self._ask(some)
        self.known.update((filling, self._score(filling)) for filling in some)
        if len(some) < len(new):
            raise Spent
        return np.array([self.known[filling] for filling in fillings])

    def alone(self, hole: int, words: Sequence[str]) -> FloatArray:
        """What words of a hole reach by themselves; (words,). May raise `Spent`, as a call does.

        By themselves: in every hole that takes them, with the other holes left out.
        """
        if len(self._taken) == 1:
            return self([(word,) for word in words])
        partial = [self._by_itself(hole, word) for word in words]
        new = [one for one in dict.fromkeys(partial) if one not in self._said]
        self._ask(new[: self._left])
        if self._left is not None and any(one not in self._said for one in new):
            raise Spent
        return np.array([self._said[one] for one in partial])

    def likely(self, hole: int) -> tuple[float, str]:
        """The best word of a hole by itself, of those asked about, and its score; without any, the first."""
        asked = {word: self._said.get(self._by_itself(hole, word)) for word in sorted(self._taken[hole])}
        known = {word: score for word, score in asked.items() if score is not None}
        best = max(known, key=known.__getitem__) if known else next(iter(asked))
        return known.get(best, 0.0), best

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

    def _by_itself(self, hole: int, word: str) -> Partial:
        return tuple(word if place == hole or word in taken else None for place, taken in enumerate(self._taken))

    def _parts(self, filling: Completion) -> list[Partial]:
        """The filling with one hole left out, each of them in turn."""
        holes = range(len(filling)) if self._support else ()
        return [(*filling[:hole], None, *filling[hole + 1 :]) for hole in holes]

    def _affordable(self, fillings: Sequence[Completion]) -> list[Completion]:
        """The first of these fillings, as many as may be asked about with the parts of them that are not known yet."""
        if self._left is None:
            return list(fillings)
        counted, some = set[Partial](), list[Completion]()
        for filling in fillings:
            unknown = {filling, *self._parts(filling)} - self._said.keys()
            if len(counted | unknown) > self._left:
                break
            counted |= unknown
            some.append(filling)
        return some

    def _score(self, filling: Completion) -> float:
        parts = [self._said[part] for part in self._parts(filling)]
        return self._said[filling] + (self._support * sum(parts) / len(parts) if parts else 0.0)

    def _ask(self, fillings: Sequence[Partial]) -> None:
        new = [filling for filling in dict.fromkeys(fillings) if filling not in self._said]
        if new:
            self._said.update(zip(new, self._scores(new).tolist(), strict=True))

    def _scores(self, fillings: Sequence[Partial]) -> FloatArray:
        texts = [self._text(filling) for filling in fillings]
        found = self._asked(texts)
        if self._rounds:
            again = self._repeated(texts, found)
            found = found + again if self._target.is_graded else again
        if self._references:
            expected = np.mean([ask(texts) for ask in self._references], axis=0)
            found = found - self._weight * expected
        return found

    def _text(self, filling: Partial) -> TokenTuple:
        """The text with these words in its holes, but for those left out."""
        remaining = iter(filling)
        text = (next(remaining) if token is None else token for token in self.hint.tokens)
        return tuple(word for word in text if word is not None)

    def _repeated(self, texts: Sequence[TokenTuple], first: FloatArray) -> FloatArray:
        """The share of askings that got the label, of what cannot be told apart otherwise; 0 for all other texts.

        A text that is asked about by itself counts as one asking; each one with words behind it as one more.
        """
        total, hit = np.zeros(len(texts)), np.flatnonzero(self._target.is_certain(first))
        total[hit] = 1.0
        for every in self._rounds:
            # What is not asked of all would not compare: a budget that ends makes rounds smaller for all of them.
            behind = every if self._left is None else every[: max(0, self._left) // max(1, len(hit))]
            asked = [(*texts[row], *words) for row in hit.tolist() for words in behind]
            if not asked:
                break
            shares = self._target.shares(self._asked(asked))
            kept = shares.reshape(len(hit), len(behind)).sum(axis=1)
            total[hit] += kept
            hit = hit[2 * kept >= len(behind)]
        return total / (1 + sum(map(len, self._rounds)))

    def _asked(self, texts: Sequence[TokenTuple]) -> FloatArray:
        if self._left is not None:
            self._left -= len(texts)
        return self._target(texts)


def _words_behind(hint: Gaps, versions: int) -> list[list[TokenTuple]]:
    """For each round, so many handfuls of the hint's own candidates; the same for the same hint."""
    words = sorted({word for options in hint.candidates for word in options})
    rng = generator(0, "words behind", hint.label or "", *(token or "" for token in hint.tokens))
    drawn = [[rng.integers(len(words), size=count) for _ in range(versions)] for count in BEHIND]
    return [[tuple(words[number] for number in one) for one in several] for several in drawn if several]
