"""Tests of traits: who differs in how much, how rare or about what is told from people who do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from divulge.auditing.traits import TRAITS, likeness_of_person, manner
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.records import Member, Passage, Secret, UserTexts

TOPICS = {"garden": range(60), "harbour": range(60, 120)}


def texts(rng, topic="garden", count=12, length=8, rare=()):
    """Texts of a person: half of the words are everybody's."""
    words = [f"w{number}" for number in TOPICS[topic]]
    common = [f"c{number}" for number in range(20)]
    rows = [[*rng.choice(common, length // 2), *rng.choice(words, length - length // 2)] for _ in range(count)]
    return UserTexts(examples=tuple(Passage(tokens=(*map(str, row), *rare)) for row in rows))


def judged(person, outside=None, people=40, seed=0):
    """Somebody among people of one kind, with as many others in whom words are counted."""
    rng = np.random.default_rng(seed)
    hints = [texts(rng) for _ in range(2 * people)]
    secrets = [
        Secret(id=str(number), hint=hint, answer=Member(used=False)) for number, hint in enumerate([person, *hints])
    ]
    case = Case(Corpus((), "none"), tuple(secrets[:1]), tuple(secrets[1 : people + 1]), of_person=True)
    return likeness_of_person(case, hints[people:], outside or {})


def far(found):
    """The traits in which nobody else is as far."""
    return {name for name, value in found.of_trait.items() if value == pytest.approx(1 / (found.others + 1))}


def test_somebody_like_the_others_is_nobody_special():
    """Drawn from the same: over ten people, none is the farthest of 41."""
    found = [judged(texts(np.random.default_rng(100 + seed)), seed=seed).p_value for seed in range(10)]
    assert min(found) > 1 / 41
    assert max(found) > 0.3


@pytest.mark.parametrize(
    ("changes", "trait"),
    [
        ({"count": 60}, "number of texts"),
        ({"count": 2}, "number of texts"),
        ({"length": 40}, "length of texts"),
        ({"topic": "harbour"}, "topic"),
        ({"rare": ("zib", "zab")}, "words that nobody else uses"),
    ],
)
def test_whoever_differs_in_one_trait_is_not_comparable(changes, trait):
    """More or less, longer, about other things, in strange words: nobody of 40 is as far."""
    found = judged(texts(np.random.default_rng(7), **changes))
    assert found.p_value == pytest.approx(1 / 41)
    assert trait in far(found)


def test_words_that_the_model_does_not_know_are_a_trait():
    """A vocabulary that holds the person's words, and not those of others, gives the person away by itself."""
    outside = {"0": 0.0} | {str(number): 0.2 + number / 1000 for number in range(1, 41)}
    found = judged(texts(np.random.default_rng(100)), outside)
    assert found.p_value == pytest.approx(1 / 41)
    assert far(found) == {"words unknown to the model"}


def test_manner_by_hand():
    """Two texts, five words, three of them different."""
    hint = UserTexts(examples=(Passage(tokens=("a", "b", "a")), Passage(tokens=("c", "a"))))
    assert manner(hint) == pytest.approx((math.log(3), math.log(6), math.log(3.5), math.log(4 / 6)))


def test_every_trait_has_a_figure():
    """In the order in which the sheet names them."""
    assert tuple(judged(texts(np.random.default_rng(1))).of_trait) == TRAITS
