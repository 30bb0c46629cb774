"""Few levels in place of all numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.adapters import Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.quantisation import Quantisation
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact, FloatArray

TEXTS = sentences()
TOKENS = [text.tokens for text in TEXTS]


class Held(Rows):
    """The rows that are handed in."""

    def __init__(self, *held: Any) -> None:
        self.held = [np.asarray(row, dtype=np.float64) for row in held]

    @property
    def count(self) -> int:
        return len(self.held)

    def _rows(self, numbers: Any) -> Any:
        return [self.held[number] for number in numbers]


def coarse(rows: Rows, **options: Any) -> list[FloatArray]:
    defence = Quantisation(options)
    artefact = defence.fit(Corpus(()), Grant([rows]), np.random.default_rng(0))
    shown: Any = defence.on_access(rows, artefact)
    return list(shown.rows(range(rows.count)))


def test_int8_by_vector() -> None:
    """127 is the greatest of the first vector, so that codes are the numbers rounded; the second is twice that."""
    (row,) = coarse(Held([[127.0, -3.4, 0.6], [-254.0, 3.4, 0.9]]))
    assert row.tolist() == [[127.0, -3.0, 1.0], [-254.0, 4.0, 0.0]]  # 3.4 / 2 = 1.7, code 2; 0.9 / 2 = 0.45, code 0


def test_binary_by_vector() -> None:
    """(1 + 2 + 3) / 3 = 2 with the sign of each; zero counts as positive; zeros stay zeros."""
    (row,) = coarse(Held([[1.0, -2.0, 3.0], [0.0, -4.0, 2.0], [0.0, 0.0, 0.0]]), to="binary")
    assert row.tolist() == [[2.0, -2.0, 2.0], [2.0, -2.0, 2.0], [0.0, 0.0, 0.0]]


def test_scales_of_dimensions_are_learnt_from_all_rows() -> None:
    """int8: the greatest of dimension 0 is 254, so that a step is 2; of dimension 1 it is 127, of dimension 2 nothing.

    binary: the means of absolute values are (254 + 5 + 1) / 3, (127 + 1 + 1) / 3 and 0.
    """
    rows = Held([[254.0, 1.0, 0.0], [-5.0, -127.0, 0.0]], [[1.1, 1.4, 0.0]])
    assert [row.tolist() for row in coarse(rows, scale="dimension")] == [
        [[254.0, 1.0, 0.0], [-4.0, -127.0, 0.0]],  # 5 / 2 = 2.5 is rounded to the even 2
        [[2.0, 1.0, 0.0]],
    ]
    first, second = coarse(rows, scale="dimension", to="binary")
    assert np.allclose(first, [[260 / 3, 129.4 / 3, 0.0], [-260.1 / 3, -129.4 / 3, 0.0]], rtol=1e-2)
    assert np.allclose(second, [[260.1 / 3, 129.4 / 3, 0.0]])


def test_beyond_the_owners_greatest_it_is_cut_off() -> None:
    """The encoder may be asked for texts with longer vectors than any row has."""
    defence = Quantisation({"scale": "dimension"})
    artefact = defence.fit(Corpus(()), Grant([Held([1.0, 2.0])]), np.random.default_rng(0))
    shown: Any = defence.on_access(Held([5.0, -9.0]), artefact)
    assert np.allclose(shown.rows([0])[0], [1.0, -2.0])


@given(arrays(np.float64, (3, 5), elements=st.floats(-1e6, 1e6, allow_subnormal=False)))
def test_the_error_is_at_most_half_a_step(row: FloatArray) -> None:
    """Of int8: 1/254 of the vector's greatest; there are at most 255 levels, and again changes nothing."""
    (shown,) = coarse(Held(row))
    greatest = np.abs(row).max(axis=1, keepdims=True)
    assert np.all(np.abs(shown - row) <= greatest / 254 * (1 + 1e-9) + 1e-300)
    assert np.allclose(coarse(Held(shown))[0], shown, rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"to": "binary"}, {"scale": "dimension"}])
def test_pooled_rows_are_rounded_like_a_vector(options: dict[str, str]) -> None:
    """Shape (d,) as one of (tokens, d); rows without tokens stay."""
    rows = np.array([[0.3, -1.0, 0.7], [2.0, 0.1, -0.4]])
    together = coarse(Held(rows, np.empty((0, 3))), **options)
    assert np.array_equal(np.stack(coarse(Held(*rows), **options)), together[0])
    assert together[1].shape == (0, 3)


def test_a_step_is_no_broken_adapter() -> None:
    """Rows need not match any more; that an encoder answers alike is tried behind the rounding, and can fail."""

    class Broken(Oracle):
        def _embed(self, texts: Any) -> Any:
            return [row + len(texts) for row in super()._embed(texts)]

    sample = OwnerSample(texts=TEXTS)
    on = lambda access: Quantisation({"to": "binary"}).on_access(access, Artefact())  # noqa: E731
    assert [check.passed for check in on(Oracle()).handshake(sample)] == [True, True]
    assert any(check.passed is False for check in on(Broken()).handshake(sample))
    assert Quantisation.blurs_rows


def test_none_and_other_accesses_stay() -> None:
    """The access itself comes back."""
    rows, labels = Rows(TEXTS), Labels()
    assert Quantisation({"to": "none"}).on_access(rows, Artefact()) is rows
    assert Quantisation().on_access(labels, Artefact()) is labels


@pytest.mark.parametrize("accesses", [[Oracle()], [Rows([])], [Held(np.empty((0, 3)))]], ids=["none", "no", "empty"])
def test_scales_of_dimensions_need_rows(accesses: list[Any]) -> None:
    """Without any there is nothing to learn from."""
    with pytest.raises(InputError, match="quantisation .*leaked rows"):
        Quantisation({"scale": "dimension"}).fit(Corpus(()), Grant(accesses), np.random.default_rng(0))
