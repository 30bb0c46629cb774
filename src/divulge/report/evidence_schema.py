"""The published shape of evidence.json, as a JSON Schema: made from the record, so that it cannot drift from it."""

from __future__ import annotations

from typing import Any

from divulge.report.evidence import Evidence

__all__ = ["evidence_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COUNTS = {"type": "integer", "minimum": 0}
IDENTITY = "urn:divulge:evidence:1"
DESCRIPTIONS = {
    "Evidence": {
        "schema_version": "Raised when this shape changes in a way that readers notice.",
        "question": "What was asked, in words.",
        "decision": "member: there is evidence that the texts were used; not shown: there is none, which does not show "
        "that they were not; inconclusive: this audit cannot tell.",
        "answer": "The decision in a sentence or two.",
        "reasons": "Why it cannot be told, where it cannot.",
        "person": "An opaque id; the name is never here.",
        "texts": "How many texts of the person were to be asked about.",
        "words": "How many words these have.",
        "usual_words": "The fewest, the median and the most words of the people known to be out.",
        "used": "The truth, where the model was trained here; null where nobody knows it.",
        "model": "The kind of model.",
        "data": "The name or path of the texts.",
        "data_fingerprint": "A hash of every text of the data in order.",
        "access": "The access levels that were asked.",
        "access_words": "Who has such access, in words.",
        "sound": "Whether the access passed the trial before the audit; null where it could not be tried.",
        "attack": "The test, as `divulge list attacks` has it.",
        "queries": "How many texts of the person, and of the people known to be out that the p-value comes from, were "
        "put to the model, by access level.",
        "control_queries": "How many more were put to it to try the test on other people known to be out.",
        "statistic": "How far the person stands out; means something only beside people known to be out.",
        "p_value": "The share of the person and the people known to be out who stand out as much or more.",
        "known_out": "How many people known to be out the p-value comes from.",
        "smallest_p_value": "What so many people can give at best: 1 / (known_out + 1).",
        "alpha": "The false-positive rate that the answer is calibrated at: a p-value from here down is evidence.",
        "false_positive_rate": "How many other people known to be out are accused by the same rule; null if none was "
        "tried.",
        "blind_p_value": "The p-value by the texts alone, of a judge who never asks the model; null if not checked.",
        "blind_controls": "How many people known to be out that judge was tried on.",
        "differs_in": "Traits of the texts in which the person is not comparable with the people known to be out.",
        "telling": "The words that speak most for use, by place; never the words themselves.",
        "would_change": "What could make the answer another one.",
        "does_not_prove": "What the answer must not be read as.",
        "spec_hash": "The identity of the audit in results.json.",
        "versions": "Of Divulge, Python and the libraries that took part.",
    },
    "Rate": {
        "value": "The share of them that is accused.",
        "low": "Lower end of the two-sided 95 % interval.",
        "high": "Upper end of it.",
        "n": "How many were tried.",
    },
    "TellingWord": {
        "text": "The number of the text among the person's, from 1.",
        "word": "The number of the word in it, from 1.",
        "letters": "How long the word is.",
        "expected": "By rank: the guess that is the word with models that never saw the person; by chance: one in so "
        "many.",
        "found": "The same with this model.",
        "by": "rank: a number in the order of the best words; chance: one over the likelihood.",
    },
}


def evidence_schema() -> dict[str, Any]:
    """Makes the schema of evidence.json; unknown fields are refused, as the record refuses them."""
    made = Evidence.model_json_schema(mode="validation")
    parts = {"Evidence": made, **made.get("$defs", {})}
    mappings: dict[str, dict[str, Any]] = {"queries": COUNTS, "control_queries": COUNTS, "versions": {"type": "string"}}
    for name, part in parts.items():
        for field, one in part.get("properties", {}).items():
            one.pop("title", None)
            if field in mappings:
                one["additionalProperties"] = mappings[field]
            one["description"] = DESCRIPTIONS[name][field]
    head = {"$schema": DIALECT, "$id": IDENTITY, "title": "The evidence about one person, by Divulge"}
    return {**head, **{key: value for key, value in made.items() if key != "title"}}
