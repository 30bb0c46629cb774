"""What each piece adds to a pooled vector."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.piece_effects import fit_effects

PIECES, WIDTH = 30, 12


def material(special: int, noise: float = 0.0) -> tuple[list[tuple[int, ...]], np.ndarray, np.ndarray, np.ndarray]:
    """Texts of pieces that add up exactly, with `special` constant pieces around them."""
    rng = np.random.default_rng(0)
    own, around = rng.normal(size=(PIECES, WIDTH)), rng.normal(size=WIDTH) * special
    texts = [tuple(rng.integers(PIECES - 5, size=rng.integers(2, 9)).tolist()) for _ in range(400)]

    def vector(text: tuple[int, ...]) -> np.ndarray:
        return (own[list(text)].sum(axis=0) + around) / (len(text) + special)

    vectors = np.stack([vector(text) for text in texts])
    vectors = vectors + noise * rng.normal(size=vectors.shape) * np.arange(1, WIDTH + 1)
    return texts, vectors, np.stack([vector((piece,)) for piece in range(PIECES)]), own


@pytest.mark.parametrize("special", [0, 1, 2])
def test_pieces_that_add_up_are_found_to_do_so(special: int) -> None:
    """The right number of special pieces; exchanging two pieces changes the vector as it truly does, seen or not."""
    texts, vectors, alone, own = material(special)
    model = fit_effects(texts, vectors, alone, 400)
    assert model.special == special
    unseen, seen = PIECES - 1, 0
    found = model.effects[unseen] - model.effects[seen]
    true = (own[unseen] - own[seen]) @ model.whitening
    assert np.linalg.norm(found - true) < 0.05 * np.linalg.norm(true)


def test_errors_are_spherical_in_its_coordinates() -> None:
    """Noise that is 12 times as large in the last dimension as in the first weighs about the same in all."""
    texts, vectors, alone, _ = material(2, noise=0.05)
    model = fit_effects(texts, vectors, alone, 400)
    rng = np.random.default_rng(1)
    noise = 0.05 * rng.normal(size=(5000, WIDTH)) * np.arange(1, WIDTH + 1)
    spread = np.linalg.eigvalsh(np.cov((noise @ model.whitening).T))
    assert spread.max() / spread.min() < 30  # 144 before; shrinkage keeps the smallest directions down
    assert np.allclose(model.squares, (model.effects**2).sum(axis=1), rtol=1e-4)


def test_vectors_that_tell_nothing_do_no_harm() -> None:
    """All the same: no piece adds anything, and all is finite."""
    texts, _, _, _ = material(0)
    model = fit_effects(texts, np.ones((400, WIDTH)), np.ones((PIECES, WIDTH)), 400)
    assert np.isfinite(model.whitening).all()
    assert np.abs(model.effects).max() < 1e-2
