"""A classifier of one's own, by the function that trains it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from divulge.access import LabelLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.errors import InputError
from divulge.records import Artefact, Text
from divulge.spec import DataSpec
from divulge.targets.own.classifier import OwnClassifier

TRAIN = "divulge.testing.counting:train"
MINE = """
class Model:
    classes_ = ["no", "yes"]
    def __init__(self, texts, labels):
        self.known = dict(zip(texts, labels))
    def predict_proba(self, texts):
        return [[0.1, 0.9] if self.known.get(text) == "yes" else [0.9, 0.1] for text in texts]

def train(texts, labels):
    return Model(texts, labels)

def nothing(texts, labels):
    return object()

number = 3
"""
CORPUS = Corpus(
    (
        Text(("good", "day"), "yes"),
        Text(("bad", "day"), "no"),
        Text(("unseen",), "yes", split="test"),
        Text(("nameless",), None),
    )
)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of one's own beside the audit file."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_own_model", raising=False)
    path = tmp_path / "my_own_model.py"
    path.write_text(MINE)
    return path


def trained(named: str, corpus: Corpus = CORPUS) -> tuple[OwnClassifier, Artefact]:
    """The target and what it keeps."""
    target = OwnClassifier({"train": named})
    return target, target.train(corpus, np.random.default_rng(0))


def test_the_function_sees_the_labelled_training_texts(mine: Path) -> None:
    """Words joined by spaces; neither the test split nor a text without label."""
    target, kept = trained("my_own_model:train")
    assert kept.values == {"texts": ["good day", "bad day"], "labels": ["yes", "no"]}
    access = target.open(kept)[LabelLikelihoodAccess]
    assert access.labels == ("no", "yes")
    assert access.likelihoods([("good", "day"), ("unseen",)]).tolist() == [[0.1, 0.9], [0.9, 0.1]]
    assert access.likelihoods([]).shape == (0, 2)


def test_an_edited_file_is_another_recipe(mine: Path) -> None:
    """The hash of the file is in the recipe, and so in the key."""
    before = OwnClassifier({"train": "my_own_model:train"}).options
    mine.write_text(MINE + "\n# edited\n")
    after = OwnClassifier({"train": "my_own_model:train"}).options
    assert before.source
    assert before.source != after.source


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("no_such_module:train", "cannot be loaded"),
        ("my_own_model:absent", "has no function 'absent'"),
        ("my_own_model:number", "has no function 'number'"),
        ("my_own_model", "train"),
    ],
)
def test_a_function_that_is_not_there_is_told_before_training(mine: Path, named: str, said: str) -> None:
    """What is wrong, and with which name."""
    with pytest.raises(InputError, match=said):
        OwnClassifier({"train": named})


def test_what_it_returns_must_be_a_model(mine: Path) -> None:
    """With scikit-learn's interface; the message names what is missing."""
    with pytest.raises(InputError, match="object without classes_ and predict_proba"):
        trained("my_own_model:nothing")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def train(texts, labels)\n    pass\n", r"my_own_model\.py, line 1"),
        ("import not_there_at_all\n", "my_own_model imports it"),
        ("def train(texts, labels):\n    pass\n", "returned nothing"),
        ("def train(texts):\n    pass\n", "must take two arguments, texts and labels"),
        ("raise RuntimeError('no')\n", "RuntimeError"),
    ],
)
def test_slips_in_the_file_are_told_with_their_place(mine: Path, code: str, said: str) -> None:
    """Where to look, or what to change."""
    mine.write_text(code)
    with pytest.raises(InputError, match=said):
        trained("my_own_model:train")


def test_a_file_beside_it_counts_too(mine: Path) -> None:
    """What the function imports from its own folder may change the model."""
    before = OwnClassifier({"train": "my_own_model:train"}).options.source
    (mine.parent / "settings.py").write_text("C = 1\n")
    assert OwnClassifier({"train": "my_own_model:train"}).options.source != before


def test_it_is_trained_once_per_process_and_texts() -> None:
    """Opened twice, it is the same model; with other texts it is another."""
    corpus = load_corpus(DataSpec(name="synthetic-topics", options={"size": 60}))
    target, kept = trained(TRAIN, corpus)
    first, second = (target.open(kept).accesses[0] for _ in range(2))
    assert first._model is second._model
    fewer = Artefact(values={name: values[:30] for name, values in kept.values.items()})
    assert target.open(fewer).accesses[0]._model is not first._model


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ({}, "give either train"),
        ({"train": "my_own_model:train", "predict": "my_own_model:train"}, "give either train"),
        ({"train": "my_own_model:train", "answers": "labels", "labels": ["a"]}, "labels, answers: for predict alone"),
    ],
)
def test_a_model_is_trained_here_or_finished(mine: Path, recipe: dict[str, object], said: str) -> None:
    """Either, not both; and settings of one are not ignored in the other."""
    with pytest.raises(InputError, match=said):
        OwnClassifier(recipe)


def test_only_one_that_is_trained_here_learns(mine: Path) -> None:
    """Nothing can be planted into a finished one."""
    assert OwnClassifier({"train": "my_own_model:train"}).learns
    assert not OwnClassifier({"predict": "my_own_model:train", "labels": ["a", "b"]}).learns
