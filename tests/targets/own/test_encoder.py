"""An encoder of one's own, pooled or not, and the rows that it made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.records import Text
from divulge.targets.own.encoder import OwnEncoder

Module = Callable[[str], str]
CODE = """
import numpy as np

def pooled(texts):
    return np.array([[len(text), 1.0] for text in texts])

def words(texts):
    return [np.array([[len(word), 1.0] for word in text.split()]) for text in texts]

def pieces(texts):
    return [np.ones((len(text), 2)) for text in texts]

def widening(texts):
    return [np.ones(len(text)) for text in texts]

def undefined(texts):
    return [[float("nan")] for text in texts]

class Model:
    def encode(self, texts):
        return pooled(texts)
"""
CORPUS = Corpus((Text(("good", "day")), Text(("a",)), Text(("unseen", "text"), split="test")))


def opened(name: str, what: str, **settings: Any) -> Grant:
    """What is granted once the corpus has been embedded."""
    target = OwnEncoder({"embed": f"{name}:{what}", **settings})
    return target.open(target.train(CORPUS, np.random.default_rng(0)))


@pytest.mark.parametrize("what", ["pooled", "Model"])
def test_rows_are_what_the_encoder_gives_for_the_corpus(module: Module, what: str) -> None:
    """In its order, every split; the oracle gives the same for the same text."""
    grant = opened(module(CODE), what)
    rows = grant[EmbeddedRowsAccess]
    assert [row.tolist() for row in rows.rows([0, 1, 2])] == [[8.0, 1.0], [1.0, 1.0], [11.0, 1.0]]
    assert grant[EmbeddingOracleAccess].embed([("good", "day")])[0].tolist() == [8.0, 1.0]


def test_unpooled_rows_have_a_vector_for_each_word(module: Module) -> None:
    """Of the first `tokens` words, where that is set."""
    name = module(CODE)
    assert opened(name, "words")[EmbeddedRowsAccess].rows([0])[0].tolist() == [[4.0, 1.0], [3.0, 1.0]]
    cut = opened(name, "words", tokens=1)
    assert cut[EmbeddedRowsAccess].rows([0])[0].tolist() == [[4.0, 1.0]]
    assert cut[EmbeddingOracleAccess].embed([("good", "day")])[0].tolist() == [[4.0, 1.0]]
    assert OwnEncoder({"embed": f"{name}:words", "tokens": 1}).reads == 1
    assert OwnEncoder({"embed": f"{name}:words"}).width == 2


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("pieces", r"Got 8 for 2 words at example [0-9a-f]{12}"),
        ("widening", "vectors of one width, all pooled or all unpooled. Got 8 and 1 numbers"),
        ("undefined", "1 of 1 are NaN or infinite"),
    ],
)
def test_wrong_answers_are_told(module: Module, what: str, said: str) -> None:
    """Rows that do not line up with words would look like a model that gives nothing away."""
    with pytest.raises(ExecutionError, match=said):
        opened(module(CODE), what)
