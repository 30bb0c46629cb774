"""A run with one of everything a page must be able to show, with text in its specs that no page may show."""

from __future__ import annotations

from typing import Any

from tests.report.sample import SECRET, arms, figure

from divulge.records import Check, Failure, Measurement, Outcome, Revealed, RunResults, SpecResult
from divulge.spec import AdversarySpec, AuditSpec, BackgroundSpec, DataSpec, PartSpec, SecretsSpec, TargetSpec

HELD = Check(access="LabelAccess", name="accuracy is above chance", passed=True, detail="accuracy 0.96")
BROKEN = Check(access="LabelAccess", name="labels are in their places", passed=False, detail="3 labels changed places")
UNTRIED = Check(access="GradientAccess", name="gradient matches finite differences", passed=None)
UTILITY = (
    figure("train_accuracy", 0.996, 0.989, 0.999, 800, "utility"),
    figure("test_accuracy", 0.82, 0.74, 0.88, 100, "utility"),
)
NASTY = '<script>alert("x")</script> a|b \'"\u202e`*'


def made(
    *measurements: Measurement,
    target: str = "tagger",
    secrets: SecretsSpec | None = None,
    access: tuple[str, ...] = ("GradientAccess",),
    attack: str | None = "soft-token",
    defences: tuple[PartSpec, ...] = (),
    adversary: dict[str, Any] | None = None,
    **more: Any,
) -> SpecResult:
    """A result with a spec of its own."""
    spec = AuditSpec(
        target=TargetSpec(kind=target),
        data=DataSpec(name="synthetic-utterances"),
        secrets=secrets or canaries(),
        adversary=AdversarySpec(access=access, **(adversary or {})),
        attack=PartSpec(name=attack) if attack else None,
        defences=defences,
        seed=3,
    )
    fields: dict[str, Any] = {
        "spec": spec.model_dump(mode="json"),
        "spec_hash": spec.hash,
        "measurements": measurements,
        "outcomes": (Outcome(secret_id="id-0123", metric="accuracy", value=1.0),),
        "queries": {access[-1]: 200_000} if attack else {},
        "seconds": 5.3,
        "versions": {"divulge": "0.1.0", "python": "3.11.7"},
        "data_fingerprint": "f" * 64,
        "handshake": (HELD, UNTRIED),
    }
    return SpecResult(**{**fields, **more})


def canaries(**more: Any) -> SecretsSpec:
    """Planted secrets whose pattern, candidates and label hold secret words."""
    words = {"pattern": f"{SECRET} at {{place}}", "candidates": {"place": [SECRET, "quay"]}, "label": f"{SECRET}Label"}
    return SecretsSpec(**{"count": 40, "controls": 40, "copies": 10, **words, **more})


def leaking(attack: str = "discrete-search", **more: Any) -> SpecResult:
    """A planted secret that comes out."""
    figures = [
        *arms("accuracy", (0.95, 0.83, 0.99), 0.0001, (0.0, 0.0, 0.09)),
        *arms("exposure", (13.2, 12.6, 13.3), 1.44, (1.9, 1.2, 2.7)),
        *arms("hdt", (0.02, 0.0, 0.08), 0.9, (0.88, 0.81, 0.95)),
    ]
    return made(*figures, *UTILITY, attack=attack, **more)


def silent(attack: str = "discrete-search", **more: Any) -> SpecResult:
    """A secret that does not."""
    figures = [
        *arms("accuracy", (0.0, 0.0, 0.09), 0.0001, (0.0, 0.0, 0.09)),
        *arms("hdt", (0.89, 0.82, 0.94), 0.9, (0.88, 0.81, 0.95)),
    ]
    return made(*figures, *UTILITY, attack=attack, **more)


def of_users(**more: Any) -> SpecResult:
    """People who can be told apart, by a model that was trained too long."""
    figures = [
        *arms("auc", (0.97, 0.93, 0.99), 0.5, (0.51, 0.36, 0.66), n=80),
        figure("accuracy", 0.9, 0.81, 0.95, 80),
        figure("accuracy", 0.51, 0.4, 0.62, 80, "baseline"),
        figure("accuracy", 0.5, 0.35, 0.65, 40, "control"),
        *arms("tpr_at_fpr_0.01", (None, None, None), 0.01, n=40),
    ]
    worth = (
        figure("train_accuracy", 0.88, 0.87, 0.89, 320, "utility"),
        figure("test_accuracy", 0.31, 0.29, 0.33, 960, "utility"),
        figure("test_perplexity", 458.9, 443.0, 474.0, 960, "utility"),
    )
    fields: dict[str, Any] = {
        "target": "next-word",
        "attack": "rank-histogram",
        "secrets": SecretsSpec(kind="users", count=40, controls=40),
        "access": ("RankedTokensAccess",),
        "adversary": {"background": BackgroundSpec(shadows=2)},
    }
    return made(*figures, *worth, **{**fields, **more})


def of_rows(**more: Any) -> SpecResult:
    """Vectors of which little can be said yet: the intervals overlap."""
    figures = [
        *arms("token_f1", (0.2, 0.12, 0.28), 0.11, (0.115, 0.1, 0.135), n=30),
        figure("token_f1", 0.3, 0.2, 0.4, 30, "attack", choice="oracle"),
        *arms("exact", (0.0, 0.0, 0.11), 0.0, (0.0, 0.0, 0.11), n=30),
        *arms("count", (7.0, 4.0, 12.0), 1.0, (3.0, 1.0, 6.0), n=30),
    ]
    fields: dict[str, Any] = {
        "target": "sentence-vectors",
        "attack": "parallel-decoder",
        "secrets": SecretsSpec(kind="rows", count=30),
        "access": ("EmbeddedRowsAccess", "EmbeddingOracleAccess"),
        "queries": {"EmbeddedRowsAccess": 30, "EmbeddingOracleAccess": 1200},
    }
    return made(*figures, figure("recall_at_10", 1.0, 0.98, 1.0, 200, "utility"), **{**fields, **more})


