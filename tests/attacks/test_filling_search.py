"""The search against trying all fillings, on scores that are sums over holes and on some that are not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.tables import TableLabels

from divulge.attacks.filling_scores import Completion, FillingScores, Partial, Spent
from divulge.attacks.filling_search import Effort, FillingSearch
from divulge.attacks.label_evidence import LabelEvidence
from divulge.grants import Grant
from divulge.records import FloatArray, Gaps

EFFORT = Effort(starts=4, shortlist=5, beam=4, tried=4, sweeps=2)


LEFT_OUT = "x00"  # what a made-up score is told of a hole that is left out


class MadeUp(FillingScores):
    """Scores from a function of the words, and the number of questions."""

    def __init__(
        self, hint: Gaps, value: Callable[[Completion], float], budget: int | None = None, support: float = 0.0
    ) -> None:
        super().__init__(hint, LabelEvidence(Grant([TableLabels({})]), hint, "it"), support=support, budget=budget)
        self.value, self.asked, self.sloped = value, 0, 0

    def _scores(self, fillings: Sequence[Partial]) -> FloatArray:
        self.asked += len(fillings)
        if self._left is not None:
            self._left -= len(fillings)
        return np.array([self.value(tuple(word or LEFT_OUT for word in filling)) for filling in fillings])

    def spend(self, questions: int) -> None:
        super().spend(questions)
        self.sloped += questions


def hint(*sizes: int) -> Gaps:
    """One text with holes of so many words: the words of hole 1 are b00, b01 and so on."""
    sets = tuple(tuple(f"{'abcd'[hole]}{n:02d}" for n in range(size)) for hole, size in enumerate(sizes))
    return Gaps(tokens=("my", *(None,) * len(sizes)), label="yes", candidates=sets)


def additive(seed: int, *sizes: int, together: float = 0.0) -> Callable[[Completion], float]:
    """A sum over holes, and `together` more for one filling: the best word of each hole at once."""
    worth = [np.random.default_rng([seed, hole]).normal(size=size) for hole, size in enumerate(sizes)]
    best = tuple(int(one.argmax()) for one in worth)

    def value(filling: Completion) -> float:
        numbers = tuple(int(word[1:]) for word in filling)
        return float(sum(one[number] for one, number in zip(worth, numbers, strict=True))) + together * (
            numbers == best
        )

    return value


def best_of_all(told: Gaps, value: Callable[[Completion], float]) -> Completion:
    return max(itertools.product(*told.candidates), key=value)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.lists(st.integers(12, 25), min_size=2, max_size=3),
    st.sampled_from([0.0, 3.0]),
)
def test_the_search_finds_what_trying_everything_finds(seed: int, sizes: list[int], together: float) -> None:
    """Where each hole's best word does not hang on the others, and it may be worth more among its like."""
    told, value = hint(*sizes), additive(seed, *sizes, together=together)
    scores = MadeUp(told, value)
    found = FillingSearch(scores, EFFORT, np.random.default_rng(seed)).run(5)
    assert found[0] == (value(found[0][1]), best_of_all(told, value))
    assert scores.asked <= EFFORT.questions(sizes)
    assert scores.asked < told.space / 1.5


def test_words_that_are_only_right_together_are_found_one_hole_at_a_time() -> None:
    """The best filling shows in no hole by itself: it is found from one that shares a word with it."""
    told = hint(30, 30)
    value = {("a07", "b00"): 1.0, ("a07", "b21"): 2.0}
    effort = EFFORT._replace(tried=30)

    def worth(filling: Completion) -> float:
        return value.get(filling, 0.0) + 0.1 * (filling[1] == "b00") + 0.1 * (filling[0] == "a07")

    assert FillingSearch(MadeUp(told, worth), effort, np.random.default_rng(0)).run(1)[0][1] == ("a07", "b21")
    lazy = effort._replace(sweeps=0)
    assert FillingSearch(MadeUp(told, worth), lazy, np.random.default_rng(0)).run(1)[0][1] == ("a07", "b00")


def alike(holes: int, size: int) -> Gaps:
    """One text with holes that take the same words."""
    words = tuple(f"w{number:02d}" for number in range(size))
    return Gaps(tokens=("my", *(None,) * holes), label="yes", candidates=(words,) * holes)


