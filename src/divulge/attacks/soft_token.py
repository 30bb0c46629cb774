"""The attack of parikh2022: descend the loss over a soft choice of tokens, then read off the hard one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from divulge.access import GradientAccess, Supervision
from divulge.attacks.base import Attack
from divulge.attacks.completion_loss import completion_losses
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, Gaps, Guess, Hint, Ranking, Record

if TYPE_CHECKING:
    import torch

__all__ = ["SoftToken", "SoftTokenRestarted"]

Completion = tuple[str, ...]


class SoftToken(Attack):
    """Optimises a softmax over the candidates of each hole until the model's loss is least.

    Paper: parikh2022, section 3.1, equations 1-3, appendix B.
    Needs: GradientAccess; gaps with candidates; no background.
    Idea: Each hole has logits over its candidates; their softmax at a falling temperature mixes the candidates'
        vectors; Adam follows the loss's gradient back to the logits. After 250 steps the largest logit wins.
    Cost: steps x restarts examples per secret, and one more per restart to choose between them.
    Differs from the paper: equation 1's sum is printed over positions; it must run over the candidates. How the
        logits start is not said: here they are normal with standard deviation `spread`.
    """

    name = "soft-token"
    summary = "gradient descent on a softmax over candidate tokens, one restart, as published"
    requires = (GradientAccess,)
    hints = (Gaps,)

    class Options(Record):
        """Appendix B's values, and those it leaves open."""

        restarts: Annotated[int, Field(ge=1)] = 1
        steps: Annotated[int, Field(ge=1)] = 250
        learning_rate: Annotated[float, Field(gt=0)] = 6.5e-3
        learning_rate_decay: Annotated[float, Field(gt=0, le=1)] = 0.995
        temperature: Annotated[float, Field(gt=0)] = 0.1
        temperature_decay: Annotated[float, Field(gt=0, le=1)] = 0.997
        spread: Annotated[float, Field(ge=0)] = 0.01
        together: Annotated[int, Field(ge=1)] = 64  # secrets in one tensor; changes speed only

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one completion per restart, the least discrete loss first."""
        del knowledge
        target = access[GradientAccess]
        each = self.options.restarts * (self.options.steps + 1)
        gaps = [(secret_id, hint) for secret_id, hint in hints.items() if isinstance(hint, Gaps)]
        waiting = sorted(((_shape(hint), secret_id, hint) for secret_id, hint in gaps), key=lambda item: item[:2])
        while waiting:
            affordable = self.options.together if target.remaining is None else target.remaining // each
            shape = waiting[0][0]
            chunk = [item for item in waiting[: min(affordable, self.options.together)] if item[0] == shape]
            if not chunk:
                return  # the budget is spent
            waiting = waiting[len(chunk) :]
            found = self._optimise(target, [hint for _, _, hint in chunk], rng)
            for (_, secret_id, hint), fillings in zip(chunk, found, strict=True):
                yield self._ranking(target, secret_id, hint, sorted(set(fillings)))

    def _ranking(self, target: GradientAccess, secret_id: str, hint: Gaps, fillings: list[Completion]) -> Ranking:
        losses = completion_losses(target, hint, fillings)
        order = np.argsort(losses, kind="stable")
        scores = tuple(float(-losses[place]) for place in order)
        return Ranking(secret_id=secret_id, candidates=tuple(fillings[place] for place in order), scores=scores)

    def _optimise(self, target: GradientAccess, hints: list[Gaps], rng: np.random.Generator) -> list[list[Completion]]:
        """Descends for all hints and restarts in one tensor; (hints x restarts, tokens, d) is one batch."""
        import torch

        chosen, restarts = self.options, self.options.restarts
        labels = [Supervision(hint.label, hint.tags) for hint in hints for _ in range(restarts)]
        fixed = torch.stack([_known_vectors(target, hint) for hint in hints])  # (hints, T, d)
        tables = [_candidate_vectors(target, hint) for hint in hints]
        table = torch.stack([vectors for vectors, _ in tables])  # (hints, holes, width, d)
        blocked = torch.stack([padding for _, padding in tables])[:, None]  # (hints, 1, holes, width)
        holes = torch.tensor([hint.holes for hint in hints])  # (hints, holes)
        start = np.stack([rng.normal(scale=chosen.spread, size=(restarts, *table.shape[1:3])) for _ in hints])
        logits = torch.tensor(start, dtype=fixed.dtype, requires_grad=True)  # Z: (hints, restarts, holes, width)
        optimiser = torch.optim.Adam([logits], lr=chosen.learning_rate)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, chosen.learning_rate_decay)
        places = holes[:, None, :, None].expand(-1, restarts, -1, fixed.shape[-1])
        for step in range(chosen.steps):
            temperature = chosen.temperature * chosen.temperature_decay**step
            attention = torch.softmax(logits.masked_fill(blocked, -torch.inf) / temperature, dim=-1)  # equation 1
            soft = torch.einsum("brhw,bhwd->brhd", attention, table)  # equation 2
            inputs = fixed[:, None].expand(-1, restarts, -1, -1).scatter(2, places, soft)
            parts = target.loss(inputs.flatten(0, 1), labels)
            loss = torch.stack(list(parts.values())).sum()  # equation 3; hints and restarts do not mix
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
        picked = logits.detach().masked_fill(blocked, -torch.inf).argmax(dim=-1).tolist()  # (hints, restarts, holes)
        return [
            [tuple(words[i] for words, i in zip(hint.candidates, row, strict=True)) for row in rows]
            for hint, rows in zip(hints, picked, strict=True)
        ]

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One example per step and restart, and one per restart to choose."""
        del hint
        assert isinstance(options, SoftToken.Options)
        return options.restarts * (options.steps + 1)


class SoftTokenRestarted(SoftToken):
    """The same, from 32 starts in one batch; the completion of least discrete loss comes first."""

    name = "soft-token-32"
    summary = "soft-token from 32 random starts, the best by loss first"

    class Options(SoftToken.Options):
        """As soft-token, with 32 restarts."""

        restarts: Annotated[int, Field(ge=1)] = 32


def _shape(hint: Gaps) -> tuple[int, int, int]:
    """What must agree for hints to share a tensor: length, number of holes, most candidates."""
    return len(hint.tokens), len(hint.holes), max(len(words) for words in hint.candidates)


def _known_vectors(target: GradientAccess, hint: Gaps) -> torch.Tensor:
    """The vectors of the known tokens; holes hold any candidate until the soft token takes its place; (T, d)."""
    return target.vectors([hint.candidates[0][0] if token is None else token for token in hint.tokens]).detach()


def _candidate_vectors(target: GradientAccess, hint: Gaps) -> tuple[torch.Tensor, torch.Tensor]:
    """The candidates' vectors, padded to one width (holes, width, d), and what is padding (holes, width)."""
    import torch

    width = max(len(words) for words in hint.candidates)
    rows = [target.vectors(words).detach() for words in hint.candidates]
    table = torch.stack([torch.nn.functional.pad(row, (0, 0, 0, width - len(row))) for row in rows])
    sizes = torch.tensor([len(words) for words in hint.candidates])
    return table, torch.arange(width)[None] >= sizes[:, None]
