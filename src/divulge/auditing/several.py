"""One result from several models: the same audit done on each, secrets pooled, intervals aware of the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from divulge.auditing.deletion import remaining_trace
from divulge.auditing.measuring import is_void, measurements_of
from divulge.auditing.pooling import Attacked, attacked_by, mean_over_models, measured, pooled
from divulge.data.cases import Case
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.metrics.membership import FALSE_ALARMS, false_alarms
from divulge.parts import load
from divulge.records import Arm, Artefact, Measurement, Outcome
from divulge.seeds import generator

__all__ = ["measure_models"]

ARMS: tuple[Arm, ...] = ("attack", "control", "baseline")


def measure_models(
    seeds: Sequence[int], cases: Sequence[Case | None], found: Sequence[Mapping[str, Artefact]]
) -> Artefact:
    """Measures all models together; each has a seed, a case and the artefacts of its attack and probes."""
    parts = [
        attacked_by(seed, f"model of seed {seed}", case, one)
        for seed, case, one in zip(seeds, cases, found, strict=True)
        if case is not None
    ]
    figures, outcomes = ([], []) if any(map(is_void, found)) else _of_attack(parts, seeds[0])
    if figures and all(case is not None and case.deleted for case in cases):
        stood = [(part.arms["attack"].standings, part.arms["control"].standings) for part in parts]
        figures += remaining_trace(stood, seeds[0])
    probed = [figure for one in found for figure in measurements_of(one)]
    figures += mean_over_models(probed, generator(seeds[0], "measure", "probes"))
    attacked: list[Any] = [one["attack"].values for one in found if "attack" in one]
    asked: Counter[str] = Counter()
    for one in attacked:
        asked.update(one.get("queries", {}))
    return Artefact(
        values={
            "measurements": [one.model_dump(mode="json") for one in figures],
            "outcomes": [one.model_dump(mode="json") for one in outcomes],
            "answered": sum(len(one.get("attack", ())) for one in attacked),
            "queries": dict(sorted(asked.items())),
            "handshake": _all_checks(one.get("handshake", ()) for one in attacked),
        }
    )


def _of_attack(parts: Sequence[Attacked], seed: int) -> tuple[list[Measurement], list[Outcome]]:
    figures: list[Measurement] = []
    outcomes: list[Outcome] = []
    together = pooled(parts, "attack")
    for name in sorted(METRICS) if together is not None else ():
        metric = load(METRICS, name, Metric, "metric")()
        for arm in ARMS:
            figures += measured(metric, parts, arm, generator(seed, "measure", name, arm))
        if together is not None and metric.applies(together):
            outcomes += metric.outcomes(together)
    if together is not None:
        figures += false_alarms(together, generator(seed, "measure", FALSE_ALARMS))
    return figures, outcomes


def _all_checks(handshakes: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """One line per check: failed if it failed on any model, and then it says on how many."""
    alike: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for checks in handshakes:
        for check in checks:
            alike.setdefault((check["access"], check["name"]), []).append(check)
    return [_joined(same) for same in alike.values()]


def _joined(same: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    failed = [check for check in same if check["passed"] is False]
    held = [check for check in same if check["passed"]]
    if failed:
        detail = f"on {len(failed)} of {len(same)} models: {failed[0]['detail']}".rstrip(": ")
        return {**failed[0], "detail": detail}
    return dict(held[0] if len(held) == len(same) else next(check for check in same if not check["passed"]))
