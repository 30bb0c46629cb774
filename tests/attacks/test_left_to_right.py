"""A beam against trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.attacks.left_to_right import beam_cost, best_beginnings, best_first, even_share, shown_texts
from divulge.records import FloatArray, Gaps

HINT = Gaps(tokens=("my", None, "and", None, "end"), candidates=(("a", "b", "c"), ("d", "e")))


def test_the_text_is_cut_before_the_next_hole() -> None:
    """One word filled shows all before the second hole; both show the whole text."""
    assert shown_texts(HINT, [("a",), ("b",)]) == [("my", "a", "and"), ("my", "b", "and")]
    assert shown_texts(HINT, [("c", "e")]) == [("my", "c", "and", "e", "end")]
    assert shown_texts(HINT, []) == []


@settings(max_examples=30)
@given(st.lists(st.integers(-5, 5), min_size=6, max_size=6))
def test_a_beam_as_wide_as_the_tree_finds_the_best(scores: list[int]) -> None:
    """All completions, best first, whatever the beginnings score."""
    table = dict(zip(itertools.product(*HINT.candidates), map(float, scores), strict=True))

    def objective(fillings: Sequence[tuple[str, ...]]) -> FloatArray:
        return np.array([table.get(filling, 0.0) for filling in fillings])

    found = best_beginnings(HINT, objective, 6, lambda: None)
    assert [score for score, _ in found] == sorted(table.values(), reverse=True)
    assert {filling: score for score, filling in found} == table


def test_the_beam_narrows_to_what_is_affordable() -> None:
    """Three questions for the first hole; with four left, two beginnings of two words each, with two left one.

    With less than a scan of each hole nothing is asked: it would not reach the end.
    """
    for budget, expected, asked in ((7, 4, 7), (6, 2, 5), (5, 2, 5), (4, 0, 0)):
        spent: list[int] = []

        def objective(fillings: Sequence[tuple[str, ...]], spent: list[int] = spent) -> FloatArray:
            spent.append(len(fillings))
            return np.zeros(len(fillings))

        found = best_beginnings(HINT, objective, 9, lambda left=budget, spent=spent: left - sum(spent))
        assert (len(found), sum(spent)) == (expected, asked)


def test_each_of_several_secrets_has_an_even_share() -> None:
    """Of ten questions for three secrets: three, then half of what is left, then the rest; no limit stays none."""
    left = [10]
    shares = []
    for secrets in (3, 2, 1):
        affordable = even_share(lambda: left[0], secrets)
        shares.append(affordable())
        left[0] -= 2
        assert affordable() == (shares[-1] or 0) - 2
    assert shares == [3, 4, 6]
    assert even_share(lambda: None, 3)() is None


def test_a_shortlist_tries_all_words_behind_the_best_beginning_alone() -> None:
    """Of three words only the two that do best behind "b" are tried behind "a" and "c"; 3 + 3 + 2 x 2 questions."""
    hint = Gaps(tokens=(None, None), candidates=(("a", "b", "c"), ("d", "e", "f")))
    score = {("a",): 1.0, ("b",): 2.0, ("c",): 0.0, ("b", "d"): 5.0, ("b", "e"): 1.0, ("b", "f"): 4.0, ("a", "e"): 9.0}
    asked: list[tuple[str, ...]] = []

    def objective(fillings: Sequence[tuple[str, ...]]) -> FloatArray:
        asked.extend(fillings)
        return np.array([score.get(filling, 0.0) for filling in fillings])

    found = best_beginnings(hint, objective, 3, lambda: None, shortlist=2)
    assert [filling for _, filling in found] == [("b", "d"), ("b", "f"), ("b", "e")]
    behind = {first: {word for one, *word in map(tuple, asked) if one == first for word in word} for first in "abc"}
    assert behind == {"a": {"d", "f"}, "b": {"d", "e", "f"}, "c": {"d", "f"}}
    assert len(asked) == len(set(asked)) == 10 == beam_cost(hint, 3, shortlist=2)
    # With 5 left for the second hole: 3 behind the best beginning, and 2 behind one other.
    answers = iter([8, 5])
    assert len(best_beginnings(hint, objective, 9, lambda: next(answers), shortlist=2)) == 5


def test_another_beginning_may_lead() -> None:
    """All words are tried behind the leader, whatever its place, and it stays where the budget narrows the beam."""
    hint = Gaps(tokens=(None, None), candidates=(("a", "b", "c"), ("d", "e", "f")))
    score = {("a",): 1.0, ("b",): 2.0, ("c",): 0.0, ("c", "d"): 5.0, ("c", "e"): 1.0, ("c", "f"): 4.0}

    for left, behind in (
        (None, {"a": 2, "b": 2, "c": 3}),
        (8, {"a": 0, "b": 2, "c": 3}),
        (6, {"a": 0, "b": 0, "c": 3}),
    ):
        asked: list[tuple[str, ...]] = []

        def objective(fillings: Sequence[tuple[str, ...]], asked: list[tuple[str, ...]] = asked) -> FloatArray:
            asked.extend(fillings)
            return np.array([score.get(filling, 0.0) for filling in fillings])

        def affordable(left: int | None = left, asked: list[tuple[str, ...]] = asked) -> int | None:
            return None if left is None else left - len(asked)

        best_beginnings(hint, objective, 3, affordable, shortlist=2, leader=lambda beam: len(beam) - 1)
        assert {first: sum(len(one) == 2 and one[0] == first for one in asked) for first in "abc"} == behind


def test_ties_are_in_order_or_at_random() -> None:
    """Without a generator the first candidate wins, with one every tied candidate does now and then; never a worse."""
    scores = np.array([1.0, 2.0, 2.0, 2.0])
    assert best_first(scores) == [1, 2, 3, 0]
    mixed = [best_first(scores, np.random.default_rng(seed)) for seed in range(30)]
    assert {order[0] for order in mixed} == {1, 2, 3}
    assert {order[-1] for order in mixed} == {0}


def test_cost_counts_every_question() -> None:
    """3 for the first hole; then 3 beginnings x 2 words; with a beam of 2 only 2 x 2."""
    assert [beam_cost(HINT, 100), beam_cost(HINT, 2)] == [9, 7]
