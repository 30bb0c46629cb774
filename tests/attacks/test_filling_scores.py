"""What is remembered of fillings, what they cost, and how labels alone tell them apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import ClassVar

import numpy as np
import numpy.typing as npt
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


class Lasting(LabelAccess):
    """Says yes of a text as long as no more words stand behind it than the word in its hole can bear."""

    labels = ("no", "yes")
    bears: ClassVar = {"a": 99, "b": -1, "c": 4, "d": -1}

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def _label(self, texts: Sequence[tuple[str, ...]]) -> npt.NDArray[np.int64]:
        self.asked += texts
        return np.array([len(text) - 3 <= self.bears[text[1]] for text in texts], dtype=np.int64)


def labelled(budget: int | None = None, versions: int = 2) -> tuple[FillingScores, Lasting]:
    model = Lasting()
    grant = Grant([model])
    return FillingScores(HINT, LabelEvidence(grant, HINT, "it"), versions=versions, budget=budget), model


def test_labels_alone_are_asked_for_again_with_words_behind() -> None:
    """1 + 5 rounds of 2 askings: "a" has the label in all 11, "c" beside 2 and 4 words, 5 of 11; "b" and "d" never.

    Both of them are asked about with 2, 4 and 8 words; with 16 and 32 only "a", which lost no round.
    """
    found, model = labelled()
    np.testing.assert_allclose(found(FILLINGS), [1, 0, 5 / 11, 0])
    assert Counter(len(text) - 3 for text in model.asked) == {0: 4, 2: 4, 4: 4, 8: 4, 16: 2, 32: 2}
    assert {text[1] for text in model.asked if len(text) > 3 + 8} == {"a"}
    assert {word for text in model.asked for word in text[3:]} == {"a", "b", "c", "d"}


def test_every_filling_gets_the_same_words_behind_it() -> None:
    """So that no word has better company than another; and the next one who asks has the same again."""
    found, model = labelled(versions=3)
    found(FILLINGS)
    behind = {word: [text[3:] for text in model.asked if text[1] == word and len(text) == 5] for word in "ac"}
    assert behind["a"] == behind["c"]
    assert len(set(behind["a"])) > 1
    again, other = labelled(versions=3)
    again(FILLINGS[2:])  # whatever else is asked about
    assert [text[3:] for text in other.asked if len(text) == 5] == behind["c"]


def test_half_a_round_is_enough_to_go_on() -> None:
    """Of two versions one keeps the label, round by round: 1 + 5 of 11; a third of three is too little, 1 + 1 of 16."""

    class Fickle(Lasting):
        """Says yes of the text itself, and of the first of so many with as many words behind."""

        def __init__(self, of: int) -> None:
            super().__init__()
            self.of, self.seen = of, Counter[int]()

        def _label(self, texts: Sequence[tuple[str, ...]]) -> npt.NDArray[np.int64]:
            said = []
            for text in texts:
                said.append(len(text) == 3 or self.seen[len(text)] % self.of == 0)
                self.seen[len(text)] += 1
            return np.array(said, dtype=np.int64)

    for versions, share in ((2, 6 / 11), (3, 2 / 16)):
        target = LabelEvidence(Grant([Fickle(versions)]), HINT, "it")
        np.testing.assert_allclose(FillingScores(HINT, target, versions=versions)([("a",)]), [share])


def test_without_versions_there_is_a_yes_or_a_no() -> None:
    """One question each."""
    found, model = labelled(versions=0)
    np.testing.assert_allclose(found(FILLINGS), [1, 0, 1, 0])
    assert len(model.asked) == 4


def test_versions_stay_within_the_budget() -> None:
    """Of 11 questions four are for fillings; 7 are two for both, one of the next round for both, and one too few."""
    found, model = labelled(budget=11)
    np.testing.assert_allclose(found(FILLINGS), [4 / 11, 0, 4 / 11, 0])
    assert (len(model.asked), found.left) == (10, 1)


def test_probabilities_need_no_versions() -> None:
    """One question a filling where there is more to see than a label."""
    found, grant, model = scores(versions=8)
    found(FILLINGS)
    assert grant.meter.total == 4
    assert model.batches == [4]


def test_what_is_shown_as_certain_is_told_apart_as_labels_are() -> None:
    """Of "a" and "c" rounding shows 1: with words behind, "a" keeps it, 11 of 11; "c" beside 2 and 4, then has 0.2.

    1 + 2 + 2 + 2 x 0.2 of 11 askings. What is shown as less than certain has more to tell, and is asked about once.
    """

    class Sure(TableLabels):
        """As likely as the table says, and 0.2 beside more words than the one in the hole can bear."""

        def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
            borne = [len(text) - 3 <= Lasting.bears[text[1]] or len(text) == 3 for text in texts]
            first = super()._likelihoods([text[:3] for text in texts])
            return np.where(np.array(borne)[:, None], first, np.array([0.7, 0.2, 0.1]))

    grant = Grant([Sure({**TABLE, "my a cat": 1.0, "my c cat": 1.0})])
    found = FillingScores(HINT, LabelEvidence(grant, HINT, "it"), versions=2)
    np.testing.assert_allclose(found(FILLINGS), [odds(1.0) + 1, odds(0.3), odds(1.0) + 5.4 / 11, odds(0.3)])
    assert grant.meter.total == 4 + 3 * 4 + 2 * 2
    assert odds(1.0) > odds(0.999999999999) + 1  # nothing that is less sure overtakes it


class Said:
    """Says what a table says of texts, and remembers what it was asked."""

    is_graded, remaining = True, None

    def __init__(self, table: Mapping[str, float]) -> None:
        self.table, self.asked = table, list[str]()

    def __call__(self, texts: Sequence[tuple[str, ...]]) -> FloatArray:
        spelt = [" ".join(text) for text in texts]
        self.asked += spelt
        return np.array([self.table[text] for text in spelt])


# "b" fits both holes, "a" and "c" one each: these stand alone with the other hole left out.
TWO = Gaps(tokens=("x", None, "y", None), label="l", candidates=(("a", "b"), ("b", "c")))
OF_TWO = {"x a y": 1.0, "x b y b": 2.0, "x y c": 4.0, "x a y b": 8.0, "x a y c": 16.0, "x b y c": 32.0}
OF_TWO |= {"x y b": 64.0, "x b y": 128.0}


def of_two(budget: int | None = None) -> tuple[FillingScores, Said]:
    said = Said(OF_TWO)
    return FillingScores(TWO, said, support=0.5, budget=budget), said  # type: ignore[arg-type]


def test_a_word_alone_is_in_every_hole_that_takes_it_and_the_others_are_left_out() -> None:
    """Each text is asked for once, whichever hole the word is looked at for."""
    found, said = of_two()
    assert found.alone(0, ["a", "b"]).tolist() == [1.0, 2.0]
    assert found.alone(1, ["c", "b", "c"]).tolist() == [4.0, 2.0, 4.0]
    assert said.asked == ["x a y", "x b y b", "x y c"]
    assert not found.known


def test_what_a_filling_reaches_with_one_hole_left_out_counts_beside_it() -> None:
    """By hand: "a c" has 16 + 0.5 x (1 + 4) / 2, "b b" 2 + 0.5 x (64 + 128) / 2; each text is asked for once."""
    found, said = of_two()
    assert found([("a", "c"), ("b", "b")]).tolist() == [16 + 0.25 * 5, 2 + 0.25 * 192]
    assert len(said.asked) == len(set(said.asked)) == 6
    assert found.best(9) == [(50.0, ("b", "b")), (17.25, ("a", "c"))]
    plain = FillingScores(TWO, Said(OF_TWO))  # type: ignore[arg-type]
    assert plain([("a", "c"), ("b", "b")]).tolist() == [16.0, 2.0]


@pytest.mark.parametrize(("budget", "scored"), [(2, 0), (3, 1), (4, 1), (5, 2), (6, 2), (7, 3)])
def test_a_budget_buys_whole_fillings_with_their_parts(budget: int, scored: int) -> None:
    """Of the fillings, "a c" costs itself and two parts, "a b" and "b c" themselves and one: 3, 5 and 7 questions."""
    found, said = of_two(budget)
    with pytest.raises(Spent) if scored < 3 else nullcontext():
        found([("a", "c"), ("a", "b"), ("b", "c")])
    assert len(found.known) == scored
    assert len(said.asked) <= budget


def test_words_alone_end_where_the_budget_ends() -> None:
    """Two of three are asked about: "b" is the likelier of the first hole, of the second nothing better is known."""
    found, said = of_two(2)
    found.alone(0, ["a", "b", "a"])
    with pytest.raises(Spent):
        found.alone(1, ["b", "c"])
    assert said.asked == ["x a y", "x b y b"]
    assert [found.likely(hole) for hole in (0, 1)] == [(2.0, "b"), (2.0, "b")]
    none, _ = of_two(0)
    assert [none.likely(hole) for hole in (0, 1)] == [(0.0, "a"), (0.0, "b")]


def test_labels_of_words_alone_are_asked_for_again_too() -> None:
    """Of labels alone: "b" in both holes keeps its label beside two words and loses it beside four: 2 of 6 askings."""
    table = defaultdict(float, {"x b y b": 0.9, **{f"x b y b {one} {other}": 0.9 for one in "abc" for other in "abc"}})
    grant = Grant([TableLabels(table)]).limited([LabelAccess], None)
    hint = TWO.model_copy(update={"label": "yes"})
    found = FillingScores(hint, LabelEvidence(grant, hint, "it"), versions=1, support=1.0)
    np.testing.assert_allclose(found.alone(0, ["a", "b"]), [0, 2 / 6])
    assert grant.meter.total == 2 + 2
