"""What gradient attacks on gaps share: soft input vectors of many secrets and restarts descend in one tensor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from divulge.access import GradientAccess, Supervision
from divulge.attacks.base import Attack
from divulge.attacks.completion_loss import completion_losses, total_loss
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, Gaps, Guess, Hint, Ranking, Record

if TYPE_CHECKING:
    import torch

__all__ = ["Candidates", "Relaxation"]

Completion = tuple[str, ...]
ROOM = 1 << 18  # vectors of candidates in one tensor: whole vocabularies are too many for all secrets at once


class Candidates(NamedTuple):
    """The vectors of the candidates, padded to one width, and what is free in them."""

    table: torch.Tensor  # (hints, holes, width, d)
    blocked: torch.Tensor  # (hints, holes, width): padding
    moving: torch.Tensor  # (d,): dimensions that the descent may change


class Relaxation(Attack):
    """Descends the loss over something soft in place of tokens, then reads off the hard tokens.

    What is soft (`_start`, `_soft`) and how it is read (`_picked`) is the attack's.
    """

    requires = (GradientAccess,)
    hints = (Gaps,)

    class Options(Record):
        """Appendix B's values of parikh2022, and those it leaves open."""

        restarts: Annotated[int, Field(ge=1)] = 1
        steps: Annotated[int, Field(ge=1)] = 250
        learning_rate: Annotated[float, Field(gt=0)] = 6.5e-3
        learning_rate_decay: Annotated[float, Field(gt=0, le=1)] = 0.995
        masks: Annotated[int, Field(ge=1)] = 1  # askings to average over, for a model that drops units as it answers
        # What a soft token's characters are: mixed like its word, or (an attacker who passes them by) none.
        characters: Literal["mixed", "unknown"] = "mixed"
        together: Annotated[int, Field(ge=1)] = 64  # secrets in one tensor; changes speed only

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one completion per restart, the least discrete loss first."""
        del knowledge
        target = access[GradientAccess]
        gaps = [(secret_id, hint) for secret_id, hint in hints.items() if isinstance(hint, Gaps)]
        waiting = sorted(((_shape(hint), secret_id, hint) for secret_id, hint in gaps), key=lambda item: item[:2])
        while waiting:
            each = _examples(self.options)
            shape = waiting[0][0]
            together = max(1, min(self.options.together, ROOM // (shape[1] * shape[2])))
            affordable = together if target.remaining is None else target.remaining // each
            chunk = [item for item in waiting[: min(affordable, together)] if item[0] == shape]
            if not chunk:
                return  # the budget is spent
            waiting = waiting[len(chunk) :]
            found = self._descend(target, [hint for _, _, hint in chunk], rng)
            for (_, secret_id, hint), fillings in zip(chunk, found, strict=True):
                yield self._ranking(target, secret_id, hint, sorted(set(fillings)))

    @abstractmethod
    def _start(self, candidates: Candidates, rng: np.random.Generator) -> torch.Tensor:
        """What the descent starts from; (hints, restarts, holes, ...)."""

    @abstractmethod
    def _soft(self, free: torch.Tensor, candidates: Candidates, step: int) -> torch.Tensor:
        """The input vectors that stand in the holes at a step; (hints, restarts, holes, d)."""

    @abstractmethod
    def _picked(self, free: torch.Tensor, candidates: Candidates) -> torch.Tensor:
        """The numbers of the candidates read off at the end; (hints, restarts, holes)."""

    def _ranking(self, target: GradientAccess, secret_id: str, hint: Gaps, fillings: list[Completion]) -> Ranking:
        losses = completion_losses(target, hint, fillings, masks=self.options.masks)
        order = np.argsort(losses, kind="stable")
        scores = tuple(float(-losses[place]) for place in order)
        return Ranking(secret_id=secret_id, candidates=tuple(fillings[place] for place in order), scores=scores)

    def _descend(self, target: GradientAccess, hints: list[Gaps], rng: np.random.Generator) -> list[list[Completion]]:
        """Descends for all hints and restarts in one tensor; (hints x restarts x masks, tokens, d) is one batch."""
        import torch

        chosen, restarts = self.options, self.options.restarts
        each = restarts * chosen.masks
        labels = [Supervision(hint.label, hint.tags) for hint in hints for _ in range(each)]
        fixed = torch.stack([_known_vectors(target, hint) for hint in hints])  # (hints, T, d)
        candidates = _candidates(target, hints, word_only=chosen.characters == "unknown")
        if target.reads_single:  # to follow a slope that is enough; completions are ranked in double precision
            fixed, candidates = fixed.float(), candidates._replace(table=candidates.table.float())
        holes = torch.tensor([hint.holes for hint in hints])  # (hints, holes)
        places = holes[:, None, :, None].expand(-1, restarts, -1, fixed.shape[-1])
        free = self._start(candidates, rng).to(fixed.dtype).requires_grad_()
        optimiser = torch.optim.Adam([free], lr=chosen.learning_rate)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, chosen.learning_rate_decay)
        for step in range(chosen.steps):
            soft = self._soft(free, candidates, step)
            inputs = fixed[:, None].expand(-1, restarts, -1, -1).scatter(2, places, soft).flatten(0, 1)
            parts = target.loss(inputs.repeat_interleave(chosen.masks, dim=0), labels)
            loss = total_loss(parts, "both").sum() / chosen.masks  # equation 3; hints and restarts do not mix
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        picked = self._picked(free.detach(), candidates).tolist()
        return [
            [tuple(words[i] for words, i in zip(hint.candidates, row, strict=True)) for row in rows]
            for hint, rows in zip(hints, picked, strict=True)
        ]

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One example per step and restart, and one per restart to choose; `masks` times that."""
        del hint
        assert isinstance(options, Relaxation.Options)
        return _examples(options)


def _examples(options: Relaxation.Options) -> int:
    return options.masks * options.restarts * (options.steps + 1)


def _shape(hint: Gaps) -> tuple[int, int, int]:
    """What must agree for hints to share a tensor: length, number of holes, most candidates."""
    return len(hint.tokens), len(hint.holes), max(len(words) for words in hint.candidates)


def _known_vectors(target: GradientAccess, hint: Gaps) -> torch.Tensor:
    """The vectors of the known tokens; holes hold any candidate until the soft token takes its place; (T, d)."""
    return target.vectors([hint.candidates[0][0] if token is None else token for token in hint.tokens]).detach()


def _candidates(target: GradientAccess, hints: list[Gaps], *, word_only: bool) -> Candidates:
    """The candidates of all hints; with `word_only`, what is read from characters is that of a word without any."""
    import torch

    width = max(len(words) for hint in hints for words in hint.candidates)
    rows = [[target.vectors(words).detach() for words in hint.candidates] for hint in hints]
    padded = [[torch.nn.functional.pad(row, (0, 0, 0, width - len(row))) for row in one] for one in rows]
    table = torch.stack([torch.stack(one) for one in padded])
    sizes = torch.tensor([[len(words) for words in hint.candidates] for hint in hints])
    moving = torch.ones(table.shape[-1], dtype=torch.bool)
    own = target.word_width
    if word_only and own is not None:
        moving[own:] = False
        table[..., own:] = target.vectors([""]).detach()[0, own:]
    return Candidates(table, torch.arange(width) >= sizes[..., None], moving)
