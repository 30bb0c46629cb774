"""The decoders of gu2023 on small encoders: what they learn from, what they say, what they refuse."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background, Practice
from divulge.attacks.adversarial_decoder import AdversarialDecoder, PretrainedDecoder, VanillaDecoder, _ranking
from divulge.attacks.networks.sampling import Written
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics.similarity import token_accuracy
from divulge.records import Artefact, LeakedRow, Ranking, RowContent, Secret
from divulge.testing.encoder import FakeOracleAccess, FakeRowsAccess

KINDS = [VanillaDecoder, PretrainedDecoder]
SMALL: dict[str, Any] = {
    "layers": 1,
    "heads": 4,
    "feed_forward": 64,
    "dropout": 0.0,
    "epochs": 60,
    "tuning_epochs": 1,
    "learning_rate": 0.003,
    "batch_size": 20,
}
TINY = {**SMALL, "epochs": 1}
WORDS = [f"word-{number}" for number in range(12)]


def sentences(count: int, seed: int) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(seed)
    return [tuple(rng.choice(WORDS, size=int(rng.integers(2, 7)))) for _ in range(count)]


def world_of(texts: list[tuple[str, ...]], keyed: int | None = None) -> tuple[Grant, tuple[Secret, ...]]:
    """Rows of the fake encoder; the first `keyed` texts have a keyword, all of them if not told."""
    rows = FakeOracleAccess(leaks=True, most=15).embed(texts)
    secrets = tuple(
        Secret(
            id=f"s{place}",
            hint=LeakedRow(row=place),
            answer=RowContent(tokens=text, words=text[:1] if keyed is None or place < keyed else ()),
        )
        for place, text in enumerate(texts)
    )
    return Grant([FakeRowsAccess(rows)]), secrets


def background(count: int = 300, keyed: int | None = None, told: tuple[str, ...] = ()) -> Background:
    return Background(practice=(Practice(*world_of(sentences(count, 0), keyed)),), told=told)


@cache
def learnt() -> Artefact:
    return PretrainedDecoder(SMALL).prepare(background(), np.random.default_rng(0))


@cache
def learnt_little(**options: Any) -> Artefact:
    told = ("secret-a", "secret-b") if options.get("as_published") else ()
    return PretrainedDecoder({**TINY, **options}).prepare(background(20, told=told), np.random.default_rng(0))


def guessed(
    attack: AdversarialDecoder, grant: Grant, hints: dict[str, LeakedRow], known: Artefact
) -> dict[str, Ranking]:
    found = list(attack.guess(grant, hints, known, np.random.default_rng(1)))
    return {one.secret_id: one for one in found if isinstance(one, Ranking)}


@pytest.mark.parametrize(("top_k", "least"), [(5, 0.95), (40, 0.9)])
def test_sentences_are_written_word_by_word(top_k: int, least: float) -> None:
    """With a dozen words and 300 sentences nearly every token of unseen ones is right; ten are given, best first.

    The last of the ten is far worse: the attacker's own order is worth something.
    """
    grant, secrets = world_of(sentences(60, 1))
    hints = {secret.id: secret.hint for secret in secrets}
    found = guessed(PretrainedDecoder({**SMALL, "top_k": top_k}), grant, hints, learnt())
    first, last = (
        np.mean([token_accuracy(secret.answer.tokens, found[secret.id].candidates[place]) for secret in secrets])
        for place in (0, 9)
    )
    assert first > least
    assert first > last + 0.3
    assert {len(one.candidates) for one in found.values()} == {10}
    assert grant.meter.total == 60


def test_equals_stay_in_the_order_drawn() -> None:
    """Scores -2, -1, -2, -1: the second, the fourth, the first, the third."""
    drawn = [Written((1,), -2.0), Written((2,), -1.0), Written((3,), -2.0), Written((4,), -1.0)]
    found = _ranking("a", drawn, ["w", "x", "y", "z"], ())
    assert found.candidates == (("x",), ("z",), ("w",), ("y",))
    assert found.scores == (-1.0, -1.0, -2.0, -2.0)


def test_vanilla_learns_from_texts_with_keywords_alone() -> None:
    """With the other texts' rows spoilt it learns the same; the pre-trained one does not."""
    grant, secrets = world_of(sentences(40, 0), keyed=20)
    rows = grant[EmbeddedRowsAccess].rows(range(40))
    # The same typical size, so that the division by it stays as it is.
    spoilt = Grant([FakeRowsAccess(rows[:20] + [-row for row in rows[20:]])])
    for kind, same in ((VanillaDecoder, True), (PretrainedDecoder, False)):
        one, other = (
            kind(TINY).prepare(Background(practice=(Practice(made, secrets),)), np.random.default_rng(0))
            for made in (grant, spoilt)
        )
        assert (one.values["losses"] == other.values["losses"]) is same


