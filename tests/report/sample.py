"""Results made by hand, with text in their spec that no report may show."""

from __future__ import annotations

from typing import Any

from divulge.records import Arm, Check, Failure, Measurement, Outcome, RunResults, SpecResult
from divulge.spec import AuditSpec, PartSpec, SecretsSpec, TargetSpec
from divulge.spec import DataSpec as Data

SECRET = "swordfish"


def figure(
    metric: str,
    value: float | None,
    low: float | None,
    high: float | None,
    n: int = 40,
    arm: Arm = "attack",
    **more: Any,
) -> Measurement:
    """One measurement."""
    return Measurement(metric=metric, value=value, low=low, high=high, n=n, arm=arm, group=more)


def arms(
    metric: str,
    attack: tuple[float | None, float | None, float | None],
    baseline: float | None = None,
    control: tuple[float, float, float] | None = None,
    n: int = 40,
) -> list[Measurement]:
    """The arms of one metric: figures with their ends; the baseline in closed form."""
    found = [figure(metric, *attack, n=n)]
    if baseline is not None:
        found.append(figure(metric, baseline, baseline, baseline, n, "baseline"))
    if control is not None:
        found.append(figure(metric, *control, n, "control"))
    return found


def result(
    *measurements: Measurement, attack: str | None = "soft-token", handshake: tuple[Check, ...] = (), **more: Any
) -> SpecResult:
    """A result whose spec knows secret words."""
    spec = AuditSpec(
        target=TargetSpec(kind="fake-classifier"),
        data=Data(path="my|data.csv"),
        secrets=SecretsSpec(pattern=f"{SECRET} {{set}}", candidates={"set": [SECRET]}, label="x"),
        attack=PartSpec(name=attack) if attack else None,
        seed=7,
    )
    fields: dict[str, Any] = {
        "spec": spec.model_dump(mode="json"),
        "spec_hash": spec.hash,
        "measurements": measurements,
        "outcomes": (Outcome(secret_id="id-0123", metric="accuracy", value=1.0),),
        "queries": {"GradientAccess": 1500} if attack else {},
        "seconds": 12.34,
        "versions": {"divulge": "0.1.0"},
        "data_fingerprint": "f" * 64,
        "handshake": handshake,
    }
    return SpecResult(**{**fields, **more})


def run(*results: SpecResult, failures: tuple[Failure, ...] = ()) -> RunResults:
    """A run of some results."""
    return RunResults(results=results, failures=failures)
