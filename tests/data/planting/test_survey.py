"""Tests of divulge.data.planting.survey."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.corpus import Corpus
from divulge.data.patterns import parse_pattern
from divulge.data.planting import survey as module
from divulge.data.planting.survey import fingerprint_of, matching, survey
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import DataSpec

PATTERN = parse_pattern("pin {digit*2}")
words = st.lists(st.text(min_size=1), min_size=1, max_size=4).map(tuple)


@given(st.lists(st.builds(Text, tokens=words, label=st.none() | st.text(), tags=st.none() | words, user=st.text())))
def test_the_fingerprint_is_that_of_the_corpus(texts):
    """Without holding the texts."""
    assert fingerprint_of(iter(texts)) == Corpus(tuple(texts)).fingerprint


def write(path, rows):
    """A JSONL file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return DataSpec(path=str(path))


def test_one_pass_tells_all(tmp_path):
    """Counts and names of the split alone; texts that fit the pattern from everywhere."""
    data = write(
        tmp_path / "a.jsonl",
        [
            {"text": "a b", "label": "x", "tags": "O B-P", "split": "train"},
            {"text": "c", "label": "y", "tags": "O", "split": "train"},
            {"text": "so pin 1 2 pin 3 4", "label": "z", "tags": "Z Z Z Z Z Z Z", "split": "test"},
        ],
    )
    found = survey(data, "train", PATTERN)
    assert (found.counts, found.trained, found.records) == ([2], 2, 3)
    assert (found.labels, found.tags) == ({"x", "y"}, {"O", "B-P"})
    assert found.labelled
    assert found.tagged
    assert found.taken == {("pin", "1", "2"), ("pin", "3", "4")}


def test_each_file_of_a_folder_is_counted(tmp_path):
    """In the order they are read."""
    write(tmp_path / "test.jsonl", [{"text": "a"}] * 2)
    write(tmp_path / "train.jsonl", [{"text": "a"}] * 3)
    found = survey(DataSpec(path=str(tmp_path)), "train", PATTERN)
    assert (found.counts, found.records, found.labelled, found.tagged) == ([0, 3], 5, False, False)


def test_data_without_the_split_is_refused(tmp_path):
    """With those that it has."""
    data = write(tmp_path / "a.jsonl", [{"text": "a", "split": "dev"}])
    with pytest.raises(InputError, match="no records of the split 'train' .*It has 'dev'"):
        survey(data, "train", PATTERN)


def test_faulty_rows_are_told_with_their_line(tmp_path):
    """And without their content."""
    data = write(tmp_path / "a.jsonl", [{"text": "a"}, {"text": 5}])
    with pytest.raises(InputError, match=r"line 2: column 'text' must be text"):
        survey(data, "train", PATTERN)


def test_what_would_grow_with_the_data_is_bounded(tmp_path, monkeypatch):
    """A column of texts is no column of labels; data full of such texts hides any canary."""
    monkeypatch.setattr(module, "MOST_NAMES", 2)
    data = write(tmp_path / "a.jsonl", [{"text": "pin 1 2", "label": str(number)} for number in range(3)])
    with pytest.raises(InputError, match="more than 2 different labels"):
        survey(data, "train", PATTERN)
    monkeypatch.setattr(module, "MOST_TAKEN", 2)
    data = write(tmp_path / "b.jsonl", [{"text": f"pin 1 {number}"} for number in range(3)])
    with pytest.raises(InputError, match="more than 2 different texts that fit the pattern"):
        survey(data, "train", PATTERN)


def test_stretches_that_fit_may_overlap():
    """Each of them is taken."""
    found = list(matching(parse_pattern("{digit*2}"), ("1", "2", "3", "x", "4")))
    assert found == [("1", "2"), ("2", "3")]
