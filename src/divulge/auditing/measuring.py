"""Guesses beside answers, arm by arm: outcomes per secret and figures with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from divulge.auditing.deletion import remaining_trace
from divulge.auditing.one_person import figures_of_person
from divulge.auditing.privacy_loss import claim_of, privacy_loss
from divulge.canonical import canonical_json
from divulge.data.cases import Case
from divulge.metrics import METRICS
from divulge.metrics.base import Metric, Scored
from divulge.metrics.membership import FALSE_ALARMS, false_alarms
from divulge.parts import load
from divulge.records import Arm, Artefact, Guess, Measurement, Outcome, Secret, Standing
from divulge.seeds import generator

__all__ = ["is_void", "measure_arms", "measurements_of", "scored"]

_GUESSES = TypeAdapter(tuple[Guess, ...])
_MEASUREMENTS = TypeAdapter(tuple[Measurement, ...])
_STANDINGS = TypeAdapter(tuple[Standing, ...])


def measure_arms(
    case: Case | None,
    needs: Mapping[str, Artefact],
    seed: int,
    claim: Mapping[str, float | None] | None = None,
    person: Mapping[str, Any] | None = None,
) -> Artefact:
    """Measures the attack, its control, its baseline and the probes, with every metric that applies.

    `claim` is what an accountant says of the training: the epsilon that is proven is set beside it. `person` is told
    where one person is the question: no metric is about one, so that a p-value and what it rests on are all figures;
    its `likeness` tells whether the person is like the people compared with.
    What the attack's task says about itself goes along, so that a result can be read from here alone.
    """
    measurements: list[Measurement] = []
    probed = measurements_of(needs)
    said = claim_of(claim or {}, probed)
    outcomes: list[Outcome] = []
    if case is not None and not is_void(needs):  # what was not asked has no figures, and no tight interval around zero
        arms: dict[Arm, Scored] = {
            "attack": scored(case.secrets, needs["attack"], "attack"),
            "control": scored(case.controls, needs["attack"], "control"),
        }
        if "baseline" in needs:
            arms["baseline"] = scored(case.secrets, needs["baseline"], "attack")
        if person is not None:
            measurements += figures_of_person(arms["attack"], arms["control"], person)
        for name in sorted(METRICS) if person is None else ():
            metric = load(METRICS, name, Metric, "metric")()
            for arm, seen in arms.items():
                if seen.answers and metric.applies(seen):
                    per_secret = metric.outcomes(seen)
                    measurements += metric.measure(seen, per_secret, arm, generator(seed, "measure", name, arm))
                    outcomes += per_secret if arm == "attack" else ()
            if "baseline" not in arms and metric.applies(arms["attack"]):
                measurements += metric.baseline(arms["attack"])
        if person is None:
            measurements += false_alarms(arms["attack"], generator(seed, "measure", FALSE_ALARMS))
        stood = arms["attack"].standings, arms["control"].standings
        measurements += privacy_loss(case, *stood, said)
        measurements += remaining_trace([stood], seed) if case.deleted else []
    measurements += probed
    attacked: Any = needs["attack"].values if "attack" in needs else {}
    return Artefact(
        values={
            "measurements": [one.model_dump(mode="json") for one in measurements],
            "outcomes": [one.model_dump(mode="json") for one in outcomes],
            "answered": len(attacked.get("attack", ())),
            "queries": attacked.get("queries", {}),
            "handshake": attacked.get("handshake", []),
        }
    )


def is_void(needs: Mapping[str, Artefact]) -> bool:
    """Whether the handshake failed, so that nothing was asked."""
    checks: Any = needs["attack"].values.get("handshake", ()) if "attack" in needs else ()
    return any(check["passed"] is False for check in checks)


def measurements_of(needs: Mapping[str, Artefact]) -> list[Measurement]:
    """What the probes found, in their order."""
    roles = sorted((role for role in needs if role.startswith("probe ")), key=lambda role: int(role.split()[1]))
    listed = [_MEASUREMENTS.validate_json(canonical_json(needs[role].values["measurements"])) for role in roles]
    return [one for found in listed for one in found]


def scored(secrets: Sequence[Secret], artefact: Artefact, arm: str) -> Scored:
    """Puts the guesses of one arm beside the answers."""
    values: Any = artefact.values
    guesses = _GUESSES.validate_json(canonical_json(values.get(arm, [])))  # none of those that are only ranked
    standings = _STANDINGS.validate_json(canonical_json(values.get(f"{arm} standings", [])))
    return Scored(
        answers={secret.id: secret.answer for secret in secrets},
        hints={secret.id: secret.hint for secret in secrets},
        guesses={guess.secret_id: guess for guess in guesses},
        standings={one.secret_id: one for one in standings},
    )
