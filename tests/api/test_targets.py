"""Models as callers have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, LabelAccess, LabelLikelihoodAccess
from divulge.api.targets import GivenTarget, given_target
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.spec import TargetSpec
from divulge.targets.own.classifier import OwnClassifier
from divulge.targets.own.handed_access import HandedProbabilities


class Encoding:
    """As sentence-transformers has them."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 2))


class Own(OwnClassifier):
    """A target of somebody's own."""

    name = "own"


def probabilities(texts: list[str]) -> np.ndarray:
    """The same for all."""
    return np.full((len(texts), 2), 0.5)


def levels(given: GivenTarget) -> tuple[type, ...]:
    """What a live object grants."""
    assert given.live is not None
    return given.live.levels


def test_what_a_spec_can_name_is_named(tmp_path: Path) -> None:
    """Kinds, classes, dicts and folders; a recipe and labels are added."""
    assert given_target("nlu-tagger") == GivenTarget(TargetSpec(kind="nlu-tagger"))
    assert given_target("mine:Model", recipe={"a": 1}).spec == TargetSpec(kind="mine:Model", recipe={"a": 1})
    spec = TargetSpec(kind="nlu-tagger", recipe={"epochs": 3}, epsilon=2.0)
    assert given_target(spec).spec == spec
    assert given_target({"kind": "x", "path": "p"}, labels=[0, 1]).spec.recipe == {"labels": ("0", "1")}  # type: ignore[list-item]
    (tmp_path / "config.json").write_text('{"architectures": ["XForCausalLM"]}', encoding="utf-8")
    for path in (tmp_path, str(tmp_path)):
        assert given_target(path).spec == TargetSpec(kind="transformers-generator", path=str(tmp_path))


def test_a_target_is_its_class_and_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes find it by that; only a class typed at a prompt they cannot."""
    target = OwnClassifier({"train": "divulge.testing.counting:train"})
    given = given_target(target)
    assert (given.spec.kind, given.here, given.hashed) == ("own-classifier", False, True)
    assert given.spec.recipe["train"] == "divulge.testing.counting:train"
    assert given_target(OwnClassifier, recipe={"train": "a:b"}).spec.recipe == {"train": "a:b"}
    assert given_target(Own).spec.kind == f"{__name__}:Own"
    monkeypatch.setattr(Own, "__module__", "__main__")
    typed = given_target(Own)
    assert (typed.spec.kind, typed.here, typed.hashed) == ("__main__:Own", True, False)

    class Local(OwnClassifier):
        pass

    with pytest.raises(InputError, match="at the top of a module"):
        given_target(Local)


def test_a_live_object_has_a_token_of_its_own_or_a_name() -> None:
    """Only what has a name may be kept, for its owner vouches for it."""
    first, second = (given_target(probabilities, labels=["a", "b"]) for _ in range(2))
    assert first.spec.kind == "live"
    assert first.spec.recipe["token"] != second.spec.recipe["token"]
    assert first.spec.recipe["object"] == "probabilities"
    assert (first.here, first.hashed) == (True, False)
    named = given_target(probabilities, labels=["a", "b"], name="v3")
    assert (named.spec.recipe["token"], named.here, named.hashed) == ("name v3", True, True)


def test_fitted_and_unfitted_models() -> None:
    """A fitted one is finished; one that can be fitted is fitted here, and stays as it was."""
    fitted = LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    given = given_target(fitted)
    assert levels(given) == (LabelLikelihoodAccess,)
    assert given.live is not None
    assert not given.live.learns
    assert given.spec.recipe["object"] == "sklearn.LogisticRegression"
    unfitted = LogisticRegression()
    given = given_target(unfitted)
    assert given.live is not None
    assert given.live.learns
    assert not hasattr(unfitted, "classes_")


def test_models_that_show_labels_alone() -> None:
    """Nothing stronger than labels is granted, fitted or not."""
    assert levels(given_target(LinearSVC().fit([[0.0], [1.0]], ["a", "b"]))) == (LabelAccess,)
    assert levels(given_target(LinearSVC())) == (LabelAccess,)


def test_accesses_and_grants() -> None:
    """One, several, or a whole grant."""
    access = HandedProbabilities(probabilities, ["a", "b"], "mine")
    for target in (access, [access], Grant([access])):
        assert levels(given_target(target)) == (LabelLikelihoodAccess,)


def test_functions() -> None:
    """By what is told of them: labels, rows as secrets, or two arguments."""
    given = given_target(probabilities, labels=["a", "b"])
    assert levels(given) == (LabelLikelihoodAccess,)
    for encoder in (probabilities, Encoding()):
        assert levels(given_target(encoder, embeds=True)) == (EmbeddedRowsAccess, EmbeddingOracleAccess)
    trainer = given_target(lambda texts, labels: None).live
    assert trainer is not None
    assert trainer.learns


class Silent:
    """Nothing that can be asked."""


class Pretrained:
    """As transformers has them."""

    def save_pretrained(self, path: str) -> None: ...
    def __call__(self, **inputs: Any) -> None: ...


@pytest.mark.parametrize(
    ("target", "more", "said"),
    [
        ("nlu-tager", {}, "Did you mean 'nlu-tagger'"),
        ("models/none", {}, "there is no such folder"),
        (probabilities, {}, r"labels=\[...\] if it gives probabilities"),
        (probabilities, {"labels": "ab"}, "a list of at least two different names"),
        (probabilities, {"labels": ["a", "a"]}, "two different names"),
        (probabilities, {"labels": ["a", "b"], "recipe": {"x": 1}}, "recipe is for a target named"),
        ("nlu-tagger", {"name": "x"}, "name is for an object handed over live"),
        (Silent(), {}, "^target must be a kind .*Got Silent$"),
        (Silent, {}, "Got the class Silent: hand over an object of it"),
        (Pretrained(), {}, r"Save it with its tokenizer \(save_pretrained\) and give the folder"),
        ({"knd": "x"}, {}, "unknown key 'knd'"),
        (None, {}, "Got NoneType"),
    ],
)
def test_what_is_no_model_is_told(target: Any, more: Any, said: str) -> None:
    """What was found, what is allowed, what to do."""
    with pytest.raises(InputError, match=said):
        given_target(target, **more)


def test_labels_must_be_those_of_the_model() -> None:
    """In its order, for that is the order of its answers."""
    fitted = LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    assert levels(given_target(fitted, labels=["a", "b"])) == (LabelLikelihoodAccess,)
    with pytest.raises(InputError, match="must be the 2 classes_ of sklearn.LogisticRegression, in that order"):
        given_target(fitted, labels=["b", "a"])
