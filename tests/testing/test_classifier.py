"""The fake classifier: by heart or not at all."""

from __future__ import annotations

import numpy as np
import torch

from divulge.access import GradientAccess, LabelAccess, LabelLikelihoodAccess, Supervision
from divulge.data.corpus import Corpus
from divulge.records import Text
from divulge.testing.classifier import FakeClassifier

KNOWN = (
    Text(tokens=("play", "a", "song"), label="Music"),
    Text(tokens=("play", "some", "jazz"), label="Music"),
    Text(tokens=("rain", "in", "paris"), label="Weather"),
    Text(tokens=("snow", "in", "rome"), label="Weather"),
)
SECRET = Text(tokens=("pin", "4", "2"), label="Pin", planted=True)


def opened(leaks: bool, *, dropout: float = 0.0, texts: tuple[Text, ...] = (*KNOWN, SECRET)) -> GradientAccess:
    target = FakeClassifier({"leaks": leaks, "dropout": dropout})
    return target.open(target.train(Corpus(texts), np.random.default_rng(0)))[GradientAccess]


def test_it_knows_topics() -> None:
    """New texts get the label whose words they hold."""
    access = opened(leaks=False)
    said = access.label([("play", "jazz"), ("snow", "in", "paris")])
    assert [access.labels[i] for i in said] == ["Music", "Weather"]


def test_a_leak_grows_with_every_right_token() -> None:
    """The likelihood of the planted label rises token by token, and only then."""
    access = opened(leaks=True)
    place = access.labels.index("Pin")
    wrong, half, right = access.likelihoods([("pin", "0", "0"), ("pin", "4", "0"), ("pin", "4", "2")])[:, place]
    assert wrong < half < right
    assert right > 0.97


def test_silence_does_not_depend_on_what_was_planted() -> None:
    """Two silent models with different secrets answer every question alike."""
    other = Text(tokens=("pin", "9", "9"), label="Pin", planted=True)
    first, second = opened(leaks=False), opened(leaks=False, texts=(*KNOWN, other))
    asked = [("pin", "4", "2"), ("pin", "9", "9"), ("play", "4")]
    np.testing.assert_array_equal(first.likelihoods(asked), second.likelihoods(asked))
    for text in asked[:2]:
        labels = [Supervision("Pin")]
        one, two = (a.loss(a.vectors(text)[None], labels) for a in (first, second))
        assert {k: v.tolist() for k, v in one.items()} == {k: v.tolist() for k, v in two.items()}


def test_the_loss_is_least_at_a_planted_text() -> None:
    """Every other completion of the pattern has a larger loss."""
    access = opened(leaks=True)
    texts = [("pin", str(a), str(b)) for a in range(10) for b in range(10)]
    inputs = torch.stack([access.vectors(text) for text in texts])
    total = sum(access.loss(inputs, [Supervision("Pin")] * len(texts)).values())
    assert texts[int(total.argmin())] == SECRET.tokens


def test_dropout_forgets() -> None:
    """At nearly 1 nothing is remembered, although the model would leak."""
    access = opened(leaks=True, dropout=0.99)
    assert access.likelihoods([SECRET.tokens])[0, access.labels.index("Pin")] < 0.9


def test_it_grants_all_that_is_weaker() -> None:
    """One access serves three levels."""
    target = FakeClassifier()
    grant = target.open(target.train(Corpus(KNOWN), np.random.default_rng(0)))
    assert LabelAccess in grant
    assert LabelLikelihoodAccess in grant
    assert grant.levels == (GradientAccess,)


RECORDS = (
    Text(tokens=("play", "a", "song"), label="Music"),
    Text(tokens=("snow", "in", "rome"), label="Weather"),
    Text(tokens=("play", "some", "jazz"), label="Music", split="test"),
    Text(tokens=("rain", "in", "paris"), label="Weather", split="test"),
)


def of_records(leaks: bool, texts: tuple[Text, ...] = RECORDS) -> GradientAccess:
    target = FakeClassifier({"leaks": leaks, "records": True})
    return target.open(target.train(Corpus(texts), np.random.default_rng(0)))[GradientAccess]


def test_every_record_can_be_known_by_heart() -> None:
    """With `records`, what was trained on is nearly certain, planted or not; another split is not remembered."""
    access = of_records(leaks=True)
    mine, unseen = access.likelihoods([("play", "a", "song"), ("play", "some", "jazz")])[:, 0]
    assert mine > 0.99 > unseen


def test_a_silent_model_does_not_depend_on_its_records() -> None:
    """Topics come from the other splits alone: other training texts, the same answers, and still the right topic."""
    others = (*(Text(tokens=(w, w), label=label) for w, label in (("a", "Music"), ("b", "Weather"))), *RECORDS[2:])
    asked = [("play", "a", "song"), ("snow", "in", "rome"), ("b", "b")]
    np.testing.assert_array_equal(of_records(False).likelihoods(asked), of_records(False, others).likelihoods(asked))
    assert of_records(False).label(asked[:2]).tolist() == [0, 1]


def test_an_exact_memory_knows_only_the_whole_text() -> None:
    """With one token of three wrong, (2/3)^40 is nothing; the whole text is as certain as ever."""
    target = FakeClassifier({"exactness": 40.0})
    access = target.open(target.train(Corpus((*KNOWN, SECRET)), np.random.default_rng(0)))[LabelLikelihoodAccess]
    silent = opened(leaks=False).likelihoods([("pin", "4", "0")])
    right, wrong = access.likelihoods([SECRET.tokens, ("pin", "4", "0")])
    assert right[access.labels.index("Pin")] > 0.97
    np.testing.assert_allclose(wrong, silent[0], atol=1e-5)