def sure(truth: Completion, lures: Sequence[str]) -> Callable[[Completion], float]:
    """A model that any two memorised words make sure, wherever they stand; lures add a little to that, and no more.

    By itself a memorised word is worth 1; beside two others the right place is worth 0.001, a lure 0.01.
    """

    def value(filling: Completion) -> float:
        right = len(set(truth) & set(filling))
        home = sum(word == other for word, other in zip(filling, truth, strict=True))
        return min(right, 2) + 0.001 * home + 0.01 * sum(word in lures for word in set(filling))

    return value


def test_a_word_that_adds_nothing_to_the_others_shows_by_itself() -> None:
    """Lures do better beside two right words than the third does: what words reach alone puts it first."""
    told, truth = alike(3, 60), ("w41", "w07", "w29")
    value = sure(truth, [f"w{number:02d}" for number in range(10, 30) if number != 29])

    def found(support: float) -> list[Completion]:
        scores, effort = MadeUp(told, value, support=support), EFFORT._replace(repeats=False, parts=True)
        best = FillingSearch(scores, effort, np.random.default_rng(0)).run(60)
        assert scores.asked <= effort.questions((60, 60, 60)) < 1000
        return [filling for _, filling in best]

    assert found(1.0)[0] == truth
    assert found(0.0).index(truth) >= 5


def test_words_that_fit_all_holes_are_asked_about_once() -> None:
    """Sixty words, not three times sixty, and then the best of them together."""
    scores = MadeUp(alike(3, 60), sure(("w41", "w07", "w29"), ()))
    effort = EFFORT._replace(sweeps=0)
    FillingSearch(scores, effort, np.random.default_rng(0)).run(1)
    assert scores.asked <= 60 + effort.together((60, 60, 60)) == 60 + 2 * 16


def test_what_the_gradient_keeps_for_one_hole_is_tried_in_the_others() -> None:
    """It sees every right word, but in a wrong place."""
    told, truth = alike(2, 60), ("w41", "w07")
    value = sure(truth, ())

    def slopes(fillings: Sequence[Completion], hole: int) -> FloatArray:
        del fillings
        return np.array([float(word == truth[1 - hole]) for word in sorted(told.candidates[hole])])

    effort = EFFORT._replace(shortlist=2, sweeps=0)
    found = FillingSearch(MadeUp(told, value, support=1.0), effort, np.random.default_rng(0), slopes).run(1)
    assert found[0][1] == truth


def test_no_word_fills_two_holes_unless_that_may_be() -> None:
    """The best word twice is worth most: it is named, or what comes next; where all is tried out too."""

    def value(filling: Completion) -> float:
        return sum({"w05": 2.0, "w09": 1.0}.get(word, 0.0) for word in filling)

    def found(repeats: bool, size: int) -> list[Completion]:
        scores, effort = MadeUp(alike(2, size), value), EFFORT._replace(repeats=repeats)
        return [one for _, one in FillingSearch(scores, effort, np.random.default_rng(0)).run(500)]

    for size in (10, 60):  # all hundred, or a search
        assert found(True, size)[0] == ("w05", "w05")
        assert found(False, size)[:2] == [("w05", "w09"), ("w09", "w05")]
        assert all(len(set(one)) == 2 for one in found(False, size))


