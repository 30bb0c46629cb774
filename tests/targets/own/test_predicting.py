"""A finished classifier of one's own, by function, class or object: its labels, its answers, its faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.access import LabelAccess, LabelLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Text
from divulge.targets.own.classifier import OwnClassifier

Module = Callable[[str], str]
CODE = """
from pathlib import Path

def predict(texts):
    return [[0.25, 0.75] if "good" in text else [0.75, 0.25] for text in texts]

def names(texts):
    return ["yes" if "good" in text else "no" for text in texts]

def logits(texts):
    return [[-1.0, 3.0] for text in texts]

def wide(texts):
    return [[0.2, 0.3, 0.5] for text in texts]

def stranger(texts):
    return ["yes" if "good" in text else "maybe" for text in texts]

class Model:
    classes_ = ["no", "yes"]
    def __init__(self, path=None, sure=0.75):
        self.sure = float(Path(path).read_text()) if path else sure
    def predict_proba(self, texts):
        return [[1 - self.sure, self.sure] for text in texts]
    def predict(self, texts):
        return ["yes" for text in texts]

model = Model()
"""
CORPUS = Corpus((Text(("good", "day"), "yes"), Text(("bad", "day"), "no"), Text(("day",), "no", split="test")))
LABELS = ["no", "yes"]


def opened(name: str, what: str, **settings: Any) -> Grant:
    """What is granted once the model has been read."""
    target = OwnClassifier({"predict": f"{name}:{what}", **settings})
    return target.open(target.train(CORPUS, np.random.default_rng(0)))


def test_a_function_gives_probabilities(module: Module) -> None:
    """Of the labels of the recipe, in their order; texts are words joined by spaces."""
    access = opened(module(CODE), "predict", labels=LABELS)[LabelLikelihoodAccess]
    assert access.labels == ("no", "yes")
    assert access.likelihoods([("a", "good", "day"), ("bad",)]).tolist() == [[0.25, 0.75], [0.75, 0.25]]
    assert access.label([("good",)]).tolist() == [1]
    assert access.likelihoods([]).shape == (0, 2)


@pytest.mark.parametrize("what", ["Model", "model"])
def test_a_class_or_an_object_as_scikit_learn_has_them(module: Module, what: str) -> None:
    """It tells its labels itself, and is asked by predict_proba."""
    access = opened(module(CODE), what)[LabelLikelihoodAccess]
    assert access.labels == ("no", "yes")
    assert access.likelihoods([("x",)]).tolist() == [[0.25, 0.75]]


def test_path_and_arguments_go_to_the_class(module: Module, tmp_path: Path) -> None:
    """What lies at the path is part of the recipe: another model there is another target."""
    name = module(CODE)
    assert opened(name, "Model", arguments={"sure": 0.5})[LabelLikelihoodAccess].likelihoods([("x",)])[0, 1] == 0.5
    weights = tmp_path / "weights.txt"
    sources = []
    for sure in ("0.9", "0.6"):
        weights.write_text(sure)
        grant = opened(name, "Model", path=str(weights))
        assert grant[LabelLikelihoodAccess].likelihoods([("x",)])[0, 1] == float(sure)
        sources.append(OwnClassifier({"predict": f"{name}:Model", "path": str(weights)}).options.source)
    assert sources[0] != sources[1]


def test_names_alone_grant_labels_alone(module: Module) -> None:
    """Also of a class that could tell more: the owner says what is shown."""
    name = module(CODE)
    for what, settings in (("names", {"labels": LABELS}), ("Model", {})):
        grant = opened(name, what, answers="labels", **settings)
        assert grant.levels == (LabelAccess,)
        assert grant[LabelAccess].label([("good", "day")]).tolist() == [1]
        target = OwnClassifier({"predict": f"{name}:{what}", "answers": "labels", **settings})
        assert target.granted == (LabelAccess,)


@pytest.mark.parametrize(
    ("what", "settings", "said"),
    [
        ("logits", {"labels": LABELS}, "Apply a softmax"),
        ("wide", {"labels": LABELS}, r"shape \(2, 2\), one column for each of the labels.* Got \(2, 3\)"),
        ("names", {"labels": LABELS}, "must answer with numbers"),
        ("stranger", {"labels": LABELS, "answers": "labels"}, r"gave another at example [0-9a-f]{12}"),
    ],
)
def test_wrong_answers_are_told_when_the_model_is_read(
    module: Module, what: str, settings: dict[str, Any], said: str
) -> None:
    """Before any attack: what was found and what is expected, and never a text."""
    with pytest.raises(ExecutionError, match=said) as caught:
        opened(module(CODE), what, **settings)
    assert "bad day" not in str(caught.value)


@pytest.mark.parametrize(
    ("what", "labels", "said"),
    [
        ("predict", [], "has no classes_: tell its labels"),
        ("Model", ["yes", "no"], "must be the 2 classes_ of .*, in that order"),
        ("predict", ["spam", "ham"], "none of the 2 labels of the data is among the 2 labels of the model"),
        ("predict", ["no", "no"], "one is named twice"),
    ],
)
def test_wrong_labels_are_told(module: Module, what: str, labels: list[str], said: str) -> None:
    """A label set that is not the model's, or not the data's, makes every figure void."""
    with pytest.raises(InputError, match=said):
        opened(module(CODE), what, labels=labels)


@pytest.mark.parametrize(
    ("what", "settings", "said"),
    [
        ("LABELS", {}, "must be callable, or have predict_proba. Got list"),
        (
            "predict",
            {"path": "."},
            r"cannot be made of path and arguments \(path\): missing a required argument: 'texts'",
        ),
        ("Model", {"arguments": {"sise": 2}}, "unexpected keyword argument 'sise'"),
    ],
)
def test_what_cannot_be_asked_is_told_when_the_audit_is_checked(
    module: Module, what: str, settings: dict[str, Any], said: str
) -> None:
    """Nothing is loaded for it."""
    name = module(CODE + "\nLABELS = ['no', 'yes']\n")
    with pytest.raises(InputError, match=said):
        OwnClassifier({"predict": f"{name}:{what}", "labels": LABELS, **settings})


def test_labels_of_other_data_are_told_when_the_audit_is_checked(module: Module) -> None:
    """As far as the recipe tells them; the model is not made for it."""
    name = module(CODE)
    assert OwnClassifier({"predict": f"{name}:predict", "labels": LABELS}).misfits(CORPUS) == []
    assert OwnClassifier({"predict": f"{name}:Model"}).misfits(CORPUS) == []
    (said,) = OwnClassifier({"predict": f"{name}:predict", "labels": ["a", "b"]}).misfits(CORPUS)
    assert "none of the 2 labels of the data" in said
