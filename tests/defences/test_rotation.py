"""A secret rotation keeps distances and hides directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import WIDTH, Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.rotation import Rotation
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact

TEXTS = sentences()
TOKENS = [text.tokens for text in TEXTS]


def fitted(seed: int = 0, **options: Any) -> tuple[Rotation, Artefact]:
    defence = Rotation(options)
    return defence, defence.fit(Corpus(()), Grant([Rows(TEXTS), Oracle()]), np.random.default_rng(seed))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_the_matrix_is_orthogonal(share: float) -> None:
    """M M' = 1; it has the width of the rows and turns at least two dimensions."""
    _, artefact = fitted(share=share)
    matrix = artefact.arrays["matrix"]
    assert matrix.shape == (WIDTH, WIDTH)
    assert np.allclose(matrix @ matrix.T, np.eye(WIDTH))
    turned = max(2, round(share * WIDTH))
    assert np.array_equal(matrix[turned:], np.eye(WIDTH)[turned:])
    assert np.abs(matrix[:turned, :turned] - np.eye(turned)).max() > 0.1


def test_matrices_are_uniform_among_orthogonal_ones() -> None:
    """Over 400 draws the entry at (0, 0) has mean 0 and variance 1/d, as for a direction drawn uniformly.

    Without the correction of signs, the corner entry would never be positive in more than a few draws.
    """
    corners = np.array([fitted(seed)[1].arrays["matrix"][0, 0] for seed in range(400)])
    assert abs(corners.mean()) < 4 / np.sqrt(400 * WIDTH)
    assert corners.var() == pytest.approx(1 / WIDTH, rel=0.3)


def test_distances_stay_and_directions_go() -> None:
    """Among rows and between rows and encoder all inner products are as before, while the rows differ."""
    defence, artefact = fitted()
    rows, oracle = (defence.on_access(access, artefact) for access in (Rows(TEXTS), Oracle()))
    turned = [row[0] for row in rows.rows(range(5))] + [row[0] for row in oracle.embed(TOKENS[5:9])]  # type: ignore[attr-defined]
    clear = [row[0] for row in Oracle().embed(TOKENS[:9])]
    assert np.allclose(np.array(turned) @ np.array(turned).T, np.array(clear) @ np.array(clear).T)
    assert not np.allclose(turned, clear)


def test_pooled_rows_are_turned_too() -> None:
    """A row of shape (d,) is turned like each row of (tokens, d)."""

    class Pooled(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row.mean(axis=0) for row in super()._rows(numbers)]

    defence, artefact = fitted()
    pooled = defence.on_access(Pooled(TEXTS), artefact).rows([2])[0]  # type: ignore[attr-defined]
    unpooled = defence.on_access(Rows(TEXTS), artefact).rows([2])[0]  # type: ignore[attr-defined]
    assert np.allclose(pooled, unpooled.mean(axis=0))


def test_the_rotation_is_the_owners_secret() -> None:
    """Another draw is another rotation; the same generator gives the same."""
    assert np.array_equal(fitted(1)[1].arrays["matrix"], fitted(1)[1].arrays["matrix"])
    assert not np.allclose(fitted(1)[1].arrays["matrix"], fitted(2)[1].arrays["matrix"])
    assert Rotation.keeps_secret


def test_rows_still_match_the_encoder() -> None:
    """Both are turned alike, so that the handshake still compares them, and still finds permuted rows."""

    class Permuted(Rows):
        def _rows(self, numbers: Any) -> Any:
            return super()._rows([(number + 1) % self.count for number in numbers])

    defence, artefact = fitted()
    oracle: Any = defence.on_access(Oracle(), artefact)
    sample = OwnerSample(texts=TEXTS, row_texts=dict(enumerate(TOKENS)), oracle=oracle, blurred_rows=defence.blurs_rows)
    assert [check.passed for check in defence.on_access(Rows(TEXTS), artefact).handshake(sample)] == [True]
    assert [check.passed for check in defence.on_access(Permuted(TEXTS), artefact).handshake(sample)] == [False]


def test_without_a_share_or_without_vectors_nothing_changes() -> None:
    """The access itself comes back."""
    defence, artefact = fitted(share=0.0)
    rows, labels = Rows(TEXTS), Labels()
    assert defence.on_access(rows, artefact) is rows
    assert np.array_equal(artefact.arrays["matrix"], np.eye(WIDTH))
    assert fitted()[0].on_access(labels, artefact) is labels


def test_it_needs_rows_to_turn() -> None:
    """Without leaked rows their width is not known."""
    with pytest.raises(InputError, match="rotation needs leaked rows"):
        Rotation().fit(Corpus(()), Grant([Oracle()]), np.random.default_rng(0))
