"""A file of predictions answers about the texts of the data, and about no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.access import LabelLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Text
from divulge.targets.own.predictions import FilePredictions

CORPUS = Corpus((Text(("good", "day"), "yes"), Text(("bad",), "no", split="test"), Text(("good", "day"), "yes")))
ROWS = [[0.25, 0.75], [0.875, 0.125], [0.25, 0.75]]
LABELS = ["no", "yes"]


def saved(folder: Path, rows: Any) -> dict[str, Any]:
    """A recipe with these rows in a file."""
    np.save(folder / "rows.npy", np.asarray(rows))
    return {"path": str(folder / "rows.npy"), "labels": LABELS}


def opened(recipe: dict[str, Any], corpus: Corpus = CORPUS) -> Grant:
    """What is granted."""
    target = FilePredictions(recipe)
    return target.open(target.train(corpus, np.random.default_rng(0)))


def test_rows_are_in_the_order_of_the_data(tmp_path: Path) -> None:
    """All splits; asked in any order, and no text is kept."""
    target = FilePredictions(saved(tmp_path, ROWS))
    kept = target.train(CORPUS, np.random.default_rng(0))
    assert "good" not in json.dumps(kept.values)
    access = target.open(kept)[LabelLikelihoodAccess]
    assert access.labels == ("no", "yes")
    assert access.likelihoods([("bad",), ("good", "day")]).tolist() == [[0.875, 0.125], [0.25, 0.75]]
    assert access.label([("bad",)]).tolist() == [0]
    assert access.likelihoods([]).shape == (0, 2)


def test_other_texts_have_no_answer(tmp_path: Path) -> None:
    """What would have to be asked of the model is refused, in words that quote nothing."""
    access = opened(saved(tmp_path, ROWS))[LabelLikelihoodAccess]
    with pytest.raises(InputError, match="only about the texts of the data; 1 of 2 texts are others") as caught:
        access.likelihoods([("bad",), ("my", "pin")])
    assert "pin" not in str(caught.value)


def test_a_table_may_name_the_text_of_each_row(tmp_path: Path) -> None:
    """Then the order is free, and rows of other texts do no harm; columns are named like the labels."""
    path = tmp_path / "rows.csv"
    path.write_text("yes,no,text\n0.125,0.875,bad\n0.5,0.5,another\n0.75,0.25,good  day\n")
    recipe = {"path": str(path), "labels": LABELS, "text": "text"}
    access = opened(recipe)[LabelLikelihoodAccess]
    assert access.likelihoods([("bad",), ("good", "day")]).tolist() == [[0.875, 0.125], [0.25, 0.75]]
    path.write_text("yes,no,text\n0.125,0.875,bad\n")
    with pytest.raises(InputError, match="column 'text' lacks 2 of the 3 texts of the data"):
        opened(recipe)


def test_a_text_with_several_rows_has_their_mean(tmp_path: Path) -> None:
    """If they differ, the handshake says so: rows may be in another order than the texts."""
    alike, mixed = opened(saved(tmp_path, ROWS)), opened(saved(tmp_path, [[0.25, 0.75], [0.875, 0.125], [0.75, 0.25]]))
    assert mixed[LabelLikelihoodAccess].likelihoods([("good", "day")]).tolist() == [[0.5, 0.5]]
    sample = OwnerSample(texts=CORPUS.texts)
    found = [
        [check.passed for check in grant.accesses[0].handshake(sample) if check.name == "rows belong to their texts"]
        for grant in (alike, mixed)
    ]
    assert found == [[True], [False]]


def test_where_no_text_stands_twice_nothing_is_said_about_the_order(tmp_path: Path) -> None:
    """A check that could not be tried did not hold."""
    single = Corpus(CORPUS.texts[:2])
    grant = opened(saved(tmp_path, ROWS[:2]), single)
    (last,) = grant.accesses[0].handshake(OwnerSample(texts=single.texts))[-1:]
    assert (last.name, last.passed) == ("rows belong to their texts", None)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0.2, 0.3, 0.5]] * 3, r"an array \(texts, 2\), one column per label. Got \(3, 3\)"),
        ([0.5, 0.5], r"Got \(2,\)"),
        ([[0.5, 0.5], [np.nan, 1.0], [0.5, 0.5]], "1 of 3 rows hold NaN"),
        ([[0.5, 0.5], [0.5, 0.25], [0.5, 0.5]], "1 of 3 rows do not sum to 1"),
        ([[-1.0, 2.0]] * 3, "Are they logits"),
        ([["a", "b"]], "must hold numbers"),
    ],
)
def test_what_is_wrong_with_the_file_is_told_at_once(tmp_path: Path, rows: Any, said: str) -> None:
    """When the audit is checked, before anything runs."""
    with pytest.raises(InputError, match=said):
        FilePredictions(saved(tmp_path, rows))


def test_rows_and_texts_must_be_as_many(tmp_path: Path) -> None:
    """Both numbers are told, and what else can be done."""
    with pytest.raises(InputError, match=r"holds 2 rows, and the data 3 texts.*recipe.text"):
        opened(saved(tmp_path, ROWS[:2]))


def test_labels_must_be_those_of_the_data(tmp_path: Path) -> None:
    """Or the figures would be void."""
    with pytest.raises(InputError, match="none of the 2 labels of the data"):
        opened({**saved(tmp_path, ROWS), "labels": ["ham", "spam"]})


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("rows.csv", {"array": "rows"}, "has columns, named like the labels"),
        ("rows.npy", {"text": "text"}, "are in the order of the data"),
        ("rows.npy", {"labels": ["one"]}, "at least 2"),
    ],
)
def test_settings_that_do_not_fit_are_told(name: str, settings: dict[str, Any], said: str) -> None:
    """They must not be ignored."""
    with pytest.raises(InputError, match=said):
        FilePredictions({"path": name, "labels": LABELS, **settings})


def test_a_column_of_words_is_no_prediction(tmp_path: Path) -> None:
    """Told without quoting it."""
    path = tmp_path / "rows.csv"
    path.write_text("no,yes\nsure,0.5\n")
    with pytest.raises(InputError, match="holds something that is no number") as caught:
        FilePredictions({"path": str(path), "labels": LABELS})
    assert "sure" not in str(caught.value)
