"""How well people whose texts were used, or records, are told from others: precision, recall, AUC, rare false alarms.

Larger statistics mean "used"; above zero the attack says so. A person without a verdict counts as the worst one: a
member below everybody, another above everybody. Statistics are compared within a model only: where several are
pooled, each has a scale of its own.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from divulge.metrics.base import Metric, Scored
from divulge.metrics.figures import chance, clusters_of, figure
from divulge.metrics.intervals import Interval, bootstrap, hull, is_clustered, rate_interval
from divulge.metrics.questions import about_users, right_verdict, statistic, was_used
from divulge.metrics.roc import allowed_alarms, auc, placements, pooled_auc_interval, strict_threshold, threshold_band
from divulge.records import Arm, FloatArray, Measurement, Outcome, RecordText

__all__ = [
    "FALSE_ALARMS",
    "AreaUnderCurve",
    "LooseTruePositiveRate",
    "People",
    "Precision",
    "RareTruePositiveRate",
    "Recall",
    "TruePositiveRate",
    "about_records",
    "false_alarms",
    "threshold_interval",
]


FALSE_ALARMS = "false_positive_rate"
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
Estimate = tuple[float | None, Interval | None, int]


@dataclass(frozen=True)
class People:
    """The people of a set in its order: whether each was used, the statistic, and the number of the model."""

    used: BoolArray
    statistics: FloatArray
    models: IntArray

    @classmethod
    def of(cls, scored: Scored) -> People:
        """Reads them; all belong to one model unless several are known to have been pooled."""
        names = clusters_of(scored)
        numbers = {name: number for number, name in enumerate(sorted(set(names or ()), key=repr))}
        return cls(
            np.array([was_used(scored, secret_id) for secret_id in scored.answers], dtype=np.bool_),
            np.array([statistic(scored, secret_id) for secret_id in scored.answers], dtype=np.float64),
            np.array([numbers[name] for name in names], dtype=np.int64)
            if names is not None and is_clustered(names)
            else np.zeros(len(scored.answers), dtype=np.int64),
        )

    def by_model(self) -> list[tuple[BoolArray, FloatArray, FloatArray]]:
        """For each model who belongs to it, and the statistics of its members and of its others."""
        belonging = [self.models == model for model in np.unique(self.models)]
        return [(own, self.statistics[own & self.used], self.statistics[own & ~self.used]) for own in belonging]


class MembershipMetric(Metric):
    """A figure over the statistics of members and others; the outcome is whether the attack was right."""

    revision = 3

    def applies(self, scored: Scored) -> bool:
        """Whether membership is the question."""
        return about_users(scored)

    @abstractmethod
    def estimate(self, people: People, rng: np.random.Generator) -> Estimate:
        """The figure, its interval, and the number of people behind it; None where it cannot be measured."""

    def thresholds(self, people: People) -> FloatArray:
        """What the statistic of each person must exceed to mean "used"."""
        return np.zeros(len(people.used))

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """Whether the attack was right about each person."""
        limits = self.thresholds(People.of(scored))
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(right_verdict(scored, secret_id, float(limit))))
            for secret_id, limit in zip(scored.answers, limits, strict=True)
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The figure, with an interval that clusters can only widen; None where it cannot be measured."""
        del outcomes
        value, interval, n = self.estimate(People.of(scored), rng)
        return (figure(self.name, value, interval, n=n, arm=arm),)


class AreaUnderCurve(MembershipMetric):
    """Area under the ROC curve."""

    name = "auc"
    summary = (
        "How likely the attack ranks a person whose texts were used above one whose texts were not; 0.5 is chance."
    )

    def estimate(self, people: People, rng: np.random.Generator) -> Estimate:
        """The share of pairs won within models: Newcombe's interval, and models resampled."""
        areas, sizes = [], []
        for _, members, others in people.by_model():
            area = auc(members, others)
            if area is not None:
                areas.append((area, float(len(members) * len(others))))
                sizes.append((len(members), len(others)))
        if not areas:
            return None, None, 0
        value = _weighted(np.array(areas))
        interval = pooled_auc_interval(value, sizes)
        return value, hull(interval, bootstrap(areas, _weighted, rng)), sum(map(sum, sizes))

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """For each member, the share of others ranked below; for each other, the share of members ranked above."""
        people = People.of(scored)
        values = np.full(len(people.used), 0.5)  # where one kind is absent, nobody can be told from it
        for own, members, others in people.by_model():
            if len(members) and len(others):
                values[own & people.used] = placements(members, others)
                values[own & ~people.used] = 1 - placements(others, members)
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(value))
            for secret_id, value in zip(scored.answers, values, strict=True)
        )

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """A statistic that knows nothing."""
        return chance(self.name, [0.5] * len(scored.answers))


