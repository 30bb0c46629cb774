"""What a trained tagger answers: characters beside word vectors, and dropout that was left on."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from divulge.access import GradientAccess, LabelLikelihoodAccess, Supervision
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.records import Artefact
from divulge.spec import DataSpec
from divulge.targets.nlu_tagger import NluTagger

SMALL = {"epochs": 10, "width": 32, "hidden": 24, "layers": 1, "learning_rate": 0.01}


def utterances(size: int) -> Corpus:
    """A made corpus of this size."""
    return load_corpus(DataSpec(name="synthetic-utterances", options={"size": size}))


def asked_again(artefact: Artefact, times: int) -> list[tuple[float, float]]:
    """The two parts of one text's loss, asked so many times of a model that was just opened."""
    access, text = NluTagger(SMALL).open(artefact)[GradientAccess], utterances(60).texts[0]
    inputs, labels = access.vectors(text.tokens)[None], [Supervision(text.label, text.tags)]
    parts = [access.loss(inputs, labels) for _ in range(times)]
    return [(part["intent"].item(), part["slots"].item()) for part in parts]


def test_dropout_that_is_left_on_varies_answers_and_averages_out() -> None:
    """The n-th answer is the same in every run, the next is another, and their mean is near the plain model's."""
    corpus, recipe = utterances(60), {**SMALL, "epochs": 3, "dropout": 0.02}
    still, varying = (
        NluTagger({**recipe, "drops_when_asked": drops}).train(corpus, np.random.default_rng(0))
        for drops in (False, True)
    )
    assert all(np.array_equal(value, still.arrays[name]) for name, value in varying.arrays.items())
    assert not NluTagger(recipe).open(still)[GradientAccess].answers_vary
    assert NluTagger(recipe).open(varying)[GradientAccess].answers_vary
    plain, answers = asked_again(still, 2), asked_again(varying, 400)
    assert plain[0] == plain[1]
    assert len(set(answers)) > 350  # now and then nothing is dropped
    assert asked_again(varying, 5) == answers[:5]
    for part in range(2):
        said = np.array([answer[part] for answer in answers])
        off = np.sqrt(np.mean(np.square(said - plain[0][part])))
        # The loss is not linear in the masks: their mean stays a little off, single answers are much farther off.
        assert abs(said.mean() - plain[0][part]) < 0.4 * off
    access = NluTagger(recipe).open(varying)[LabelLikelihoodAccess]
    shown = [access.likelihoods([corpus.texts[0].tokens]) for _ in range(2)]
    assert not np.array_equal(*shown)


def test_characters_are_read_of_every_word() -> None:
    """Also of words outside the training texts; a word's vector is what training had, then what its characters say."""
    target = NluTagger({**SMALL, "epochs": 2, "characters": True})
    corpus = utterances(60)
    artefact = target.train(corpus, np.random.default_rng(0))
    access = target.open(artefact)[GradientAccess]
    assert access.word_width == SMALL["width"]
    known = corpus.split("train").texts[0].tokens[0]
    zebra, yak, seen = access.vectors(["zebra-1", "yak-2", known])
    width = SMALL["width"]
    assert len(zebra) > width
    assert not torch.equal(zebra[width:], yak[width:])
    row = artefact.values["words"].index(known) + 2  # after padding and the unknown word
    kept = artefact.arrays["network.embedding.weight"][row]
    assert np.allclose(seen[:width].numpy(), kept)
    text = corpus.texts[3]
    parts = access.loss(access.vectors(text.tokens)[None], [Supervision(text.label, text.tags)])
    shown = access.likelihoods([text.tokens])[0, access.labels.index(text.label)]
    assert parts["intent"].item() == pytest.approx(-np.log(shown), rel=1e-9)
    assert (
        NluTagger(SMALL)
        .open(NluTagger({**SMALL, "epochs": 1}).train(corpus, np.random.default_rng(0)))[GradientAccess]
        .word_width
        is None
    )
