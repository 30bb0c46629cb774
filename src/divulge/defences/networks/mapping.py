"""The game between a mapping of vectors and an adversary who names the token behind each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import log_softmax

from divulge.seeds import settled

__all__ = ["Game", "play"]

BATCH, SMALLEST_BATCH = 256, 32
FEWEST_STEPS = 30  # of each side in a round, however few vectors there are: fewer leave the mapping half-trained
LEARNING_RATE = 1e-3
LEAST = 1e-12  # keeps a root or a quotient defined where vectors are zero
WARM_UP = 2  # passes of the adversary alone: a mapping that plays against an untrained one learns nothing


@dataclass(frozen=True)
class Game:
    """What is played for: weight of what the adversary can tell against distortion, rounds, and sizes of networks.

    `zero_sum` plays the printed game. `unit` is how long a vector of length 1 was before it was scaled: the printed
    distortion is a length, and not a share.
    """

    strength: float
    rounds: int
    hidden: int
    classes: int
    zero_sum: bool = False
    unit: float = 1.0


def play(
    vectors: npt.NDArray[np.float32], named: npt.NDArray[np.int64], game: Game, rng: np.random.Generator
) -> tuple[dict[str, npt.NDArray[np.float32]], dict[str, float]]:
    """Trains both sides in turns; gives the weights of the mapping's network, and how it ended.

    Vectors (n, d) should be of about size 1 in each number. `named` (n, most) holds the classes of tokens behind each
    vector, filled up with -1: one of them, or all tokens of a pooled row. The mapping is z + f(z), f zero at first.
    Distortion is |f(z)|^2 over |z|^2, both summed over a batch; the adversary's certainty is the mean over classes of
    its log-likelihoods' distance from even odds, in units of the log of their number. In the zero-sum game the mapping
    lowers the log-likelihood of the truth instead, and distortion is the mean of |f(z)| (section 10.4, divided by
    lambda).
    """
    with settled(rng):
        width = vectors.shape[1]
        mapping, adversary = _network(width, game.hidden, width), _network(width, game.hidden, game.classes)
        for weights in mapping[-1].parameters():
            nn.init.zeros_(weights)
        inputs, wanted = torch.from_numpy(vectors), torch.from_numpy(named)
        sides = _Sides(mapping, adversary, inputs, wanted, game)
        for _ in range(WARM_UP):
            sides.adversary_plays(rng)
        for _ in range(game.rounds):
            sides.mapping_plays(rng)
            sides.adversary_plays(rng)
        return {name: value.numpy().copy() for name, value in mapping.state_dict().items()}, sides.ended()


class _Sides:
    def __init__(
        self, mapping: nn.Sequential, adversary: nn.Sequential, inputs: torch.Tensor, wanted: torch.Tensor, game: Game
    ) -> None:
        self.mapping, self.adversary, self.inputs, self.wanted, self.game = mapping, adversary, inputs, wanted, game
        self._mapper = torch.optim.Adam(mapping.parameters(), lr=LEARNING_RATE)
        self._reader = torch.optim.Adam(adversary.parameters(), lr=LEARNING_RATE)

    def adversary_plays(self, rng: np.random.Generator) -> None:
        """One pass: names what stands behind mapped vectors as well as it can."""
        for batch in self._batches(rng):
            with torch.no_grad():
                shown = self.inputs[batch] + self.mapping(self.inputs[batch])
            loss = _naming_loss(self.adversary(shown), self.wanted[batch])
            self._reader.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self._reader.step()

    def mapping_plays(self, rng: np.random.Generator) -> None:
        """One pass: takes from the adversary what it can tell, at little distortion."""
        for batch in self._batches(rng):
            clear = self.inputs[batch]
            moved = self.mapping(clear)
            told = self._told(self.adversary(clear + moved), self.wanted[batch])
            self._mapper.zero_grad()
            (self._distortion(clear, moved) + self.game.strength * told).backward()  # type: ignore[no-untyped-call]
            self._mapper.step()

    def _told(self, scores: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """How certain the adversary is of anything, or, in the zero-sum game, how likely the truth is to it."""
        if self.game.zero_sum:
            return -_naming_loss(scores, wanted)
        even = float(np.log(self.game.classes))
        return (-log_softmax(scores, dim=1).mean() - even) / even

    def _distortion(self, clear: torch.Tensor, moved: torch.Tensor) -> torch.Tensor:
        if self.game.zero_sum:
            # The root has no slope at none, where the mapping starts.
            return self.game.unit * (moved.square().sum(dim=1) + LEAST).sqrt().mean()
        return moved.square().sum() / clear.square().sum().clamp(min=LEAST)

    def ended(self) -> dict[str, float]:
        """The distortion, and how often the adversary's first class is behind the vector, over all of them."""
        moved, right = 0.0, 0
        with torch.no_grad():
            for start in range(0, len(self.inputs), 4 * BATCH):
                clear = self.inputs[start : start + 4 * BATCH]
                step = self.mapping(clear)
                said = self.adversary(clear + step).argmax(dim=1, keepdim=True)
                moved += float(step.square().sum())
                right += int((self.wanted[start : start + 4 * BATCH] == said).any(dim=1).sum())
        whole = float(self.inputs.square().sum())
        return {"distortion": moved / whole if whole else 0.0, "adversary_accuracy": right / len(self.inputs)}

    def _batches(self, rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """The vectors in random order, more than once if they are few."""
        count = len(self.inputs)
        size = min(BATCH, max(SMALLEST_BATCH, count // FEWEST_STEPS))
        passes = max(1, -(-FEWEST_STEPS * size // count))
        order = np.concatenate([rng.permutation(count) for _ in range(passes)])
        for start in range(0, len(order), size):
            yield torch.from_numpy(order[start : start + size])


def _network(width: int, hidden: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, out))


def _naming_loss(scores: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Minus the mean log-likelihood of the classes that stand behind each vector."""
    known = wanted >= 0  # (B, most)
    likelihoods = log_softmax(scores, dim=1).gather(1, wanted.clamp(min=0))
    return -(likelihoods * known).sum() / known.sum().clamp(min=1)
