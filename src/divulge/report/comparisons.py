"""The arms of a figure side by side: what an attack reaches, what needs no model, what no model could know.

Of canaries that were to be deleted, the figure compares them with controls by itself, and its p-value decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from divulge.canonical import canonical_json
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.metrics.intervals import FEWEST_SECRETS
from divulge.metrics.trace import SIGNIFICANT
from divulge.parts import load
from divulge.records import Arm, Measurement, SpecResult

__all__ = [
    "POINTS",
    "SHARES",
    "TRACE",
    "Comparison",
    "TraceComparison",
    "beyond",
    "comparisons",
    "metric_called",
]

WIDEST_HALF = 0.2  # of the interval of a share: beyond it, both "all" and "nothing" stay possible
SHARES = ("share", "similarity")
POINTS = "tpr"  # the points of a ROC: one curve, not so many figures
TRACE, P_VALUE = "trace", "trace_p_value"
CHANCE = {"auc": 0.5}  # of judges that know nothing: what a baseline that knows something lies above
UNMETERED = ("exposure", "rank")  # of standings, for which the owner scores completions without a meter


@dataclass(frozen=True)
class Comparison:
    """One metric of one result: the attack beside what needs no model, and beside questions no model could answer."""

    metric: str
    attack: Measurement
    baseline: Measurement | None
    control: Measurement | None
    owners_view: bool = False
    reversible: bool = False  # the judge of texts learnt elsewhere: one who is reliably wrong tells as much

    @property
    def arms(self) -> str:
        """What there is to lie beyond, in words."""
        named = {"baseline": self.baseline, "control": self.control}
        return " and ".join(name for name, figure in named.items() if figure is not None)

    @property
    def apart(self) -> bool:
        """Whether the attack lies beyond all that it can be compared with."""
        beside = [other for other in (self.baseline, self.control) if other is not None]
        return bool(beside) and all(beyond(self.attack, other) for other in beside)

    @property
    def leaks(self) -> bool:
        """Whether that is a leak: something else than the model may lie behind it where no control is as far away."""
        return self.apart and self.control is not None and self.attack.n >= FEWEST_SECRETS and not self.owners_view

    @property
    def explained(self) -> bool:
        """Whether the texts alone tell members from others, without the model, and the attack does no better."""
        chance, blind = CHANCE.get(self.metric), self.baseline
        if chance is None or blind is None or blind.low is None or blind.low == blind.high:
            return False
        if self.reversible and blind.high is not None and blind.high < chance:
            turned = {"value": None if blind.value is None else 1 - blind.value}
            blind = blind.model_copy(update={**turned, "low": 1 - blind.high, "high": 1 - blind.low})
        return blind.low is not None and blind.low > chance and not beyond(self.attack, blind)

    @property
    def suspicious(self) -> bool:
        """Whether chance alone hardly explains the figure, although an interval is still in the way."""
        beside = self.baseline or self.control
        if self.apart or self.owners_view or self.explained or beside is None:
            return False
        return beyond(self.attack, beside.model_copy(update={"low": None, "high": None}))

    @property
    def doubt(self) -> str:
        """Why a figure that is no leak does not show that there is none; empty if it does."""
        attack = self.attack
        if self.owners_view:
            return "the owner's view, outside the query budget"
        if attack.value is None or attack.low is None or attack.high is None:
            return "too few secrets to measure it"
        if attack.n < FEWEST_SECRETS:
            return f"only {attack.n} secrets"
        if self.explained:
            return "the texts alone tell members from others as well"
        if self.control is None and (self.apart or self.baseline is None):
            return "no control" if self.apart else "nothing to be compared with"
        wide = (attack.high - attack.low) / 2 > WIDEST_HALF and metric_called(self.metric).unit in SHARES
        return f"an interval too wide to tell, n = {attack.n}" if wide else ""


@dataclass(frozen=True)
class TraceComparison(Comparison):
    """Canaries that were to be deleted beside controls: a trace is left where chance alone hardly explains it.

    Whether it is gone is the owner's question, so that no query budget bears on it.
    """

    p_value: float | None = None

    @property
    def apart(self) -> bool:
        """Whether planted canaries stand better than controls, and chance alone seldom does that."""
        value = self.attack.value
        return self.p_value is not None and self.p_value <= SIGNIFICANT and value is not None and value > 0.5

    @property
    def pushed_away(self) -> bool:
        """Whether planted canaries stand worse than controls beyond chance: that, too, tells them apart."""
        return self.attack.high is not None and self.attack.high < 0.5

    @property
    def leaks(self) -> bool:
        """The same: controls are in the figure already, and few canaries are in the p-value."""
        return self.apart

    @property
    def explained(self) -> bool:
        """Never: both kinds come from one draw."""
        return False

    @property
    def suspicious(self) -> bool:
        """Never: the p-value has the last word."""
        return False

    @property
    def doubt(self) -> str:
        """Why the figure decides nothing; empty if it does."""
        if self.p_value is None:
            return "too few canaries, or too many that stand alike, to tell"
        return "planted canaries stand worse than controls: pushed away, not forgotten" if self.pushed_away else ""


def comparisons(result: SpecResult) -> tuple[Comparison, ...]:
    """Lines up the arms of every figure; what only an oracle could choose is left out."""
    adversary: Any = result.spec.get("adversary") or {}
    secrets: Any = result.spec.get("secrets") or {}
    budget = adversary.get("max_queries") is not None
    arms: dict[tuple[str, str], dict[Arm, Measurement]] = {}
    p_value = next((one.value for one in result.measurements if one.metric == P_VALUE), None)
    for one in result.measurements:
        if one.metric in {*METRICS, TRACE} - {POINTS} and one.group.get("choice") != "oracle":
            arms.setdefault((one.metric, canonical_json(one.group)), {})[one.arm] = one
    return tuple(
        TraceComparison(metric, found["attack"], found.get("baseline"), None, p_value=p_value)
        if metric == TRACE
        else Comparison(
            metric,
            found["attack"],
            found.get("baseline"),
            found.get("control"),
            budget and metric in UNMETERED,
            secrets.get("kind") == "users" and secrets.get("held_out") is None,
        )
        for (metric, _), found in arms.items()
        if "attack" in found
    )


def beyond(attack: Measurement, other: Measurement) -> bool:
    """Whether the attack's whole interval is on the leaking side of the other's."""
    if attack.metric not in METRICS or metric_called(attack.metric).leaks_when == "high":
        edge = other.high if other.high is not None else other.value
        return attack.low is not None and edge is not None and attack.low > edge
    edge = other.low if other.low is not None else other.value
    return attack.high is not None and edge is not None and attack.high < edge


def metric_called(name: str) -> type[Metric]:
    """The class of a metric."""
    return load(METRICS, name, Metric, "metric")
