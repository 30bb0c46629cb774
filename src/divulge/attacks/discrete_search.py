"""Ranks completions by the model's own loss on them: all of them where that is affordable, else by search."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import GradientAccess
from divulge.attacks.base import Attack
from divulge.attacks.completion_loss import completion_losses
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record

__all__ = ["DiscreteSearch"]

Completion = tuple[str, ...]


class DiscreteSearch(Attack):
    """Fills gaps with the completion that the model's training loss likes best.

    Paper: parikh2022 sets the goal (equation 3); the search is ours.
    Needs: GradientAccess (only the loss is used); gaps with candidates; no background.
    Idea: A planted text has a lower loss than its neighbours. Where |V0|^n fits `exhaustive_up_to`, every
        completion is ranked by its true discrete loss. Beyond that, coordinate descent: from random
        completions, each hole in turn takes its best candidate until nothing improves.
    Cost: the size of the space, or about restarts x sweeps x the sum of the candidates of all holes.
    Differs from the paper: no relaxation, no temperature; the loss is evaluated where the model was trained.
    """

    name = "discrete-search"
    summary = "rank completions by the true training loss, exhaustively or by coordinate descent"
    requires = (GradientAccess,)
    hints = (Gaps,)

    class Options(Record):
        """How far to search exhaustively, how to search beyond, how many completions to name."""

        exhaustive_up_to: Annotated[int, Field(ge=1)] = 100_000
        restarts: Annotated[int, Field(ge=1)] = 20
        sweeps: Annotated[int, Field(ge=1)] = 20
        keep: Annotated[int, Field(ge=1)] = 100

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields, secret by secret, the completions of least loss."""
        del knowledge
        target = access[GradientAccess]
        for secret_id, hint in hints.items():
            assert isinstance(hint, Gaps)
            if hint.space <= self.options.exhaustive_up_to:
                found = self._exhaustive(target, hint, rng)
            else:
                found = self._descent(target, hint, rng)
            if not found:
                return  # the budget is spent
            best = sorted(found, key=lambda filling: (found[filling], filling))[: self.options.keep]
            yield Ranking(secret_id=secret_id, candidates=tuple(best), scores=tuple(-found[f] for f in best))

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores a completion by minus its loss."""
        del knowledge
        assert isinstance(hint, Gaps)
        return -completion_losses(access[GradientAccess], hint, completions)

    def _exhaustive(self, target: GradientAccess, hint: Gaps, rng: np.random.Generator) -> dict[Completion, float]:
        completions = list(itertools.product(*hint.candidates))
        if target.remaining is not None and target.remaining < len(completions):
            chosen = rng.permutation(len(completions))[: target.remaining]
            completions = [completions[place] for place in chosen]
        return dict(zip(completions, completion_losses(target, hint, completions).tolist(), strict=True))

    def _descent(self, target: GradientAccess, hint: Gaps, rng: np.random.Generator) -> dict[Completion, float]:
        known: dict[Completion, float] = {}
        for _ in range(self.options.restarts):
            current = tuple(str(rng.choice(options)) for options in hint.candidates)
            for _ in range(self.options.sweeps):
                before = current
                for hole in rng.permutation(len(hint.candidates)):
                    moves = [(*current[:hole], word, *current[hole + 1 :]) for word in hint.candidates[hole]]
                    new = [move for move in moves if move not in known]
                    if target.remaining is not None and target.remaining < len(new):
                        return known
                    known.update(zip(new, completion_losses(target, hint, new).tolist(), strict=True))
                    current = min(moves, key=lambda move: (known[move], move))
                if current == before:
                    break
        return known

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """The space, or the expected number of completions that coordinate descent evaluates."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps)
        if hint.space <= options.exhaustive_up_to:
            return hint.space
        return options.restarts * 4 * sum(len(words) for words in hint.candidates)