class Precision(MembershipMetric):
    """Precision."""

    name = "precision"
    summary = "Of the people the attack says were in the training data, the share who were."

    def estimate(self, people: People, rng: np.random.Generator) -> Estimate:
        """The share of members among the accused."""
        return _share(people.used, people.statistics > 0, people, rng)

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Pointing at people at random: the share of members."""
        return chance(self.name, [float(was_used(scored, secret_id)) for secret_id in scored.answers])


class Recall(MembershipMetric):
    """Recall."""

    name = "recall"
    summary = "Of the people whose texts were used, the share the attack finds."

    def estimate(self, people: People, rng: np.random.Generator) -> Estimate:
        """The share of members caught."""
        return _share(people.statistics > 0, people.used, people, rng)

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Tossing a coin for each member."""
        return chance(self.name, [0.5] * int(People.of(scored).used.sum()))


class TruePositiveRate(MembershipMetric):
    """True positives at 1 % false positives."""

    name = "tpr_at_fpr_0.01"
    summary = "The share of people found by an attack that wrongly accuses at most one outsider in a hundred."
    rate: ClassVar[float] = 0.01

    def estimate(self, people: People, rng: np.random.Generator) -> Estimate:
        """The share of members above the threshold of their model; None if one has too few others to set it."""
        limits = self.thresholds(people)
        if np.isinf(limits[people.used]).any():
            return None, None, int(people.used.sum())
        value, interval, n = _share(people.statistics > limits, people.used, people, rng)
        if value is None:
            return None, None, n
        return value, hull(interval, threshold_interval(people, self.rate, rng)), n

    def thresholds(self, people: People) -> FloatArray:
        """The strict threshold of each person's model; infinite where there are too few others to set one."""
        limits = np.full(len(people.used), math.inf)
        for own, _, others in people.by_model():
            threshold = strict_threshold(others, self.rate)
            if threshold is not None:
                limits[own] = threshold
        return limits

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """A statistic that knows nothing: a member is as likely as any other to be among those accused.

        Of m others and one member, each is equally likely to be one of the floor(m x rate) + 1 highest.
        """
        chances: list[float] = []
        for _, members, others in People.of(scored).by_model():
            accused = allowed_alarms(len(others), self.rate)
            chances += [(accused + 1) / (len(others) + 1) if accused else self.rate] * len(members)
        return chance(self.name, chances)


class LooseTruePositiveRate(TruePositiveRate):
    """True positives at 5 % false positives."""

    name = "tpr_at_fpr_0.05"
    summary = "The share of people found by an attack that wrongly accuses at most one outsider in twenty."
    rate: ClassVar[float] = 0.05


class RareTruePositiveRate(TruePositiveRate):
    """True positives at 0.1 % false positives."""

    name = "tpr_at_fpr_0.001"
    summary = "The share of records found by an attack that wrongly accuses at most one outsider in a thousand."
    rate: ClassVar[float] = 0.001

    def applies(self, scored: Scored) -> bool:
        """Whether the membership of single records is the question, or there are others enough to set a threshold."""
        return about_records(scored) or (about_users(scored) and int((~People.of(scored).used).sum()) >= 1 / self.rate)


def about_records(scored: Scored) -> bool:
    """Whether every secret is a single record that was used or not."""
    return about_users(scored) and all(isinstance(scored.hints.get(one), RecordText) for one in scored.answers)


def false_alarms(scored: Scored, rng: np.random.Generator) -> tuple[Measurement, ...]:
    """Of all people asked about who were not used, the share that the attack accuses at the line it drew itself.

    Beside what that line was calibrated at, it tells whether the calibration holds. It is no metric: no side of it
    means that more leaks.
    """
    if not about_users(scored) or about_records(scored):
        return ()
    people = People.of(scored)
    value, interval, n = _share(people.statistics > 0, ~people.used, people, rng)
    return (figure(FALSE_ALARMS, value, interval, n=n, arm="attack"),)


def threshold_interval(people: People, rate: float, rng: np.random.Generator) -> Interval | None:
    """The interval of a true positive rate whose thresholds are themselves in doubt, each within its band."""
    lower, upper = (np.full(len(people.used), math.inf) for _ in range(2))
    for own, _, others in people.by_model():
        if len(others):
            lower[own], upper[own] = threshold_band(others, rate)
    most, least = (_share(people.statistics > edge, people.used, people, rng)[1] for edge in (lower, upper))
    return None if least is None or most is None else Interval(least.low, most.high)


def _share(found: BoolArray, among: BoolArray, people: People, rng: np.random.Generator) -> Estimate:
    values = found[among].astype(np.float64)
    if len(values) == 0:
        return None, None, 0
    return float(values.mean()), rate_interval(values, rng, people.models[among].tolist()), len(values)


def _weighted(rows: FloatArray) -> float:
    return float(np.average(rows[:, 0], weights=rows[:, 1]))
