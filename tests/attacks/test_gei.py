"""Gradient-based inversion: the map, the descent and the draw."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background, Practice
from divulge.attacks.gei import GradientInversion, drawn_sentences, temperatures
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import LeakedRow, Ranking, RowContent, Secret
from divulge.testing import world
from divulge.testing.encoder import FakeOracleAccess, FakeRowsAccess

SENTENCES = (("the", "cat", "sat"), ("the", "dog", "ran"), ("a", "cat", "ran", "home"))


def practice(oracle: FakeOracleAccess, *, granted: bool = True) -> Background:
    """Three sentences and the encoder that made their rows."""
    secrets = [Secret(id=f"p{n}", hint=LeakedRow(row=n), answer=RowContent(tokens=s)) for n, s in enumerate(SENTENCES)]
    rows = FakeRowsAccess(oracle.embed(SENTENCES))
    return Background(practice=(Practice(Grant([rows, oracle] if granted else [rows]), tuple(secrets)),))


def test_sentences_of_the_leaking_world_are_recovered() -> None:
    """At temperature 1, nearly all words of private rows; ten sentences each, as long as the row."""
    here = world(EmbeddedRowsAccess, leaky=True, secrets=20)
    attack = GradientInversion({"epochs": 15, "steps": 40, "rate": 0.3, "warmest": 1.0})
    kept = attack.prepare(here.background, np.random.default_rng(0))
    right = total = 0
    for one in attack.guess(here.access, here.hints, kept, np.random.default_rng(1)):
        assert isinstance(one, Ranking)
        assert len(one.candidates) == 10
        truth = here.answers[one.secret_id]
        assert isinstance(truth, RowContent)
        assert {len(guess) for guess in one.candidates} == {len(truth.tokens[:15])}
        right += sum(a == b for a, b in zip(one.candidates[0], truth.tokens, strict=False))
        total += len(truth.tokens)
    assert right / total > 0.9


def test_the_table_holds_each_public_word_by_itself() -> None:
    """Words sorted, each with the oracle's vector of a text of that word alone."""
    oracle = FakeOracleAccess(leaks=True, most=15)
    kept = GradientInversion({"epochs": 1}).prepare(practice(oracle), np.random.default_rng(0))
    assert kept.values["words"] == ["a", "cat", "dog", "home", "ran", "sat", "the"]
    alone = np.stack([vector[0] for vector in oracle.embed([(word,) for word in kept.values["words"]])])
    np.testing.assert_allclose(kept.arrays["table"], alone, rtol=1e-6)


def test_positions_are_paired_with_their_own_words() -> None:
    """Every position of every text once, each with the vector that the row has there."""
    oracle = FakeOracleAccess(leaks=True, most=15)
    own = practice(oracle).practice[0]
    number = {word: n for n, word in enumerate(["a", "cat", "dog", "home", "ran", "sat", "the"])}
    vectors, places = GradientInversion()._positions(own, number, np.random.default_rng(0))
    expected = {
        (row[n].astype(np.float32).tobytes(), number[word])
        for row, sentence in zip(oracle.embed(SENTENCES), SENTENCES, strict=True)
        for n, word in enumerate(sentence)
    }
    assert {(row.tobytes(), int(place)) for row, place in zip(vectors, places, strict=True)} == expected
    assert len(GradientInversion({"positions": 4})._positions(own, number, np.random.default_rng(0))[1]) == 4


def test_the_encoders_own_vocabulary_can_be_asked_for() -> None:
    """Words that no public text has are then in the table too."""

    class Listed(FakeOracleAccess):
        @property
        def vocabulary(self) -> tuple[str, ...]:
            return ("zebra", "cat", "the", "dog", "sat", "ran", "a", "home")

    own = practice(Listed(leaks=True, most=15))
    words = (
        GradientInversion({"epochs": 1, "vocabulary": "encoder"}).prepare(own, np.random.default_rng(0)).values["words"]
    )
    assert "zebra" in words
    assert "zebra" not in GradientInversion({"epochs": 1}).prepare(own, np.random.default_rng(0)).values["words"]


def test_without_an_encoder_in_practice_the_error_says_what_is_needed() -> None:
    """Rows alone do not tell what a single word looks like."""
    own = practice(FakeOracleAccess(leaks=True, most=15), granted=False)
    with pytest.raises(InputError, match="must grant EmbeddingOracleAccess"):
        GradientInversion().prepare(own, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("shape", "said"), [((32,), "needs unpooled rows"), ((3, 7), r"\(tokens, 32\), and the leaked")]
)
def test_pooled_rows_and_those_of_another_encoder_are_refused(shape: tuple[int, ...], said: str) -> None:
    """There is no position to invert, or the map does not fit."""
    attack = GradientInversion({"epochs": 1})
    kept = attack.prepare(practice(FakeOracleAccess(leaks=True, most=15)), np.random.default_rng(0))
    with pytest.raises(InputError, match=said):
        list(
            attack.guess(
                Grant([FakeRowsAccess([np.zeros(shape)])]), {"x": LeakedRow(row=0)}, kept, np.random.default_rng(0)
            )
        )


def test_temperature_falls_to_one() -> None:
    """3 to 1 over two positions: 3, 2, then 1. Short sentences end while still warm."""
    assert temperatures(5, 3.0, 2).tolist() == [3.0, 2.0, 1.0, 1.0, 1.0]
    assert temperatures(2, 3.0, 2).tolist() == [3.0, 2.0]
    assert temperatures(15, 3.0, 10)[[5, 10, 14]].tolist() == [2.0, 1.0, 1.0]


def test_draws_follow_the_tempered_distribution() -> None:
    """Odds of 4 : 1 at temperature 2 are sqrt(4) : 1, so two thirds; the third word is cut off."""
    likelihoods = np.log(np.array([[0.75, 0.1875, 0.0625]]))  # 0.75 : 0.1875 = 4 : 1
    drawn, scores = drawn_sentences(likelihoods, np.array([2.0]), (6000, 2), np.random.default_rng(0))
    counts = np.bincount([one[0] for one in drawn], minlength=3)
    assert counts[2] == 0
    assert counts[0] / 6000 == pytest.approx(2 / 3, abs=0.03)  # 5 standard deviations
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(np.log(0.75))
    assert scores[-1] == pytest.approx(np.log(0.1875))


def test_each_position_has_its_own_temperature_and_words() -> None:
    """Cold and certain at the first, two equal words at the second: the first never varies, the second does."""
    likelihoods = np.log(np.array([[0.01, 0.98, 0.01], [0.5, 0.0001, 0.4999]]))
    drawn, _ = drawn_sentences(likelihoods, np.array([0.1, 1.0]), (50, 3), np.random.default_rng(1))
    assert {one[0] for one in drawn} == {1}
    assert {one[1] for one in drawn} == {0, 2}
