"""Objects of the user's as something that can be audited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.access import (
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    TokenLikelihoodAccess,
)
from divulge.data.corpus import Corpus
from divulge.errors import InputError, OwnCodeError
from divulge.records import Gaps, LeakedRow, RecordText, Text, UserTexts
from divulge.targets.own.handed import Encoder, Finished, Trainer, fitted_access, takes
from divulge.targets.own.handed_access import HandedProbabilities
from divulge.targets.own.live import LiveModel, held
from divulge.testing.classifier import FakeClassifier
from divulge.testing.generator import FakeGenerator

CORPUS = Corpus(
    (
        Text(("good", "day"), label="yes"),
        Text(("bad", "day"), label="no"),
        Text(("some", "day"), label="yes", split="test"),
    ),
    "small",
)


class Counting:
    """A model that remembers how often each label was seen, and in which texts."""

    trained = 0

    def __init__(self, texts: list[str], labels: list[str]) -> None:
        Counting.trained += 1
        self.texts, self.classes_ = texts, sorted(set(labels))

    def predict_proba(self, texts: list[str]) -> np.ndarray:
        known = np.array([[0.9, 0.1] if text in self.texts else [0.4, 0.6] for text in texts])
        return known.reshape(len(texts), 2)

    def predict(self, texts: list[str]) -> list[str]:
        return [self.classes_[0] for _ in texts]


def test_a_finished_model_tells_what_it_grants() -> None:
    """A classifier holds texts with gaps and records; it learns nothing and is tried when it is read."""
    asked: list[list[str]] = []

    def function(texts: list[str]) -> np.ndarray:
        asked.append(texts)
        return np.full((len(texts), 2), 0.5)

    handed = Finished([HandedProbabilities(function, ["yes", "no"], "mine")], "mine")
    assert (handed.levels, handed.hints) == ((LabelLikelihoodAccess,), (Gaps, RecordText))
    assert (handed.learns, handed.is_tagger, handed.labels_texts) == (False, False, True)
    artefact = handed.train(CORPUS)
    assert asked == [["good day", "bad day"]]
    assert handed.open(artefact)[LabelAccess].label([("good",)]).tolist() == [0]


def test_a_model_without_a_label_of_the_data_is_refused() -> None:
    """Every figure about it would be void; one label in common is enough, and texts without labels tell nothing."""
    for labels, said in ((["ja", "nein"], 1), (["ja", "no"], 0)):
        handed = Finished([HandedProbabilities(lambda texts: None, labels, "mine")], "mine")
        assert len(handed.misfits(CORPUS)) == said
    assert handed.misfits(Corpus((Text(("a",)),))) == []
    strange = Finished([HandedProbabilities(lambda texts: None, ["ja", "nein"], "mine")], "mine")
    with held("t", strange):
        (problem,) = LiveModel({"token": "t"}).misfits(CORPUS)
    assert problem.startswith("none of the 2 labels of the data is among the 2 labels of mine")
    assert Trainer(Counting, "mine").misfits(CORPUS) == []
    assert "the train split has 1" in Trainer(Counting, "mine").misfits(Corpus(CORPUS.texts[:1]))[0]


def test_generators_may_hold_people() -> None:
    """And no labels."""
    fake = FakeGenerator()
    handed = Finished(fake.open(fake.train(CORPUS, np.random.default_rng(0))).accesses, "mine")
    assert handed.levels == (TokenLikelihoodAccess,)
    assert set(handed.hints) == {Gaps, RecordText, UserTexts}
    assert not handed.labels_texts


def test_taggers_are_known_by_their_tags() -> None:
    """As the access says."""
    fake = FakeClassifier()
    corpus = Corpus((Text(("a", "b"), label="x", tags=("O", "B-x")), Text(("c",), label="y", tags=("O",))), "tagged")
    (access,) = fake.open(fake.train(corpus, np.random.default_rng(0))).accesses
    assert isinstance(access, LabelAccess)
    assert Finished([access], "mine").is_tagger == bool(access.tag_names)


def test_an_encoder_grants_its_rows_and_itself() -> None:
    """Row by row the texts of the corpus, in order."""
    handed = Encoder(lambda texts: np.array([[len(text), 1.0] for text in texts]), "mine")
    assert (handed.levels, handed.hints) == ((EmbeddedRowsAccess, EmbeddingOracleAccess), (LeakedRow,))
    grant = handed.open(handed.train(CORPUS))
    assert [row.tolist() for row in grant[EmbeddedRowsAccess].rows([1, 0])] == [[7.0, 1.0], [8.0, 1.0]]
    assert grant[EmbeddingOracleAccess].embed([("x",)])[0].tolist() == [1.0, 1.0]


def test_a_trainer_learns_the_train_split_once() -> None:
    """The model that was asked first is asked again; other texts make another one."""
    Counting.trained = 0
    handed = Trainer(Counting, "mine")
    artefact = handed.train(CORPUS)
    assert artefact.values == {"texts": ["good day", "bad day"], "labels": ["yes", "no"]}
    access = handed.open(artefact)[LabelLikelihoodAccess]
    assert access.labels == ("no", "yes")
    assert access.likelihoods([("good", "day"), ("some", "day")]).tolist() == [[0.9, 0.1], [0.4, 0.6]]
    assert (handed.learns, handed.levels, Counting.trained) == (True, (LabelLikelihoodAccess,), 1)
    assert Trainer(Counting, "mine").open(artefact)[LabelAccess].label([("good", "day")]).tolist() == [0]
    assert Counting.trained == 2


def test_a_trainer_may_show_labels_alone() -> None:
    """Then nothing stronger is granted."""
    handed = Trainer(Counting, "mine", probabilities=False)
    assert handed.levels == (LabelAccess,)
    assert handed.open(handed.train(CORPUS)).levels == (LabelAccess,)


def test_training_that_fails_is_told() -> None:
    """Without the words of the error, which may quote a text; one label is nothing to learn."""

    def raising(texts: list[str], labels: list[str]) -> Any:
        raise ValueError(texts[0])

    with pytest.raises(OwnCodeError, match="^mine raised ValueError when it was trained$"):
        Trainer(raising, "mine").train(CORPUS)
    with pytest.raises(InputError, match="at least 2 labels"):
        Trainer(Counting, "mine").train(Corpus(CORPUS.texts[:1], "one"))
    with pytest.raises(InputError, match="Got NoneType without classes_ and predict_proba"):
        Trainer(lambda texts, labels: None, "mine").train(CORPUS)


def test_labels_of_a_fitted_model_are_spelt() -> None:
    """Numbers become text, as data have them."""
    model = Counting([], ["a", "b"])
    model.classes_ = np.array([0, 1])  # type: ignore[assignment]
    access = fitted_access(model, "mine")
    assert isinstance(access, LabelAccess)
    assert access.labels == ("0", "1")


def test_how_many_arguments_a_function_takes() -> None:
    """Those without a default."""
    assert takes(lambda texts, labels: 0, 2)
    assert takes(lambda texts, labels, more=1: 0, 2)
    assert not takes(lambda texts: 0, 2)
    assert not takes(lambda texts, labels=(): 0, 2)
    assert not takes(dict.get, 7)
