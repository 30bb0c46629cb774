"""Baselines: uniform, and blind to the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from divulge.access import RankedTokensAccess
from divulge.adversary import Background, Practice
from divulge.attacks.baselines import Blind, Random
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, LeakedRow, Member, Passage, Secret, Text, UserTexts

HINT = Gaps(tokens=("pin", None, None), candidates=(("0", "1"), ("a", "b", "c")))


def test_gaps_are_filled_uniformly() -> None:
    """Six completions, 6,000 secrets: each within four standard deviations (4 x 28.9) of 1,000."""
    told = {str(number): HINT for number in range(6000)}
    found = [g.candidates[0] for g in Random().guess(Grant([]), told, Artefact(), np.random.default_rng(0))]  # type: ignore[union-attr]
    counts = [found.count(filling) for filling in sorted(set(found))]
    assert len(counts) == 6
    assert all(abs(count - 1000) < 116 for count in counts)


def test_several_guesses_are_different() -> None:
    """More guesses than completions give every completion once."""
    (ranking,) = Random({"guesses": 10}).guess(Grant([]), {"a": HINT}, Artefact(), np.random.default_rng(0))
    assert len(set(ranking.candidates)) == len(ranking.candidates) == 6  # type: ignore[union-attr]


def test_rows_are_answered_with_public_sentences() -> None:
    """Only what the adversary owns can be said."""
    corpus = (Text(tokens=("a", "b")), Text(tokens=("c",)))
    learnt = Random().prepare(Background(corpus=corpus), np.random.default_rng(0))
    told = {str(row): LeakedRow(row=row) for row in range(40)}
    found = {g.candidates[0] for g in Random().guess(Grant([]), told, learnt, np.random.default_rng(0))}  # type: ignore[union-attr]
    assert found == {("a", "b"), ("c",)}


def people(words: str, used: bool, prefix: str) -> list[Secret]:
    texts = UserTexts(examples=(Passage(tokens=tuple(words.split())),))
    return [Secret(id=f"{prefix}{i}", hint=texts, answer=Member(used=used)) for i in range(10)]


def test_blind_sees_groups_that_differ_by_themselves() -> None:
    """Members who write rare words are told from others without a single question."""
    corpus = (Text(tokens=("the", "a", "the", "is")),)
    practice = Practice(Grant([]), (*people("zyx wvu", True, "m"), *people("the is", False, "o")))
    learnt = Blind().prepare(Background(corpus=corpus, practice=(practice,)), np.random.default_rng(0))
    told = {"rare": people("qrs tuv", True, "x")[0].hint, "common": people("a the", False, "y")[0].hint}
    found = {v.secret_id: v.statistic for v in Blind().guess(Grant([]), told, learnt, np.random.default_rng(0))}  # type: ignore[union-attr]
    assert found["rare"] > 0 > found["common"]


def test_blind_counts_words_in_the_texts_of_its_own_models_users() -> None:
    """Without public texts: members who share their words with nobody are told from those who share them."""
    alone = [
        Secret(
            id=f"m{i}", hint=UserTexts(examples=(Passage(tokens=(f"own{i}", f"more{i}")),)), answer=Member(used=True)
        )
        for i in range(10)
    ]
    shared = [
        Secret(id=f"o{i}", hint=UserTexts(examples=(Passage(tokens=("the", f"is{i % 2}")),)), answer=Member(used=False))
        for i in range(10)
    ]
    learnt = Blind().prepare(Background(practice=(Practice(Grant([]), (*alone, *shared)),)), np.random.default_rng(0))
    told = {"rare": people("qrs tuv", True, "x")[0].hint, "common": people("the is1", False, "y")[0].hint}
    found = {v.secret_id: v.statistic for v in Blind().guess(Grant([]), told, learnt, np.random.default_rng(0))}  # type: ignore[union-attr]
    assert found["rare"] > 0 > found["common"]


class Knowing(RankedTokensAccess):
    """A model that tells its words and must not be asked."""

    def __init__(self, *words: str) -> None:
        self.words = words

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words."""
        return self.words

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        raise AssertionError("asked")

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        raise AssertionError("asked")


def test_blind_sees_a_vocabulary_that_was_taken_from_members() -> None:
    """Nothing else differs: as many words, none of them in public text."""
    trained = Practice(Grant([Knowing("a", "b")]), (*people("a b", True, "m"), *people("c d", False, "o")))
    learnt = Blind().prepare(Background(practice=(trained,)), np.random.default_rng(0))
    told = {"in": people("e f", True, "x")[0].hint, "out": people("g h", False, "y")[0].hint}
    asked = Grant([Knowing("e", "f")])
    found = {v.secret_id: v.statistic for v in Blind().guess(asked, told, learnt, np.random.default_rng(0))}  # type: ignore[union-attr]
    assert found["in"] > 0 > found["out"]


def test_blind_needs_people_of_both_kinds() -> None:
    """One group alone teaches nothing."""
    background = Background(practice=(Practice(Grant([]), tuple(people("a", True, "m"))),))
    with pytest.raises(InputError, match="set adversary.background.shadows"):
        Blind().prepare(background, np.random.default_rng(0))
