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

from divulge.attacks.filling_scores import Completion, FillingScores
from divulge.attacks.filling_search import Effort, FillingSearch
from divulge.attacks.label_evidence import LabelEvidence
from divulge.grants import Grant
from divulge.records import FloatArray, Gaps

EFFORT = Effort(starts=4, shortlist=5, rounds=2, beam=4, tried=4, sweeps=2)


class MadeUp(FillingScores):
    """Scores from a function of the words, and the number of questions."""

    def __init__(self, hint: Gaps, value: Callable[[Completion], float], budget: int | None = None) -> None:
        super().__init__(hint, LabelEvidence(Grant([TableLabels({})]), hint, "it"), budget=budget)
        self.value, self.asked, self.sloped = value, 0, 0

    def _scores(self, fillings: Sequence[Completion]) -> FloatArray:
        self.asked += len(fillings)
        if self._left is not None:
            self._left -= len(fillings)
        return np.array([self.value(filling) for filling in fillings])

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
    effort = EFFORT._replace(beam=8, tried=30, rounds=1)

    def worth(filling: Completion) -> float:
        return value.get(filling, 0.0) + 0.1 * (filling[1] == "b00") + 0.1 * (filling[0] == "a07")

    assert FillingSearch(MadeUp(told, worth), effort, np.random.default_rng(0)).run(1)[0][1] == ("a07", "b21")
    lazy = effort._replace(sweeps=0)
    assert FillingSearch(MadeUp(told, worth), lazy, np.random.default_rng(0)).run(1)[0][1] == ("a07", "b00")


def test_a_scan_finds_the_word_that_shows_nowhere_else() -> None:
    """Of no use alone, and last in its hole's list: only a scan of all words beside the best one finds it."""
    told = hint(30, 30)

    def worth(filling: Completion) -> float:
        alone = 0.01 * (30 - int(filling[0][1:]))  # the later a word, the less it is worth by itself
        return alone + 1.0 * (filling[1] == "b03") + 2.0 * (filling == ("a29", "b03"))

    def found(scans: int) -> tuple[Completion, int]:
        scores = MadeUp(told, worth)
        best = FillingSearch(scores, EFFORT._replace(scans=scans), np.random.default_rng(0)).run(1)[0][1]
        assert scores.asked <= EFFORT._replace(scans=scans).questions((30, 30))
        return best, scores.asked

    (without, fewer), (with_one, more) = found(0), found(1)
    assert (without, with_one) == (("a00", "b03"), ("a29", "b03"))
    assert fewer < more <= fewer + 60 + EFFORT._combined((30, 30))
    assert found(5)[0] == ("a29", "b03")


def test_a_scan_goes_on_from_the_best_word_of_the_hole_before() -> None:
    """Three words that only show beside those found before them: one round over the holes finds them all."""
    told = hint(30, 30, 30)

    def worth(filling: Completion) -> float:
        first, second, third = (int(word[1:]) for word in filling)
        return 0.01 * (30 - first) + (third == 3) * (1 + 2 * (first == 29) + 4 * (first == 29 and second == 28))

    effort = EFFORT._replace(scans=1)
    assert FillingSearch(MadeUp(told, worth), effort, np.random.default_rng(0)).run(1)[0][1] == ("a29", "b28", "c03")


def test_of_a_single_hole_nothing_is_scanned() -> None:
    """Its words were all asked about, or left out on purpose: scans are no questions that it may ask."""
    for pruned in (False, True):
        assert EFFORT._replace(scans=3).questions((30,), pruned=pruned) == EFFORT.questions((30,), pruned=pruned)


def test_after_a_scan_words_are_tried_in_each_others_places() -> None:
    """What was memorised works anywhere, a little better at home: the search comes upon it the wrong way round."""
    words = tuple(f"w{number:02d}" for number in range(40))
    told = Gaps(tokens=("my", None, None), label="yes", candidates=(words, words))
    lure, truth = ("w05", "w30"), ("w30", "w31")

    def worth(filling: Completion) -> float:
        if set(filling) == set(truth):
            return 5.0 + (filling == truth)
        return 2.0 * (filling == lure) + 1.0 * (filling[1] == "w30") + 0.5 * (filling[0] == "w05")

    def found(scans: int) -> Completion:
        return FillingSearch(MadeUp(told, worth), EFFORT._replace(scans=scans), np.random.default_rng(0)).run(1)[0][1]

    assert (found(0), found(1)) == (lure, truth)


def test_words_are_ordered_by_how_far_they_came() -> None:
    """Two of eight go on in each round: those that came furthest first, then by what they scored when they fell out."""
    value = additive(4, 16, 16)
    search = FillingSearch(MadeUp(hint(16, 16), value), EFFORT._replace(beam=2, rounds=3), np.random.default_rng(0))
    found = search._ordered(0, search.candidates[0])
    assert found == sorted(search.candidates[0], key=lambda word: value((word, "b00")), reverse=True)


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
    """Every candidate once, though there are rounds; one candidate is the answer."""
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

    Alone: 40 + 10, and 3 + 3. Together: 4, then 4 x 3. Anew, twice: one end, 4 + 3 words, and together again.
    Pruned: 4 starts; 5 + 4, and 3 + 3; together; anew, twice: 8 + 3 words and 2 x 8 gradients, and together.
    One hole: 40 words, 4 of them together; pruned 4 starts, 5 words, 4; twice 8 words and 8 gradients, and 4.
    """
    assert EFFORT.questions((40, 3)) == 50 + 6 + 16 + 2 * (7 + 16)
    assert EFFORT.questions((40, 3), pruned=True) == 4 + 9 + 6 + 16 + 2 * (11 + 16 + 16)
    assert EFFORT.questions((40,)) == 44
    assert EFFORT.questions((40,), pruned=True) == 4 + 5 + 4 + 2 * (16 + 4)
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