def test_tuning_is_shorter_slower_and_left_out_without_keywords() -> None:
    """One epoch and then two of tuning; without keywords just the one."""
    for keyed, epochs in ((10, 3), (0, 1)):
        made = background(20, keyed=keyed)
        known = PretrainedDecoder({**TINY, "tuning_epochs": 2}).prepare(made, np.random.default_rng(0))
        assert len(known.values["losses"]) == epochs


def test_tuning_has_a_rate_of_its_own() -> None:
    """At a rate of nearly nothing the weights stay what one epoch made of them."""
    options = {**TINY, "tuning_rate": 1e-12}
    tuned = PretrainedDecoder({**options, "tuning_epochs": 3}).prepare(background(20), np.random.default_rng(0))
    plain = PretrainedDecoder({**options, "tuning_epochs": 0}).prepare(background(20), np.random.default_rng(0))
    for name, array in plain.arrays.items():
        np.testing.assert_allclose(tuned.arrays[name], array, atol=1e-6)


def test_vanilla_needs_keywords() -> None:
    """The error says that none of the texts has any, and what to do."""
    with pytest.raises(InputError, match="none of these 20 has any.*decoder-pretrained"):
        VanillaDecoder(TINY).prepare(background(20, keyed=0), np.random.default_rng(0))


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_are_those_of_the_paper(kind: type[AdversarialDecoder]) -> None:
    """6 layers, 8 heads, 100 epochs at 1e-4, then 1e-5; ten generations of at most 15 tokens, 3 to 1 over ten."""
    chosen = kind().options
    assert (chosen.layers, chosen.heads, chosen.epochs) == (6, 8, 100)
    assert (chosen.learning_rate, chosen.tuning_rate) == (1e-4, 1e-5)
    assert (chosen.generations, chosen.longest, chosen.warmest, chosen.cooling) == (10, 15, 3.0, 10)
    assert (chosen.as_published, kind().told_tokens, kind({"as_published": True}).told_tokens) == (False, 0, 3)


def test_the_artefact_is_plain() -> None:
    """Single-precision arrays by name, a list of words, the heads that fit and a loss for each epoch."""
    known = learnt_little()
    assert {array.dtype for array in known.arrays.values()} == {np.dtype(np.float32)}
    assert known.values["words"] == sorted(WORDS)
    assert known.values["heads"] == 4
    assert len(known.values["losses"]) == 2


def test_rows_are_divided_by_their_typical_size() -> None:
    """Rows a thousand times as large teach the same, but for rounding."""
    grant, secrets = world_of(sentences(20, 0))
    large = Grant([FakeRowsAccess([1000 * row for row in grant[EmbeddedRowsAccess].rows(range(20))])])
    made = Background(practice=(Practice(large, secrets),))
    known = PretrainedDecoder(TINY).prepare(made, np.random.default_rng(0))
    assert known.values["losses"] == pytest.approx(learnt_little().values["losses"], rel=1e-3)


