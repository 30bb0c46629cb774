"""What is remembered of fillings, what they cost, and how labels alone tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pytest
from tests.attacks.tables import TableLabels

from divulge.access import LabelAccess
from divulge.attacks.filling_scores import FillingScores, Spent
from divulge.attacks.label_evidence import LabelEvidence, log_odds
from divulge.grants import Grant
from divulge.records import FloatArray, Gaps

HINT = Gaps(tokens=("my", None, "cat"), label="yes", candidates=(("a", "b", "c", "d"),))
TABLE = {"my a cat": 0.8, "my b cat": 0.3, "my c cat": 0.6, "my d cat": 0.3}
FILLINGS = [("a",), ("b",), ("c",), ("d",)]


def odds(likely: float) -> float:
    return float(log_odds(np.array([likely]), np.array([1 - likely]))[0])


def scores(table: Mapping[str, float] = TABLE, **options: object) -> tuple[FillingScores, Grant, TableLabels]:
    model = TableLabels(table)
    grant = Grant([model])
    return FillingScores(HINT, LabelEvidence(grant, HINT, "it"), **options), grant, model  # type: ignore[arg-type]


def test_a_filling_is_asked_about_once() -> None:
    """However often, in one call or in several, and answers are in the order asked."""
    found, grant, _ = scores()
    np.testing.assert_allclose(found([("b",), ("a",), ("b",)]), [odds(0.3), odds(0.8), odds(0.3)])
    np.testing.assert_allclose(found([("a",), ("c",)]), [odds(0.8), odds(0.6)])
    assert grant.meter.total == 3
    assert found([]).shape == (0,)


def test_the_best_are_named_first_and_equal_ones_by_their_spelling() -> None:
    """0.8, 0.6, then both of 0.3, whichever was asked about first."""
    found, _, _ = scores()
    found(list(reversed(FILLINGS)))
    assert [filling for _, filling in found.best(9)] == [("a",), ("c",), ("b",), ("d",)]
    assert found.best(2)[1][0] == pytest.approx(odds(0.6))
    assert len(found.best(2)) == 2


def test_references_are_held_against_a_filling() -> None:
    """Their mean, with its weight: odds - 0.5 x (1 + 4) / 2 for "a", and nothing for "b"."""
    said = [{"a": 1.0, "b": 0.0}, {"a": 4.0, "b": 0.0}]

    def reference(table: Mapping[str, float], texts: Sequence[tuple[str, ...]]) -> FloatArray:
        return np.array([table[text[1]] for text in texts])

    asked = [lambda texts, table=table: reference(table, texts) for table in said]
    found, _, _ = scores(references=asked, weight=0.5)
    np.testing.assert_allclose(found([("a",), ("b",)]), [odds(0.8) - 1.25, odds(0.3)])


def test_the_budget_ends_after_what_can_be_asked() -> None:
    """Two of three are asked about and remembered; those may still be looked up, no others."""
    found, grant, _ = scores(budget=2)
    with pytest.raises(Spent):
        found([("a",), ("b",), ("c",)])
    assert (grant.meter.total, found.left) == (2, 0)
    assert [filling for _, filling in found.best(9)] == [("a",), ("b",)]
    np.testing.assert_allclose(found([("b",)]), [odds(0.3)])
    with pytest.raises(Spent):
        found([("d",)])
    assert grant.meter.total == 2


def test_a_budget_that_is_just_enough_is_not_spent_too_early() -> None:
    """Three questions for three fillings."""
    found, _, _ = scores(budget=3)
    assert len(found([("a",), ("b",), ("c",)])) == 3


def test_questions_asked_elsewhere_count() -> None:
    """Of five, three for gradients leave two; three more are too many, and cost nothing."""
    found, _, _ = scores(budget=5)
    found.spend(3)
    with pytest.raises(Spent):
        found.spend(3)
    assert found.left == 2
    found.spend(2)
    assert found.left == 0
    free, _, _ = scores()
    free.spend(1000)
    assert free.left is None


# With only labels shown: "a" keeps its label without "my" and without "cat", "c" only without "my".
LABELLED = {**TABLE, "a cat": 0.9, "my a": 0.9, "c cat": 0.9, "my c": 0.1}


def labelled(budget: int | None = None, versions: int = 8) -> tuple[FillingScores, Grant]:
    grant = Grant([TableLabels(LABELLED)]).limited([LabelAccess], None)
    return FillingScores(HINT, LabelEvidence(grant, HINT, "it"), versions=versions, budget=budget), grant


def test_labels_alone_are_asked_for_again_without_one_known_word() -> None:
    """1 + 2 askings: "a" gets the label in 3 of 3, "c" in 2 of 3; "b" and "d" never, and are not asked about again."""
    found, grant = labelled()
    np.testing.assert_allclose(found(FILLINGS), [1, 0, 2 / 3, 0])
    assert grant.meter.total == 4 + 2 * 2


def test_versions_are_no_more_than_asked_for() -> None:
    """One version leaves "my" out: both keep the label; none leaves a yes or a no."""
    one, grant = labelled(versions=1)
    np.testing.assert_allclose(one(FILLINGS), [1, 0, 1, 0])
    assert grant.meter.total == 4 + 2
    none, grant = labelled(versions=0)
    np.testing.assert_allclose(none(FILLINGS), [1, 0, 1, 0])
    assert grant.meter.total == 4


def test_versions_stay_within_the_budget() -> None:
    """Seven questions: four fillings, both again without "my", and the last is too few to compare both by."""
    found, grant = labelled(budget=7)
    np.testing.assert_allclose(found(FILLINGS), [2 / 3, 0, 2 / 3, 0])
    assert (grant.meter.total, found.left) == (6, 1)


def test_probabilities_need_no_versions() -> None:
    """One question a filling where there is more to see than a label."""
    found, grant, model = scores(versions=8)
    found(FILLINGS)
    assert grant.meter.total == 4
    assert model.batches == [4]


def test_words_that_reach_something_alone_support_a_filling() -> None:
    """By hand: the filling's own score and a quarter of the mean over two random fillings, for each of two words."""
    hint = Gaps(tokens=("x", None, None), label="l", candidates=(("a", "b"), ("c", "d")))
    value = {("x", first, second): float(place) for place, (first, second) in enumerate(product("ab", "cd"))}

    class Table:
        """Says what the table says."""

        is_graded, remaining = True, None

        def __call__(self, texts: Sequence[tuple[str, ...]]) -> FloatArray:
            return np.array([value[text] for text in texts])

    scores = FillingScores(hint, Table(), rounds=2, support=0.25)  # type: ignore[arg-type]
    one, two = scores.others
    first = [value["x", "b", other[1]] for other in (one, two)]
    second = [value["x", other[0], "c"] for other in (one, two)]
    expected = value["x", "b", "c"] + 0.25 * (sum(first) / 2 + sum(second) / 2)
    assert scores.supported([("b", "c")]).tolist() == pytest.approx([expected])
    assert FillingScores(hint, Table(), rounds=2).supported([("b", "c")]).tolist() == [2.0]  # type: ignore[arg-type]
    assert FillingScores(hint, Table(), rounds=2).others == scores.others  # type: ignore[arg-type]