def of_records(blind: tuple[float, float, float] = (0.52, 0.47, 0.57), **more: Any) -> SpecResult:
    """Single texts of which one can tell that they were trained on; `blind` is the AUC of the texts alone."""
    rates = {0.001: 0.06, 0.003: 0.1, 0.01: 0.18, 0.03: 0.3, 0.1: 0.5, 0.3: 0.74}
    figures = [
        figure("auc", 0.81, 0.77, 0.85, 2000),
        figure("auc", *blind, 2000, "baseline"),
        figure("auc", 0.5, 0.46, 0.54, 1000, "control"),
        figure("tpr_at_fpr_0.01", 0.18, 0.15, 0.22, 1000),
        figure("tpr_at_fpr_0.01", 0.012, 0.006, 0.02, 1000, "baseline"),
        figure("tpr_at_fpr_0.01", 0.01, 0.004, 0.02, 500, "control"),
    ]
    if blind[0] > 0.6:
        figures = figures[:3]
    for rate, found in rates.items():
        figures.append(figure("tpr", found, found * 0.8, found * 1.2, 1000, "attack", fpr=rate))
        figures.append(figure("tpr", rate * 1.1, rate * 0.5, rate * 2, 1000, "baseline", fpr=rate))
    outcomes = [Outcome(secret_id=f"r-{n:04}", metric="tpr", value=max(0.0, 1 - 0.002 * n)) for n in range(40)]
    outcomes += [Outcome(secret_id=f"o-{n:04}", metric="tpr", value=0.0) for n in range(40)]
    fields: dict[str, Any] = {
        "target": "own-classifier",
        "attack": "lira",
        "secrets": SecretsSpec(kind="records", count=1000, controls=1000),
        "access": ("LabelLikelihoodAccess",),
        "adversary": {"background": BackgroundSpec(shadows=8)},
        "outcomes": tuple(outcomes),
    }
    return made(*figures, *UTILITY, **{**fields, **more})


def with_epsilon(proven: float, claimed: float | None = None, copies: int = 1, **more: Any) -> SpecResult:
    """Canaries of which a coin decided; nothing else is found of them."""
    group = {"delta": 1e-5, "copies": copies}
    figures = [
        *arms("exposure", (1.6, 1.3, 1.9), 1.44, (1.5, 1.2, 1.8), n=500),
        figure("epsilon_lower_bound", proven, proven, None, 1000, "attack", **group),
    ]
    if claimed is not None:
        figures.append(figure("epsilon", claimed, None, None, 1000, "probe", **group))
    fields: dict[str, Any] = {
        "secrets": canaries(coin=True, count=500, controls=500, copies=copies),
        "target": "private",
        "access": ("LabelLikelihoodAccess",),
        "attack": "label-likelihood",
    }
    return made(*figures, *UTILITY, **{**fields, **more})


def grown_run() -> RunResults:
    """Records, a curve, a blind judge who does as well, claims refuted or not, one question at three accesses."""
    return RunResults(
        results=(
            silent("label-match", access=("LabelAccess",)),
            leaking("label-likelihood", access=("LabelLikelihoodAccess",)),
            leaking("soft-token", access=("GradientAccess",)),
            of_records(),
            of_records(attack="record-loss"),
            of_records((0.84, 0.8, 0.88), target="held-out-by-year"),
            with_epsilon(3.21, 2.0),
            with_epsilon(0.0, target="unclaimed"),
            of_users(access=("TokenLikelihoodAccess",)),
        )
    )


def deduplicated(copies: int = 1) -> tuple[PartSpec, ...]:
    """A defence with options."""
    return (PartSpec(name="deduplication", options={"copies": copies}),)


def whole_run() -> RunResults:
    """Leak, defence, none found, inconclusive, failed handshake, probes only, failures."""
    scores = ("LabelLikelihoodAccess",)
    return RunResults(
        results=(
            silent("soft-token", defences=deduplicated()),
            leaking("soft-token"),
            leaking("discrete-search"),
            silent("discrete-search", defences=deduplicated()),
            silent("label-likelihood", target="classifier", access=scores, notes=("Answered about 38 of 40.",)),
            of_users(),
            of_users(attack="blind", queries={}),
            of_rows(),
            leaking(target="broken", handshake=(HELD, BROKEN)),
            made(*UTILITY, target="probed", attack=None),
        ),
        failures=(Failure(spec_hash="0123456789abcdef", reason="worker died <twice>"),),
    )


def revealed_of(result: SpecResult) -> dict[str, list[Revealed]]:
    """Secrets of one result, the control's first, full of what could break a page."""
    return {
        result.spec_hash: [
            Revealed(secret_id="c-1", arm="control", asked="code {1}", answer="quay", guess=None, right=None),
            Revealed(secret_id="a-1", arm="attack", asked=f"code {NASTY}", answer=SECRET, guess="north", right=False),
            Revealed(secret_id="a-2", arm="attack", asked="code {1}", answer="pier", guess="pier", right=True),
        ]
    }
