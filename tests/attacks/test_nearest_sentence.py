"""The nearest public sentence."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.attacks.nearest_sentence import NearestSentence
from divulge.errors import InputError
from divulge.testing import world

HERE = world(EmbeddedRowsAccess, leaky=True, kind="pooled", secrets=20)
LEARNT = NearestSentence().prepare(HERE.background, np.random.default_rng(0))


def test_it_takes_the_ten_sentences_that_brute_force_finds() -> None:
    """Every public text embedded again and compared by cosine, one by one."""
    texts = [secret.answer.tokens for secret in HERE.background.practice[0].secrets]
    vectors = HERE.background.practice[0].access[EmbeddingOracleAccess].embed(texts)
    for guess in NearestSentence().guess(HERE.access, HERE.hints, LEARNT, np.random.default_rng(0)):
        (row,) = HERE.access[EmbeddedRowsAccess].rows([HERE.hints[guess.secret_id].row])
        cosines = [row @ v / np.linalg.norm(row) / np.linalg.norm(v) for v in vectors]
        best = sorted(range(len(texts)), key=lambda n, c=cosines: -c[n])[:10]
        assert guess.candidates == tuple(texts[n] for n in best)


def test_it_asks_one_row_each_and_no_encoder() -> None:
    """Rows are all it reads."""
    access = HERE.access.limited(HERE.access.levels, None)
    assert len(list(NearestSentence().guess(access, HERE.hints, LEARNT, np.random.default_rng(0)))) == 20
    assert access.meter.asked == {"EmbeddedRowsAccess": 20}


def test_unpooled_rows_are_refused() -> None:
    """It says what it needs, when it learns and when it guesses."""
    other = world(EmbeddedRowsAccess, leaky=True, kind="rows", secrets=5)
    with pytest.raises(InputError, match="nearest-sentence needs pooled rows"):
        NearestSentence().prepare(other.background, np.random.default_rng(0))
    with pytest.raises(InputError, match="nearest-sentence needs pooled rows"):
        list(NearestSentence().guess(other.access, other.hints, LEARNT, np.random.default_rng(0)))
