"""Accuracy with hidden units at zero: by hand, and on a generator that is trained."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.adapters import VOCABULARY, Tokens, sentences

from divulge.access import RankedTokensAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import ForwardRanks, Grant
from divulge.probes.token_accuracy import TokenAccuracy
from divulge.probes.unit_ablation import UnitAblation
from divulge.records import Artefact, Measurement, Text
from divulge.targets.text_generator import TextGenerator

TEXTS = (
    Text(tokens=("the", "the", "dog"), user="u"),
    Text(tokens=("the", "cat"), user="v"),
    Text(tokens=("strange",), user="v"),
    Text(tokens=("the", "dog"), user="w", split="test"),
)


class Units(Tokens):
    """Ranks first all words but those it lost; each draw of units loses one more of them."""

    def __init__(self, lost: tuple[str, ...] = ()) -> None:
        self.lost, self.shares = lost, []

    def ablated(self, share: float, rng: np.random.Generator) -> Units:
        del rng
        self.shares.append(share)
        order = ("cat", "dog", "the")
        return Units(order[: self.shares.count(share)] if share else ())

    def _ranks(self, passages: Any) -> Any:
        return [np.array([int(token in self.lost) for token in passage.tokens]) for passage in passages]


def measured(grant: Grant, corpus: Corpus, seed: int = 0, **options: Any) -> dict[tuple[str, float], Measurement]:
    found = UnitAblation(options).measure(grant, corpus, np.random.default_rng(seed))
    assert {(one.metric, one.arm) for one in found} <= {("train_accuracy", "utility")}
    named = {(one.group["words"], one.group["ablated"]): one for one in found}
    assert len(named) == len(found)
    return named


def test_accuracy_is_a_mean_over_draws_of_units() -> None:
    """One of three words is frequent: the. The first draw loses cat, the second dog too, the third all."""
    access = Units()
    found = measured(Grant([access]), Corpus(TEXTS), ablated=[0.0, 0.5, 1.0], draws=3)
    assert {named: one.value for named, one in found.items()} == pytest.approx(
        {
            ("frequent", 0.0): 1.0,
            ("rare", 0.0): 1.0,
            ("frequent", 0.5): 2 / 3,  # (1 + 1 + 0) / 3
            ("rare", 0.5): 1 / 6,  # dog and cat: (1/2 + 0 + 0) / 3
            ("frequent", 1.0): 1.0,  # cat alone is lost, in the only draw
            ("rare", 1.0): 1 / 2,
        }
    )
    assert access.shares == [0.0, 0.5, 0.5, 0.5, 1.0]  # no unit, or all of them, is drawn once
    assert {one.n for one in found.values()} == {2}


def test_the_interval_covers_draws_too() -> None:
    """People are all alike here, but draws are not: 1, 1, 0."""
    texts = tuple(Text(tokens=("the", "the", "the"), user=user) for user in "abcdefgh")
    one = measured(Grant([Units()]), Corpus((*texts, *texts)), ablated=[0.5], draws=3)["frequent", 0.5]
    assert (one.value, one.low, one.high) == pytest.approx((2 / 3, 0.0, 1.0))


def test_behind_a_defence_or_without_words_nothing_is_measured() -> None:
    """Units cannot be reached through a view; nor are there figures of words that the model does not know."""
    assert measured(Grant([Units()]).changed(ForwardRanks), Corpus(TEXTS)) == {}  # type: ignore[arg-type]
    assert measured(Grant([Tokens()]), Corpus(TEXTS)) == {}
    assert measured(Grant([Units()]), Corpus((Text(tokens=("strange",)),))) == {}
    assert measured(Grant([Units()]), Corpus(TEXTS).split("test")) == {}


def test_options_out_of_range_are_refused() -> None:
    """Shares of units lie from 0 to 1, and something is to be drawn."""
    for wrong in ({"ablated": [1.1]}, {"ablated": []}, {"draws": 0}, {"frequent": 0.0}, {"most_texts": 0}):
        with pytest.raises(InputError):
            UnitAblation(wrong)


@cache
def trained() -> tuple[Corpus, Artefact]:
    """A small generator and its texts, all of whose words it knows."""
    corpus = Corpus(tuple(Text(tokens=one.tokens, user=str(number % 6)) for number, one in enumerate(sentences(24))))
    target = TextGenerator({**TextGenerator.trial, "epochs": 20})
    return corpus, target.train(corpus, np.random.default_rng(0))


def grant() -> Grant:
    return TextGenerator().open(trained()[1])


def counts(corpus: Corpus, frequent: int) -> np.ndarray:
    """How many tokens are of the most frequent words, and how many of the rest."""
    tokens = [token for text in corpus for token in text.tokens]
    order = sorted(set(tokens), key=lambda word: (-tokens.count(word), word))
    first = sum(token in order[:frequent] for token in tokens)
    return np.array([first, len(tokens) - first])


def test_with_no_unit_ablated_it_is_the_accuracy_of_the_model() -> None:
    """Both groups together, each by its tokens, give what token-accuracy gives."""
    corpus = trained()[0]
    found = measured(grant(), corpus, frequent=0.25, ablated=[0.0])
    sizes = counts(corpus, 2)  # of eight words
    whole = TokenAccuracy().measure(grant(), corpus, np.random.default_rng(0))[0]
    values = [found["frequent", 0.0].value, found["rare", 0.0].value]
    assert float(np.dot(values, sizes)) / sizes.sum() == pytest.approx(whole.value)
    assert whole.value is not None
    assert whole.value > 0.3  # or the rest would say little


def test_with_all_units_ablated_the_same_word_is_said_everywhere() -> None:
    """What is right then is one word, whose share is the accuracy."""
    corpus = trained()[0]
    tokens = [token for text in corpus for token in text.tokens]
    found = measured(grant(), corpus, frequent=0.25, ablated=[1.0])
    said = sum(
        found[words, 1.0].value * size for words, size in zip(("frequent", "rare"), counts(corpus, 2), strict=True)
    )
    assert round(said) in {tokens.count(word) for word in VOCABULARY}
    assert found["frequent", 1.0].value * found["rare", 1.0].value == 0


def test_accuracy_falls_as_units_go() -> None:
    """From none over half to all."""
    found = measured(grant(), trained()[0], ablated=[0.0, 0.5, 1.0])
    first, half, last = (found["rare", share].value for share in (0.0, 0.5, 1.0))
    assert first > half > last


def test_some_texts_may_stand_for_all() -> None:
    """As many people as the texts drawn have; the same seed draws the same texts and units."""
    corpus = Corpus(tuple(Text(tokens=one.tokens) for one in trained()[0]))
    some = measured(grant(), corpus, 1, ablated=[0.3], most_texts=5)
    assert max(one.n for one in some.values()) == 5
    assert some == measured(grant(), corpus, 1, ablated=[0.3], most_texts=5)
    assert some != measured(grant(), corpus, 2, ablated=[0.3], most_texts=5)


def test_a_model_that_grants_no_ranks_cannot_be_asked() -> None:
    """As of every probe, what it requires is enough to be refused without."""
    assert UnitAblation.requires == (RankedTokensAccess,)
    with pytest.raises(InputError, match="requires RankedTokensAccess"):
        UnitAblation().measure(Grant([]), Corpus(TEXTS), np.random.default_rng(0))
