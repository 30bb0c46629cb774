"""A finished generator of one's own: pieces, ranks and likelihoods, or ranks alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Passage, Text
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.generator import OwnGenerator

Module = Callable[[str], str]
CODE = """
import math
from divulge.targets.own.scored import Scored

VOCABULARY = ["a", "b", "c"]
PAIRS = []

def score(pairs):
    PAIRS.extend(pairs)
    return [dict(pieces=list(text.replace(" ", "")), ranks=[0 if c == "a" else 1 for c in text.replace(" ", "")],
                 best=["a" for c in text.replace(" ", "")],
                 log_likelihoods=[math.log(0.5) for c in text.replace(" ", "")]) for context, text in pairs]

def words():
    return VOCABULARY

class Model:
    vocabulary = ("x", "y")
    def score(self, pairs):
        return [Scored(("x",), (1,), ("y",)) for pair in pairs]

def uneven(pairs):
    return [dict(one, ranks=[0]) for one in score(pairs)]

def unranked(pairs):
    return [{"pieces": one["pieces"], "log_likelihoods": one["log_likelihoods"]} for one in score(pairs)]

def positive(pairs):
    return [dict(one, log_likelihoods=[0.5] * len(one["ranks"])) for one in score(pairs)]

def fractions(pairs):
    return [dict(one, ranks=[0.5] * len(one["ranks"])) for one in score(pairs)]
"""
CORPUS = Corpus((Text(("ab", "c"), context=("why",)), Text(("a",))))
PASSAGE = Passage(context=("so", "what"), tokens=("ab", "a"))


def opened(name: str, what: str, **settings: Any) -> Grant:
    """What is granted once the model has been read."""
    target = OwnGenerator({"score": f"{name}:{what}", **settings})
    return target.open(target.train(CORPUS, np.random.default_rng(0)))


@pytest.mark.parametrize("vocabulary", ["VOCABULARY", "words"])
def test_a_function_scores_the_pieces_of_texts(module: Module, vocabulary: str) -> None:
    """It is handed context and text; the vocabulary is a list of its own, or a function that gives one."""
    name = module(CODE)
    grant = opened(name, "score", vocabulary=f"{name}:{vocabulary}")
    access = grant[TokenLikelihoodAccess]
    assert access.vocabulary == ("a", "b", "c")
    assert access.pieces([PASSAGE]) == [("a", "b", "a")]
    assert access.ranks([PASSAGE])[0].tolist() == [0, 1, 0]
    assert access.best([PASSAGE]) == [("a", "a", "a")]
    assert access.log_likelihoods([PASSAGE])[0] == pytest.approx([np.log(0.5)] * 3)
    import importlib

    asked = importlib.import_module(name).PAIRS
    assert asked == [("why", "ab c"), ("", "a"), ("so what", "ab a")]


def test_an_order_alone_grants_ranks_alone(module: Module) -> None:
    """A class tells its vocabulary itself, and need not tell likelihoods."""
    grant = opened(module(CODE), "Model", answers="ranks")
    assert grant.levels == (RankedTokensAccess,)
    assert grant[RankedTokensAccess].ranks([PASSAGE])[0].tolist() == [1]
    assert grant[RankedTokensAccess].vocabulary == ("x", "y")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("uneven", "lists of one length"),
        ("unranked", r"\(ranks, best missing\)"),
        ("positive", "none may be above 0"),
        ("fractions", "whole numbers from 0 on"),
        ("Model", r"\(log_likelihoods missing\)"),
    ],
)
def test_wrong_answers_are_told_with_the_example(module: Module, what: str, said: str) -> None:
    """Likelihoods without ranks are not enough, nor ranks where likelihoods are promised."""
    name, first = module(CODE), example_id("why\tab c")
    with pytest.raises(ExecutionError, match=rf"{name}:{what} must answer with .*{said}.* at example {first}"):
        opened(name, what, vocabulary=f"{name}:VOCABULARY")


def test_a_vocabulary_is_needed(module: Module) -> None:
    """Where it may stand is told."""
    with pytest.raises(InputError, match=r"as its attribute `vocabulary`, or by recipe\.vocabulary"):
        opened(module(CODE), "score")
