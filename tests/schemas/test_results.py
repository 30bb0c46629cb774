"""The published schema: it is what the records say, it takes what a run writes, and refuses what is broken."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from tests.report.whole_run import whole_run

from divulge.records import RunResults
from divulge.report import rendered
from divulge.report.schema import schema

PUBLISHED = json.loads((resources.files("divulge") / "schemas" / "results-1.json").read_text(encoding="utf-8"))


def valid(values: Any) -> bool:
    """Whether the published schema takes it."""
    return jsonschema.Draft202012Validator(PUBLISHED).is_valid(values)


@pytest.fixture
def values() -> Any:
    """What results.json of a run holds."""
    return json.loads(rendered(whole_run(), "json"))


def test_what_is_published_is_what_the_records_say() -> None:
    """If this fails, write `schema()` to the file; a change that readers notice raises the version and the name."""
    assert schema() == PUBLISHED


def test_the_schema_itself_is_sound() -> None:
    """By the rules of its dialect."""
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)


def test_real_results_are_valid(values: Any) -> None:
    """Those of every kind, and an empty run."""
    assert valid(values)
    assert valid(json.loads(RunResults(results=()).model_dump_json()))


@pytest.mark.parametrize(
    ("path", "broken"),
    [
        (("results", 0, "measurements", 0, "value"), "NaN"),
        (("results", 0, "measurements", 0, "low"), "0.1"),
        (("results", 0, "measurements", 0, "arm"), "attck"),
        (("results", 0, "measurements", 0, "n"), -1),
        (("results", 0, "measurements", 0, "n"), 1.5),
        (("results", 0, "measurements", 0, "more"), 1),
        (("results", 0, "queries", "LabelAccess"), "many"),
        (("results", 0, "versions", "python"), 3),
        (("results", 0, "handshake", 0, "passed"), "yes"),
        (("results", 0, "spec"), "none"),
        (("schema_version",), 2),
        (("failures", 0, "reason"), None),
        (("extra",), 1),
    ],
)
def test_broken_results_are_refused(values: Any, path: tuple[Any, ...], broken: Any) -> None:
    """Numbers as text, unknown arms, unknown fields, another version."""
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = broken
    assert not valid(values)


@pytest.mark.parametrize("field", ["spec", "spec_hash", "measurements", "seconds", "versions"])
def test_a_missing_field_is_refused(values: Any, field: str) -> None:
    """Each that a reader relies on."""
    del values["results"][0][field]
    assert not valid(values)
