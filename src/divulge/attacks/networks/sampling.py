"""Sentences drawn from a decoder: the k best tokens of each step, at a temperature that falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from divulge.attacks.networks.decoder import END, Decoder, stacked

__all__ = ["Drawing", "Written", "drawn", "temperature", "write"]


@dataclass(frozen=True)
class Drawing:
    """How sentences are drawn.

    Attributes:
        generations: Sentences for each row.
        longest: Tokens of a sentence, at most.
        top_k: How many of the best tokens may be drawn.
        warmest: The temperature of the first token; that of later ones falls to 1.
        cooling: The number of tokens over which it falls.
    """

    generations: int = 10
    longest: int = 15
    top_k: int = 40
    warmest: float = 3.0
    cooling: int = 10


@dataclass(frozen=True)
class Written:
    """A sentence in numbers, without its end, and the mean log-likelihood of what was drawn, the end included."""

    tokens: tuple[int, ...]
    score: float


def temperature(place: int, warmest: float, cooling: int) -> float:
    """Falls in equal steps from `warmest` at place 0 to 1 at place `cooling`, and stays there."""
    return 1.0 if place >= cooling else warmest + (1.0 - warmest) * place / cooling


def drawn(logits: torch.Tensor, top_k: int, heat: float, chances: torch.Tensor) -> torch.Tensor:
    """Draws one token for each line of logits, (N, V): equations 6 to 8 of gu2023.

    Args:
        logits: How good each token is.
        top_k: How many of the best take part; all of them if there are fewer.
        heat: The temperature.
        chances: A number from 0 to 1 for each line, at which the shares, best first, are cut; (N,).
    """
    best = logits.double().topk(min(top_k, logits.shape[1]), dim=1)
    bounds = torch.softmax(best.values / heat, dim=1).cumsum(dim=1)
    chosen = (chances[:, None] >= bounds).sum(dim=1).clamp(max=bounds.shape[1] - 1)
    return best.indices.gather(1, chosen[:, None])[:, 0]


@torch.no_grad()
def write(
    model: Decoder,
    rows: Sequence[npt.NDArray[np.float32]],
    drawing: Drawing,
    rng: np.random.Generator,
    told: Sequence[Sequence[int]] = (),
) -> list[list[Written]]:
    """Draws sentences for each row, all of them in one batch; those of a row in the order they were drawn.

    `told` are tokens that each row's sentences begin with, whatever the model thinks of them; they do not count in
    the score. The start's number stands for one that the model does not know.
    """
    reading = model.read(*stacked(rows), drawing.generations, drawing.longest)
    given = _given(told, len(rows), drawing)  # (N, longest), where N = R x G
    tokens = torch.full_like(given, END)
    last, going = torch.full_like(given[:, 0], model.start), torch.ones(len(given), dtype=torch.bool)
    sums, counts = torch.zeros(len(given), dtype=torch.float64), torch.zeros(len(given))
    for place in range(drawing.longest):
        logits = model.step(last, place, reading)
        heat = temperature(place, drawing.warmest, drawing.cooling)
        found = drawn(logits, drawing.top_k, heat, torch.from_numpy(rng.random(len(given))))
        free = given[:, place] < 0
        gains = logits.double().log_softmax(dim=1).gather(1, found[:, None])[:, 0]
        sums += torch.where(going & free, gains, 0.0)
        counts += going & free
        last = torch.where(free, found, given[:, place])
        tokens[:, place] = torch.where(going, last, END)
        going &= last != END
        if not going.any():
            break
    scores = (sums / counts.clamp(min=1)).tolist()
    sentences = [Written(_until_end(line), score) for line, score in zip(tokens.tolist(), scores, strict=True)]
    return [sentences[start : start + drawing.generations] for start in range(0, len(given), drawing.generations)]


def _given(told: Sequence[Sequence[int]], rows: int, drawing: Drawing) -> torch.Tensor:
    """The told tokens of every generation, -1 where there is none; (N, longest)."""
    found = torch.full((rows, drawing.longest), -1)
    for line, numbers in enumerate(told):
        first = list(numbers)[: drawing.longest]
        found[line, : len(first)] = torch.tensor(first, dtype=torch.int64)
    return found.repeat_interleave(drawing.generations, dim=0)


def _until_end(numbers: list[int]) -> tuple[int, ...]:
    return tuple(numbers[: numbers.index(END)] if END in numbers else numbers)
