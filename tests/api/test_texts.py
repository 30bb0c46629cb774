"""Data as callers have them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from divulge.api.texts import HandedTexts, given_data
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import DataSpec


class Table:
    """What is asked of a DataFrame."""

    columns = ("text", "label")

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return self.rows


def rows(data: Any, **more: Any) -> list[dict[str, Any]]:
    """The lines that stand for data in memory."""
    found = given_data(data, **more)
    assert isinstance(found, HandedTexts)
    return [json.loads(line) for line in found.content.decode().splitlines()]


def test_names_paths_and_specs_are_specs(tmp_path: Any) -> None:
    """A known name is a data set, any other text a path."""
    assert given_data("synthetic-topics") == DataSpec(name="synthetic-topics")
    assert given_data("my.csv") == given_data({"path": "my.csv"}) == DataSpec(path="my.csv")
    assert given_data(tmp_path / "a.csv") == DataSpec(path=str(tmp_path / "a.csv"))
    spec = DataSpec(path="a.csv", columns={"text": "said"})
    assert given_data(spec, {"label": "kind"}).columns == {"text": "said", "label": "kind"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "data",
    [
        [("good day", "a"), ("bad day", "b")],
        iter([("good day", "a"), ("bad day", "b")]),
        [{"text": "good day", "label": "a", "when": object()}, {"text": "bad day", "label": "b", "when": 1}],
        Table([{"text": "good day", "label": "a"}, {"text": "bad day", "label": "b"}]),
        np.array([["good day", "a"], ["bad day", "b"]]).tolist(),
    ],
)
def test_labelled_texts(data: Any) -> None:
    """Pairs, dicts and tables come to the same; columns that are no fields are left out."""
    assert rows(data) == [{"text": "good day", "label": "a"}, {"text": "bad day", "label": "b"}]


def test_plain_texts_and_records() -> None:
    """Texts alone, and all that a text may carry."""
    assert rows(["good day"]) == [{"text": "good day"}]
    text = Text(("good", "day"), label="a", tags=("O", "B-x"), user="u", keywords=("day",), split="test")
    expected = {"text": ["good", "day"], "label": "a", "tags": ["O", "B-x"], "user": "u", "split": "test"}
    assert rows([text]) == [{**expected, "keywords": ["day"]}]


def test_columns_name_the_fields() -> None:
    """As in an audit file."""
    found = rows([{"said": "good day", "kind": 1}], columns={"text": "said", "label": "kind"})
    assert found == [{"text": "good day", "label": "1"}]


@pytest.mark.parametrize(("label", "said"), [(np.int64(3), "3"), (True, "True"), (1.0, "1.0"), (0, "0"), ("x", "x")])
def test_labels_are_spelt_as_a_model_spells_its_classes(label: Any, said: str) -> None:
    """str() of the class, so that both meet."""
    assert rows([("good day", label)])[0]["label"] == said


def test_splits_by_name() -> None:
    """A dict of anything that data may be, also of what can be read only once."""
    found = rows({"train": iter(["one"]), "test": [("two", "a")]})
    assert found == [{"split": "train", "text": "one"}, {"split": "test", "text": "two", "label": "a"}]


def test_the_name_tells_the_content() -> None:
    """The same texts have the same name, others another; the repr has no text."""
    first, again, other = (given_data([text]) for text in ("one two", "one two", "one three"))
    assert isinstance(first, HandedTexts)
    assert isinstance(again, HandedTexts)
    assert isinstance(other, HandedTexts)
    assert first.name == again.name != other.name
    assert first.name.startswith("in-memory-")
    assert repr(first) == "HandedTexts(1 texts; nothing else is shown)"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "^data: holds no texts$"),
        (5, "^data must be a path.*Got int"),
        ([("a", "b", "c")], "text 1: must be text.*Got tuple of 3"),
        ([3.5], "text 1: must be text.*Got float"),
        ([("hidden", None)], "text 1: a label, user or split is missing"),
        ([("hidden", float("nan"))], "text 1: a label, user or split is missing"),
        ([("hidden", object())], "text 1: a label, user or split must be text or a number. Got object"),
        ([{"txt": "hidden"}], "text 1: there is no column 'text' for text. Did you mean 'txt'"),
        ([{"text": {"hidden"}}], "text 1: column 'text' must be text or a list of words. Got set"),
        ({"pth": "a.csv"}, "unknown key 'pth'"),
        ({"path": "a.csv", "limits": 3}, "unknown key 'limits'.*limit"),
    ],
)
def test_wrong_data_is_told_without_its_text(data: Any, said: str) -> None:
    """What was found, where, and what is allowed."""
    with pytest.raises(InputError, match=said) as raised:
        given_data(data)
    assert "hidden" not in str(raised.value)


def test_what_is_wrong_in_many_texts_is_told_once() -> None:
    """With the number of the first, and how many there are more; of many faults, five are told."""
    with pytest.raises(InputError) as raised:
        given_data(["good", 1, 2, ("a", None), 3])
    first, second = raised.value.problems
    assert first == "data, text 2 (and 2 more): must be text, a (text, label) pair, or a dict. Got int"
    assert second.startswith("data, text 4: a label")
    with pytest.raises(InputError) as raised:
        given_data([("a",) * size for size in range(3, 12)])
    assert len(raised.value.problems) == 5


def test_a_data_frame_is_a_table() -> None:
    """The real one, where it is installed."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["good day"], "label": [2], "when": [pandas.Timestamp("2024-01-01")]})
    assert rows(frame) == [{"text": "good day", "label": "2"}]
