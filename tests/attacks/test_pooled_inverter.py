"""The inverter of pooled rows."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.tiny_encoders import VOCABULARY, save_tiny_bert

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background, Practice
from divulge.attacks.nearest_sentence import NearestSentence
from divulge.attacks.pooled_inverter import PooledInverter
from divulge.data.corpus import Corpus
from divulge.defences.rotation import Rotation
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics.similarity import exact, token_f1
from divulge.records import Artefact, LeakedRow, RowContent, Secret, Text
from divulge.targets.sentence_encoder import SentenceEncoder
from divulge.testing import World, world

OPTIONS = {"made_up": 500, "epochs": 4, "checks": 150}
MADE = PooledInverter(OPTIONS)


@cache
def here() -> World:
    return world(EmbeddedRowsAccess, leaky=True, kind="pooled", secrets=8)


@cache
def learnt() -> Artefact:
    return MADE.prepare(here().background, np.random.default_rng(0))


def alike(attack, access: Grant, knowledge: Artefact, measure=token_f1) -> float:
    """The mean token F1, or other measure, of its own choice."""
    found = attack.guess(access, here().hints, knowledge, np.random.default_rng(0))
    return float(np.mean([measure(here().answers[one.secret_id].tokens, one.candidates[0]) for one in found]))


def rows_only() -> Grant:
    return here().access.limited((EmbeddedRowsAccess,), None)


def test_it_beats_the_nearest_sentence_and_is_better_with_the_encoder() -> None:
    """Without it, it finds the words and asks one row for each secret; with it, it finds the sentences."""
    alone = rows_only()
    nearest = NearestSentence().prepare(here().background, np.random.default_rng(0))
    floor = alike(NearestSentence(), here().access, nearest)
    assert alike(MADE, alone, learnt()) > floor + 0.1
    assert alone.meter.asked == {"EmbeddedRowsAccess": 8}
    assert alike(MADE, here().access, learnt(), exact) > max(0.7, alike(MADE, alone, learnt(), exact))


def test_candidates_are_ten_at_most_and_all_different() -> None:
    """Made of public words, none longer than the longest public text."""
    words, longest = set(learnt().values["pieces"]), int(learnt().arrays["lengths"].max())
    for access in (here().access, rows_only()):
        guesses = list(MADE.guess(access, here().hints, learnt(), np.random.default_rng(0)))
        assert {guess.secret_id for guess in guesses} == set(here().hints)
        for guess in guesses:
            assert 1 <= len(guess.candidates) <= 10
            assert len(set(guess.candidates)) == len(guess.candidates)
            assert all(set(text) <= words and 1 <= len(text) <= longest for text in guess.candidates)


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_the_budget_is_obeyed(limit: int) -> None:
    """Whatever it is; what can be answered is."""
    access = here().access.limited(here().access.levels, limit)
    found = list(MADE.guess(access, here().hints, learnt(), np.random.default_rng(0)))
    assert 0 < access.meter.total <= limit
    assert len(found) == access.meter.asked["EmbeddedRowsAccess"]


def test_a_secret_rotation_is_learnt_through_the_encoder() -> None:
    """The static adversary, who learnt on plain vectors: at a loss without the encoder, and not with it."""
    defence = Rotation()
    secret = defence.fit(Corpus(()), here().access, np.random.default_rng(3))
    both = [defence.on_access(here().access[level], secret) for level in (EmbeddedRowsAccess, EmbeddingOracleAccess)]
    assert alike(MADE, Grant(both[:1]), learnt()) < 0.4
    assert alike(MADE, Grant(both), learnt()) > 0.95


def test_a_real_tokenizer_s_pieces_are_read(tmp_path: Path) -> None:
    """A tiny BERT with random weights, pooled: texts are found, and pieces that no public text holds are looked at."""
    rng = np.random.default_rng(0)
    pieces = [piece for piece in VOCABULARY[5:] if piece != "amber"]
    texts = [tuple(rng.choice(pieces, size=rng.integers(2, 4)).tolist()) for _ in range(150)]
    private = [("cat", "night"), ("dog", "barked", "at")]
    target = SentenceEncoder({"path": str(save_tiny_bert(tmp_path)), "pooling": "mean", "tokens": 3})
    grants = [target.open(target.train(Corpus(tuple(map(Text, part))), rng)) for part in (texts, private)]
    secrets = tuple(
        Secret(id=str(n), hint=LeakedRow(row=n), answer=RowContent(tokens=text)) for n, text in enumerate(texts)
    )
    attack = PooledInverter({"made_up": 200, "epochs": 3, "checks": 600})
    knowledge = attack.prepare(Background(practice=(Practice(grants[0], secrets),)), rng)
    assert "amber" in knowledge.values["pieces"]
    hints = {str(number): LeakedRow(row=number) for number in range(2)}
    found = list(attack.guess(grants[1], hints, knowledge, np.random.default_rng(1)))
    assert [guess.candidates[0] for guess in found] == private


def test_without_an_encoder_of_its_own_it_learns_from_rows_alone() -> None:
    """Practice that grants rows only: no text is made up, and it is still better than chance."""
    practice = here().background.practice[0]
    rows = Practice(Grant([practice.access[EmbeddedRowsAccess]]), practice.secrets)
    knowledge = MADE.prepare(Background(practice=(rows,)), np.random.default_rng(0))
    assert alike(MADE, rows_only(), knowledge) > 0.6


def test_unpooled_rows_are_refused() -> None:
    """It says what it needs, when it learns and when it guesses."""
    other = world(EmbeddedRowsAccess, leaky=True, kind="rows", secrets=5)
    with pytest.raises(InputError, match="pooled-inverter needs pooled rows"):
        MADE.prepare(other.background, np.random.default_rng(0))
    with pytest.raises(InputError, match="pooled-inverter needs pooled rows"):
        list(MADE.guess(other.access, other.hints, learnt(), np.random.default_rng(0)))


def test_its_cost_is_a_row_and_the_texts_checked() -> None:
    """One and 150."""
    assert PooledInverter.cost(MADE.options, LeakedRow(row=0)) == 151
