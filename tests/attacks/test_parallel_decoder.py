"""Reading whole sentences off unpooled vectors, with and without the encoder that made them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.attacks.toy_oracles import PIECES, WIDTH, ToyOracle, texts_of

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background, Practice
from divulge.attacks.parallel_decoder import ParallelDecoder
from divulge.attacks.row_decoding import VARIANTS
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, LeakedRow, Ranking, RowContent, Secret
from divulge.testing import world
from divulge.testing.encoder import FakeOracleAccess, FakeRowsAccess

TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))[0]
PUBLIC = [tuple(token for token in text if token != "hen") or ("ant",) for text in texts_of(60, 6, seed=0)]
PRIVATE = texts_of(40, 6, seed=8)


def background(oracle: ToyOracle, texts: list[tuple[str, ...]], *, embeds: bool = True) -> Background:
    """An adversary who ran the encoder over its texts, and may go on to embed others."""
    secrets = tuple(
        Secret(id=str(row), hint=LeakedRow(row=row), answer=RowContent(tokens=text)) for row, text in enumerate(texts)
    )
    rows = FakeRowsAccess(oracle._embed(texts))
    return Background(practice=(Practice(Grant([rows, oracle] if embeds else [rows]), secrets),))


@cache
def knowledge(sightings: int = 20, embeds: bool = True, turned: bool = False, alignment: int = 24) -> Artefact:
    attack = ParallelDecoder({"sightings": sightings, "alignment": alignment})
    oracle = ToyOracle(turn=-TURN.T if turned else None)
    return attack.prepare(background(oracle, PUBLIC, embeds=embeds), np.random.default_rng(0))


def guessed(
    learnt: Artefact, grant: Grant, count: int = len(PRIVATE), **options: int
) -> dict[str, tuple[tuple[str, ...], ...]]:
    hints = {str(row): LeakedRow(row=row) for row in range(count)}
    found = list(ParallelDecoder(options).guess(grant, hints, learnt, np.random.default_rng(1)))
    assert all(isinstance(one, Ranking) for one in found)
    return {one.secret_id: one.candidates for one in found if isinstance(one, Ranking)}


def granted(oracle: ToyOracle, *, asked: bool = True, limit: int | None = None) -> Grant:
    rows = FakeRowsAccess(oracle._embed(PRIVATE))
    return Grant([rows, oracle] if asked else [rows], limit)


def accuracy(found: dict[str, tuple[tuple[str, ...], ...]]) -> float:
    pairs = [(a, b) for row, text in enumerate(PRIVATE) for a, b in zip(found[str(row)][0], text, strict=True)]
    return float(np.mean([a == b for a, b in pairs]))


def test_with_the_encoder_every_sentence_is_proven() -> None:
    """Also those with a token that no public text shows; each stands alone, at few questions."""
    grant = granted(ToyOracle())
    found = guessed(knowledge(), grant)
    assert [found[str(row)] for row in range(len(PRIVATE))] == [(text,) for text in PRIVATE]
    assert grant.meter.asked[EmbeddingOracleAccess.__name__] < 5 * len(PRIVATE)


def test_rows_alone_are_enough_for_most() -> None:
    """Without the encoder the decision of the discriminant stands, variants of doubtful positions behind it."""
    grant = granted(ToyOracle(), asked=False)
    found = guessed(knowledge(), grant)
    assert accuracy(found) > 0.9
    assert grant.meter.asked == {EmbeddedRowsAccess.__name__: len(PRIVATE)}
    for first, *others in found.values():
        assert len(others) == VARIANTS
        assert all(sum(a != b for a, b in zip(first, other, strict=True)) == 1 for other in others)


def test_made_up_texts_show_what_public_ones_lack() -> None:
    """`hen` is in no public text: it is read where every token was sprinkled in, and not otherwise."""
    rates = []
    for sightings in (0, 20):
        found = guessed(knowledge(sightings), granted(ToyOracle(), asked=False))
        said = [
            found[str(row)][0][place]
            for row, text in enumerate(PRIVATE)
            for place, token in enumerate(text)
            if token == "hen"
        ]
        rates.append(np.mean([token == "hen" for token in said]))
    assert rates[0] < 0.5
    assert rates[1] > 0.8


def test_an_adversary_that_cannot_embed_learns_from_its_rows() -> None:
    """Then only tokens that it saw can be named."""
    learnt = knowledge(embeds=False)
    assert set(learnt.values["pieces"]) == set(PIECES) - {"hen"}
    found = guessed(learnt, granted(ToyOracle(), asked=False))
    assert accuracy(found) > 0.6
    assert all("hen" not in text for texts in found.values() for text in texts)


@pytest.mark.parametrize("turned", [False, True], ids=["static", "with a rotation of its own"])
def test_a_secret_rotation_hides_sentences_only_without_the_encoder(turned: bool) -> None:
    """Rows alone are nonsense, whatever rotation was practised on; the encoder behind the same rotation undoes it."""
    learnt, oracle = knowledge(turned=turned), ToyOracle(turn=TURN)
    assert accuracy(guessed(learnt, granted(oracle, asked=False))) < 0.4
    assert accuracy(guessed(learnt, granted(oracle))) > 0.99


class Blurred(ToyOracle):
    """Noise drawn for each question, as an owner's defence would; a row asked about again has another."""

    def __init__(self, strength: float, seed: int) -> None:
        super().__init__()
        self.strength, self.seed = strength, seed

    def _one(self, text: tuple[str, ...]) -> np.ndarray:
        seed = [self.seed, *(PIECES.index(token) for token in text)]
        return super()._one(text) + self.strength * np.random.default_rng(seed).normal(size=(len(text), WIDTH))


