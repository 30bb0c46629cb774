"""Rows of vectors, stacked and taken apart again."""

from __future__ import annotations

import numpy as np

from divulge.access import EmbeddedRowsAccess
from divulge.grants import Grant
from divulge.records import Artefact
from divulge.targets.own.rows import KeptRows, stacked


def test_pooled_and_unpooled_rows_come_back() -> None:
    """In their order and shapes, as real numbers; an empty text has no vectors."""
    for rows in ([np.array([1, 2]), np.array([3, 4])], [np.ones((2, 3)), np.empty((0, 3)), np.zeros((1, 3))]):
        access = Grant([KeptRows(Artefact(arrays=stacked(rows)))])[EmbeddedRowsAccess]
        assert access.count == len(rows)
        for number, row in enumerate(rows):
            (again,) = access.rows([number])
            assert again.dtype == np.float64
            np.testing.assert_array_equal(again, row)


def test_no_rows_are_no_rows() -> None:
    """An empty corpus has none."""
    assert KeptRows(Artefact(arrays=stacked([]))).count == 0
