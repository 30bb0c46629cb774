"""Fewer dimensions, at the same width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import WIDTH, Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.dimension_cut import DimensionCut
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact

TEXTS = sentences()
TOKENS = [text.tokens for text in TEXTS]
ALL = np.concatenate(Oracle().embed(TOKENS))  # (tokens, d)


def cut(**options: Any) -> tuple[Any, Any]:
    """Rows and encoder behind the defence."""
    defence = DimensionCut(options)
    artefact = defence.fit(Corpus(()), Grant([Rows(TEXTS), Oracle()]), np.random.default_rng(0))
    return defence.on_access(Rows(TEXTS), artefact), defence.on_access(Oracle(), artefact)


@pytest.mark.parametrize(("kept", "count"), [(0.5, 3), (0.34, 2), (0.01, 1)])
def test_by_order_the_first_are_kept(kept: float, count: int) -> None:
    """Of 6 dimensions so many, one at least; the others are zero and the width stays."""
    for shown, clear in zip(cut(kept=kept)[0].rows(range(4)), Rows(TEXTS).rows(range(4)), strict=True):
        assert np.array_equal(shown[:, :count], clear[:, :count])
        assert shown.shape == clear.shape
        assert not shown[:, count:].any()


@pytest.mark.parametrize("kept", [0.5, 0.17])
def test_by_variance_no_projection_of_the_same_rank_is_nearer(kept: float) -> None:
    """The error over the rows is that of the singular values left out: what the best projection reaches."""
    shown = np.concatenate(cut(kept=kept, by="variance")[0].rows(range(len(TEXTS))))
    count = round(kept * WIDTH)
    values = np.linalg.svd(ALL - ALL.mean(axis=0), compute_uv=False)
    assert np.sum((shown - ALL) ** 2) == pytest.approx(np.sum(values[count:] ** 2))
    assert np.linalg.matrix_rank(shown - ALL.mean(axis=0), tol=1e-8) == count


@pytest.mark.parametrize("by", ["order", "variance"])
def test_rows_and_encoder_are_cut_alike(by: str) -> None:
    """The handshake compares them as before; cut twice is cut once; a pooled row is cut like a vector."""

    class First(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row[0] for row in super()._rows(numbers)]

    rows, oracle = cut(by=by)
    sample = OwnerSample(texts=TEXTS, row_texts=dict(enumerate(TOKENS)), oracle=oracle)
    assert [check.passed for check in (*rows.handshake(sample), *oracle.handshake(sample))] == [True] * 3
    defence = DimensionCut({"by": by})
    artefact = defence.fit(Corpus(()), Grant([Rows(TEXTS)]), np.random.default_rng(0))
    again: Any = defence.on_access(rows, artefact)
    assert np.allclose(again.rows([2])[0], rows.rows([2])[0])
    pooled: Any = defence.on_access(First(TEXTS), artefact)
    assert np.allclose(pooled.rows([2])[0], rows.rows([2])[0][0])


def test_all_kept_and_other_accesses_stay() -> None:
    """The access itself comes back; nothing at all cannot be kept."""
    rows, labels = Rows(TEXTS), Labels()
    for by in ("order", "variance"):
        assert DimensionCut({"kept": 1.0, "by": by}).on_access(rows, Artefact()) is rows
    assert DimensionCut().on_access(labels, Artefact()) is labels
    with pytest.raises(InputError, match="'kept'"):
        DimensionCut({"kept": 0.0})


@pytest.mark.parametrize("accesses", [[Oracle()], [Rows([])]], ids=["no access", "no rows"])
def test_variance_needs_rows(accesses: list[Any]) -> None:
    """Directions are learnt from them; by order nothing is."""
    grant = Grant(accesses)
    with pytest.raises(InputError, match="dimension-cut .*leaked"):
        DimensionCut({"by": "variance"}).fit(Corpus(()), grant, np.random.default_rng(0))
    assert DimensionCut().fit(Corpus(()), grant, np.random.default_rng(0)) == Artefact()
