"""What a metric sees and what it returns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from divulge.parts import Part
from divulge.records import Answer, Arm, Guess, Hint, Measurement, Outcome, Standing

__all__ = ["Metric", "Scored"]


@dataclass(frozen=True)
class Scored:
    """Guesses beside answers, all keyed by secret id. A secret without a guess counts as a wrong guess.

    `clusters` names the trained model behind each secret where several models are pooled.
    """

    answers: Mapping[str, Answer]
    hints: Mapping[str, Hint]
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    standings: Mapping[str, Standing] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)


class Metric(Part):
    """Turns guesses and answers into outcomes per secret, and those into a figure with its interval."""

    leaks_when: ClassVar[Literal["high", "low"]] = "high"
    unit: ClassVar[str] = "share"

    @abstractmethod
    def applies(self, scored: Scored) -> bool:
        """Whether these guesses and answers are of the kind this metric is about."""

    @abstractmethod
    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """One value per secret, in the order of `scored.answers`."""

    @abstractmethod
    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The figure over all secrets, with a two-sided 95 % interval."""

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """What guessing without asking would reach, where that has a closed form."""
        del scored
        return ()
