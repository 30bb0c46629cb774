"""A file of vectors: rows of the training texts, pooled or not, and nothing to compare them with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Text
from divulge.targets.own.vectors import FileVectors

CORPUS = Corpus((Text(("good", "day")), Text(("bad",)), Text(("unseen",), split="test")))
POOLED = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=np.float32)
UNPOOLED = np.arange(12, dtype=np.float32).reshape(2, 2, 3)


def opened(path: Path, corpus: Corpus = CORPUS, **settings: Any) -> Grant:
    """What is granted."""
    target = FileVectors({"path": str(path), **settings})
    return target.open(target.train(corpus, np.random.default_rng(0)))


def test_pooled_rows_are_those_of_the_training_texts(tmp_path: Path) -> None:
    """In their order; their width is known before anything runs."""
    path = tmp_path / "rows.npy"
    np.save(path, POOLED)
    grant = opened(path)
    assert grant.levels == (EmbeddedRowsAccess,)
    assert grant[EmbeddedRowsAccess].count == 2
    assert grant[EmbeddedRowsAccess].rows([1])[0].tolist() == [4.0, 5.0, 6.0]
    assert FileVectors({"path": str(path)}).width == 3


def test_unpooled_rows_end_with_their_length(tmp_path: Path) -> None:
    """What was filled up behind it is cut off."""
    path = tmp_path / "rows.npz"
    np.savez(path, rows=UNPOOLED, lengths=[2, 1])
    access = opened(path)[EmbeddedRowsAccess]
    assert [row.tolist() for row in access.rows([0, 1])] == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8]]]
    np.savez(path, rows=UNPOOLED[:, :1], lengths=[1, 1])
    assert opened(path, tokens=1)[EmbeddedRowsAccess].rows([0])[0].tolist() == [[0, 1, 2]]
    assert FileVectors({"path": str(path), "tokens": 1}).reads == 1


def test_a_column_of_lists_is_read(tmp_path: Path) -> None:
    """It must be named."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    columns = {"id": [7, 8], "vector": POOLED.tolist(), "words": [UNPOOLED[0].tolist(), UNPOOLED[1, :1].tolist()]}
    parquet.write_table(pyarrow.table({**columns, "odd": [[1.0], [1.0, 2.0]]}), path)
    assert opened(path, array="vector")[EmbeddedRowsAccess].rows([0])[0].tolist() == [1.0, 2.0, 3.0]
    assert opened(path, array="words")[EmbeddedRowsAccess].rows([1])[0].tolist() == [[6, 7, 8]]
    for settings, said in (({}, "tell which column"), ({"array": "odd"}, "all of one width")):
        with pytest.raises(InputError, match=said):
            FileVectors({"path": str(path), **settings})


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"rows": np.ones(3)}, r"Got \(3,\)"),
        ({"rows": UNPOOLED}, "need an array 'lengths' beside them"),
        ({"rows": UNPOOLED, "lengths": [1, 3]}, "must be from 0 to 2"),
        ({"rows": UNPOOLED, "lengths": [1.0, 1.0]}, "must be whole numbers"),
        ({"rows": np.array([[1.0, np.inf], [0, 0]])}, "1 of 2 rows hold NaN or infinity"),
        ({"rows": np.array([["a", "b"]])}, "must hold numbers"),
        ({"rows": np.empty((0, 3))}, "holds no vectors"),
    ],
)
def test_what_is_wrong_with_the_file_is_told_at_once(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    """When the audit is checked, before anything runs."""
    path = tmp_path / "rows.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=said):
        FileVectors({"path": str(path)})


def test_rows_and_texts_must_fit(tmp_path: Path) -> None:
    """As many rows as training texts, and unpooled as many vectors as words."""
    path = tmp_path / "rows.npz"
    np.savez(path, rows=np.ones((3, 4)))
    with pytest.raises(InputError, match="holds 3 rows, and the data 2 training texts"):
        opened(path)
    np.savez(path, rows=UNPOOLED, lengths=[2, 2])
    with pytest.raises(InputError, match=r"1 of 2 rows have another number.*\(row 1: 2 and 1\)"):
        opened(path)


def test_the_handshake_says_what_could_not_be_tried(tmp_path: Path) -> None:
    """Nobody can compare with an encoder that is not there; that all rows are alike is seen."""
    path = tmp_path / "rows.npy"
    sample = OwnerSample(row_texts={0: ("good", "day"), 1: ("bad",)})
    found = []
    for rows in (POOLED, np.ones((2, 3))):
        np.save(path, rows)
        found.append({one.name: one.passed for one in opened(path).accesses[0].handshake(sample)})
    matching = {"leaked rows match the oracle": None}
    assert found == [{**matching, "other text, other row": True}, {**matching, "other text, other row": False}]


def test_rows_of_a_test_split_alone_are_those_of_its_texts(tmp_path: Path) -> None:
    """Where no text is of the training split, each text has its row."""
    path = tmp_path / "rows.npy"
    np.save(path, POOLED)
    texts = tuple(Text((word,), split="test") for word in ("a", "b", "c"))
    assert FileVectors({"path": str(path)}).misfits(Corpus(texts[:2])) == []
    (problem,) = FileVectors({"path": str(path)}).misfits(Corpus(texts))
    assert "2 rows, and the data 3" in problem
