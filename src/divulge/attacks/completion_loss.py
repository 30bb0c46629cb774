"""The true, discrete training loss of completions: what white-box attacks rank by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from divulge.access import GradientAccess, Supervision
from divulge.errors import InputError
from divulge.records import FloatArray, Gaps

if TYPE_CHECKING:
    import torch

__all__ = ["CompletionLoss", "Numbers", "Parts", "completion_losses", "total_loss"]

Numbers = npt.NDArray[np.int64]  # (completions, holes): which candidate of each hole
Parts = Literal["both", "intent", "slots"]
BATCH = 512  # examples in one tensor; changes speed only


class CompletionLoss:
    """The loss of one hint's completions, each given by the numbers of its candidates.

    The candidates of a hole are numbered in the order of their spelling, whatever order the hint names them in: so
    completions in the order of their numbers are in the order of their spelling.
    """

    def __init__(
        self,
        access: GradientAccess,
        hint: Gaps,
        parts: Parts = "both",
        masks: int = 1,
        *,
        batch: int = BATCH,
        extra: Iterable[tuple[str, ...]] = (),
    ) -> None:
        """Looks up the vectors of all words; `extra` names completions that may use words beyond the candidates."""
        import torch

        self.access, self.parts, self.masks = access, parts, masks
        self.batch = max(1, batch // masks)
        offered = [set(options) for options in hint.candidates]
        for completion in extra:
            for options, word in zip(offered, completion, strict=True):
                options.add(word)
        self.words = tuple(tuple(sorted(options)) for options in offered)
        self.sizes = tuple(len(options) for options in self.words)
        known = {token for token in hint.tokens if token is not None}
        every = sorted({word for options in self.words for word in options} | known)
        place = {word: number for number, word in enumerate(every)}
        self._table = access.vectors(every).detach()  # (words, d)
        self._known = torch.tensor([0 if token is None else place[token] for token in hint.tokens])  # (T,)
        self._holes = torch.tensor(hint.holes, dtype=torch.int64)
        self._candidates = [torch.tensor([place[word] for word in options]) for options in self.words]
        self._toward = Supervision(hint.label, hint.tags)
        self._told_apart: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __call__(self, numbers: Numbers) -> FloatArray:
        """Asks for the loss of each completion, averaged over `masks` askings; (completions,), float64."""
        return self._losses(numbers, self._table)

    @property
    def has_rough(self) -> bool:
        """Whether there is a quicker answer that is right to about seven digits."""
        return self.access.reads_single and not self.access.answers_vary

    def rough(self, numbers: Numbers) -> FloatArray:
        """The same in single precision, in about half the time."""
        return self._losses(numbers, self._table.float())

    def _losses(self, numbers: Numbers, table: torch.Tensor) -> FloatArray:
        import torch

        losses = np.empty(len(numbers))
        with torch.no_grad():
            for start in range(0, len(numbers), self.batch):
                inputs = table[self._tokens(numbers[start : start + self.batch])]
                losses[start : start + len(inputs)] = self._asked(inputs).cpu().numpy()
        return losses

    def slopes(self, numbers: Numbers, hole: int) -> FloatArray:
        """Estimates to first order how the loss differs between the candidates of one hole; (completions, candidates).

        Each row is true up to a constant: it ranks the candidates of a hole, and needs one example a completion.
        """
        import torch

        found = np.empty((len(numbers), self.sizes[hole]))
        places, candidates = self._offered(hole)
        for start in range(0, len(numbers), self.batch):
            inputs = self._table[self._tokens(numbers[start : start + self.batch])].requires_grad_()
            (slope,) = torch.autograd.grad(self._asked(inputs).sum(), inputs)
            found[start : start + len(inputs)] = (
                (slope[:, self._holes[hole]][:, places] @ candidates.T).double().cpu().numpy()
            )
        return found

    def _offered(self, hole: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors of a hole's candidates without the numbers that are 0 in all of them, and where the others are.

        A vector has room for a word of many pieces, and of whole words nearly all of that is empty.
        """
        if hole not in self._told_apart:
            candidates = self._table[self._candidates[hole]]  # (candidates, d)
            places = candidates.any(dim=0).nonzero()[:, 0]
            self._told_apart[hole] = places, candidates[:, places]
        return self._told_apart[hole]

    def numbers(self, completions: Sequence[tuple[str, ...]]) -> Numbers:
        """The numbers of completions given by their words."""
        places = [{word: number for number, word in enumerate(options)} for options in self.words]
        rows = [[place[word] for place, word in zip(places, words, strict=True)] for words in completions]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.sizes))

    def completion(self, row: Sequence[int]) -> tuple[str, ...]:
        """The words of one completion given by its numbers."""
        return tuple(options[number] for options, number in zip(self.words, row, strict=True))

    def _tokens(self, numbers: Numbers) -> torch.Tensor:
        """Which words stand at which places; (completions, T)."""
        import torch

        ids = self._known.repeat(len(numbers), 1)
        for hole, column in enumerate(torch.from_numpy(np.ascontiguousarray(numbers.T))):
            ids[:, self._holes[hole]] = self._candidates[hole][column]
        return ids

    def _asked(self, inputs: torch.Tensor) -> torch.Tensor:
        """The loss of input vectors (B, T, d), each asked `masks` times; (B,)."""
        asked = inputs.repeat_interleave(self.masks, dim=0) if self.masks > 1 else inputs
        found = total_loss(self.access.loss(asked, [self._toward] * len(asked)), self.parts)
        return found.reshape(-1, self.masks).mean(dim=1) if self.masks > 1 else found


def completion_losses(
    access: GradientAccess,
    hint: Gaps,
    completions: Sequence[tuple[str, ...]],
    batch: int = BATCH,
    masks: int = 1,
) -> FloatArray:
    """The summed loss of the text with each completion filled in; (completions,), float64."""
    loss = CompletionLoss(access, hint, masks=masks, batch=batch, extra=completions)
    return loss(loss.numbers(completions))


def total_loss(answer: Mapping[str, torch.Tensor], parts: Parts) -> torch.Tensor:
    """Sums the parts asked for; (B,). In float64: losses saturate near zero, where a tie counts against the attack."""
    import torch

    if parts != "both" and parts not in answer:
        named = ", ".join(repr(name) for name in sorted(answer))
        raise InputError(
            f"parts is {parts!r}, but the model's loss has no such part. It has: {named}. "
            "Ask for one of these, or for 'both', which is their sum"
        )
    chosen = list(answer.values()) if parts == "both" else [answer[parts]]
    return torch.stack([part.double() for part in chosen]).sum(dim=0)
