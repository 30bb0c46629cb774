"""From outcomes per secret to a figure with its interval: what the metrics of this folder share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from divulge.metrics.base import Metric, Scored
from divulge.metrics.intervals import Interval, mean_interval, rate_interval
from divulge.records import Arm, Measurement, Outcome

__all__ = ["MeanMetric", "chance", "clusters_of", "figure"]


class MeanMetric(Metric):
    """A metric whose figure is the mean of its outcomes."""

    revision = 2
    binary: ClassVar[bool] = False

    @abstractmethod
    def outcome(self, scored: Scored, secret_id: str) -> float:
        """The value of one secret."""

    def bounds(self, scored: Scored) -> tuple[float, float]:
        """Between what the value of a secret can lie."""
        del scored
        return 0.0, 1.0

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """One value per secret, in the order of `scored.answers`."""
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=self.outcome(scored, secret_id))
            for secret_id in scored.answers
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The mean, with Wilson's interval for zeros and ones, else a bootstrap interval."""
        return (self.mean(scored, [outcome.value for outcome in outcomes], arm, rng),)

    def mean(
        self,
        scored: Scored,
        values: Sequence[float],
        arm: Arm,
        rng: np.random.Generator,
        group: Mapping[str, Any] | None = None,
    ) -> Measurement:
        """The mean of one value per secret, given in the order of `scored.answers`."""
        clusters = clusters_of(scored)
        if self.binary:
            interval = rate_interval(values, rng, clusters)
        else:
            interval = mean_interval(values, rng, clusters, self.bounds(scored))
        value = float(np.mean(np.sort(values))) if values else None
        return figure(self.name, value, interval, n=len(values), arm=arm, group=group)


def figure(
    metric: str,
    value: float | None,
    interval: Interval | None,
    *,
    n: int,
    arm: Arm,
    group: Mapping[str, Any] | None = None,
) -> Measurement:
    """A measurement whose value lies inside its interval; without a value there is no interval."""
    low = high = None
    if value is not None and interval is not None:
        low, high = min(interval.low, value), max(interval.high, value)
    return Measurement(metric=metric, value=value, low=low, high=high, n=n, arm=arm, group=group or {})


def chance(metric: str, values: Sequence[float], group: Mapping[str, Any] | None = None) -> tuple[Measurement, ...]:
    """What guessing without asking reaches in the mean: a closed form, so there is no doubt about it."""
    if not values:
        return ()
    value = float(np.mean(np.sort(values)))
    return (figure(metric, value, Interval(value, value), n=len(values), arm="baseline", group=group),)


def clusters_of(scored: Scored) -> list[Hashable] | None:
    """The model behind each secret, in the order of `scored.answers`; None where only one model is known of."""
    if not scored.clusters:
        return None
    return [
        ("model", scored.clusters[secret_id]) if secret_id in scored.clusters else ("secret", secret_id)
        for secret_id in scored.answers
    ]
