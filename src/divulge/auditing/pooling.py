"""Several models, one figure: guesses about the secrets of all seeds, kept apart by model, and means over models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.auditing.measuring import scored
from divulge.auditing.planning import Plan, Planned
from divulge.auditing.repeats import distinct, identities, measured_once_each
from divulge.canonical import canonical_json, thaw
from divulge.data.cases import Case
from divulge.metrics.base import Metric, Scored
from divulge.metrics.intervals import Interval, bootstrap, hull
from divulge.records import Arm, Artefact, FloatArray, Measurement
from divulge.store import Store

__all__ = ["Attacked", "attacked", "attacked_by", "mean_over_models", "measured", "pooled", "probed", "repeated"]


@dataclass(frozen=True)
class Attacked:
    """What one attack said about one model, arm by arm. Chance has no arm where it has a closed form.

    `ranked` are controls that were placed among decoys and not looked for; `queries` is what the attack asked about all
    secrets together.
    """

    seed: int
    model: str
    arms: Mapping[Arm, Scored]
    failed_checks: tuple[str, ...] = ()
    ranked: Scored | None = None
    queries: int = 0


def attacked(seed: int, one: Planned, plan: Plan, store: Store) -> Attacked:
    """Reads the guesses of one spec from the store.

    Raises:
        MissingArtefactError: They are not there.
    """
    needs = plan.graph[one.measure].needs
    found = {role: store.get(key) for role, key in needs.items() if role in ("attack", "baseline")}
    return attacked_by(seed, plan.graph[needs["attack"]].needs["target"], one.resolved.case, found)


def attacked_by(seed: int, model: str, case: Case, found: Mapping[str, Artefact]) -> Attacked:
    """Puts what an attack, and its baseline where it has one, said about one model beside the answers."""
    artefact = found["attack"]
    arms: dict[Arm, Scored] = {"attack": scored(case.secrets, artefact, "attack")}
    if "baseline" in found:
        arms["baseline"] = scored(case.secrets, found["baseline"], "attack")
    if case.controls:
        arms["control"] = scored(case.controls, artefact, "control")
    checks = [check for check in artefact.values.get("handshake", ()) if check["passed"] is False]
    failed = tuple(f"{check['access']}: {check['name']}" for check in checks)
    ranked = scored(case.ranked, artefact, "ranked") if case.ranked else None
    asked: Any = artefact.values.get("queries", {})
    return Attacked(seed, model, arms, failed, ranked, sum(asked.values()))


def pooled(parts: Sequence[Attacked], arm: Arm) -> Scored | None:
    """Puts the secrets of all models together; ids carry the seed, clusters name the model."""
    found = [(part, part.arms[arm]) for part in parts if arm in part.arms]
    if not found:
        return None

    return Scored(
        answers={_named(part, key): value for part, one in found for key, value in one.answers.items()},
        hints={_named(part, key): value for part, one in found for key, value in one.hints.items()},
        guesses={_named(part, key): value for part, one in found for key, value in one.guesses.items()},
        standings={_named(part, key): value for part, one in found for key, value in one.standings.items()},
        clusters={_named(part, key): part.model for part, one in found for key in one.answers},
    )


def repeated(parts: Sequence[Attacked], arm: Arm) -> bool:
    """Whether some secret was asked of several models."""
    same = _same(parts, arm)
    return len(set(same.values())) < len(same)


def measured(metric: Metric, parts: Sequence[Attacked], arm: Arm, rng: np.random.Generator) -> tuple[Measurement, ...]:
    """Measures one arm over all models: secrets pooled, or, where figures are counts, a mean over models."""
    if metric.unit == "count" and len(parts) > 1:
        # A sum over secrets grows with the number of models; what is printed is the sum for one.
        each = [one for part in parts for one in _figures(metric, [part], arm, rng)]
        return _counted_once(mean_over_models(each, rng), parts, arm)
    return _figures(metric, parts, arm, rng)


def _figures(metric: Metric, parts: Sequence[Attacked], arm: Arm, rng: np.random.Generator) -> tuple[Measurement, ...]:
    seen, asked = pooled(parts, arm), pooled(parts, "attack")
    if seen is not None:
        return measured_once_each(metric, seen, _same(parts, arm), arm, rng) if metric.applies(seen) else ()
    if arm == "baseline" and asked is not None and metric.applies(asked):
        return _counted_once(metric.baseline(asked), parts, arm)
    return ()


def _counted_once(figures: Iterable[Measurement], parts: Sequence[Attacked], arm: Arm) -> tuple[Measurement, ...]:
    seen = pooled(parts, arm) or pooled(parts, "attack")
    if seen is None:
        return tuple(figures)
    same = _same(parts, arm) or _same(parts, "attack")
    return tuple(one.model_copy(update={"n": distinct(one.n, seen, same)}) for one in figures)


def _same(parts: Sequence[Attacked], arm: Arm) -> dict[str, str]:
    """The identity of every pooled secret; secrets of a single model are all different."""
    found = [(part, part.arms[arm]) for part in parts if arm in part.arms]
    if len(found) == 1:
        return {_named(part, key): key for part, one in found for key in one.answers}
    return {
        _named(part, key): identity
        for part, one in found
        for key, identity in identities(one, part.arms.get("attack", one)).items()
    }


def _named(part: Attacked, secret_id: str) -> str:
    return f"{part.seed}/{secret_id}"


def probed(one: Planned, plan: Plan, store: Store) -> list[Measurement]:
    """What the probes found on one model, as far as they have run; they need no attack to have come to an end."""
    found: list[Measurement] = []
    for role, key in sorted(plan.graph[one.measure].needs.items()):
        if role.startswith("probe ") and store.has(key):
            listed = store.get(key).values["measurements"]
            found += [Measurement.model_validate_json(canonical_json(item)) for item in listed]
    return found


def mean_over_models(figures: Iterable[Measurement], rng: np.random.Generator) -> tuple[Measurement, ...]:
    """Averages figures that differ only in the model; a single one stays as it is.

    The interval covers both what differs between models (they are resampled) and what each model's own figure
    leaves open (the mean of their own intervals: tried on the same texts, they err together).
    """
    alike: dict[tuple[str, Arm, str], list[Measurement]] = {}
    for figure in figures:
        alike.setdefault((figure.metric, figure.arm, canonical_json(figure.group)), []).append(figure)
    return tuple(_mean(same, rng) for same in alike.values())


def _mean(same: list[Measurement], rng: np.random.Generator) -> Measurement:
    known = [figure for figure in same if figure.value is not None]
    if len(known) < 2:
        return (known or same)[0]
    values = [figure.value for figure in known if figure.value is not None]
    bounded = [(figure.low, figure.high) for figure in known if figure.low is not None and figure.high is not None]
    own = Interval(*(float(ends.mean()) for ends in np.array(bounded).T)) if len(bounded) == len(known) else None
    between = hull(bootstrap(values, _average, rng), own)
    value = float(np.mean(np.sort(values)))
    low, high = (min(between.low, value), max(between.high, value)) if between else (None, None)
    return Measurement(
        metric=same[0].metric,
        value=value,
        low=low,
        high=high,
        # Models are tried on the same texts: those are not more texts.
        n=(max if same[0].arm in ("utility", "probe") else sum)(figure.n for figure in known),
        arm=same[0].arm,
        group=thaw(same[0].group),
    )


def _average(values: FloatArray) -> float:
    return float(values.mean())
