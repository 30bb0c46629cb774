"""Which pieces a text holds."""

from __future__ import annotations

import numpy as np

from divulge.attacks.piece_presence import fit_presence

PIECES, WIDTH = 12, 24


def material() -> tuple[list[tuple[int, ...]], np.ndarray]:
    rng = np.random.default_rng(0)
    own = rng.normal(size=(PIECES, WIDTH))
    texts = [tuple(rng.integers(PIECES, size=4).tolist()) for _ in range(1500)]
    return texts, np.stack([own[list(text)].mean(axis=0) for text in texts])


def test_held_pieces_come_before_all_others() -> None:
    """On texts it has not seen: nearly every piece of the text is likelier than every other one."""
    texts, vectors = material()
    model = fit_presence(texts[:1200], vectors[:1200], PIECES, np.random.default_rng(1), epochs=30)
    right = [
        min(row[list(set(text))]) > max(np.delete(row, list(set(text))))
        for row, text in zip(model.logits(vectors[1200:]), texts[1200:], strict=True)
    ]
    assert np.mean(right) > 0.9


def test_pieces_beyond_those_asked_for_are_left_out() -> None:
    """Texts may hold pieces of a larger vocabulary; the answer has one column for each that is asked for."""
    texts, vectors = material()
    model = fit_presence(texts, vectors, 5, np.random.default_rng(1), epochs=1)
    assert model.logits(vectors[:3]).shape == (3, 5)


def test_same_generator_same_weights() -> None:
    """To the last digit."""
    texts, vectors = material()
    first, again = (fit_presence(texts, vectors, PIECES, np.random.default_rng(3), epochs=2) for _ in range(2))
    assert np.array_equal(first.weights, again.weights)
    other = fit_presence(texts, vectors, PIECES, np.random.default_rng(4), epochs=2)
    assert not np.array_equal(first.weights, other.weights)


def test_a_dimension_that_never_changes_does_no_harm() -> None:
    """Some real encoders have one."""
    texts, vectors = material()
    vectors[:, 0] = 0.5
    assert np.isfinite(fit_presence(texts, vectors, PIECES, np.random.default_rng(0), epochs=1).weights).all()
