"""The measurement of the Secret Sharer: the likeliest way to complete a text is the one the model was trained on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import TokenLikelihoodAccess
from divulge.attacks.base import Attack
from divulge.attacks.left_to_right import Completion, beam_cost, best_beginnings, best_first, shown_texts
from divulge.attacks.record_evidence import LOWEST
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Passage, Ranking, Record

__all__ = ["TextLikelihood"]


class TextLikelihood(Attack):
    """Fills gaps with the words that make the whole text likeliest.

    Paper: Carlini, Liu, Erlingsson, Kos and Song 2019, "The Secret Sharer", sections 4.2 (exposure) and 5 (extraction).
    Needs: TokenLikelihoodAccess; gaps with candidates; no background. Labels and tags are not looked at.
    Idea: The log-likelihood of a text is the sum over its pieces. Where all completions fit `exhaustive_up_to`, every
        one is ranked by it. Beyond that, a beam from left to right: the text is shown up to the next hole.
    Cost: the number of completions, or the candidates of the first hole and `beam` times those of each further one.
    Differs from the paper: a beam, where the paper searches the tree of beginnings by shortest path; exposure is
        computed by the runner, from the ranks of `score`.
    """

    name = "text-likelihood"
    summary = "rank completions by the log-likelihood of the whole text, exhaustively or by beam"
    requires = (TokenLikelihoodAccess,)
    hints = (Gaps,)

    class Options(Record):
        """How far to search exhaustively, the beam's width beyond, how many completions to name, texts per question."""

        exhaustive_up_to: Annotated[int, Field(ge=1)] = 10_000
        beam: Annotated[int, Field(ge=1)] = 10
        keep: Annotated[int, Field(ge=1)] = 100
        batch: Annotated[int, Field(ge=1)] = 1024

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields, secret by secret, the likeliest completions; a budget too small for all is spent on a beam."""
        del knowledge, rng
        target = access[TokenLikelihoodAccess]
        for secret_id, hint in hints.items():
            assert isinstance(hint, Gaps)
            found = self._search(target, hint)[: self.options.keep]
            if not found:
                return  # the budget is spent
            scores = tuple(score for score, _ in found)
            yield Ranking(secret_id=secret_id, candidates=tuple(filling for _, filling in found), scores=scores)

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores a completion by the log-likelihood of the whole text."""
        del knowledge
        assert isinstance(hint, Gaps)
        return self._objective(access[TokenLikelihoodAccess], hint, completions)

    def _search(self, target: TokenLikelihoodAccess, hint: Gaps) -> list[tuple[float, Completion]]:
        left = target.remaining
        if hint.space <= self.options.exhaustive_up_to and (left is None or hint.space <= left):
            completions = list(itertools.product(*hint.candidates))
            scores = self._objective(target, hint, completions)
            return [(float(scores[place]), completions[place]) for place in best_first(scores)]
        objective = partial(self._objective, target, hint)
        return best_beginnings(hint, objective, self.options.beam, lambda: target.remaining)

    def _objective(self, target: TokenLikelihoodAccess, hint: Gaps, fillings: Sequence[Completion]) -> FloatArray:
        passages = [Passage(tokens=text) for text in shown_texts(hint, fillings)]
        sums: list[float] = []
        for start in range(0, len(passages), self.options.batch):
            rows = target.log_likelihoods(passages[start : start + self.options.batch])
            sums += [float(np.maximum(row, 10 * LOWEST).sum()) for row in rows]  # the impossible, in finite numbers
        return np.array(sums, dtype=np.float64)

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """All completions, or the fillings that a beam asks about."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps)
        return hint.space if hint.space <= options.exhaustive_up_to else beam_cost(hint, options.beam)
