"""Tests of divulge.data.planting.tables."""

from __future__ import annotations

import json

import pytest

from divulge.data.files.datasets_folder import open_tables
from divulge.data.planting.tables import copy_table_with, copy_table_without
from divulge.records import Planting

datasets = pytest.importorskip("datasets")
datasets.disable_progress_bars()

ONE = Planting(secret_id="1", text=("one", "1"), label="10", tags=("O", "B-P"))
TWO = Planting(secret_id="2", text=("two", "2"), label="20", tags=("O", "O"))


def saved(path, rows=5):
    """A table in two files, with names for numbers and columns of other types."""
    features = datasets.Features(
        {
            "words": datasets.Sequence(datasets.Value("string")),
            "label": datasets.ClassLabel(names=["20", "10"]),
            "tags": datasets.Sequence(datasets.ClassLabel(names=["O", "B-P"])),
            "split": datasets.Value("string"),
            "score": datasets.Value("float32"),
            "grid": datasets.Array2D(shape=(1, 2), dtype="int32"),
        }
    )
    content = {
        "words": [["w", str(number)] for number in range(rows)],
        "label": [number % 2 for number in range(rows)],
        "tags": [[0, 1]] * rows,
        "split": ["test", *["train"] * (rows - 1)],
        "score": [float("nan"), *[0.5] * (rows - 1)],
        "grid": [[[number, 1]] for number in range(rows)],
    }
    datasets.Dataset.from_dict(content, features=features).save_to_disk(path, num_shards=2)
    return open_tables(path)[0]


def test_rows_are_put_in_and_taken_out(tmp_path):
    """Next to rows of the split alone, made of the donor's; the library reads both, and what is back is the same."""
    table = saved(tmp_path / "data")
    columns = {"text": "words"}
    gaps = {0: [ONE], 2: [TWO], 4: [ONE, TWO]}
    was, now, inserted = copy_table_with(table, tmp_path / "planted", "train", columns, gaps)
    planted = datasets.load_from_disk(tmp_path / "planted")
    firsts = [words[0] for words in planted["words"]]
    assert firsts == ["w", "one", "w", "w", "two", "w", "w", "one", "two"]
    assert inserted == ((1, 1), (4, 1), (7, 1), (8, 1))
    first, second = planted[1], planted[4]
    assert (first["label"], first["tags"], first["grid"]) == (1, [0, 1], [[1, 1]])
    assert (second["label"], second["tags"], second["grid"]) == (0, [0, 0], [[2, 1]])
    assert {row["split"] for row in planted.select([1, 4, 7, 8])} == {"train"}
    before, after = copy_table_without(open_tables(tmp_path / "planted")[0], tmp_path / "back", inserted)
    assert (before, after) == (now, was)
    original, back = datasets.load_from_disk(tmp_path / "data"), datasets.load_from_disk(tmp_path / "back")
    assert repr(back.to_list()) == repr(original.to_list())
    assert back.features == original.features


def test_the_library_keeps_no_cache_of_the_original_for_the_copy(tmp_path):
    """The fingerprint of the copy is another, and the number of rows that is told is right."""
    table = saved(tmp_path / "data")
    info = json.loads((tmp_path / "data" / "dataset_info.json").read_text())
    info["splits"] = {"train": {"name": "train", "num_bytes": 1, "num_examples": 5}}
    (tmp_path / "data" / "dataset_info.json").write_text(json.dumps(info))
    copy_table_with(table, tmp_path / "planted", "train", {"text": "words"}, {1: [ONE]})
    told = json.loads((tmp_path / "planted" / "dataset_info.json").read_text())
    states = [json.loads((tmp_path / name / "state.json").read_text()) for name in ("data", "planted")]
    assert told["splits"]["train"]["num_examples"] == 6
    assert states[0].pop("_fingerprint") != states[1].pop("_fingerprint")
    assert states[0] == states[1]


def test_a_changed_cell_changes_the_hash(tmp_path):
    """The hash is of content, not of files: copied without change it stays."""
    table = saved(tmp_path / "data")
    was, now, _ = copy_table_with(table, tmp_path / "same", "train", {"text": "words"}, {})
    assert was == now
    other = datasets.load_from_disk(tmp_path / "data").map(lambda row: {"score": 0.25})
    other.save_to_disk(tmp_path / "other", num_shards=1)
    changed, _, _ = copy_table_with(open_tables(tmp_path / "other")[0], tmp_path / "o", "train", {"text": "words"}, {})
    assert changed != was
