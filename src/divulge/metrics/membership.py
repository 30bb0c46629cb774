"""How well people whose texts were used are told from others: precision, recall, AUC, rare false alarms.

Larger statistics mean "used"; above zero the attack says so. A person without a verdict counts as the worst one: a
member below everybody, another above everybody.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from divulge.metrics.base import Metric, Scored
from divulge.metrics.figures import chance, clusters_of, figure
from divulge.metrics.intervals import Interval, bootstrap, hull, is_clustered, wilson
from divulge.metrics.questions import about_users, right_verdict, statistic, was_used
from divulge.metrics.roc import auc, auc_interval, placements, strict_threshold, true_positive_rate
from divulge.records import Arm, FloatArray, Measurement, Outcome

__all__ = [
    "AreaUnderCurve",
    "Precision",
    "Recall",
    "TruePositiveRate",
    "precision",
    "recall",
]


def precision(members: npt.ArrayLike, others: npt.ArrayLike) -> float | None:
    """The share of members among those said to be members; None if the attack says so of nobody."""
    caught, accused = int(np.sum(np.asarray(members) > 0)), int(np.sum(np.asarray(others) > 0))
    return caught / (caught + accused) if caught + accused else None


def recall(members: npt.ArrayLike) -> float | None:
    """The share of members said to be members."""
    found = np.asarray(members)
    return float(np.mean(found > 0)) if len(found) else None


class MembershipMetric(Metric):
    """A figure over the statistics of members and others; the outcome is whether the attack was right."""

    def applies(self, scored: Scored) -> bool:
        """Whether membership is the question."""
        return about_users(scored)

    def value(self, members: FloatArray, others: FloatArray) -> float | None:
        """The figure itself."""
        raise NotImplementedError

    def plain_interval(self, rows: FloatArray, rng: np.random.Generator) -> Interval | None:
        """Its interval if no two people share a model."""
        raise NotImplementedError

    def threshold(self, scored: Scored) -> float:
        """What a statistic must exceed to mean "used"."""
        del scored
        return 0.0

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """Whether the attack was right about each person."""
        limit = self.threshold(scored)
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(right_verdict(scored, secret_id, limit)))
            for secret_id in scored.answers
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The figure, with an interval that clusters can only widen; None where it cannot be measured."""
        rows = _rows(scored)
        value = self.value(*_kinds(rows))
        interval = None
        if value is not None:
            interval = self.plain_interval(rows, rng)
            clusters = clusters_of(scored)
            if is_clustered(clusters):
                interval = hull(interval, bootstrap(rows, self._value_of_rows, rng, clusters))
        return (figure(self.name, value, interval, n=len(outcomes), arm=arm),)

    def _value_of_rows(self, rows: FloatArray) -> float:
        value = self.value(*_kinds(rows))
        return math.nan if value is None else value


class AreaUnderCurve(MembershipMetric):
    """Area under the ROC curve."""

    name = "auc"
    summary = (
        "How likely the attack ranks a person whose texts were used above one whose texts were not; 0.5 is chance."
    )

    def value(self, members: FloatArray, others: FloatArray) -> float | None:
        """The area."""
        return auc(members, others)

    def plain_interval(self, rows: FloatArray, rng: np.random.Generator) -> Interval | None:
        """Newcombe's interval."""
        del rng
        members, others = _kinds(rows)
        value = auc(members, others)
        return None if value is None else auc_interval(value, len(members), len(others))

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """For each member, the share of others ranked below; for each other, the share of members ranked above."""
        rows = _rows(scored)
        members, others = _kinds(rows)
        values = np.full(len(rows), 0.5)  # where one kind is absent, nobody can be told from it
        if len(members) and len(others):
            values = np.where(rows[:, 0] == 1, placements(rows[:, 1], others), 1 - placements(rows[:, 1], members))
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

    def value(self, members: FloatArray, others: FloatArray) -> float | None:
        """The share of members among the accused."""
        return precision(members, others)

    def plain_interval(self, rows: FloatArray, rng: np.random.Generator) -> Interval | None:
        """Wilson's interval over those the attack points at."""
        del rng
        members, others = _kinds(rows)
        caught, accused = int(np.sum(members > 0)), int(np.sum(others > 0))
        return wilson(caught, caught + accused)

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Pointing at people at random: the share of members."""
        return chance(self.name, [float(was_used(scored, secret_id)) for secret_id in scored.answers])


class Recall(MembershipMetric):
    """Recall."""

    name = "recall"
    summary = "Of the people whose texts were used, the share the attack finds."

    def value(self, members: FloatArray, others: FloatArray) -> float | None:
        """The share of members caught."""
        del others
        return recall(members)

    def plain_interval(self, rows: FloatArray, rng: np.random.Generator) -> Interval | None:
        """Wilson's interval over members."""
        del rng
        members, _ = _kinds(rows)
        return wilson(int(np.sum(members > 0)), len(members))

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Tossing a coin for each person."""
        return chance(self.name, [0.5] * len(scored.answers))


class TruePositiveRate(MembershipMetric):
    """True positives at 1 % false positives."""

    name = "tpr_at_fpr_0.01"
    summary = "The share of people found by an attack that wrongly accuses at most one outsider in a hundred."
    rate: ClassVar[float] = 0.01

    def value(self, members: FloatArray, others: FloatArray) -> float | None:
        """The share of members above the threshold; None with fewer than a hundred others."""
        return true_positive_rate(members, others, self.rate)

    def plain_interval(self, rows: FloatArray, rng: np.random.Generator) -> Interval | None:
        """Wilson's interval over members, widened by the doubt about the threshold itself."""
        members, others = _kinds(rows)
        value = true_positive_rate(members, others, self.rate)
        if value is None:
            return None
        redrawn = bootstrap(rows, self._value_of_rows, rng, strata=[int(used) for used in rows[:, 0]])
        return hull(wilson(round(value * len(members)), len(members)), redrawn)

    def threshold(self, scored: Scored) -> float:
        """The strict threshold; infinite where there are too few others to set one."""
        threshold = strict_threshold(_kinds(_rows(scored))[1], self.rate)
        return math.inf if threshold is None else threshold

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """A statistic that knows nothing catches as many members as it accuses others."""
        return chance(self.name, [self.rate] * len(scored.answers))


def _rows(scored: Scored) -> FloatArray:
    pairs = [(float(was_used(scored, secret_id)), statistic(scored, secret_id)) for secret_id in scored.answers]
    return np.array(pairs, dtype=np.float64).reshape(-1, 2)


def _kinds(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    return rows[rows[:, 0] == 1, 1], rows[rows[:, 0] == 0, 1]
