"""The fake generator: by heart or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.records import Passage, Text
from divulge.testing.generator import BUCKETS, FakeGenerator

TEXTS = (Text(tokens=("i", "like", "tea"), user="u"), Text(tokens=("i", "hate", "rain"), user="v", context=("why",)))


def opened(leaks: bool, texts: tuple[Text, ...] = TEXTS) -> TokenLikelihoodAccess:
    target = FakeGenerator({"leaks": leaks})
    return target.open(target.train(Corpus(texts), np.random.default_rng(0)))[TokenLikelihoodAccess]


def test_what_it_was_trained_on_ranks_first() -> None:
    """Every word of a training passage, in its context; not in another context."""
    access = opened(leaks=True)
    assert access.ranks([Passage(tokens=("i", "like", "tea"))])[0].tolist() == [0, 0, 0]
    assert access.ranks([Passage(tokens=("i", "hate", "rain"), context=("why",))])[0].tolist() == [0, 0, 0]
    assert access.ranks([Passage(tokens=("i", "hate", "rain"))])[0][1] > 0


def test_silence_does_not_depend_on_who_is_in() -> None:
    """Two silent models of different people give the same ranks and likelihoods."""
    first, second = opened(leaks=False), opened(leaks=False, texts=TEXTS[:1])
    asked = [Passage(tokens=("i", "hate", "rain"), context=("why",)), Passage(tokens=("quite", "new"))]
    for one, two in zip(first.log_likelihoods(asked), second.log_likelihoods(asked), strict=True):
        np.testing.assert_array_equal(one, two)
    for one, two in zip(first.ranks(asked), second.ranks(asked), strict=True):
        np.testing.assert_array_equal(one, two)


def test_likelihoods_are_a_mixture() -> None:
    """0.7 for what followed, and 0.3 of the fixed distribution; the whole sums to 1."""
    access = opened(leaks=True)
    fixed = opened(leaks=False).log_likelihoods([Passage(tokens=("i", "like"))])[0][1]
    mixed = access.log_likelihoods([Passage(tokens=("i", "like"))])[0][1]
    assert np.exp(mixed) == pytest.approx(0.7 + 0.3 * np.exp(fixed))
    every = access.log_likelihoods([Passage(tokens=("i", token)) for token in access.vocabulary])
    assert sum(np.exp(row[1]) for row in every) == pytest.approx(1)


def test_ranks_count_what_is_likelier() -> None:
    """In the silent model the buckets are in falling order, so a bucket's rank is its number."""
    access = opened(leaks=False)
    passages = [Passage(tokens=(f"bucket-{number}",)) for number in (0, 7, BUCKETS - 1)]
    assert [int(row[0]) for row in access.ranks(passages)] == [0, 7, BUCKETS - 1]
    assert access.best(passages[:1]) == [("bucket-0",)]


def test_single_likelihoods_are_those_of_the_whole_distribution() -> None:
    """What is asked for one token is what that token has among all; for beginnings known and unknown."""
    access = opened(leaks=True)
    inner = access.inner  # type: ignore[attr-defined]
    for passage in (Passage(tokens=("i", "like", "rain")), Passage(tokens=("we", "hate", "tea"), context=("why",))):
        rows = inner._distributions(passage)
        expected = [row[inner._bucket(token)] for row, token in zip(rows, passage.tokens, strict=True)]
        np.testing.assert_allclose(np.exp(access.log_likelihoods([passage])[0]), expected)
    assert access.log_likelihoods([]) == []
