"""The published schema of evidence.json: it is what the record says, takes what is written, refuses what is broken."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from tests.report.people import about_person, facts

from divulge.report.evidence import as_json, evidence_of
from divulge.report.evidence_schema import evidence_schema

PUBLISHED = json.loads((resources.files("divulge") / "schemas" / "evidence-1.json").read_text(encoding="utf-8"))


def valid(values: Any) -> bool:
    """Whether the published schema takes it."""
    return jsonschema.Draft202012Validator(PUBLISHED).is_valid(values)


def values(**given: Any) -> Any:
    """What evidence.json holds."""
    return json.loads(as_json(evidence_of(about_person(**given), facts())))


def test_what_is_published_is_what_the_record_says() -> None:
    """If this fails, write `evidence_schema()` to the file; a change that readers notice raises version and name."""
    assert evidence_schema() == PUBLISHED
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


@pytest.mark.parametrize("given", [{}, {"p_value": 0.3}, {"blind": None}, {"broken": True}])
def test_what_is_written_is_valid(given: dict[str, Any]) -> None:
    """However it was decided."""
    assert valid(values(**given))


@pytest.mark.parametrize(
    ("field", "broken"),
    [("decision", "guilty"), ("p_value", "0.01"), ("name", "Jane"), ("schema_version", 2), ("queries", {"a": "many"})],
)
def test_what_is_broken_is_refused(field: str, broken: Any) -> None:
    """Other words, numbers as text, names."""
    assert not valid({**values(), field: broken})
