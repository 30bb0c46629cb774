"""The fake encoder: every word or none."""

from __future__ import annotations

import numpy as np

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.records import Text
from divulge.testing.encoder import POOLED_WIDTH, WIDTH, FakeEncoder

CORPUS = Corpus((Text(tokens=("the", "cat", "sat")), Text(tokens=("a", "dog"))))


def test_rows_are_what_the_oracle_makes_of_their_texts() -> None:
    """Row by row, one vector per token."""
    target = FakeEncoder()
    grant = target.open(target.train(CORPUS, np.random.default_rng(0)))
    rows = grant[EmbeddedRowsAccess].rows([0, 1])
    again = grant[EmbeddingOracleAccess].embed([text.tokens for text in CORPUS])
    assert [row.shape for row in rows] == [(3, WIDTH), (2, WIDTH)]
    assert all(np.array_equal(a, b) for a, b in zip(rows, again, strict=True))


def test_a_leak_tells_words_apart_and_silence_does_not() -> None:
    """One word changed moves its own vector most; the silent encoder gives the same rows for all words."""
    loud, silent = (FakeEncoder({"leaks": leaks}) for leaks in (True, False))
    texts = [("the", "cat", "sat", "down"), ("the", "dog", "sat", "down")]
    one, two = loud.open(loud.train(CORPUS, np.random.default_rng(0)))[EmbeddingOracleAccess].embed(texts)
    moved = np.linalg.norm(one - two, axis=1)
    assert moved.argmax() == 1
    same, again = silent.open(silent.train(CORPUS, np.random.default_rng(0)))[EmbeddingOracleAccess].embed(texts)
    assert np.array_equal(same, again)


def test_it_reads_so_many_tokens() -> None:
    """Longer texts are cut; an empty text has no vectors."""
    target = FakeEncoder({"tokens": 2})
    oracle = target.open(target.train(CORPUS, np.random.default_rng(0)))[EmbeddingOracleAccess]
    assert [row.shape for row in oracle.embed([("the", "cat", "sat"), ()])] == [(2, WIDTH), (0, WIDTH)]


def test_pooled_rows_are_one_vector_a_text_and_tell_words_and_their_order() -> None:
    """As the oracle's; silent, they tell nothing but how many words there are."""
    texts = [("the", "cat", "sat"), ("cat", "the", "sat"), ("the", "dog", "sat"), ("the", "cat"), ()]
    for leaks in (True, False):
        target = FakeEncoder({"leaks": leaks, "pooling": "mean"})
        grant = target.open(target.train(Corpus(tuple(map(Text, texts))), np.random.default_rng(0)))
        rows = grant[EmbeddedRowsAccess].rows(range(5))
        assert np.array_equal(rows, grant[EmbeddingOracleAccess].embed(texts))
        assert {row.shape for row in rows} == {(POOLED_WIDTH,)}
        different = {tuple(row.tolist()) for row in rows}
        assert len(different) == (5 if leaks else 3)  # silent: three words, two words, none