@pytest.mark.parametrize("strength", [0.5, 1.0, 2.0])
def test_asking_an_encoder_that_blurs_does_no_harm(strength: float) -> None:
    """Who learnt on blurred vectors reads blurred rows at least as well when the blurring encoder may be asked too."""
    attack = ParallelDecoder({"alignment": 24})
    learnt = attack.prepare(background(Blurred(strength, 1), texts_of(400, 6, seed=3)), np.random.default_rng(0))
    rows, oracle = FakeRowsAccess(Blurred(strength, 2)._embed(PRIVATE)), Blurred(strength, 3)
    alone = accuracy(guessed(learnt, Grant([rows])))
    asking = accuracy(guessed(learnt, Grant([rows, oracle])))
    assert alone > 2 / len(PIECES)
    assert asking >= alone - 0.02


class Masked(ToyOracle):
    """Hides a share of the vectors of every answer, other ones for every text and seed."""

    def __init__(self, share: float, seed: int) -> None:
        super().__init__(blur=3.0)
        self.share, self.seed = share, seed

    def _one(self, text: tuple[str, ...]) -> np.ndarray:
        seed = [self.seed, *(PIECES.index(token) for token in text)]
        hidden = np.random.default_rng(seed).random(len(text)) < self.share
        return np.where(hidden, 0.0, super()._one(text).T).T


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_masked_tokens_are_named_from_their_neighbours_by_who_learnt_on_masked_rows(share: float) -> None:
    """More than what is shown comes out; who learnt on whole rows reads what is shown and hardly more."""
    rows, attack = FakeRowsAccess(Masked(share, 2)._embed(PRIVATE)), ParallelDecoder({"sightings": 20})
    texts = texts_of(600, 6, seed=3)
    found = {
        name: guessed(attack.prepare(background(own, texts), np.random.default_rng(0)), Grant([rows]))
        for name, own in (("static", ToyOracle(blur=3.0)), ("adaptive", Masked(share, 1)))
    }
    hidden = [~row.any(axis=1) for row in Masked(share, 2)._embed(PRIVATE)]
    named = {
        name: np.mean(
            [
                one[place] == text[place]
                for row, text in enumerate(PRIVATE)
                for one in [texts[str(row)][0]]
                for place in np.flatnonzero(hidden[row])
            ]
        )
        for name, texts in found.items()
    }
    assert named["adaptive"] > named["static"] + 0.1
    assert accuracy(found["adaptive"]) > accuracy(found["static"])
    others = [texts for row, texts in found["adaptive"].items() if hidden[int(row)].any()]
    assert all(len(texts) == len(set(texts)) > 1 for texts in others)  # other tokens where none is shown


