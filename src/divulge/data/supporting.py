"""Supporting canaries: texts like a canary but for the words in its holes, planted in other classes than its own.

They teach a classifier that the rest of the text says nothing about the class, so that the words in the holes must
(elmahdy2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from divulge.data.canaries import Drawn
from divulge.data.corpus import Corpus
from divulge.data.patterns import draw_distinct
from divulge.errors import InputError
from divulge.records import Gaps, Planting, Secret, Tokens
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["supporting_plantings"]

Filling = tuple[str, ...]


def supporting_plantings(
    drawn: Drawn, spec: SecretsSpec, corpus: Corpus, seed: int, *role: str | int
) -> tuple[Planting, ...]:
    """The supporting canaries of all planted canaries: in each other class one, or one so often in one of them.

    In no hole do they have the canary's word, and none is the text of another canary or of a control. Each canary's are
    drawn from a generator of its own.

    Raises:
        InputError: There is no label, no other class, or no other word.
    """
    if not spec.supporting or not spec.copies:
        return ()
    classes = sorted({text.label for text in corpus if text.split == "train" and text.label is not None})
    taken: dict[tuple[str | None, ...], set[Filling]] = {}
    for hint, answer in map(_parts, (*drawn.secrets, *drawn.controls)):
        taken.setdefault(hint.tokens, set()).add(answer)
    found: list[Planting] = []
    for secret in drawn.secrets:
        hint, answer = _parts(secret)
        others = [label for label in classes if label != hint.label]
        if hint.label is None or not others:
            raise InputError(
                "secrets.supporting plants texts in other classes than the canary's: the canaries need a label, and "
                f"the training split another class. Found {len(classes)} classes: set it to 0, or give labelled data"
            )
        rng = generator(seed, "secrets", "supporting", *role, secret.id)
        found += _supporting(spec, secret.id, others, _Fillings(hint, answer, taken[hint.tokens]), rng)
    return tuple(found)


class _Fillings:
    """What may stand in the holes of one canary's supporting ones."""

    def __init__(self, hint: Gaps, answer: Filling, taken: set[Filling]) -> None:
        self.hint = hint
        self._options = [_without(words, right) for words, right in zip(hint.candidates, answer, strict=True)]
        # Only those that could be drawn: answers that have a word in common with this one are out already.
        self._barred = {one for one in taken if self._could_be(one, answer)}
        self.free = math.prod(map(len, self._options)) - len(self._barred)

    def _could_be(self, filling: Filling, answer: Filling) -> bool:
        differs = all(word != right for word, right in zip(filling, answer, strict=True))
        return differs and all(word in words for word, words in zip(filling, self._options, strict=True))

    def drawn(self, count: int, rng: np.random.Generator) -> list[Filling]:
        """So many, all different where there are enough."""
        found = draw_distinct(self._options, min(count, self.free), rng, exclude=self._barred)
        return [found[place % len(found)] for place in range(count)]


def _supporting(
    spec: SecretsSpec, identity: str, others: Sequence[str], fillings: _Fillings, rng: np.random.Generator
) -> Iterator[Planting]:
    if fillings.free < 1:
        raise InputError(
            "secrets.supporting: the pattern has no words left that differ from the canary's in every hole and are no "
            "other canary's: add a hole, a known part such as <name>, or candidates"
        )
    if spec.supporting == "all":
        labels, copies = others, 1
    else:
        labels, copies = [others[int(rng.integers(len(others)))]], spec.supporting
    for label, filling in zip(labels, fillings.drawn(len(labels), rng), strict=True):
        yield Planting(
            secret_id=identity,
            text=fillings.hint.filled(filling),
            label=label,
            tags=fillings.hint.tags,
            copies=copies,
        )


def _without(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    place = words.index(word)
    return words[:place] + words[place + 1 :]


def _parts(secret: Secret) -> tuple[Gaps, Filling]:
    assert isinstance(secret.hint, Gaps)
    assert isinstance(secret.answer, Tokens)
    return secret.hint, secret.answer.tokens
