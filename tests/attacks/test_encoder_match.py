"""The way back from another encoder's vectors."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddingOracleAccess
from divulge.attacks.encoder_match import way_back
from divulge.attacks.public_sentences import PublicSentences
from divulge.grants import Grant

WIDTH = 6
RNG = np.random.default_rng(0)
PUBLIC = PublicSentences(
    [str(number) for number in range(80)],
    [(number,) for number in range(80)],
    RNG.normal(size=(80, WIDTH)).astype(np.float32),
)


class Changed(EmbeddingOracleAccess):
    """Gives the public vectors times a matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        self._matrix = matrix

    def _embed(self, texts):
        return [PUBLIC.vectors[int(number)] @ self._matrix for (number,) in texts]


def asked(matrix: np.ndarray, most: int = 40, limit: int | None = None):
    grant = Grant([Changed(matrix)]).limited((EmbeddingOracleAccess,), limit)
    return way_back(PUBLIC, grant[EmbeddingOracleAccess], most), grant.meter.total


def test_the_same_encoder_needs_no_way_back() -> None:
    """Eight texts show it."""
    assert asked(np.eye(WIDTH)) == (None, 8)


def test_a_rotation_is_undone() -> None:
    """40 texts asked; all 80 come back to where they were."""
    turn = np.linalg.qr(RNG.normal(size=(WIDTH, WIDTH)))[0]
    back, count = asked(turn)
    assert count == 40
    assert np.allclose(back(PUBLIC.vectors @ turn), PUBLIC.vectors, atol=1e-4)


def test_fewer_dimensions_are_mapped_as_well_as_can_be() -> None:
    """Four of six: the map is from vectors of four to vectors of six, and the four come back as they were."""
    back, _ = asked(np.eye(WIDTH)[:, :4])
    found = back(PUBLIC.vectors[:, :4])
    assert found.shape == (80, WIDTH)
    assert np.allclose(found[:, :4], PUBLIC.vectors[:, :4], atol=0.05)


@pytest.mark.parametrize(("limit", "spent"), [(0, 0), (15, 0), (16, 8), (40, 20), (1000, 40)])
def test_it_leaves_half_of_the_budget(limit: int, spent: int) -> None:
    """Too little for the eight texts: nothing is asked."""
    assert asked(-np.eye(WIDTH), limit=limit)[1] == spent


def test_unpooled_answers_are_left_to_others_to_refuse() -> None:
    """Not one vector each: no map."""

    class Unpooled(Changed):
        def _embed(self, texts):
            return [np.zeros((1 + number % 2, WIDTH)) for number, _ in enumerate(texts)]

    oracle = Grant([Unpooled(np.eye(WIDTH))])[EmbeddingOracleAccess]
    assert way_back(PUBLIC, oracle, 40) is None
