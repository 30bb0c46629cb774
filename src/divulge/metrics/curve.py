"""The ROC curve of records at its interesting end: how many are found at few, fewer, and very few false alarms."""

from __future__ import annotations

import numpy as np

from divulge.metrics.base import Metric, Scored
from divulge.metrics.figures import chance, figure
from divulge.metrics.intervals import hull, rate_interval
from divulge.metrics.membership import People, about_records, threshold_interval
from divulge.metrics.roc import allowed_alarms, strict_threshold
from divulge.records import Arm, Measurement, Outcome

__all__ = ["RATES", "TruePositiveCurve"]

RATES = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)


class TruePositiveCurve(Metric):
    """True positives at several rates of false positives, each a figure of the group `fpr`."""

    name = "tpr"
    revision = 2
    summary = "The share of records found by an attack, at several shares of outsiders that it may wrongly accuse."

    def applies(self, scored: Scored) -> bool:
        """Whether the membership of single records is the question."""
        return about_records(scored)

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """Each record's risk: of a member, the share of others that are ranked below it; of an other, none."""
        people = People.of(scored)
        risks = np.zeros(len(people.used))
        for own, members, others in people.by_model():
            if len(members) and len(others):
                risks[own & people.used] = np.searchsorted(np.sort(others), members, "left") / len(others)
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(risk))
            for secret_id, risk in zip(scored.answers, risks, strict=True)
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """One figure for each rate that every model has enough others for; a threshold is that of its model."""
        del outcomes
        people = People.of(scored)
        models = people.models[people.used].tolist()
        figures = []
        for rate in _allowed(people):
            limits = np.zeros(len(people.used))
            for own, _, others in people.by_model():
                limits[own] = strict_threshold(others, rate)
            found = (people.statistics > limits)[people.used].astype(np.float64)
            interval = hull(rate_interval(found, rng, models), threshold_interval(people, rate, rng))
            figures.append(figure(self.name, float(found.mean()), interval, n=len(found), arm=arm, group={"fpr": rate}))
        return tuple(figures)

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """A statistic that knows nothing: a member is as likely as any other to be among those accused."""
        people = People.of(scored)
        figures: list[Measurement] = []
        for rate in _allowed(people):
            chances: list[float] = []
            for _, members, others in people.by_model():
                chances += [(allowed_alarms(len(others), rate) + 1) / (len(others) + 1)] * len(members)
            figures += chance(self.name, chances, {"fpr": rate})
        return tuple(figures)


def _allowed(people: People) -> list[float]:
    """The rates at which at least one other of each model may be accused; none where there is no member to find."""
    fewest = min((len(others) for _, _, others in people.by_model()), default=0)
    return [rate for rate in RATES if people.used.any() and allowed_alarms(fewest, rate) >= 1]