def test_as_published_it_is_told_words_and_beginnings() -> None:
    """The private words can be written, and every sentence begins with the told tokens, unknown ones too."""
    options = {**TINY, "as_published": True}
    known = learnt_little(as_published=True)
    assert known.values["words"] == sorted([*WORDS, "secret-a", "secret-b"])
    grant, _ = world_of(sentences(2, 1))
    hints = {"a": LeakedRow(row=0, told=("secret-a", "never-seen", "word-1")), "b": LeakedRow(row=1, told=("word-2",))}
    found = guessed(PretrainedDecoder(options), grant, hints, known)
    assert {one[:3] for one in found["a"].candidates} == {("secret-a", "never-seen", "word-1")}
    assert {one[:1] for one in found["b"].candidates} == {("word-2",)}
    assert len({one[1:] for one in found["b"].candidates}) > 1
    assert all(len(one) <= 15 for ranking in found.values() for one in ranking.candidates)


def test_by_default_it_is_told_nothing() -> None:
    """Told words and tokens are not looked at."""
    known = PretrainedDecoder(TINY).prepare(background(20, told=("secret-a",)), np.random.default_rng(0))
    assert known.values["words"] == sorted(WORDS)
    grant, _ = world_of(sentences(1, 1))
    attack = PretrainedDecoder(TINY)
    told, plain = (
        guessed(attack, grant, {"a": hint}, known)
        for hint in (LeakedRow(row=0, told=("word-1", "word-1", "word-1")), LeakedRow(row=0))
    )
    assert told == plain


@pytest.mark.parametrize("shape", [(3, 7), (5,)])
def test_rows_of_another_encoder_are_refused(shape: tuple[int, ...]) -> None:
    """Learnt on rows of width 32, it says what it found; a pooled row is no better."""
    grant = Grant([FakeRowsAccess([np.ones(shape)])])
    with pytest.raises(InputError, match=r"\(tokens, 32\), and the leaked ones have shape"):
        guessed(PretrainedDecoder(TINY), grant, {"x": LeakedRow(row=0)}, learnt_little())


@pytest.mark.parametrize("kind", KINDS)
def test_pooled_practice_rows_are_refused(kind: type[AdversarialDecoder]) -> None:
    """One vector for a whole sentence is not what the decoder reads."""
    secret = Secret(id="a", hint=LeakedRow(row=0), answer=RowContent(tokens=("x",), words=("x",)))
    grant = Grant([FakeRowsAccess([np.ones(4)])])
    with pytest.raises(InputError, match=r"needs unpooled rows .* Got shape \(4,\)"):
        kind(TINY).prepare(Background(practice=(Practice(grant, (secret,)),)), np.random.default_rng(0))


@pytest.mark.parametrize("made", [Background(), Background(practice=(Practice(Grant([FakeRowsAccess([])])),))])
def test_without_practice_nothing_can_be_learnt(made: Background) -> None:
    """The error says what to set."""
    with pytest.raises(InputError, match="set adversary.background.corpus"):
        PretrainedDecoder(TINY).prepare(made, np.random.default_rng(0))


def test_a_row_without_vectors_has_no_sentence() -> None:
    """It is answered with nothing, and the row beside it as ever."""
    grant = Grant([FakeRowsAccess([np.empty((0, 32)), np.ones((2, 32))])])
    hints = {"empty": LeakedRow(row=0), "other": LeakedRow(row=1)}
    found = guessed(PretrainedDecoder(TINY), grant, hints, learnt_little())
    assert found["empty"].candidates == ((),)
    assert len(found["other"].candidates) == 10


def test_it_stops_where_the_budget_does() -> None:
    """Two of three rows may be read, and two are answered."""
    grant, secrets = world_of(sentences(3, 1))
    hints = {secret.id: secret.hint for secret in secrets}
    limited = grant.limited((EmbeddedRowsAccess,), 2)
    assert set(guessed(PretrainedDecoder(TINY), limited, hints, learnt_little())) == {"s0", "s1"}
    assert PretrainedDecoder.cost(PretrainedDecoder.Options(), LeakedRow(row=0)) == 1
