"""Guesses beside answers, arm by arm: outcomes per secret and figures with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from divulge.canonical import canonical_json
from divulge.data.cases import Case
from divulge.metrics import METRICS
from divulge.metrics.base import Metric, Scored
from divulge.parts import load
from divulge.records import Arm, Artefact, Guess, Measurement, Outcome, Secret, Standing

__all__ = ["measure_arms"]

_GUESSES = TypeAdapter(tuple[Guess, ...])
_STANDINGS = TypeAdapter(tuple[Standing, ...])


def measure_arms(case: Case | None, needs: Mapping[str, Artefact], rng: np.random.Generator) -> Artefact:
    """Measures the attack, its control, its baseline and the probes, with every metric that applies."""
    measurements: list[Any] = []
    outcomes: list[Any] = []
    metrics = [load(METRICS, name, Metric, "metric")() for name in sorted(METRICS)]
    if case is not None:
        attack = scored(case.secrets, needs["attack"], "attack")
        arms: list[tuple[Arm, Scored]] = [
            ("attack", attack),
            ("control", scored(case.controls, needs["attack"], "control")),
        ]
        if "baseline" in needs:
            arms.append(("baseline", scored(case.secrets, needs["baseline"], "attack")))
        for metric in metrics:
            for arm, seen in arms:
                if seen.answers and metric.applies(seen):
                    per_secret = metric.outcomes(seen)
                    measurements += metric.measure(seen, per_secret, arm, rng)
                    outcomes += per_secret if arm == "attack" else ()
            if metric.applies(attack) and "baseline" not in needs:
                measurements += metric.baseline(attack)
    for role in sorted(role for role in needs if role.startswith("probe ")):
        measurements += [
            Measurement.model_validate_json(canonical_json(one)) for one in needs[role].values["measurements"]
        ]
    return Artefact(
        values={
            "measurements": [one.model_dump(mode="json") for one in measurements],
            "outcomes": [one.model_dump(mode="json") for one in outcomes if isinstance(one, Outcome)],
        }
    )


def scored(secrets: Sequence[Secret], artefact: Artefact, arm: str) -> Scored:
    """Puts the guesses of one arm beside the answers."""
    values: Any = artefact.values
    guesses = _GUESSES.validate_json(canonical_json(values[arm]))
    standings = _STANDINGS.validate_json(canonical_json(values.get(f"{arm} standings", [])))
    return Scored(
        answers={secret.id: secret.answer for secret in secrets},
        hints={secret.id: secret.hint for secret in secrets},
        guesses={guess.secret_id: guess for guess in guesses},
        standings={one.secret_id: one for one in standings},
    )
