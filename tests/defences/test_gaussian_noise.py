"""Noise on vectors: how much, on what, and drawn when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import Labels, Oracle, Rows, sentences

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.defences.gaussian_noise import GaussianNoise
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact, Text

TEXTS = [text.tokens for text in sentences()]
LONG = [Text(tokens=tuple(f"w{word}" for word in range(2000)))]


def noisy(access: Any, key: int = 1, **options: Any) -> Any:
    return GaussianNoise(options).on_access(access, Artefact(values={"key": key}))


def test_noise_is_in_proportion_to_the_row() -> None:
    """12,000 entries: the root mean square of noise over that of the row is `strength`, within 3 %, at any scale."""
    for scale in (0.001, 1000.0):
        clear = Rows(LONG, scale).rows([0])[0]
        for strength in (0.1, 2.0):
            added = noisy(Rows(LONG, scale), strength=strength).rows([0])[0] - clear
            ratio = np.sqrt(np.mean(added**2) / np.mean(clear**2))
            assert ratio == pytest.approx(strength, rel=0.03)
            assert abs(added.mean()) < 4 * added.std() / np.sqrt(added.size)


def test_the_same_question_gets_the_same_answer() -> None:
    """Alone or in a batch, in any order: asking again averages nothing away."""
    rows, oracle = noisy(Rows(sentences())), noisy(Oracle())
    first, _, third = rows.rows([4, 2, 4])
    assert np.array_equal(first, third)
    assert np.array_equal(rows.rows([4])[0], first)
    together = oracle.embed(TEXTS)
    assert np.array_equal(oracle.embed(TEXTS[::-1])[-1], together[0])
    assert not np.array_equal(together[0], Oracle().embed(TEXTS)[0])


def test_other_questions_get_other_noise() -> None:
    """Rows of the same text, and a row and its text, are not blurred alike."""
    twice = [Text(tokens=TEXTS[0]), Text(tokens=TEXTS[0])]
    one, other = noisy(Rows(twice)).rows([0, 1])
    assert not np.allclose(one, other)
    assert not np.allclose(one, noisy(Oracle()).embed([TEXTS[0]])[0])


def test_fresh_noise_is_drawn_anew_each_time() -> None:
    """Twice the same question, in one batch or in two, gets two answers; a rerun gets the same series."""
    for make, ask in (
        (lambda: noisy(Rows(sentences()), fresh=True), lambda access: access.rows([3, 3])),
        (lambda: noisy(Oracle(), fresh=True), lambda access: access.embed([TEXTS[3]] * 2)),
    ):
        access = make()
        series = [*ask(access), *ask(access)]
        assert len({row.tobytes() for row in series}) == 4
        assert [row.tobytes() for row in ask(make())] == [row.tobytes() for row in series[:2]]


@pytest.mark.parametrize("change", [{"key": 2}, {"seed": 1}])
def test_noise_depends_on_the_seed_and_on_the_owners_key(change: dict[str, int]) -> None:
    """Whoever knows how it works, but not the key, cannot take it off."""
    plain = noisy(Rows(sentences())).rows([0])[0]
    assert not np.allclose(noisy(Rows(sentences()), **change).rows([0])[0], plain)


def test_the_key_is_drawn_when_the_defence_is_fitted() -> None:
    """From the generator that is passed in; it is the owner's secret."""

    def key(seed: int) -> Any:
        grant = Grant([Rows(sentences())])
        return GaussianNoise().fit(Corpus(()), grant, np.random.default_rng(seed)).values["key"]

    assert key(0) == key(0)
    assert len({key(seed) for seed in range(5)}) == 5
    assert GaussianNoise.keeps_secret


def test_rows_without_size_stay() -> None:
    """Zeros have no scale and an empty text has no row: nothing to blur, and no warning."""

    class Zeros(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [np.zeros((number, 6)) for number in numbers]

    shown = noisy(Zeros(sentences())).rows([0, 2])
    assert [row.shape for row in shown] == [(0, 6), (2, 6)]
    assert not shown[1].any()


def test_other_accesses_stay() -> None:
    """Labels have no vectors; no strength is no defence."""
    labels = Labels()
    assert noisy(labels) is labels
    rows = Rows(sentences())
    assert noisy(rows, strength=0.0) is rows
    with pytest.raises(InputError, match="'strength'"):
        GaussianNoise({"strength": -0.1})


@pytest.mark.parametrize("fresh", [False, True])
def test_noise_on_purpose_is_no_broken_adapter(fresh: bool) -> None:
    """The handshake of a blurred encoder passes, fresh or not; that of a broken encoder behind it does not."""

    class Broken(Oracle):
        def _embed(self, texts: Any) -> Any:
            return [row + len(texts) for row in super()._embed(texts)]

    sample = OwnerSample(texts=sentences())
    assert all(check.passed for check in noisy(Oracle(), fresh=fresh).handshake(sample))
    assert any(check.passed is False for check in noisy(Broken(), fresh=fresh, strength=0.01).handshake(sample))


def test_it_blurs_what_leaked_and_what_may_be_asked() -> None:
    """Both accesses to vectors are wrapped and stay at their levels."""
    grant = Grant([Rows(sentences()), Oracle()]).changed(noisy)
    assert grant.levels == (EmbeddedRowsAccess, EmbeddingOracleAccess)
    assert not np.array_equal(grant[EmbeddingOracleAccess].embed(TEXTS)[0], Oracle().embed(TEXTS)[0])
    assert not np.array_equal(grant[EmbeddedRowsAccess].rows([0])[0], Rows(sentences()).rows([0])[0])