def test_asking_finds_masked_tokens_too() -> None:
    """What both show of the row and of the right text agrees only if hidden tokens are right as well."""
    attack, rows = ParallelDecoder({"sightings": 20}), FakeRowsAccess(Masked(0.3, 2)._embed(PRIVATE))
    learnt = attack.prepare(background(Masked(0.3, 1), texts_of(600, 6, seed=3)), np.random.default_rng(0))
    alone = accuracy(guessed(learnt, Grant([rows])))
    asking = accuracy(guessed(learnt, Grant([rows, Masked(0.3, 3)])))
    assert asking > alone


def test_alignment_can_be_switched_off() -> None:
    """No text is kept for it and none is asked beside the checks."""
    learnt = knowledge(alignment=0)
    assert learnt.values["aligning"] == []
    grant = granted(ToyOracle())
    assert accuracy(guessed(learnt, grant, checks=1)) > 0.9
    assert grant.meter.asked[EmbeddingOracleAccess.__name__] == len(PRIVATE)


@pytest.mark.parametrize("limit", [0, 1, 7, 60, 100])
def test_the_budget_goes_to_rows_and_their_proof(limit: int) -> None:
    """Never a query more than allowed, some sentences for any budget at all, and more for more."""
    grant = granted(ToyOracle(), limit=limit)
    found = guessed(knowledge(), grant)
    assert grant.meter.total <= limit
    assert bool(found) == bool(limit)
    fewer = guessed(knowledge(), granted(ToyOracle(), limit=limit // 2))
    assert len(fewer) <= len(found)
    assert all(found[str(row)][0] == PRIVATE[row] for row in range(len(found) - 5))


def test_same_seed_same_knowledge_and_another_seed_another() -> None:
    """Made-up texts come from the generator handed in."""
    attack = ParallelDecoder()
    first, again, other = (
        attack.prepare(background(ToyOracle(), PUBLIC), np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert first.values == again.values
    assert all(np.array_equal(first.arrays[name], again.arrays[name]) for name in first.arrays)
    assert not np.array_equal(first.arrays["piece_points"], other.arrays["piece_points"])


def test_words_of_an_encoder_without_a_list_are_those_seen() -> None:
    """The fake encoder knows no vocabulary: what can be named is what the public texts hold."""
    here = world(EmbeddedRowsAccess, leaky=True, secrets=30)
    learnt = ParallelDecoder().prepare(here.background, np.random.default_rng(0))
    seen = {token for practice in here.background.practice for s in practice.secrets for token in s.answer.tokens}  # type: ignore[union-attr]
    assert learnt.values["pieces"] == sorted(seen)


def test_rows_may_be_shorter_than_texts_and_empty() -> None:
    """The encoder reads the first tokens only, and a text without any has no row."""
    oracle = FakeOracleAccess(leaks=True, most=3)
    texts = [("the", "cat", "sat", "on", "a", "mat"), ("a", "dog"), ()]
    rows = oracle._embed(texts)
    secrets = tuple(
        Secret(id=str(row), hint=LeakedRow(row=row), answer=RowContent(tokens=text)) for row, text in enumerate(texts)
    )
    practice = Practice(Grant([FakeRowsAccess(rows), oracle]), secrets)
    learnt = ParallelDecoder().prepare(Background(practice=(practice,)), np.random.default_rng(0))
    assert learnt.values["pieces"] == ["a", "cat", "dog", "sat", "the"]
    found = guessed(learnt, Grant([FakeRowsAccess(rows), oracle]), count=3)
    assert [found[str(row)][0] for row in range(3)] == [("the", "cat", "sat"), ("a", "dog"), ()]


def test_a_tiny_transformer_is_read_in_its_own_pieces(tmp_path: Path) -> None:
    """BERT with large random weights, where context is nearly all: asking it again more than doubles what is found."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')
    from tests.tiny_encoders import VOCABULARY, save_tiny_bert

    from divulge.data.corpus import Corpus
    from divulge.records import Text
    from divulge.targets.sentence_encoder import SentenceEncoder

    target, rng = SentenceEncoder({"path": str(save_tiny_bert(tmp_path / "bert"))}), np.random.default_rng(0)
    texts = [tuple(rng.choice(VOCABULARY[5:], size=rng.integers(2, 4)).tolist()) for _ in range(90)]
    grant = target.open(target.train(Corpus(tuple(Text(tokens=text) for text in texts), "made"), rng))
    secrets = tuple(
        Secret(id=str(row), hint=LeakedRow(row=row), answer=RowContent(tokens=texts[row])) for row in range(60)
    )
    attack = ParallelDecoder({"sightings": 30})
    learnt = attack.prepare(Background(practice=(Practice(grant, secrets),)), rng)
    assert set(learnt.values["pieces"]) >= set(VOCABULARY[5:])
    hints = {str(row): LeakedRow(row=row) for row in range(60, 90)}
    rates = []
    for checks in (0, 128):
        found = list(ParallelDecoder({"checks": checks}).guess(grant, hints, learnt, rng))
        rates.append(np.mean([one.candidates[0] == texts[int(one.secret_id)] for one in found]))  # type: ignore[union-attr]
    assert rates[0] < 0.5
    assert rates[1] > max(0.6, 2 * rates[0])  # random texts have no habits, which neighbours are taken to show


def test_pooled_rows_are_refused() -> None:
    """One vector per sentence has no positions to decode."""
    grant = Grant([FakeRowsAccess([np.zeros(4), np.ones(4)]), FakeOracleAccess(leaks=True, most=15)])
    secret = Secret(id="a", hint=LeakedRow(row=0), answer=RowContent(tokens=("x",)))
    with pytest.raises(InputError, match="needs unpooled rows"):
        ParallelDecoder().prepare(Background(practice=(Practice(grant, (secret,)),)), np.random.default_rng(0))


@pytest.mark.parametrize("texts", [[], [("ant",)]], ids=["none", "one word"])
def test_without_practice_nothing_can_be_learnt(texts: list[tuple[str, ...]]) -> None:
    """The error says what to set."""
    own = background(ToyOracle(), texts) if texts else Background()
    with pytest.raises(InputError, match="set adversary.background.corpus"):
        ParallelDecoder().prepare(own, np.random.default_rng(0))


@pytest.mark.parametrize("shape", [(3, WIDTH + 1), (WIDTH,)])
@pytest.mark.parametrize("asked", [False, True])
def test_rows_of_another_encoder_are_refused(shape: tuple[int, ...], asked: bool) -> None:
    """It says what it learnt on and what it found; a pooled row of that width is no better."""
    accesses = [FakeRowsAccess([np.zeros(shape)]), *([ToyOracle()] if asked else [])]
    with pytest.raises(InputError, match=rf"\(tokens, {WIDTH}\), and the leaked ones have shape"):
        guessed(knowledge(), Grant(accesses), count=1)


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        ({}, 50),  # the row, its sentence, 16 continuations, and 8 rounds of 4 texts that are no better
        ({"checks": 32}, 33),  # as many as are allowed
        ({"continuations": 0, "checks": 32}, 4),  # of 32 checks 1 + 32 / 16 are used as a rule
        ({"checks": 17}, 3),  # no room for 16 continuations beside the sentence
        ({"checks": 0}, 1),
    ],
)
def test_the_cost_is_that_of_a_row_that_may_go_on(options: dict[str, int], cost: int) -> None:
    """The dearer usual case is forecast; what a budget is shared by stays the cheaper one."""
    made = ParallelDecoder(options)
    assert ParallelDecoder.cost(made.options, LeakedRow(row=0)) == cost
    assert made._affordable(80, searching=True) == 80 // (1 + min(made.options.checks, 1 + made.options.checks // 16))
