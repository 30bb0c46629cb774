"""One vector a text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import WIDTH, Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.pooled_rows import PooledRows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact

TEXTS = sentences()
TOKENS = [text.tokens for text in TEXTS]


class Fixed(Rows):
    """A row worked by hand, and one without tokens."""

    def _rows(self, numbers: Any) -> Any:
        return [np.array([[1.0, -4.0], [3.0, 2.0]]) if number else np.zeros((0, 2)) for number in numbers]


def pooled(access: Any, **options: Any) -> Any:
    return PooledRows(options).on_access(access, Artefact())


@pytest.mark.parametrize(("how", "expected"), [("mean", [2.0, -1.0]), ("max", [3.0, 2.0])])
def test_rows_become_one_vector(how: str, expected: list[float]) -> None:
    """Mean of (1, 3) and (-4, 2): 2 and -1; greatest: 3 and 2. A text without tokens has zeros."""
    empty, row = pooled(Fixed(TEXTS), how=how).rows([0, 1])
    assert row.tolist() == expected
    assert empty.tolist() == [0.0, 0.0]


def test_the_encoder_pools_alike() -> None:
    """So that the handshake compares them as before, and finds permuted rows."""

    class Permuted(Rows):
        def _rows(self, numbers: Any) -> Any:
            return super()._rows([(number + 1) % self.count for number in numbers])

    oracle = pooled(Oracle())
    assert oracle.embed(TOKENS[:1])[0].shape == (WIDTH,)
    sample = OwnerSample(texts=TEXTS, row_texts=dict(enumerate(TOKENS)), oracle=oracle)
    assert [check.passed for check in pooled(Rows(TEXTS)).handshake(sample)] == [True]
    assert [check.passed for check in pooled(Permuted(TEXTS)).handshake(sample)] == [False]
    assert not PooledRows.blurs_rows


def test_rows_that_are_pooled_already_are_refused() -> None:
    """A defence that does nothing is not reported as one; without rows to look at nothing is said."""

    class Flat(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row[0] for row in super()._rows(numbers)]

    def fit(*accesses: Any, **options: Any) -> Artefact:
        return PooledRows(options).fit(Corpus(()), Grant(accesses), np.random.default_rng(0))

    with pytest.raises(InputError, match=rf"pooled already, shape \({WIDTH},\)"):
        fit(Flat(TEXTS), Oracle())
    assert fit(Flat(TEXTS), how="none") == fit(Rows(TEXTS)) == fit(Oracle()) == fit(Rows([])) == Artefact()


def test_none_and_other_accesses_stay() -> None:
    """The access itself comes back; other ways of pooling are not known."""
    rows, labels = Rows(TEXTS), Labels()
    assert pooled(rows, how="none") is rows
    assert pooled(labels) is labels
    with pytest.raises(InputError, match="'how'"):
        PooledRows({"how": "cls"})
