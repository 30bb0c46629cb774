"""Classifiers over all keywords, beside scikit-learn's own answers."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.adversary import Background, Practice
from divulge.attacks.keyword_classifiers import (
    DecisionTree,
    DeepNetwork,
    KeywordClassifier,
    NearestNeighbours,
    leaf_numbers,
)
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, LeakedRow, Ranking, RowContent, Secret
from divulge.testing.encoder import FakeRowsAccess

KEYWORDS = ("hong kong", "london", "paris")


def background(texts: list[tuple[np.ndarray, tuple[str, ...]]]) -> Background:
    """Public rows with their keywords."""
    secrets = [
        Secret(id=f"p{n}", hint=LeakedRow(row=n), answer=RowContent(tokens=("x",), words=words))
        for n, (_, words) in enumerate(texts)
    ]
    return Background(practice=(Practice(Grant([FakeRowsAccess([row for row, _ in texts])]), tuple(secrets)),))


def clouds(seed: int, count: int = 60, spread: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Points around three corners of a cube, and the number of the corner."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(3, size=count)
    return np.eye(3)[numbers] + spread * rng.normal(size=(count, 3)), numbers


def learnt(attack: KeywordClassifier, seed: int = 0, spread: float = 0.3) -> Artefact:
    """What is learnt from one keyword per text, in rows of two equal vectors."""
    points, numbers = clouds(seed, spread=spread)
    texts = [(np.stack([point, point]), (KEYWORDS[n],)) for point, n in zip(points, numbers, strict=True)]
    return attack.prepare(background(texts), np.random.default_rng(0))


def said(attack: KeywordClassifier, knowledge: Artefact, rows: list[np.ndarray]) -> list[Ranking]:
    """Its answers about rows."""
    hints = {f"s{n}": LeakedRow(row=n) for n in range(len(rows))}
    found = list(attack.guess(Grant([FakeRowsAccess(rows)]), hints, knowledge, np.random.default_rng(0)))
    assert [one.secret_id for one in found] == list(hints)
    return [one for one in found if isinstance(one, Ranking)]


ALL = [DecisionTree({}), NearestNeighbours({}), DeepNetwork({"epochs": 40, "learning_rate": 0.01})]


@pytest.mark.parametrize("attack", ALL, ids=lambda one: one.name)
def test_one_keyword_is_named_and_mostly_the_right_one(attack: KeywordClassifier) -> None:
    """One candidate per row, in words; unpooled and pooled rows of the same mean get the same answer."""
    knowledge = learnt(attack)
    points, numbers = clouds(1)
    pooled = said(attack, knowledge, list(points))
    assert all(len(one.candidates) == 1 for one in pooled)
    right = [one.candidates[0] == tuple(KEYWORDS[n].split()) for one, n in zip(pooled, numbers, strict=True)]
    assert np.mean(right) > 0.85
    apart = np.array([[0.5, -0.25, 1.0], [-0.5, 0.25, -1.0]])
    unpooled = said(attack, knowledge, [point + apart for point in points])
    assert [one.candidates for one in unpooled] == [one.candidates for one in pooled]


def test_the_kept_tree_answers_as_scikit_learn_does() -> None:
    """The same probabilities and the same first class, also for impure leaves, on points of its own and others."""
    from sklearn.tree import DecisionTreeClassifier

    points, numbers = clouds(3, 200, spread=0.8)
    points, numbers = np.concatenate([points, points[:50]]), np.concatenate([numbers, (numbers[:50] + 1) % 3])
    attack = DecisionTree()
    arrays = attack._fit(points, numbers, 3, np.random.default_rng(5))
    seed = int(np.random.default_rng(5).integers(2**31))
    oracle = DecisionTreeClassifier(criterion="gini", random_state=seed).fit(points, numbers)
    for asked in (points, clouds(4, 300, spread=1.0)[0]):
        assert np.array_equal(leaf_numbers(asked, arrays), oracle.apply(asked))
        scores = attack._scores(asked, 3, arrays)
        np.testing.assert_allclose(scores, oracle.predict_proba(asked))
        assert np.array_equal(scores.argmax(axis=1), oracle.predict(asked))
    assert len(set(arrays["leaf"].tolist())) < len(arrays["leaf"])  # some leaf holds two classes


def test_a_tree_of_one_leaf_answers_too() -> None:
    """Two texts of the same vector and different keywords: the first by name, for any row."""
    texts = [(np.zeros(2), ("paris",)), (np.zeros(2), ("london",))]
    attack = DecisionTree()
    (found,) = said(attack, attack.prepare(background(texts), np.random.default_rng(0)), [np.ones(2)])
    assert found.candidates == (("london",),)


def test_neighbours_vote_by_hand() -> None:
    """Of five neighbours of 0, at 1, 2, 3, 4 and 5, three say paris; the sixth, of london, has no vote."""
    texts = [(np.array([float(n)]), (word,)) for n, word in enumerate(["paris", "london"] * 3, 1)]
    attack = NearestNeighbours({"guesses": 3})
    (found,) = said(attack, attack.prepare(background(texts), np.random.default_rng(0)), [np.zeros(1)])
    assert found.candidates == (("paris",), ("london",))
    assert found.scores == pytest.approx((0.6, 0.4))


def test_equal_votes_go_to_the_first_by_name() -> None:
    """One vote each, and fewer examples than neighbours are asked for."""
    texts = [(np.array([1.0]), ("paris",)), (np.array([2.0]), ("london",))]
    attack = NearestNeighbours()
    (found,) = said(attack, attack.prepare(background(texts), np.random.default_rng(0)), [np.zeros(1)])
    assert found.candidates == (("london",),)


def test_a_text_is_an_example_for_each_of_its_keywords() -> None:
    """Two keywords, two examples of the same vector; a text without any is no example."""
    texts = [(np.array([1.0]), ("Paris", "london")), (np.array([2.0]), ()), (np.array([3.0]), ("rome",))]
    kept = NearestNeighbours().prepare(background(texts), np.random.default_rng(0))
    assert kept.values["classes"] == ["london", "paris", "rome"]
    assert kept.arrays["vectors"][:, 0].tolist() == [1.0, 1.0, 3.0]
    assert kept.arrays["labels"].tolist() == [0, 1, 2]


def test_one_keyword_is_nothing_to_tell_apart() -> None:
    """The error says what was found and what to give."""
    with pytest.raises(InputError, match="at least two different keywords. Found 1: set adversary.background.corpus"):
        DecisionTree().prepare(background([(np.ones(2), ("london",))]), np.random.default_rng(0))


def test_rows_of_another_width_are_refused() -> None:
    """The encoder of the adversary must be that of the rows."""
    attack = NearestNeighbours()
    with pytest.raises(InputError, match=r"learnt on rows of width 3, and the leaked ones have shape \(4, 5\)"):
        said(attack, learnt(attack), [np.zeros((4, 5))])


def test_the_network_is_that_of_the_paper() -> None:
    """Layers of 250 and 100 units, and a probability for each class."""
    kept = learnt(DeepNetwork({"epochs": 1})).arrays
    assert [kept[f"weight {n}"].shape for n in range(3)] == [(250, 3), (100, 250), (3, 100)]
    assert DeepNetwork().options.model_dump() == {
        "guesses": 1,
        "epochs": 250,
        "batch_size": 100,
        "learning_rate": 1e-4,
    }
