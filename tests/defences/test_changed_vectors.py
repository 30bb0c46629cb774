"""One change of vectors, on rows and encoder alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import Labels, Oracle, Rows, sentences

from divulge.defences.changed_vectors import changed_vectors, owners_rows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import FloatArray

TEXTS = sentences()
TOKENS = [text.tokens for text in TEXTS]


def test_every_answer_is_changed_and_its_question_told() -> None:
    """Rows are asked for by number, the encoder by tokens."""
    asked: list[object] = []

    def doubled(row: FloatArray, question: object) -> FloatArray:
        asked.append(question)
        return 2 * row

    rows: Any = changed_vectors(Rows(TEXTS), doubled)
    oracle: Any = changed_vectors(Oracle(), doubled)
    for shown, clear in zip([*rows.rows([3, 1]), *oracle.embed([TOKENS[5]])], (3, 1, 5), strict=True):
        assert np.array_equal(shown, 2 * Oracle().embed([TOKENS[clear]])[0])
    assert asked == [3, 1, list(TOKENS[5])]


def test_what_shows_no_vectors_stays() -> None:
    """The very same object."""
    labels = Labels()
    assert changed_vectors(labels, lambda row, _: row) is labels


def test_steps_are_tried_behind_the_change() -> None:
    """An answer that moves in its last digit passes behind a change that jumps there, and fails where none does."""

    class Shaking(Oracle):
        def _embed(self, texts: Any) -> Any:
            return [row + (1e-9 if len(texts) > 1 else -1e-9) for row in super()._embed(texts)]

    def far(row: FloatArray, question: object) -> FloatArray:
        del question
        return np.where(row - Oracle()._embed([TOKENS[0]])[0][0] > 0, 1.0, -1.0)

    sample = OwnerSample(texts=TEXTS[:2])
    assert changed_vectors(Shaking(), far, steps=True).handshake(sample)[0].passed
    assert changed_vectors(Shaking(), far).handshake(sample)[0].passed is False


def test_owners_rows_are_read_up_to_a_number() -> None:
    """All of them if no number is given; without rows there is nothing to fit on."""
    grant = Grant([Rows(TEXTS), Oracle()])
    assert [len(owners_rows("x", grant, most)) for most in (None, 5, 99)] == [12, 5, 12]
    with pytest.raises(InputError, match="cut needs leaked rows"):
        owners_rows("cut", Grant([Oracle()]))
