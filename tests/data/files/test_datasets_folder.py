"""Tests of divulge.data.files.datasets_folder."""

from __future__ import annotations

import json
import sys

import pytest

from divulge.data.files.datasets_folder import class_names, is_datasets_folder, named, open_tables, pyarrow
from divulge.data.files.own import read_own
from divulge.errors import InputError
from divulge.spec import DataSpec

datasets = pytest.importorskip("datasets")
datasets.disable_progress_bars()


@pytest.fixture
def folder(tmp_path):
    """Two splits, with names for the numbers of labels and tags."""
    features = datasets.Features(
        {
            "said": datasets.Value("string"),
            "words": datasets.Sequence(datasets.Value("string")),
            "label": datasets.ClassLabel(names=["no", "yes"]),
            "tags": datasets.Sequence(datasets.ClassLabel(names=["O", "B-P"])),
        }
    )
    rows = {"said": ["a b", "c d"], "words": [["a", "b"], ["c", "d"]], "label": [1, 0], "tags": [[0, 1], [0, 0]]}
    whole = datasets.Dataset.from_dict(rows, features=features)
    datasets.DatasetDict({"train": whole, "test": whole.select([1])}).save_to_disk(tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.parametrize("column", ["said", "words"])
def test_texts_are_read_with_the_names_of_labels_and_tags(folder, column):
    """Each split by its folder; words apart or in one text."""
    corpus = read_own(DataSpec(path=str(folder), columns={"text": column}))
    assert [(text.tokens, text.label, text.tags, text.split) for text in corpus] == [
        (("a", "b"), "yes", ("O", "B-P"), "train"),
        (("c", "d"), "no", ("O", "O"), "train"),
        (("c", "d"), "no", ("O", "O"), "test"),
    ]


def test_one_table_alone_is_read_too(folder):
    """It is of the split that it names, or of train."""
    assert read_own(DataSpec(path=str(folder / "test"), columns={"text": "said"})).splits == ("train",)
    state = json.loads((folder / "test" / "state.json").read_text())
    (folder / "test" / "state.json").write_text(json.dumps({**state, "_split": "dev"}))
    assert read_own(DataSpec(path=str(folder / "test"), columns={"text": "said"})).splits == ("dev",)


def test_wrong_columns_and_options_are_refused(folder):
    """As for files."""
    with pytest.raises(InputError, match="no column 'sad' for text. Did you mean 'said'"):
        read_own(DataSpec(path=str(folder), columns={"text": "sad"}))
    with pytest.raises(InputError, match="options.delimiter is for files"):
        read_own(DataSpec(path=str(folder), columns={"text": "said"}, options={"delimiter": ";"}))


def test_a_row_that_cannot_be_used_is_told(tmp_path):
    """By file and number, not by content; a number without a name is no label."""
    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["x"])})
    rows = {"text": ["a", "", "c"], "label": [0, 0, -1]}
    datasets.Dataset.from_dict(rows, features=features).save_to_disk(tmp_path / "data")
    with pytest.raises(InputError) as caught:
        read_own(DataSpec(path=str(tmp_path / "data")))
    assert "line 2: column 'text' holds no tokens" in str(caught.value)
    assert "line 3: column 'label' is empty" in str(caught.value)


def broken(folder, what):
    """Breaks the folder in one way."""
    state = folder / "train" / "state.json"
    values = json.loads(state.read_text())
    if what == "no file":
        (folder / "train" / "data-00000-of-00001.arrow").unlink()
    elif what == "half a file":
        path = folder / "train" / "data-00000-of-00001.arrow"
        path.write_bytes(path.read_bytes()[:40])
    elif what == "no JSON":
        state.write_text("{")
    elif what == "a list":
        state.write_text("[]")
    elif what == "no files":
        state.write_text(json.dumps({**values, "_data_files": []}))
    elif what == "outside":
        state.write_text(json.dumps({**values, "_data_files": [{"filename": "../test/data-00000-of-00001.arrow"}]}))
    elif what == "indices":
        state.write_text(json.dumps({**values, "_indices_files": [{"filename": "i.arrow"}]}))
    elif what == "no state":
        state.unlink()
    else:
        (folder / "dataset_dict.json").write_text('{"splits": []}')


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("no file", "is not there"),
        ("half a file", "is not a whole Arrow file"),
        ("no JSON", "does not hold JSON"),
        ("a list", "does not hold a JSON object"),
        ("no files", "names no data files"),
        ("outside", "lies outside its folder"),
        ("indices", "Save it anew"),
        ("no state", "cannot be read"),
        ("no splits", "names no splits"),
    ],
)
def test_a_broken_folder_is_refused(folder, what, said):
    """With the file that is wrong."""
    broken(folder, what)
    with pytest.raises(InputError, match=said):
        read_own(DataSpec(path=str(folder), columns={"text": "said"}))


def test_without_pyarrow_it_is_told_what_to_install(monkeypatch):
    """Nothing else needs it."""
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(InputError, match="pip install pyarrow"):
        pyarrow()


def test_names_of_numbers():
    """Of a column or of the lists in it, in each way the library has written that."""
    label = {"names": ["a", "b"], "_type": "ClassLabel"}
    features = {"one": label, "many": {"feature": label, "_type": "Sequence"}, "old": [label], "n": {"dtype": "int64"}}
    assert {column: class_names(features, column) for column in ("one", "many", "old", "n", "none")} == {
        "one": ("a", "b"),
        "many": ("a", "b"),
        "old": ("a", "b"),
        "n": (),
        "none": (),
    }
    assert named([0, 1, -1, None, 2], ("a", "b")) == ["a", "b", None, None, None]
    assert named(1, ()) == 1


def test_other_folders_are_none(tmp_path):
    """Not even with one of the two files."""
    (tmp_path / "state.json").write_text("{}")
    assert not is_datasets_folder(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        open_tables(tmp_path)
