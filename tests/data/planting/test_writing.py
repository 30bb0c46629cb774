"""Tests of divulge.data.planting.writing."""

from __future__ import annotations

import pytest

from divulge.data.patterns import parse_pattern
from divulge.data.planting.survey import survey
from divulge.data.planting.writing import reread, write_copy
from divulge.errors import ExecutionError
from divulge.records import Planting
from divulge.spec import DataSpec

PLANTING = Planting(secret_id="1", text=("My", "pin"), copies=2)


def test_a_folder_is_copied_whole(tmp_path):
    """Splits that are not planted into, and what else lies there, as they are; hidden files not."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.jsonl").write_text('{"text": "a"}\n')
    (data / "test.csv").write_text("text\nb\n")
    (data / "README").write_text("read me")
    (data / ".hidden").write_text("x")
    (data / "train.jsonl").chmod(0o640)
    spec = DataSpec(path=str(data))
    found = survey(spec, "train", parse_pattern("{digit}"))
    files = write_copy(spec, tmp_path / "copy", "train", found, [{}, {1: [PLANTING, PLANTING]}])
    assert {path.name: path.read_text() for path in (tmp_path / "copy").iterdir()} == {
        "train.jsonl": '{"text": "a"}\n' + '{"text": "My pin"}\n' * 2,
        "test.csv": "text\nb\n",
        "README": "read me",
    }
    assert (tmp_path / "copy" / "train.jsonl").stat().st_mode & 0o777 == 0o640
    assert {file.name: file.inserted for file in files} == {
        "train.jsonl": ((14, 19), (33, 19)),
        "test.csv": (),
        "README": (),
    }


@pytest.mark.parametrize(("records", "copies", "split"), [(1, 3, "train"), (2, 2, "train"), (1, 2, "test")])
def test_a_copy_that_is_not_as_planned_is_refused(tmp_path, records, copies, split):
    """Too few copies, too few records, another split."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n' + '{"text": "my pin"}\n' * 2)
    spec = DataSpec(path=str(path), options={"lower": True})
    assert len(list(reread(spec, "train", 1, [PLANTING]))) == 3
    with pytest.raises(ExecutionError, match="does not read back"):
        list(reread(spec, split, records, [PLANTING.model_copy(update={"copies": copies})]))
