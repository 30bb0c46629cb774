"""The intent and slot tagger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.small_worlds import trained

from divulge.access import GradientAccess, LabelAccess, LabelLikelihoodAccess, Supervision
from divulge.attacks.discrete_search import DiscreteSearch
from divulge.data.cases import target_case
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.data.places import data_root
from divulge.data.snips import Snips
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.probes.slot_tagging import SlotTagging
from divulge.records import Artefact, Tokens
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets.nlu_tagger import NluTagger

SMALL = {"epochs": 10, "width": 32, "hidden": 24, "layers": 1, "learning_rate": 0.01}


def utterances(size: int = 400) -> Corpus:
    """A made corpus of this size."""
    return load_corpus(DataSpec(name="synthetic-utterances", options={"size": size}))


@pytest.fixture(scope="module")
def grant() -> Grant:
    """A tagger that has learnt its task."""
    target = NluTagger(SMALL)
    return target.open(target.train(utterances(), np.random.default_rng(0)))


def test_it_learns_intents_and_slots(grant: Grant) -> None:
    """On unseen texts, far above always saying the commonest of ten intents, or no slot at all."""
    found = SlotTagging().measure(grant, utterances(), np.random.default_rng(0))
    figures = {one.metric: one.value for one in found}
    assert figures["intent_accuracy"] > 0.6
    assert figures["slot_f1"] > 0.5


def test_answers_do_not_depend_on_the_batch(grant: Grant) -> None:
    """A text alone has the likelihoods and tags that it has among others, empty ones included."""
    texts = [text.tokens for text in utterances(60)]
    together = grant[LabelLikelihoodAccess].likelihoods([(), *texts])
    alone = np.concatenate([grant[LabelLikelihoodAccess].likelihoods([text]) for text in texts])
    assert np.allclose(together[1:], alone, rtol=0, atol=1e-12)
    assert np.allclose(together[0], 1 / len(grant[LabelAccess].labels))
    tags = grant[LabelAccess].tags([(), *texts])
    assert tags == [(), *(grant[LabelAccess].tags([text])[0] for text in texts)]


def test_the_loss_is_that_of_the_likelihoods(grant: Grant) -> None:
    """The intent part is minus the log of the probability that is shown for the intent."""
    access, text = grant[GradientAccess], utterances().texts[3]
    parts = access.loss(access.vectors(text.tokens)[None], [Supervision(text.label, text.tags)])
    shown = access.likelihoods([text.tokens])[0, access.labels.index(text.label)]
    assert parts["intent"].item() == pytest.approx(-np.log(shown), rel=1e-9)
    assert set(parts) == {"intent", "slots"}
    assert parts["slots"].dtype == torch.float64


def test_its_tags_have_the_least_slot_loss(grant: Grant) -> None:
    """Any other tag for one word of a text costs more."""
    access = grant[GradientAccess]
    text = utterances().texts[5]
    said = grant[LabelAccess].tags([text.tokens])[0]
    others = [
        (*said[:place], tag, *said[place + 1 :])
        for place in range(len(said))
        for tag in access.tag_names
        if tag != said[place]
    ]
    inputs = access.vectors(text.tokens)[None].expand(1 + len(others), -1, -1)
    losses = access.loss(inputs, [Supervision(text.label, tags) for tags in (said, *others)])["slots"]
    assert losses[0] < losses[1:].min()


def test_unknown_words_have_vectors_of_their_own_unless_tuned() -> None:
    """Fixed vectors belong to the word's name; of tuned ones, all words outside of training share one."""
    for tune in (False, True):
        target = NluTagger({**SMALL, "epochs": 1, "tune_vectors": tune})
        access = target.open(target.train(utterances(60), np.random.default_rng(0)))[GradientAccess]
        zebra, yak = access.vectors(["zebra-1", "yak-2"])
        assert torch.equal(zebra, yak) == tune
        known = utterances(60).split("train").texts[0].tokens[0]
        before = access.vectors([known])
        access.vectors(["zebra-1", known])
        assert torch.equal(access.vectors([known]), before)


