"""The linear map back from what an owner's secret makes of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.attacks.toy_oracles import PIECES, WIDTH, ToyOracle, texts_of

from divulge.access import EmbeddingOracleAccess
from divulge.attacks.row_alignment import FIRST_TEXTS, HELD_OUT, find_alignment
from divulge.grants import Grant

TEXTS = texts_of(24, 5, seed=0)
PLAIN = ToyOracle()._embed(TEXTS)
TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))[0]


def granted(oracle: EmbeddingOracleAccess, limit: int | None = None) -> tuple[EmbeddingOracleAccess, Grant]:
    grant = Grant([oracle], limit)
    return grant[EmbeddingOracleAccess], grant


def read(rows: Sequence[np.ndarray]) -> list[tuple[str, ...]]:
    """At each position the token whose vector points the same way most."""
    known = np.stack([vector / np.linalg.norm(vector) for vector in ToyOracle().vectors.values()])
    return [tuple(PIECES[int(place)] for place in np.argmax(row @ known.T, axis=1)) for row in rows]


def test_a_rotation_is_undone() -> None:
    """Rows never asked about come back as the plain encoder makes them."""
    found = find_alignment(granted(ToyOracle(turn=TURN))[0], TEXTS, PLAIN, read)
    assert found is not None
    others = texts_of(6, 7, seed=9)
    back = found.applied(ToyOracle(turn=TURN)._embed(others))
    for mine, plain in zip(back, ToyOracle()._embed(others), strict=True):
        np.testing.assert_allclose(mine, plain, atol=1e-5)


def test_encoders_that_agree_are_left_alone() -> None:
    """Two texts show it, and no more is asked."""
    oracle, grant = granted(ToyOracle())
    assert find_alignment(oracle, TEXTS, PLAIN, read) is None
    assert grant.meter.total == FIRST_TEXTS


def test_fewer_dimensions_are_mapped_to_all() -> None:
    """Half of the dimensions leaked: the map takes what there is, and has the shape to serve."""
    found = find_alignment(granted(ToyOracle(turn=np.eye(WIDTH)[:, :4]))[0], TEXTS, PLAIN, read)
    assert found is not None
    assert found.matrix.shape == (4, WIDTH)


def test_vectors_that_say_nothing_are_not_mapped() -> None:
    """Noise in place of vectors: on texts held out the map is no better than leaving them as they are."""

    class Noise(ToyOracle):
        def _one(self, text: tuple[str, ...]) -> np.ndarray:
            # near the plain vectors, so that leaving them as they are is the best that can be done
            return super()._one(text) + np.random.default_rng(len(str(text))).normal(size=(len(text), WIDTH)) * 0.01

    assert find_alignment(granted(Noise())[0], TEXTS[:6], PLAIN[:6], read) is None


class Blurred(ToyOracle):
    """Noise of the vectors' own size, drawn for each text."""

    def _one(self, text: tuple[str, ...]) -> np.ndarray:
        seed = [PIECES.index(token) for token in text]
        return super()._one(text) + np.random.default_rng(seed).normal(size=(len(text), WIDTH))


@pytest.mark.parametrize(("better", "taken"), [("mapped", True), ("plain", False), ("neither", False)])
def test_a_map_that_comes_nearer_must_be_read_better_too(better: str, taken: bool) -> None:
    """Noisy vectors, drawn towards their mean, are nearer the plain ones: that alone is no reason to map them."""
    asked: list[int] = []

    def reads(vectors: Sequence[np.ndarray]) -> list[tuple[str, ...]]:
        asked.append(len(vectors))  # mapped ones first, then as they are
        well = better == ("mapped", "plain")[len(asked) - 1]
        return [text if well else () for text in TEXTS[::HELD_OUT]]

    found = find_alignment(granted(Blurred())[0], TEXTS, PLAIN, reads)
    assert (found is not None) is taken
    assert asked == [6, 6]  # every fourth text, both ways


def test_the_budget_is_kept_for_rows() -> None:
    """Less than twice the texts left: the probe is asked at most, and nothing is mapped."""
    oracle, grant = granted(ToyOracle(turn=TURN), 2 * len(TEXTS) - 1)
    assert find_alignment(oracle, TEXTS, PLAIN, read) is None
    assert grant.meter.total == FIRST_TEXTS
    oracle, grant = granted(ToyOracle(turn=TURN), 2 * FIRST_TEXTS - 1)
    assert find_alignment(oracle, TEXTS, PLAIN, read) is None
    assert grant.meter.total == 0
    oracle, grant = granted(ToyOracle(turn=TURN), 2 * len(TEXTS))
    assert find_alignment(oracle, TEXTS, PLAIN, read) is not None
    assert grant.meter.total == len(TEXTS)


def test_without_texts_nothing_is_asked() -> None:
    """Switched off, or too few to tell."""
    oracle, grant = granted(ToyOracle(turn=TURN))
    assert find_alignment(oracle, [], [], read) is None
    assert find_alignment(oracle, TEXTS[:FIRST_TEXTS], PLAIN[:FIRST_TEXTS], read) is None
    assert grant.meter.total == 0


def test_pooled_vectors_are_not_aligned() -> None:
    """One vector per text has no positions to pair."""

    class Pooled(ToyOracle):
        def _one(self, text: tuple[str, ...]) -> np.ndarray:
            return super()._one(text).mean(axis=0)

    assert find_alignment(granted(Pooled())[0], TEXTS, PLAIN, read) is None
