"""The linear discriminant per position, and its correction through the encoder."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background, Practice
from divulge.attacks.parallel_decoder import ParallelDecoder, _discriminant
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, LeakedRow, RowContent, Secret
from divulge.testing import world
from divulge.testing.encoder import FakeOracleAccess, FakeRowsAccess


def test_the_discriminant_is_that_of_scikit_learn() -> None:
    """Same decisions and same scores up to a constant per row as LDA with the same shrinkage."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, 3], [40, 20, 30, 10])
    rows = rng.normal(size=(4, 6))[labels] + rng.normal(size=(100, 6)) @ rng.normal(size=(6, 6)) * 0.5
    means = np.stack([rows[labels == k].mean(axis=0) for k in range(4)])
    weights, offsets = _discriminant(means, np.bincount(labels).astype(float), rows - means[labels], 0.1)
    # shrinkage acts on scikit-learn's standardised scale; unit features make the two the same
    scale = np.sqrt(((rows - means[labels]) ** 2).mean(axis=0))
    oracle = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.0).fit(rows, labels)
    exact_weights, exact_offsets = _discriminant(means, np.bincount(labels).astype(float), rows - means[labels], 1e-12)
    np.testing.assert_allclose(exact_weights, oracle.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(exact_offsets, oracle.intercept_, rtol=1e-5, atol=1e-7)
    assert scale.shape == (6,)
    assert np.mean(np.argmax(rows @ weights.T + offsets, axis=1) == labels) > 0.5


def test_full_shrinkage_is_nearest_mean_with_priors() -> None:
    """With the covariance shrunk to a multiple of the unit matrix, equal priors choose the nearest mean."""
    rng = np.random.default_rng(1)
    means, rows = rng.normal(size=(5, 4)), rng.normal(size=(50, 4))
    weights, offsets = _discriminant(means, np.ones(5), rng.normal(size=(200, 4)), 1.0)
    nearest = np.argmin(((rows[:, None] - means[None]) ** 2).sum(axis=2), axis=1)
    assert np.array_equal(np.argmax(rows @ weights.T + offsets, axis=1), nearest)


def test_variants_change_the_most_doubtful_position_first() -> None:
    """Margins 5, 1, 3: the second word is tried at position 1, then at position 2."""
    scores = np.array([[9.0, 4.0, 0.0], [2.0, 3.0, 0.0], [1.0, 4.0, 7.0]])
    found = ParallelDecoder({"checks": 2})._variants(scores, ["a", "b", "c"])
    assert found == [("a", "b", "c"), ("a", "a", "c"), ("a", "b", "b")]


def test_the_oracle_overrules_the_classifier() -> None:
    """When the first variant embeds farther away than the second, the second is preferred."""
    oracle = FakeOracleAccess(leaks=True, most=15)
    (row,) = oracle.embed([("the", "cat", "sat")])
    grant = Grant([FakeRowsAccess([row]), oracle])
    ranked = ParallelDecoder()._reranked(grant, row, [("the", "dog", "sat"), ("the", "cat", "sat")])
    assert ranked[0] == ("the", "cat", "sat")


def test_without_budget_for_the_oracle_the_first_variant_stands() -> None:
    """Reading the row is the better use of the last query."""
    oracle = FakeOracleAccess(leaks=True, most=15)
    (row,) = oracle.embed([("the", "cat")])
    grant = Grant([FakeRowsAccess([row]), oracle], 1)
    assert ParallelDecoder()._reranked(grant, row, [("the", "dog"), ("the", "cat")]) == [("the", "dog")]
    assert grant.meter.total == 0


def test_each_position_is_decoded_as_itself() -> None:
    """On practice sentences of the leaky world every position names its own word, in order."""
    here = world(EmbeddedRowsAccess, leaky=True, secrets=30)
    attack = ParallelDecoder()
    learnt = attack.prepare(here.background, np.random.default_rng(0))
    known = here.background.practice[0].secrets[:20]
    rows = here.background.practice[0].access[EmbeddedRowsAccess]
    for secret in known:
        assert isinstance(secret.hint, LeakedRow)
        assert isinstance(secret.answer, RowContent)
        (row,) = rows.rows([secret.hint.row])
        said = np.argmax(row @ learnt.arrays["weights"].T + learnt.arrays["offsets"], axis=1)
        right = [learnt.values["words"][i] == word for i, word in zip(said, secret.answer.tokens, strict=False)]
        assert np.mean(right) > 0.8


def test_pooled_rows_are_refused() -> None:
    """One vector per sentence has no positions to decode."""
    grant = Grant([FakeRowsAccess([np.zeros(4), np.ones(4)]), FakeOracleAccess(leaks=True, most=15)])
    secret = Secret(id="a", hint=LeakedRow(row=0), answer=RowContent(tokens=("x",)))
    with pytest.raises(InputError, match="needs unpooled rows"):
        ParallelDecoder().prepare(Background(practice=(Practice(grant, (secret,)),)), np.random.default_rng(0))


def test_without_practice_nothing_can_be_learnt() -> None:
    """The error says what to set."""
    with pytest.raises(InputError, match="set adversary.background.corpus"):
        ParallelDecoder().prepare(Background(), np.random.default_rng(0))


def test_rows_alone_are_enough() -> None:
    """Without the encoder nothing is corrected: the first variant stands."""
    assert ParallelDecoder.requires == (EmbeddedRowsAccess,)
    grant = Grant([FakeRowsAccess([np.zeros((2, 4))])])
    assert ParallelDecoder()._reranked(grant, np.zeros((2, 4)), [("a", "b"), ("b", "a")]) == [("a", "b")]
    assert ParallelDecoder.cost(ParallelDecoder.Options(checks=3), LeakedRow(row=0)) == 5


@pytest.mark.parametrize("shape", [(3, 7), (5,)])
def test_rows_of_another_encoder_are_refused(shape: tuple[int, ...]) -> None:
    """Learnt on rows of width 5, it says what it found; a pooled row of that width is no better."""
    learnt = Artefact(values={"words": ["a", "b"]}, arrays={"weights": np.ones((2, 5)), "offsets": np.zeros(2)})
    grant = Grant([FakeRowsAccess([np.zeros(shape)])])
    with pytest.raises(InputError, match=r"\(tokens, 5\), and the leaked ones have shape"):
        list(ParallelDecoder().guess(grant, {"x": LeakedRow(row=0)}, learnt, np.random.default_rng(0)))