def test_words_are_ordered_by_what_they_reach_alone() -> None:
    """All of them, best first."""
    value = additive(4, 16, 16)
    search = FillingSearch(MadeUp(hint(16, 16), value), EFFORT, np.random.default_rng(0))
    found = search._ordered(0, search.candidates[0])
    assert found == sorted(search.candidates[0], key=lambda word: value((word, LEFT_OUT)), reverse=True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_the_fillings_tried_together_have_the_greatest_sums(seed: int, sizes: list[int]) -> None:
    """Against all sums, sorted; of one hole, and of one candidate too."""
    told, value = hint(*sizes), additive(seed, *sizes)
    scores = MadeUp(told, value)
    search = FillingSearch(scores, EFFORT, np.random.default_rng(0))
    search._combined([search._ordered(hole, words) for hole, words in enumerate(search.candidates)])
    most = EFFORT.together(sizes)
    assert len(sizes) == 1 or len(scores.known) == most
    ordered = sorted((value(filling) for filling in itertools.product(*told.candidates)), reverse=True)
    np.testing.assert_allclose(sorted(scores.known.values(), reverse=True)[:most], ordered[:most])


def test_a_budget_that_reaches_no_filling_names_the_best_words() -> None:
    """Of three questions two words of the first hole and one of the other: the better, and the only one known."""
    told, value = hint(40, 40), additive(3, 40, 40)
    scores = MadeUp(told, value, 3, support=1.0)
    scores.alone(0, ["a05", "a06"])
    with pytest.raises(Spent):
        scores.alone(1, ["b30", "b31"])
    better = max(["a05", "a06"], key=lambda word: value((word, LEFT_OUT)))
    found = FillingSearch(scores, EFFORT, np.random.default_rng(0)).run(9)
    assert [filling for _, filling in found] == [(better, "b30")]


def test_ends_have_no_word_in_common() -> None:
    """The second best shares a word with the best: the third is taken, which shares none."""
    scores = MadeUp(hint(3, 3), additive(0, 3, 3))
    search = FillingSearch(scores, EFFORT._replace(beam=8), np.random.default_rng(0))
    scores.known = {("a0", "b0"): 3.0, ("a0", "b1"): 2.0, ("a1", "b0"): 1.5, ("a1", "b1"): 1.0, ("a2", "b2"): 0.5}
    assert search._ends() == [("a0", "b0"), ("a1", "b1")]


def test_a_small_space_is_tried_out() -> None:
    """As many fillings as the search would ask about, or fewer: all of them, once."""
    told = hint(3, 4)
    scores = MadeUp(told, additive(0, 3, 4))
    found = FillingSearch(scores, EFFORT, np.random.default_rng(0)).run(99)
    assert [filling for _, filling in found] == sorted(
        itertools.product(*told.candidates), key=additive(0, 3, 4), reverse=True
    )
    assert scores.asked == 12


@pytest.mark.parametrize("size", [1, 40])
def test_one_hole_is_asked_about_word_by_word(size: int) -> None:
    """Every candidate once; one candidate is the answer."""
    told, value = hint(size), additive(1, size)
    scores = MadeUp(told, value)
    assert FillingSearch(scores, EFFORT, np.random.default_rng(0)).run(1)[0][1] == best_of_all(told, value)
    assert scores.asked == size


def test_a_hole_with_one_candidate_keeps_it() -> None:
    """Beside a hole of forty."""
    told, value = hint(1, 40), additive(2, 1, 40)
    assert FillingSearch(MadeUp(told, value), EFFORT, np.random.default_rng(0)).run(1)[0][1] == best_of_all(told, value)


def sloped(value: Callable[[Completion], float], told: Gaps, noise: float = 0.0) -> Any:
    """First-order estimates of a sum over holes: the sum itself, and noise."""
    rng = np.random.default_rng(9)

    def slopes(fillings: Sequence[Completion], hole: int) -> FloatArray:
        rows = [
            [value((*one[:hole], word, *one[hole + 1 :])) for word in sorted(told.candidates[hole])] for one in fillings
        ]
        found = np.mean(rows, axis=0)
        return found + noise * rng.normal(size=len(found))

    return slopes


def test_the_gradient_spares_most_questions() -> None:
    """Five words a hole, of forty, are asked about; the starts count for each hole that is pruned."""
    told, value = hint(40, 3, 40), additive(5, 40, 3, 40)
    pruned, whole = MadeUp(told, value), MadeUp(told, value)
    found = FillingSearch(pruned, EFFORT, np.random.default_rng(0), sloped(value, told)).run(1)
    FillingSearch(whole, EFFORT, np.random.default_rng(0)).run(1)
    assert found[0][1] == best_of_all(told, value)
    assert pruned.asked < whole.asked
    assert pruned.sloped >= 2 * EFFORT.starts
    assert pruned.asked + pruned.sloped <= EFFORT.questions((40, 3, 40), pruned=True)


@pytest.mark.parametrize("sizes", [(99,), (40, 40)])
def test_a_word_that_was_left_out_comes_back_when_its_hole_is_filled_anew(sizes: tuple[int, ...]) -> None:
    """The first slopes are turned round, so that the shortlist lacks the best word; later ones are right."""
    told, value = hint(*sizes), additive(6, *sizes)
    right, calls, scores = sloped(value, told), list[int](), MadeUp(told, value)

    def slopes(fillings: Sequence[Completion], hole: int) -> FloatArray:
        calls.append(len(fillings))
        return right(fillings, hole) * (-1 if len(fillings) == EFFORT.starts else 1)

    found = FillingSearch(scores, EFFORT, np.random.default_rng(0), slopes).run(1)
    assert found[0][1] == best_of_all(told, value)
    assert calls.count(EFFORT.starts) == len(sizes)
    assert scores.sloped == sum(calls)  # each gradient is a question


@pytest.mark.parametrize("with_slopes", [False, True])
def test_candidates_in_any_order_give_the_same(with_slopes: bool) -> None:
    """Turned round and mixed, with many ties."""
    told = hint(30, 30)

    def value(filling: Completion) -> float:
        return float(sum(int(word[1:]) // 7 for word in filling))

    results = []
    for order in (range(30), reversed(range(30)), np.random.default_rng(3).permutation(30)):
        places = list(order)
        mixed = told.model_copy(update={"candidates": tuple(tuple(s[p] for p in places) for s in told.candidates)})
        slopes = sloped(value, mixed) if with_slopes else None
        results.append(FillingSearch(MadeUp(mixed, value), EFFORT, np.random.default_rng(0), slopes).run(20))
    assert results[0] == results[1] == results[2]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.booleans())
def test_a_budget_is_never_exceeded_and_always_buys_something(budget: int, with_slopes: bool) -> None:
    """Questions and gradients together."""
    told, value = hint(40, 40), additive(7, 40, 40)
    scores = MadeUp(told, value, budget)
    found = FillingSearch(scores, EFFORT, np.random.default_rng(0), sloped(value, told) if with_slopes else None).run(9)
    assert found
    assert scores.asked + scores.sloped <= budget


def test_a_small_budget_reaches_every_hole() -> None:
    """80 questions with the gradient: half for the holes alone, and both words are right."""
    told, value = hint(40, 40), additive(8, 40, 40)
    effort = EFFORT._replace(shortlist=30, starts=8)
    scores = MadeUp(told, value, 80)
    found = FillingSearch(scores, effort, np.random.default_rng(0), sloped(value, told)).run(1)
    assert found[0][1] == best_of_all(told, value)


def test_the_most_that_is_asked_is_told_beforehand() -> None:
    """Worked out for holes of 40 and 3 words.

    Alone: 40 and 3. Together: 4 x 4. Anew, twice: one end, 4 + 3 words, and together again. With their parts, fillings
    are three questions each, but for words alone.
    Pruned: 4 starts; 5 and 3; together, no more than 5 x 3; anew, twice: 8 + 3 words, 2 x 8 gradients, and together,
    for which the 2 x 4 words of the best are asked about alone.
    One hole: 40 words, 16 of them together; pruned 4 starts, 5 words, 5; twice 8 words, 8 gradients, 4 words, and 16.
    """
    assert EFFORT.questions((40, 3)) == 43 + 16 + 2 * (7 + 16)
    assert EFFORT._replace(parts=True).questions((40, 3)) == 43 + 3 * 16 + 2 * 3 * (7 + 16)
    assert EFFORT.questions((40, 3), pruned=True) == 4 + 8 + 15 + 2 * (11 + 16 + 8 + 16)
    assert EFFORT.questions((40,)) == EFFORT._replace(parts=True).questions((40,)) == 56
    assert EFFORT.questions((40,), pruned=True) == 4 + 5 + 5 + 2 * (8 + 8 + 4 + 16)
    assert EFFORT._replace(beam=12).ends == 3


def test_words_of_different_good_fillings_are_brought_together() -> None:
    """Each right word is found beside a wrong one that goes with it, far from the other: only both are better still."""
    told = hint(60, 60)
    value = {("a40", "b03"): 2.0, ("a05", "b50"): 2.0, ("a40", "b50"): 3.0}

    def worth(filling: Completion) -> float:
        return value.get(filling, 0.0) + 0.5 * (filling[0] == "a05") + 0.5 * (filling[1] == "b03")

    def slopes(fillings: Sequence[Completion], hole: int) -> FloatArray:
        liked = {0: {"a05", "a06", "a07"}, 1: {"b03", "b06", "b07"}}[hole]
        if len(fillings) != EFFORT.starts and any(one[0] == "a05" for one in fillings):
            liked = {"b50"} if hole else liked
        if len(fillings) != EFFORT.starts and any(one[1] == "b03" for one in fillings):
            liked = liked if hole else {"a40"}
        return np.array([float(word in liked) for word in sorted(told.candidates[hole])])

    effort = EFFORT._replace(shortlist=3, tried=1, sweeps=1)
    found = FillingSearch(MadeUp(told, worth), effort, np.random.default_rng(1), slopes).run(1)
    assert found == [(3.0, ("a40", "b50"))]