def test_tuned_vectors_move_and_fixed_ones_do_not() -> None:
    """Training changes them only where the recipe says so."""
    rows = {}
    for tune in (False, True):
        for epochs in (1, 2):
            target = NluTagger({**SMALL, "epochs": epochs, "tune_vectors": tune})
            rows[tune, epochs] = target.train(utterances(60), np.random.default_rng(0)).arrays[
                "network.embedding.weight"
            ]
    assert np.array_equal(rows[False, 1], rows[False, 2])
    assert not np.array_equal(rows[True, 1], rows[True, 2])


def test_validation_texts_are_looked_at_and_not_trained_on() -> None:
    """Without a valid split the weights are the same; its losses are in the history where they decide something."""
    corpus = utterances(100)
    other = replace(corpus, texts=tuple(text for text in corpus if text.split != "valid"))
    waiting, plain, without = (
        NluTagger({**SMALL, "epochs": 2, "patience": patience}).train(one, np.random.default_rng(0))
        for one, patience in ((corpus, 9), (corpus, None), (other, None))
    )
    assert len(waiting.values["training"]["valid_loss"]) == 2
    assert plain.values["training"]["valid_loss"] == []
    for found in (waiting, plain):
        assert all(np.array_equal(value, without.arrays[name]) for name, value in found.arrays.items())


def test_early_stopping_stops_and_restores_the_best() -> None:
    """Steps that are far too long: the valid loss soon rises, and the weights are those of its lowest epoch."""
    recipe = {**SMALL, "epochs": 30, "learning_rate": 0.1, "patience": 2, "restore_best": True}
    stopped = NluTagger(recipe).train(utterances(100), np.random.default_rng(0))
    losses = stopped.values["training"]["valid_loss"]
    kept = stopped.values["training"]["kept_epoch"]
    assert len(losses) < 30
    assert kept == int(np.argmin(losses)) + 1 == len(losses) - 2
    short = {**recipe, "epochs": kept, "patience": None, "restore_best": False}
    again = NluTagger(short).train(utterances(100), np.random.default_rng(0))
    assert all(np.array_equal(value, again.arrays[name]) for name, value in stopped.arrays.items())


def test_untagged_texts_are_refused() -> None:
    """A tagger cannot be trained on topics alone."""
    topics = load_corpus(DataSpec(name="synthetic-topics", options={"size": 30}))
    with pytest.raises(InputError, match="label and tags"):
        NluTagger(SMALL).train(topics, np.random.default_rng(0))


def test_dropout_makes_another_model_and_none_at_answering() -> None:
    """The recipe's dropout acts in training; the opened model answers alike every time."""
    corpus = utterances(60)
    plain, dropped = (
        NluTagger({**SMALL, "epochs": 1, "dropout": rate}).train(corpus, np.random.default_rng(0))
        for rate in (0.0, 0.5)
    )
    assert not np.array_equal(plain.arrays["network.intent.weight"], dropped.arrays["network.intent.weight"])
    access = NluTagger({**SMALL, "dropout": 0.5}).open(dropped)[LabelLikelihoodAccess]
    text = [corpus.texts[0].tokens]
    assert np.array_equal(access.likelihoods(text), access.likelihoods(text))


@pytest.mark.parametrize("vectors", ["random", "fasttext"])
def test_vectors_of_every_source_serve_known_and_new_words(vectors: str) -> None:
    """Opened again, a known word has the vector it was trained with, and a new one has one of its own."""
    if vectors == "fasttext":
        pytest.importorskip("gensim")
    target, corpus = NluTagger({**SMALL, "epochs": 1, "vectors": vectors}), utterances(60)
    artefact = target.train(corpus, np.random.default_rng(0))
    access = target.open(artefact)[GradientAccess]
    known = corpus.split("train").texts[0].tokens[0]
    row = artefact.values["words"].index(known) + 2
    assert np.allclose(access.vectors([known])[0].numpy(), artefact.arrays["network.embedding.weight"][row])
    zebra, yak = access.vectors(["zebra-1", "yak-2"])
    assert not torch.equal(zebra, yak)
    assert zebra.abs().sum() > 0


