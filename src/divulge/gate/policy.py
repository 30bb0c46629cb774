"""policy.toml: limits on figures, validated as a whole before any run is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from divulge.canonical import freeze
from divulge.errors import InputError
from divulge.gate.sides import OTHER_FIGURES, known_figures, tells_of_leak, worse_side
from divulge.metrics import METRICS
from divulge.metrics.intervals import FEWEST_SECRETS
from divulge.parts import did_you_mean, validate
from divulge.records import Arm, FrozenMapping, Record
from divulge.settings import read_audit_values

__all__ = ["End", "GateOptions", "Limit", "Policy", "read_policy"]

End = Literal["high", "value", "low"]
BOUNDS = ("below", "above", "no_worse_by")


class Limit(Record):
    """One limit, held against every figure that it is about.

    `metric`, `arm`, `group`, `attack`, `target` and `defences` say which figures. One of `below`, `above` and
    `no_worse_by` says what must hold; `end` which end of the interval, at `confidence`, must hold it. Unless told
    otherwise, that is the pessimistic end: the high one for `below`, the low one for `above`.
    """

    metric: str
    arm: Arm | None = None
    group: FrozenMapping = Field(default_factory=lambda: freeze({}))
    attack: str | None = None
    target: str | None = None
    defences: tuple[str, ...] | None = None
    below: float | None = None
    above: float | None = None
    no_worse_by: Annotated[float, Field(ge=0)] | None = None
    end: End | None = None
    confidence: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    at_least_n: Annotated[int, Field(ge=1)] = FEWEST_SECRETS
    when_absent: Literal["inconclusive", "pass"] = "inconclusive"

    @property
    def judged_end(self) -> End:
        """Which end is judged."""
        if self.end is not None:
            return self.end
        if self.metric == "epsilon_lower_bound" and self.no_worse_by is None:
            return "low"  # a one-sided bound: there is no other end
        if self.metric == "trace_p_value" and self.no_worse_by is None:
            return "value"  # it is a statement about an interval, and has none
        return "low" if self.above is not None else "high"

    @property
    def required(self) -> str:
        """The limit in words."""
        which = ", ".join(f"{key} {value}" for key, value in self.group.items())
        filters = [which, self.arm or "", self.attack or "", self.target or "", self._defences]
        named = ", ".join(filter(None, filters))
        figure = f"{self.metric} ({named})" if named else self.metric
        at = "" if self.judged_end == "value" else f", {self.judged_end} end at {self.confidence * 100:g} %"
        if self.no_worse_by is not None:
            return f"{figure}: worse by at most {self.no_worse_by:g}{at}"
        return (
            f"{figure}: below {self.below:g}{at}" if self.below is not None else f"{figure}: above {self.above:g}{at}"
        )

    @property
    def _defences(self) -> str:
        return "" if self.defences is None else " + ".join(self.defences) or "no defence"

    def takes_arm(self, arm: Arm) -> bool:
        """Whether figures of this arm are meant: unless told otherwise the attack's, or the owner's own."""
        if self.arm is not None:
            return arm == self.arm
        owners = self.metric in OTHER_FIGURES or self.metric not in METRICS
        return arm == "attack" or (owners and arm in ("utility", "probe"))

    @model_validator(mode="after")
    def _one_bound(self) -> Limit:
        given = [name for name in BOUNDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of {', '.join(BOUNDS)}. Got {' and '.join(given) or 'none'}")
        good = "below" if worse_side(self.metric) == "high" else "above"
        if tells_of_leak(self.metric) and self.arm in (None, "attack") and given[0] not in (good, "no_worse_by"):
            side = worse_side(self.metric)
            raise ValueError(f"{self.metric} leaks when it is {side}: limit it with {good}, not with {given[0]}")
        return self


class GateOptions(Record):
    """What is judged beside the limits: with `fail_on_leak`, a leak that the report would claim exceeds.

    A finding may be open only because the attack did somewhat better than chance and the intervals overlap. Luck does
    that often where many figures are looked at: `when_overlapping` says whether that is open here, too, or passes.
    """

    fail_on_leak: bool = False
    when_overlapping: Literal["inconclusive", "pass"] = "inconclusive"


class Policy(Record):
    """The content of policy.toml. `against` is the earlier run that `no_worse_by` compares with."""

    against: str | None = None
    gate: GateOptions = GateOptions()
    limits: tuple[Limit, ...] = ()

    @property
    def compares(self) -> bool:
        """Whether an earlier run is needed."""
        return any(limit.no_worse_by is not None for limit in self.limits)

    @model_validator(mode="after")
    def _judges_something(self) -> Policy:
        if not self.limits and not self.gate.fail_on_leak:
            raise ValueError("the policy has no limit: add [[limits]], or fail_on_leak = true under [gate]")
        return self


def read_policy(path: Path, measured: Iterable[str] = ()) -> Policy:
    """Reads and validates policy.toml, every problem in one error.

    Metrics must be known, or among those that the run `measured`: probes of one's own have names of their own.
    """
    values = read_audit_values(path)
    problems = [f"{path}: {problem}" for problem in _unknown_metrics(values, {*known_figures(), *measured})]
    try:
        policy = validate(Policy, values, str(path))
    except InputError as error:
        raise InputError([*problems, *error.problems]) from None
    if problems:
        raise InputError(problems)
    return policy


def _unknown_metrics(values: Mapping[str, Any], known: Iterable[str]) -> Iterator[str]:
    names, limits = sorted(known), values.get("limits")
    for place, limit in enumerate(limits if isinstance(limits, list) else ()):
        metric = limit.get("metric") if isinstance(limit, dict) else None
        if isinstance(metric, str) and metric not in names:
            yield f"'limits.{place}': unknown metric {metric!r}.{did_you_mean(metric, names)}"
