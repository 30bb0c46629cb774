"""Tests of how the schema of evidence.json is made; what it takes is tested where it is published."""

from __future__ import annotations

from divulge.report.evidence import Evidence
from divulge.report.evidence_schema import DESCRIPTIONS, evidence_schema


def test_every_field_is_described():
    """And nothing that is no field."""
    made = evidence_schema()
    assert set(made["properties"]) == set(Evidence.model_fields) == set(DESCRIPTIONS["Evidence"])
    assert all(one["description"] for one in made["properties"].values())
    assert made["additionalProperties"] is False
