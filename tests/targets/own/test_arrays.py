"""Arrays and columns are read from every kind of file, and nothing is unpickled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.own.arrays import read_array, read_table

ROWS = np.array([[0.25, 0.75], [0.5, 0.5]], dtype=np.float32)


def saved(path: Path) -> Path:
    """Writes ROWS in the format of the file's name."""
    from safetensors.numpy import save_file

    if path.suffix == ".npy":
        np.save(path, ROWS)
    elif path.suffix == ".npz":
        np.savez(path, rows=ROWS)
    else:
        save_file({"rows": ROWS}, path)
    return path


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_arrays_are_read_as_they_were_written(tmp_path: Path, suffix: str) -> None:
    """The only array needs no name."""
    found = read_array(saved(tmp_path / f"rows{suffix}"), None)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, ROWS)


def test_of_several_arrays_one_must_be_named(tmp_path: Path) -> None:
    """The message lists them, or says which is near."""
    path = tmp_path / "rows.npz"
    np.savez(path, first=ROWS, second=ROWS + 1)
    np.testing.assert_array_equal(read_array(path, "second"), ROWS + 1)
    with pytest.raises(InputError, match=r"holds 2 arrays, tell which one \(recipe.array\): first, second"):
        read_array(path, None)
    with pytest.raises(InputError, match="Did you mean 'first'"):
        read_array(path, "frist")


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    """Unpickling could run any code; what to do is told."""
    path = tmp_path / "rows.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="could run any code. Save numbers"):
        read_array(path, None)
    (tmp_path / "raw.npy").write_bytes(b"\x80\x04}q\x00.")
    with pytest.raises(InputError, match=r"raw\.npy"):
        read_array(tmp_path / "raw.npy", None)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.safetensors", "a.parquet"])
def test_damaged_files_are_told(tmp_path: Path, name: str) -> None:
    """By their name."""
    path = tmp_path / name
    path.write_bytes(b"not at all")
    with pytest.raises(InputError, match=rf"{name}: (is no|holds objects)"):
        read_table(path, ["a"]) if path.suffix == ".parquet" else read_array(path, None)


@pytest.mark.parametrize(("name", "said"), [("absent.npy", "no such file"), ("rows.pkl", "known are .npy, .npz, .saf")])
def test_other_files_are_refused(tmp_path: Path, name: str, said: str) -> None:
    """A path that is wrong, or a kind of file that is not read."""
    (tmp_path / "rows.pkl").write_bytes(b"")
    with pytest.raises(InputError, match=said):
        read_array(tmp_path / name, None)


def csv_file(path: Path) -> None:
    """A table with a column too many."""
    path.write_text('\ufeffno,yes,text\n0.25,0.75,"good, day"\n0.5,0.5,bad\n', encoding="utf-8")


def jsonl_file(path: Path) -> None:
    """The same in lines of JSON, with one that is empty."""
    rows = [{"no": 0.25, "yes": 0.75, "text": "good, day"}, {"no": 0.5, "yes": 0.5, "text": "bad"}]
    path.write_text("\n\n".join(json.dumps(row) for row in rows))


def parquet_file(path: Path) -> None:
    """The same in columns."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"no": [0.25, 0.5], "yes": [0.75, 0.5], "text": ["good, day", "bad"]}
    parquet.write_table(pyarrow.table(columns), path)


@pytest.mark.parametrize(("suffix", "write"), [(".csv", csv_file), (".jsonl", jsonl_file), (".parquet", parquet_file)])
def test_tables_give_columns_by_name(tmp_path: Path, suffix: str, write: Callable[[Path], None]) -> None:
    """In the order asked for; a column that is not there is answered with the nearest."""
    path = tmp_path / f"rows{suffix}"
    write(path)
    found = read_table(path, ["yes", "text"])
    assert list(found) == ["yes", "text"]
    assert [float(value) for value in found["yes"]] == [0.75, 0.5]
    assert found["text"] == ["good, day", "bad"]
    with pytest.raises(InputError, match="has no column 'yess'. Did you mean 'yes'"):
        read_table(path, ["no", "yess"])


def test_faulty_rows_are_told_by_number(tmp_path: Path) -> None:
    """And not by their content."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"no": 1}\n{"yes": 1}\n')
    with pytest.raises(InputError, match="row 2 has nothing in column 'no'"):
        read_table(path, ["no"])
    path.write_text('{"no": 1}\n[1]\n')
    with pytest.raises(InputError, match="line 2 is no JSON object"):
        read_table(path, ["no"])
    latin = tmp_path / "rows.csv"
    latin.write_bytes("no\nä\n".encode("latin-1"))
    with pytest.raises(InputError, match="is not UTF-8"):
        read_table(latin, ["no"])
