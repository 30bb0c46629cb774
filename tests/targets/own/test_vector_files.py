"""Vectors in files: every format gives the same rows, and what is wrong with a file is told in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from divulge.errors import InputError
from divulge.targets.own.vector_files import read_vectors

POOLED = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32)
UNPOOLED = np.arange(12, dtype=np.float32).reshape(2, 2, 3)


def saved(folder: Path, suffix: str, array: np.ndarray) -> Path:
    """A file of that kind with one array."""
    path = folder / f"rows{suffix}"
    if suffix == ".npy":
        np.save(path, array)
    elif suffix == ".npz":
        np.savez(path, rows=array)
    elif suffix == ".safetensors":
        save_file({"rows": array}, path)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"rows": array.tolist()}), path)
    return path


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors", ".parquet"])
def test_every_format_gives_the_same_rows(tmp_path: Path, suffix: str) -> None:
    """Pooled; a column by its name."""
    rows = read_vectors(saved(tmp_path, suffix, POOLED), "rows" if suffix == ".parquet" else None)
    assert [row.tolist() for row in rows] == POOLED.tolist()


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_rows_that_are_filled_up_need_somebody_who_knows_their_length(tmp_path: Path, suffix: str) -> None:
    """Without lengths they are refused, unless they may stay as long as they are."""
    path = saved(tmp_path, suffix, UNPOOLED)
    with pytest.raises(InputError, match="need an array 'lengths' .* name the encoder"):
        read_vectors(path)
    assert [row.shape for row in read_vectors(path, filled_up=True)] == [(2, 3), (2, 3)]


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors", ".parquet"])
def test_numbers_that_are_none_are_counted(tmp_path: Path, suffix: str) -> None:
    """However the file spells them."""
    broken = POOLED.copy()
    broken[1, 2] = np.nan
    with pytest.raises(InputError, match=r"1 of 2 rows hold NaN or infinity, the first is row 1 \(counted from 0\)"):
        read_vectors(saved(tmp_path, suffix, broken), "rows" if suffix == ".parquet" else None)


def test_columns_are_told_by_row_and_a_sole_one_needs_no_name(tmp_path: Path) -> None:
    """Of several, one must be named; nulls, ragged rows and words are told by number, a damaged file before all."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = saved(tmp_path, ".parquet", POOLED)
    assert [row.tolist() for row in read_vectors(path)] == POOLED.tolist()
    columns = {
        "null": [[1.0, 2.0], None],
        "short": [[1.0, 2.0], [1.0]],
        "ragged": [[[1.0], [1.0]], [[1.0, 2.0], [1.0]]],
        "word": ["a", "b"],
    }
    parquet.write_table(pyarrow.table(columns), path)
    for name, said in (
        (None, r"holds 4 columns, tell which one .* \(recipe.array\): null, short, ragged, word"),
        ("null", r"row 1 \(counted from 0\) is null"),
        ("short", r"Row 1 \(counted from 0\) is \(1,\), and row 0 is \(2,\)"),
        ("ragged", r"row 1 \(counted from 0\) holds something else, or lists of different lengths"),
        ("word", r"row 0 \(counted from 0\) holds something else"),
    ):
        with pytest.raises(InputError, match=said):
            read_vectors(path, name)
    path.write_bytes(b"PAR1xx")
    for name in (None, "rows"):
        with pytest.raises(InputError, match=r"is no .parquet file, or is damaged"):
            read_vectors(path, name)


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    """With the kinds there are."""
    (tmp_path / "rows.bin").write_bytes(b"1")
    with pytest.raises(InputError, match=r"unknown kind of file; known are .npy, .npz, .safetensors, .parquet"):
        read_vectors(tmp_path / "rows.bin")
