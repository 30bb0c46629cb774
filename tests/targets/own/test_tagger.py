"""A finished tagger of one's own: tags, or their probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from divulge.access import LabelAccess, LabelLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Text
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.tagger import OwnTagger

Module = Callable[[str], str]
CODE = """
def tag(texts):
    return [["B-name" if word[0].isupper() else "O" for word in words] for words in texts]

def likely(texts):
    return [[[0.1, 0.9] if word[0].isupper() else [0.8, 0.2] for word in words] for words in texts]

def short(texts):
    return [["O"] for words in texts]

def strange(texts):
    return [["X"] * len(words) for words in texts]

def narrow(texts):
    return [[[1.0]] * len(words) for words in texts]

class Tagger:
    tags = ["O", "B-name"]
    def tag(self, texts):
        return tag(texts)
"""
TAGS = ["O", "B-name"]
CORPUS = Corpus((Text(("hello", "Ann"), None, ("O", "B-name")), Text(()), Text(("bye",), None, ("O",))))
ASKED = [("see", "Bob"), (), ("go",)]


def opened(name: str, what: str, **settings: Any) -> Grant:
    """What is granted once the model has been read."""
    target = OwnTagger({"tag": f"{name}:{what}", **settings})
    return target.open(target.train(CORPUS, np.random.default_rng(0)))


@pytest.mark.parametrize(("what", "settings"), [("tag", {"tags": TAGS}), ("Tagger", {})])
def test_tags_are_given_to_words(module: Module, what: str, settings: dict[str, Any]) -> None:
    """By a function with the tags of the recipe, or by a class that tells them; a text without words has none."""
    grant = opened(module(CODE), what, **settings)
    assert grant.levels == (LabelAccess,)
    access = grant[LabelAccess]
    assert (access.labels, access.tag_names) == ((), ("O", "B-name"))
    assert access.tags(ASKED) == [("O", "B-name"), (), ("O",)]
    with pytest.raises(InputError, match="no labels to texts"):
        access.label(ASKED)


def test_probabilities_grant_likelihoods(module: Module) -> None:
    """The tag of a word is the likeliest."""
    grant = opened(module(CODE), "likely", tags=TAGS, answers="probabilities")
    assert grant.levels == (LabelLikelihoodAccess,)
    access = grant[LabelLikelihoodAccess]
    rows = access.tag_likelihoods(ASKED)
    assert [row.tolist() for row in rows] == [[[0.8, 0.2], [0.1, 0.9]], [], [[0.8, 0.2]]]
    assert access.tags(ASKED) == [("O", "B-name"), (), ("O",)]
    with pytest.raises(InputError, match="no labels to texts"):
        access.likelihoods(ASKED)


@pytest.mark.parametrize(
    ("what", "settings", "said"),
    [
        ("short", {}, "1 tags for 2 words, 0 of them unknown"),
        ("strange", {}, "2 tags for 2 words, 1 of them unknown"),
        ("narrow", {"answers": "probabilities"}, r"shape \(2, 2\), one column for each of the tags"),
        ("tag", {"answers": "probabilities"}, "must answer with numbers"),
    ],
)
def test_wrong_answers_are_told_with_the_example(module: Module, what: str, settings: Any, said: str) -> None:
    """When the model is read: what was found and what is expected."""
    with pytest.raises(ExecutionError, match=rf"{said}.*at example {example_id('hello Ann')}") as caught:
        opened(module(CODE), what, tags=TAGS, **settings)
    assert "Ann" not in str(caught.value)


@pytest.mark.parametrize(
    ("tags", "said"), [([], "has no attribute tags"), (["X", "Y"], "none of the 2 tags of the data is among the 2")]
)
def test_wrong_tags_are_told(module: Module, tags: list[str], said: str) -> None:
    """Before anything is asked."""
    with pytest.raises(InputError, match=said):
        opened(module(CODE), "tag", tags=tags)
