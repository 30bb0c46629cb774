"""The published shape of results.json, as a JSON Schema: made from the records, so that it cannot drift from them."""

from __future__ import annotations

from typing import Any

from divulge.records import RunResults

__all__ = ["schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTITY = "urn:divulge:results:1"
DESCRIPTIONS = {
    "RunResults": {
        "schema_version": "Raised when this shape changes in a way that readers notice.",
        "results": "One for each spec that was computed.",
        "failures": "One for each spec that was not.",
    },
    "SpecResult": {
        "spec": "What was done, as pure data: target, data, secrets, adversary, attack, probes, defences, seed.",
        "spec_hash": "The identity of the spec: 16 hexadecimal digits of the SHA-256 of its canonical spelling.",
        "measurements": "Figures with intervals: by metric, arm and group.",
        "outcomes": "The value of each secret by each metric; secrets are named by opaque ids.",
        "queries": "How many examples were asked of the model, by access level.",
        "seconds": "Work in all, with all models and preparations.",
        "versions": "Of Divulge, Python and the libraries that took part.",
        "data_fingerprint": "A hash of every text of the corpus in order.",
        "handshake": "The owner's trial of the access before any attack; one that failed voids every figure.",
        "notes": "What a reader must know beside the figures.",
    },
    "Measurement": {
        "metric": "The name of the metric, as `divulge list metrics` has it, or of a figure of utility.",
        "value": "The figure; null where it could not be measured.",
        "low": "Lower end of the two-sided 95 % interval; null where there is none.",
        "high": "Upper end of the two-sided 95 % interval; null for a one-sided bound.",
        "n": "How many secrets, people, rows or texts stand behind it.",
        "arm": "attack; baseline (without the model); control (secrets it cannot know); utility; probe.",
        "group": "What tells figures of one metric and arm apart: the number of guesses k, the rate of false alarms "
        "fpr of a point of the ROC, delta and copies of a bound on epsilon; maybe empty.",
    },
    "Outcome": {
        "secret_id": "An opaque id; the text of a secret is never here.",
        "metric": "The name of the metric.",
        "value": "What this secret contributes to the figure; by the metric tpr, of a record that was trained on, the "
        "share of those that were not which rank below it.",
    },
    "Check": {
        "access": "The access level that was tried.",
        "name": "What must hold.",
        "passed": "Whether it held; null = could not be tried.",
        "detail": "Numbers behind it.",
    },
    "Failure": {"spec_hash": "The spec that failed.", "reason": "Why, without any text of secrets or data."},
}

MAPPINGS: dict[str, dict[str, Any]] = {  # what the records leave open, because they only carry it
    "queries": {"type": "integer", "minimum": 0},
    "versions": {"type": "string"},
}


def schema() -> dict[str, Any]:
    """Makes the schema of results.json; unknown fields are refused, as the records refuse them."""
    made = RunResults.model_json_schema(mode="validation")
    parts = {"RunResults": made, **made.get("$defs", {})}
    for name, part in parts.items():
        for field, one in part.get("properties", {}).items():
            one.pop("title", None)
            if field in MAPPINGS:
                one["additionalProperties"] = MAPPINGS[field]
            one["description"] = DESCRIPTIONS[name][field]
    head = {"$schema": DIALECT, "$id": IDENTITY, "title": "The results of a Divulge run"}
    return {**head, **{key: value for key, value in made.items() if key != "title"}}
