"""The records of a table."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from divulge.studies.rows import MissingCell, StudyRow, StudyTable, TableCheck, cost_words, table_json

numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
cells = st.dictionaries(st.text(min_size=1), st.none() | st.booleans() | st.integers() | st.text(), max_size=3)
rows = st.builds(
    lambda cell, copied, value, n, verdict: StudyRow(
        cell=cell,
        attack="a",
        arm="attack",
        metric="accuracy",
        published=value,
        copy=copied,
        value=value,
        low=None,
        high=None,
        n=n,
        verdict=verdict,
    ),
    cells,
    numbers,
    numbers,
    st.integers(0, 10**6),
    st.sampled_from(["reproduced", "undecided", "better", "worse", "not comparable"]),
)


def made(*found: StudyRow) -> StudyTable:
    """A table of some rows."""
    missing = MissingCell(cell={"R": 1}, attack=None, seed=0, reason="why")
    return StudyTable(
        study="p/t", paper="p", scale="quick", rows=found, failures=(missing,), seconds=1.5, versions={"divulge": "0"}
    )


@given(st.lists(rows, max_size=3))
def test_tables_survive_json(found: list[StudyRow]) -> None:
    """What is written is read back equal."""
    table = made(*found)
    assert StudyTable.model_validate_json(table.model_dump_json(by_alias=True)) == table


def test_scripts_get_the_columns_they_rely_on() -> None:
    """The keys of the contract, in its order, and absent numbers as null."""
    example = StudyRow(
        cell={"canary": "pin", "n": 4},
        attack="soft-token",
        arm="attack",
        metric="hdt",
        published=None,
        copy=0.25,
        value=0.5,
        low=None,
        high=None,
        n=10,
        verdict="not comparable",
        note="n = canaries",
    )
    content = json.loads(json.dumps(table_json(made(example)), allow_nan=False))
    assert list(content) == ["study", "paper", "scale", "rows", "checks", "examples", "failures", "seconds", "models"]
    assert content["rows"] == [
        {
            "cell": {"canary": "pin", "n": 4},
            "attack": "soft-token",
            "arm": "attack",
            "metric": "hdt",
            "published": None,
            "copy": 0.25,
            "value": 0.5,
            "low": None,
            "high": None,
            "n": 10,
            "verdict": "not comparable",
            "note": "n = canaries",
        }
    ]


def test_numbers_must_be_finite_and_verdicts_known() -> None:
    """A table with NaN or a word of its own is refused."""
    good = table_json(made())
    line = {"cell": {}, "attack": "a", "arm": "attack", "metric": "hdt", "published": None, "copy": None}
    line |= {"value": None, "low": None, "high": None, "n": 0, "verdict": "not comparable", "note": ""}
    whole = {**good, "versions": {}}
    StudyTable.model_validate_json(json.dumps({**whole, "rows": [line]}))
    for wrong in ({"value": float("nan")}, {"verdict": "fine"}, {"n": -1}, {"extra": 1}):
        with pytest.raises(ValidationError):
            StudyTable.model_validate_json(json.dumps({**whole, "rows": [{**line, **wrong}]}))


def test_tables_of_the_first_version_are_still_read() -> None:
    """They have neither checks nor a number of models, nor cells to go on from."""
    old = {"schema_version": 1, "study": "p/t", "paper": "p", "scale": "quick", "rows": [], "versions": {}}
    table = StudyTable.model_validate_json(json.dumps(old))
    assert (table.schema_version, table.checks, table.models, table.cells) == (1, (), None, ())
    assert made().schema_version == 5
    with pytest.raises(ValidationError):
        StudyTable.model_validate_json(json.dumps({**old, "schema_version": 6}))


def test_a_check_is_shown_to_scripts() -> None:
    """By name, attack, statistic, p-value and n."""
    check = TableCheck(name="uniform", attack="a", statistic=0.1, p_value=0.5, n=30)
    shown = table_json(made().model_copy(update={"checks": (check,)}))["checks"]
    assert shown == [{"name": "uniform", "attack": "a", "statistic": 0.1, "p_value": 0.5, "n": 30, "note": ""}]
    with pytest.raises(ValidationError):
        TableCheck(name="uniform", attack="a", statistic=0.1, p_value=1.5, n=30)


@pytest.mark.parametrize(
    ("seconds", "models", "words"),
    [
        (7200.0, 3, "2.0 core-hours, 3 models trained"),
        (90.0, None, "90 core-seconds"),
        (360.0, 0, "0.1 core-hours, 0 models trained"),
    ],
)
def test_the_cost_is_told_in_hours_or_seconds(seconds: float, models: int | None, words: str) -> None:
    """Whichever is readable; a table of the first version does not know its models."""
    assert cost_words(made().model_copy(update={"seconds": seconds, "models": models})) == words
