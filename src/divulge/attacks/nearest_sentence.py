"""Takes the public sentence whose vector is nearest: what a leaked pooled vector gives away without any learning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.practice_rows import affordable_rows
from divulge.attacks.public_sentences import PublicSentences, pooled_rows
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, Guess, Hint, LeakedRow, Ranking

__all__ = ["NearestSentence"]

CANDIDATES = 10


class NearestSentence(Attack):
    """Guesses, for each pooled row, the ten public sentences with the most similar vectors.

    Paper: none; the baseline that an attack on the pooled rows of gu2023 has to beat.
    Needs: EmbeddedRowsAccess (pooled rows); public sentences with their vectors.
    Idea: Vectors of one domain are close where sentences share words: the nearest public sentence (cosine) is a guess
        that needs no training and no encoder to ask.
    Cost: one row read per secret.
    """

    name = "nearest-sentence"
    summary = "the public sentence whose pooled vector is nearest to the leaked one"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    rows = "pooled"
    needs_practice = True

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps the public sentences and their vectors."""
        del rng
        return PublicSentences.known(background, self.name).artefact()

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the ten nearest sentences of each row."""
        del rng
        leaked = access[EmbeddedRowsAccess]
        public = PublicSentences.kept(knowledge)
        for names, rows in affordable_rows(leaked, hints):
            targets = pooled_rows(rows, public.vectors.shape[1], self.name)
            for secret_id, near in zip(names, public.nearest(targets, CANDIDATES), strict=True):
                yield Ranking(secret_id=secret_id, candidates=tuple(public.spelled(public.texts[n]) for n in near))

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row."""
        del options, hint
        return 1
