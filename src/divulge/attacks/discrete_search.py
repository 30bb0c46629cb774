"""Ranks completions by the model's own loss on them: all of them where that is affordable, else by search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from divulge.access import GradientAccess
from divulge.adversary import Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.completion_loss import CompletionLoss, Parts
from divulge.attacks.completion_scores import CompletionScores, references_for
from divulge.attacks.completion_search import CompletionSearch, Effort, Found, rank_all
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record

__all__ = ["DiscreteSearch"]

Completion = tuple[str, ...]
# What a descent and a crossing ask, roughly, on a trained tagger, in sweeps over all holes and candidates.
SWEEPS, CROSSING = 5.0, 0.7


class DiscreteSearch(Attack):
    """Fills gaps with the completion that the model's training loss likes best.

    Paper: parikh2022 sets the goal (equation 3); the search is ours.
    Needs: GradientAccess; gaps with candidates; with `calibrate: shadows`, models of the adversary's own.
    Idea: A planted text has a lower loss than its neighbours. Where |V0|^n fits `exhaustive_up_to`, every
        completion is ranked by its true discrete loss. Beyond that, coordinate descent from many random completions
        at once (in a hole of many candidates, those that the gradient likes best are tried); the best ends are
        crossed with each other and descend again; at last, where there are few enough, all pairs of holes of the
        best are tried.
    Cost: the size of the space, or about restarts x sweeps x the sum of the candidates of all holes, again for the
        crossings, and the pairs of the beam; `masks` times that.
    Differs from the paper: no relaxation, no temperature; the loss is evaluated where the model was trained.
    """

    name = "discrete-search"
    summary = "rank completions by the true training loss, exhaustively or by search"
    requires = (GradientAccess,)
    hints = (Gaps,)

    class Options(Record):
        """How far to search exhaustively, how to search beyond, what to rank by, how many completions to name."""

        exhaustive_up_to: Annotated[int, Field(ge=1)] = 100_000
        restarts: Annotated[int, Field(ge=1)] = 64
        sweeps: Annotated[int, Field(ge=1)] = 20  # of a descent, at most
        generations: Annotated[int, Field(ge=0)] = 4  # of crossings, as many children as restarts
        beam: Annotated[int, Field(ge=1)] = 8  # best ends that are crossed, and whose pairs of holes are tried
        top: Annotated[int, Field(ge=1)] = 32  # candidates tried in a hole that has more
        pairs_up_to: Annotated[int, Field(ge=0)] = 2000  # neighbours by two holes; where there are more, none is tried
        keep: Annotated[int, Field(ge=1)] = 100
        parts: Parts = "both"  # of the loss: "both" is the sum of all there are
        calibrate: Literal["none", "shadows"] = "none"
        weight: Annotated[float, Field(ge=0)] = 1.0  # of the mean loss in the adversary's own models
        masks: Annotated[int, Field(ge=1)] = 1  # askings to average over, for a model that drops units as it answers

    @property
    def asks_practice(self) -> bool:
        """Whether completions are compared with models of the adversary's own."""
        return bool(self.options.calibrate == "shadows")

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields, secret by secret, the completions of least score."""
        target = access[GradientAccess]
        for secret_id, hint in hints.items():
            assert isinstance(hint, Gaps)
            scores = self._scores(target, hint, knowledge)
            if scores.affordable == 0:
                return  # the budget is spent
            found = self._found(scores, hint, rng)
            best = tuple(scores.target.completion(row) for row in found.numbers.tolist())
            yield Ranking(secret_id=secret_id, candidates=best, scores=tuple((-found.scores).tolist()))

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores a completion by minus its loss, less what the adversary's own models say where that is asked for."""
        assert isinstance(hint, Gaps)
        scores = self._scores(access[GradientAccess], hint, knowledge, completions)
        return -scores(scores.target.numbers(completions))

    def _scores(
        self, target: GradientAccess, hint: Gaps, knowledge: Artefact, extra: Sequence[Completion] = ()
    ) -> CompletionScores:
        parts, masks = self.options.parts, self.options.masks
        own: list[GradientAccess] = []
        if self.asks_practice:
            own = references_for(hint, knowledge.practice if isinstance(knowledge, Knowledge) else ())
        first, *others = (CompletionLoss(one, hint, parts, masks, extra=extra) for one in (target, *own))
        return CompletionScores(first, others, self.options.weight)

    def _found(self, scores: CompletionScores, hint: Gaps, rng: np.random.Generator) -> Found:
        chosen = self.options
        if hint.space <= chosen.exhaustive_up_to:
            return rank_all(scores, chosen.keep, rng)
        effort = Effort(*(getattr(chosen, name) for name in Effort._fields))
        return CompletionSearch(scores, effort, rng).run(chosen.keep)

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """The space, or the expected number of completions that the search evaluates."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps)
        if hint.space <= options.exhaustive_up_to:
            return options.masks * hint.space
        sizes = [len(words) for words in hint.candidates]
        sweep = options.restarts * sum(min(size, options.top + 2) for size in sizes)
        descents = int(sweep * (min(SWEEPS, options.sweeps) + CROSSING * options.generations))
        pairs = (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2
        beam = options.beam * pairs if pairs <= options.pairs_up_to else 0
        return options.masks * min(hint.space, descents + beam)
