"""Words that rank first, and perplexity, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import Tokens

from divulge.access import RankedTokensAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.probes.token_accuracy import TokenAccuracy
from divulge.records import Measurement, Text


class Spelt(Tokens):
    """A token is the spelling of its own rank; its probability is 2 to the minus rank."""

    def _ranks(self, passages: Any) -> Any:
        return [np.array([int(token) for token in passage.tokens]) for passage in passages]

    def _log_likelihoods(self, passages: Any) -> Any:
        return [-np.log(2) * row for row in self._ranks(passages)]


TEXTS = (
    Text(tokens=("0", "1", "0", "3")),
    Text(tokens=("2", "0")),  # 3 of 6 rank first; 0 + 1 + 0 + 3 + 2 + 0 = 6 bits over 6 words: perplexity 2
    Text(tokens=()),
    Text(tokens=("1", "3", "2"), split="test"),
    Text(tokens=("0", "4", "2"), split="test"),  # 1 of 6; 12 bits over 6 words: perplexity 4
    Text(tokens=("0",), split="valid"),
)


def measured(grant: Grant, seed: int = 0) -> dict[str, Measurement]:
    found = TokenAccuracy().measure(grant, Corpus(TEXTS), np.random.default_rng(seed))
    return {one.metric: one for one in found}


def test_accuracy_and_perplexity_per_split() -> None:
    """Words are counted, not texts; perplexity is 2 to the bits per word."""
    found = measured(Grant([Spelt()]))
    expected = {"train_accuracy": 0.5, "train_perplexity": 2.0, "test_accuracy": 1 / 6, "test_perplexity": 4.0}
    expected["accuracy_gap"] = 1 / 3
    assert {name: one.value for name, one in found.items()} == pytest.approx(expected)
    assert {one.n for one in found.values()} == {2}  # texts of nobody's: each is a person of its own
    assert {one.arm for one in found.values()} == {"utility"}


def test_without_likelihoods_there_is_no_perplexity() -> None:
    """A defence that hides likelihoods hides them from the owner's users too."""
    found = measured(Grant([Spelt()]).limited([RankedTokensAccess], None))
    assert set(found) == {"train_accuracy", "test_accuracy", "accuracy_gap"}


def test_people_are_resampled_not_their_texts() -> None:
    """Two people of ten texts each, one always right and one never: with people drawn, anything may come out."""
    texts = tuple(Text(tokens=(token,), user=user) for token, user in (("0", "ann"), ("5", "bob")) for _ in range(10))
    found = TokenAccuracy().measure(Grant([Spelt()]), Corpus(texts), np.random.default_rng(0))
    accuracy = next(one for one in found if one.metric == "train_accuracy")
    assert (accuracy.value, accuracy.low, accuracy.high, accuracy.n) == (0.5, 0.0, 1.0, 2)
    assert "accuracy_gap" not in {one.metric for one in found}  # no new texts, nothing to compare


def test_an_impossible_word_has_no_perplexity() -> None:
    """Minus infinity makes the perplexity infinite, which is no figure; the accuracy stays."""

    class Certain(Spelt):
        def _log_likelihoods(self, passages: Any) -> Any:
            return [np.where(row == 3, -np.inf, -1.0) for row in self._ranks(passages)]

    found = measured(Grant([Certain()]))
    assert found["train_perplexity"].value is None
    assert found["train_perplexity"].n == 2
    assert found["train_accuracy"].value == 0.5


def test_the_interval_comes_from_the_generator() -> None:
    """The same generator gives the same interval; texts of unequal accuracy give it a width."""
    found = measured(Grant([Spelt()]), 3)["test_accuracy"]
    assert found == measured(Grant([Spelt()]), 3)["test_accuracy"]
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 1 / 6 < found.high <= 1