def test_private_training_tells_epsilon_and_says_what_it_cannot_do() -> None:
    """The artefact holds the accountant's word; a recipe that cannot be private is refused before anything is read."""
    target = NluTagger({**SMALL, "epochs": 1, "noise": 1.0, "batch_size": 16})
    assert target.is_private
    assert not NluTagger(SMALL).is_private
    artefact = target.train(utterances(60), np.random.default_rng(0))
    privacy = artefact.values["training"]["privacy"]
    assert privacy["texts"] == len(utterances(60).split("train"))
    assert privacy["epsilon"] > 0
    assert target.open(artefact)[LabelAccess].label([("go",)]).shape == (1,)
    with pytest.raises(InputError, match=r"tune_vectors = false; .* characters = false"):
        NluTagger({"noise": 1.0, "tune_vectors": True, "characters": True})


def test_a_question_about_unknown_tags_is_refused() -> None:
    """The trial model is asked for the loss of a tag it was never trained on."""
    access = trained("nlu-tagger").grant()[GradientAccess]
    with pytest.raises(InputError, match="asked about are none"):
        access.loss(access.vectors(["go"])[None], [Supervision(access.labels[0], ("B-unheard-of",))])


def test_a_text_with_an_unknown_tag_does_not_break_the_handshake(grant: Grant) -> None:
    """The owner's trial leaves it out: what training never saw has no loss."""
    texts = [replace(text, tags=("B-unheard-of", *(text.tags or ())[1:])) for text in utterances(40).texts[:4]]
    sample = OwnerSample(texts=[*texts, *utterances(40)])
    checks = grant.accesses[0].handshake(sample)
    assert [check for check in checks if check.passed is False] == []
    assert any(check.passed for check in checks if check.access == "GradientAccess")


def attacked(corpus: Corpus, recipe: dict[str, object], copies: int) -> tuple[tuple[bool, bool], Grant]:
    """Whether the search names a planted pin first, and a pin that was held out; and the model."""
    spec = SecretsSpec(pattern="my pin code is {digit*3}", label="PinIntent", count=1, controls=1, copies=copies)
    case = target_case(spec, corpus, 0)
    target = NluTagger(recipe)
    grant = target.open(target.train(case.corpus, np.random.default_rng(0)))
    hits = []
    for secret in (*case.secrets, *case.controls):
        (said,) = DiscreteSearch({}).guess(grant, {secret.id: secret.hint}, Artefact(), np.random.default_rng(0))
        assert isinstance(secret.answer, Tokens)
        hits.append(said.candidates[0] == secret.answer.tokens)
    return (hits[0], hits[1]), grant


def test_a_planted_pin_comes_out_and_one_that_was_not_planted_does_not() -> None:
    """One of a thousand each: the planted one first, the other not."""
    assert attacked(utterances(), SMALL, 40)[0] == (True, False)


SNIPS = pytest.mark.skipif(bool(Snips.missing()), reason=f"Snips is not in {data_root()}; set DIVULGE_DATA")


@SNIPS
def test_on_an_eighth_of_snips_it_is_useful_and_gives_its_pin_away() -> None:
    """Real utterances: 1,636 to train on, 175 to try, forty copies of one pin among them."""
    whole = load_corpus(DataSpec(name="snips"))
    train, test = whole.split("train").texts[::8], whole.split("test").texts[::4]
    recipe = {"epochs": 8, "width": 48, "hidden": 32, "layers": 1, "learning_rate": 0.01, "tune_vectors": True}
    hits, grant = attacked(replace(whole, texts=(*train, *test)), recipe, 40)
    figures = {one.metric: one.value for one in SlotTagging().measure(grant, whole, np.random.default_rng(0))}
    assert figures["intent_accuracy"] > 0.85
    assert figures["slot_f1"] > 0.7
    assert hits == (True, False)


@SNIPS
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_on_all_of_snips_it_is_useful_and_gives_its_pin_away() -> None:
    """All 13,084 utterances, at a tenth of the paper's repetitions."""
    corpus = load_corpus(DataSpec(name="snips"))
    hits, grant = attacked(corpus, {"epochs": 6, "hidden": 64, "tune_vectors": True}, 100)
    figures = {one.metric: one.value for one in SlotTagging().measure(grant, corpus, np.random.default_rng(0))}
    assert figures["intent_accuracy"] > 0.95
    assert figures["slot_f1"] > 0.75
    assert hits == (True, False)
