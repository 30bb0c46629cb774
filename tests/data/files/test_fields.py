"""From columns to texts."""

from __future__ import annotations

import pytest

from divulge.data.files.fields import FIELDS, RowReader, choose_columns
from divulge.data.files.problems import BadRow
from divulge.records import Text

ALL = {field: field for field in FIELDS}


def test_columns_default_to_the_fields_own_names() -> None:
    """Fields whose name is a column are read, and only those."""
    assert choose_columns({}, ["text", "user", "date"]) == {"text": "text", "user": "user"}
    assert choose_columns({"text": "body", "label": "text"}, ["text", "body"]) == {"text": "body", "label": "text"}


def test_a_field_can_be_left_out() -> None:
    """An empty name keeps a column of the field's own name from being read."""
    columns = choose_columns({"label": ""}, ["text", "label"])
    assert RowReader(columns).read({"text": "a", "label": ""}) == Text(tokens=("a",))


def test_missing_columns_are_all_named() -> None:
    """Each missing column is named with a near one; what else stands there is not listed."""
    with pytest.raises(BadRow) as caught:
        choose_columns({"text": "Text", "user": "author"}, ["text_", "authors", "my private diary"])
    said = str(caught.value)
    assert "'Text' for text. Did you mean 'text_'?" in said
    assert "'author' for user. Did you mean 'authors'?" in said
    assert "diary" not in said


def test_a_first_row_in_place_of_a_header_is_not_repeated() -> None:
    """Of a file without a header only the number of columns is told."""
    with pytest.raises(BadRow) as caught:
        choose_columns({}, ["call 555 0199", "alice"])
    assert "alice" not in str(caught.value)
    assert "555" not in str(caught.value)
    assert "2 others" in str(caught.value)


def test_every_field_arrives() -> None:
    """A full row becomes a full text; text may be split already; numbers serve as names."""
    row = {
        "text": "Fly to  Port Sella",
        "label": 3,
        "user": " u1 ",
        "tags": ["O", "O", "B-c", "I-c"],
        "split": "valid",
        "context": ["Where", "to"],
        "keywords": "Port  Sella; ;fly",
    }
    expected = Text(
        tokens=("Fly", "to", "Port", "Sella"),
        label="3",
        user="u1",
        tags=("O", "O", "B-c", "I-c"),
        split="valid",
        context=("Where", "to"),
        keywords=("Port Sella", "fly"),
    )
    assert RowReader(ALL).read(row) == expected


def test_lower_case_is_for_words_only() -> None:
    """Tokens, context and keywords become lower case; labels, tags and users stay."""
    row = {"text": "A B", "label": "X", "user": "U", "tags": "B-X O", "context": "C", "keywords": ["A B"], "split": "T"}
    text = RowReader(ALL, lower=True).read(row)
    assert (text.tokens, text.context, text.keywords) == (("a", "b"), ("c",), ("a b",))
    assert (text.label, text.user, text.tags, text.split) == ("X", "U", ("B-X", "O"), "T")


def test_absent_context_and_keywords_are_fine() -> None:
    """Nothing said before and no keywords are no fault."""
    row = {"text": "a", "context": None, "keywords": None}
    columns = {field: field for field in row}
    assert RowReader(columns, split="dev").read(row) == Text(tokens=("a",), split="dev")


def test_a_missing_column_is_asked_for_by_its_field() -> None:
    """Whoever lacks keywords is told to name keywords, and not the text."""
    with pytest.raises(BadRow, match=r'column \'city\' for keywords.* columns = \{keywords = "..."\}$'):
        choose_columns({"keywords": "city"}, ["text", "town"])
    with pytest.raises(BadRow, match=r'columns = \{user = "...", text = "..."\}$'):
        choose_columns({"user": "author"}, ["body"])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text": "  "}, "holds no tokens"),
        ({"text": None}, "holds no tokens"),
        ({"text": 5}, "must be text or a list of words. Got a number"),
        ({"text": float("nan")}, "must be text or a list of words. Got NaN"),
        ({"text": ["a", 1]}, "list of other things"),
        ({"text": ["a", ""]}, "empty or holds white space"),
        ({"text": ["a b", "c"]}, "empty or holds white space"),
        ({"text": "a \ud800"}, "surrogate"),
        ({"label": ""}, "'label' is empty"),
        ({"label": None}, "'label' is empty"),
        ({"label": 0.5}, "whole number. Got a number"),
        ({"label": float("nan")}, "whole number. Got NaN; fill it in every row, or leave the field out"),
        ({"label": True}, "true or false"),
        ({"user": {}}, "a table"),
        ({"tags": "O"}, "2 tokens but 1 tags"),
        ({"tags": "O O O"}, "2 tokens but 3 tags"),
        ({"tags": None}, "2 tokens but 0 tags"),
        ({"keywords": 7}, "';' between them"),
        ({"split": " "}, "'split' is empty"),
    ],
)
def test_faulty_values_give_a_reason(changes: dict[str, object], reason: str) -> None:
    """Each wrong value is refused with the column and the reason, never with the value."""
    row = {
        "text": "hush now",
        "label": "l",
        "user": "u",
        "tags": "O O",
        "split": "train",
        "context": "",
        "keywords": "",
    }
    with pytest.raises(BadRow) as caught:
        RowReader(ALL).read({**row, **changes})
    assert reason in str(caught.value)
    assert "hush" not in str(caught.value)


def test_rows_must_agree_on_their_columns() -> None:
    """A column that comes or goes on the way is a fault of the row."""
    reader = RowReader({"text": "text", "label": "label"})
    with pytest.raises(BadRow, match="has no 'label', which the first row has"):
        reader.read({"text": "a"})
    with pytest.raises(BadRow, match="has a 'user', which the first row has not"):
        reader.read({"text": "a", "label": "b", "user": "c"})
