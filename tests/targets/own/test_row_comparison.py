"""Rows against what an encoder makes of their texts, where all its vectors point roughly one way."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.targets.own.row_comparison import fault

COUNT, WIDTH = 16, 48
TEXTS = [(str(number),) * (number + 1) for number in range(COUNT)]


def made(count: int = COUNT, *, words: int = 0, seed: int = 0) -> list[np.ndarray]:
    """Vectors with a mean cosine of about 0.95: what all have in common is some four times as long as the rest."""
    rng = np.random.default_rng(seed)
    shape = (count, words, WIDTH) if words else (count, WIDTH)
    return list(4 * np.random.default_rng(99).normal(size=WIDTH) + rng.normal(size=shape))


@pytest.mark.parametrize("words", [0, 3])
def test_right_rows_pass_with_rounding_and_noise(words: int) -> None:
    """Pooled or not: as they are, in half precision, and with noise of a third of what tells texts apart."""
    rows, rng = made(words=words), np.random.default_rng(1)
    for leaked in (
        rows,
        [row.astype(np.float16) for row in rows],
        [row + 0.3 * rng.normal(size=row.shape) for row in rows],
    ):
        assert fault(leaked, rows, TEXTS) is None


@pytest.mark.parametrize("words", [0, 3])
def test_another_order_is_named(words: int) -> None:
    """Rolled by one, every row is another text's, although its cosine with its own is 0.9 and more."""
    rows = made(words=words)
    rolled = [*rows[1:], rows[0]]
    cosines = [np.vdot(a, b) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(rows, rolled, strict=True)]
    assert np.mean(cosines) > 0.9
    said = fault(rolled, rows, TEXTS)
    assert said is not None
    assert "16 differ; median cosine -0.0" in said
    assert "16 of them are what it makes of another text" in said
    assert "save one row for each training text, in the order of the data" in said


def test_the_texts_beside_those_tried_are_looked_at_only_where_rows_are_unlike() -> None:
    """Rows of texts that were not tried are known by `others`, which is not asked where all is well."""
    rows, next_ones = made(), made(seed=2)
    said = fault(next_ones, rows, TEXTS, lambda: next_ones)
    assert said is not None
    assert "16 of them are what it makes of another text" in said
    assert fault(rows, rows, TEXTS, lambda: pytest.fail("asked")) is None


def test_another_encoder_is_not_called_another_order() -> None:
    """Its rows are like no text's vector; both causes are told, and how to do without the encoder."""
    said = fault(made(seed=3), made(), TEXTS)
    assert said is not None
    assert "Another encoder or pooling made them, or they are in another order" in said
    assert "adversary.background.target" in said


def test_a_stray_row_passes_and_three_of_sixteen_do_not() -> None:
    """A text may have been mended since."""
    rows, other = made(), made(seed=4)
    assert fault([*other[:2], *rows[2:]], rows, TEXTS) is None
    assert fault([*other[:3], *rows[3:]], rows, TEXTS) is not None


def test_of_two_texts_nothing_is_taken_off() -> None:
    """Each would be the other's opposite: noise of half a percent passes, another direction does not."""
    rows = made(2)
    assert fault([row * (1 + 1e-3) for row in rows], rows, TEXTS[:2]) is None
    assert fault(rows[::-1], rows, TEXTS[:2]) is None  # their cosine is above 0.9, and no more is known
    said = fault([-row for row in rows], rows, TEXTS[:2])
    assert said is not None
    assert "median cosine -1.00)" in said


def test_texts_that_are_the_same_have_nothing_of_their_own() -> None:
    """Fourteen times one text: it counts once in what is common; vectors that differ by rounding alone pass."""
    rows = made(3)
    many, texts = [rows[0]] * 14 + rows[1:], [TEXTS[0]] * 14 + TEXTS[1:3]
    noisy = [row + 0.2 * np.random.default_rng(5).normal(size=WIDTH) for row in many]
    assert fault(noisy, many, texts) is None
    alike = [rows[0] * (1 + 1e-7 * number) for number in range(COUNT)]
    assert fault(alike[::-1], alike, TEXTS) is None
    assert fault([], [], []) is None


@pytest.mark.parametrize("words", [0, 3])
def test_other_lengths_are_named(words: int) -> None:
    """Normalised, scaled, or whole numbers: the direction is right, and no row would match."""
    rows = made(words=words)
    typical = f"{np.median(np.linalg.norm(np.concatenate([np.atleast_2d(row) for row in rows]), axis=1)):.3g}"
    for leaked, said in (
        ([row / np.linalg.norm(row, axis=-1, keepdims=True) for row in rows], "they were normalised."),
        ([row * 3 for row in rows], "they were scaled."),
        ([np.round(row * 8).astype(np.int8) for row in rows], "they were rounded to whole numbers."),
        ([row * 0.85 for row in rows], "they were scaled."),
    ):
        found = fault(leaked, rows, TEXTS)
        assert found is not None
        assert said in found
        assert f"what the encoder makes of their texts one of {typical}" in found
        assert ("Normalize module" in found) == ("normalised" in said)
        assert "a function of your own (embed)" in found
    assert fault([row * 1.05 for row in rows], rows, TEXTS) is None


def test_lengths_that_were_made_the_same_are_seen_near_one() -> None:
    """The encoder's are about 1 too, and not all the same."""
    rows = [row / 28 for row in made()]
    found = fault([row / np.linalg.norm(row) for row in rows], rows, TEXTS)
    assert found is not None
    assert "length of 1, " in found
    unit = [row / np.linalg.norm(row) for row in rows]
    assert fault(unit, unit, TEXTS) is None


def test_texts_cut_elsewhere_are_named() -> None:
    """Text i has i + 1 tokens; rows of those with more than twelve were made of a part, and are much alike."""
    rows, other = made(), made(seed=6)
    cut = [row if place < 12 else 0.9 * row + 0.1 * other[place] for place, row in enumerate(rows)]
    said = fault(cut, rows, TEXTS)
    assert said is not None
    assert "texts of up to 12 tokens" in said
    assert "4 of 16 tried" in said
    scattered = [row if place % 2 else 0.9 * row + 0.1 * other[place] for place, row in enumerate(rows)]
    assert fault(scattered, rows, TEXTS) is None
