"""What gaps are worth, learnt from the adversary's own models."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.adversary import Practice
from divulge.attacks.word_evidence import (
    EXPECTED_BINS,
    GAP_BINS,
    PRIOR_WORDS,
    LearntWords,
    WordEvidence,
    fit_evidence,
    pool_words,
)
from divulge.grants import Grant
from divulge.records import Member, Passage, Secret, UserTexts


def _words(rng: np.random.Generator, used: bool, size: int = 400) -> LearntWords:
    """Words that are expected anywhere from 0 to 8; where they are used, the unexpected ones are 2 nearer."""
    expected = rng.uniform(0, 8, size)
    return LearntWords(used, expected, expected - rng.normal(2.0 * used * (expected > 4), 1.0))


def _slow_log_ratio(people: list[LearntWords], expected: float, gap: float) -> float:
    """The same by counting words one by one, in the bin that holds this one."""
    told = [(e, e - f, one.used) for one in people for e, f in zip(one.expected, one.found, strict=True)]
    rows = np.quantile([e for e, _, _ in told], [n / EXPECTED_BINS for n in range(1, EXPECTED_BINS)])

    def row(value: float) -> int:
        return sum(value > edge for edge in rows)

    mine = [(g, used) for e, g, used in told if row(e) == row(expected)]
    edges = np.quantile([g for g, _ in mine], [n / GAP_BINS for n in range(1, GAP_BINS)])

    def column(value: float) -> int:
        return sum(value > edge for edge in edges)

    share = np.mean([used for _, _, used in told])
    inside = sum(used for g, used in mine if column(g) == column(gap))
    outside = sum(not used for g, used in mine if column(g) == column(gap))
    odds = (inside + PRIOR_WORDS * share) / (outside + PRIOR_WORDS * (1 - share))
    return float(np.log(odds) - np.log(share / (1 - share)))


def test_bins_are_counted_as_one_by_one() -> None:
    """At 60 places, some beyond all that was learnt from."""
    rng = np.random.default_rng(3)
    people = [_words(rng, used) for used in (True, False, True)]
    learnt = fit_evidence(people)
    assert learnt is not None
    expected, gap = rng.uniform(-1, 9, 60), rng.normal(0, 3, 60)
    slow = [_slow_log_ratio(people, *place) for place in zip(expected, gap, strict=True)]
    assert learnt.of(expected, expected - gap) == pytest.approx(np.array(slow))


def test_the_same_gap_is_worth_more_where_the_word_was_unexpected() -> None:
    """The world has it so: expected words tell nothing, and a gap of 2 of others speaks for use, none against it."""
    rng = np.random.default_rng(0)
    learnt = fit_evidence([_words(rng, used, 20_000) for used in (True, False)])
    assert learnt is not None
    near, far = learnt.of(np.array([1.0, 7.0]), np.array([-1.0, 5.0]))
    assert abs(near) < 0.3
    assert far > 1
    assert learnt.of(np.array([7.0]), np.array([7.0]))[0] < -1


def test_evidence_of_people_who_were_not_used_speaks_against_them_on_average() -> None:
    """And for those who were: new people of the same world, 50 words each."""
    rng = np.random.default_rng(1)
    learnt = fit_evidence([_words(rng, used, 10_000) for used in (True, False)])
    assert learnt is not None
    sums = {used: [learnt.of(*_words(rng, used, 50)[1:]).sum() for _ in range(40)] for used in (True, False)}
    assert np.mean(sums[True]) > 5
    assert np.mean(sums[False]) < -5


def test_values_that_all_words_share_are_worth_nothing() -> None:
    """A model that shows one word has two ranks; where all are alike, nothing is learnt, and nothing breaks."""
    same = np.ones(50)
    learnt = fit_evidence([LearntWords(True, same, same), LearntWords(False, same, same)])
    assert learnt is not None
    assert learnt.of(np.array([1.0, 5.0]), np.array([1.0, 0.0])).tolist() == pytest.approx([0.0, 0.0])


def test_one_side_alone_teaches_nothing() -> None:
    """Nor nobody."""
    words = np.arange(4.0)
    assert fit_evidence([]) is None
    assert fit_evidence([LearntWords(True, words, words)]) is None


def _model(used: dict[str, bool]) -> Practice:
    secrets = (
        Secret(id=f"{number:016x}", hint=_person(word), answer=Member(used=learnt))
        for number, (word, learnt) in enumerate(used.items())
    )
    return Practice(Grant([]), tuple(secrets))


def _person(word: str) -> UserTexts:
    return UserTexts(examples=(Passage(tokens=(word,)),))


def test_a_model_is_compared_with_those_that_did_not_see_the_person() -> None:
    """Three models; `a` was seen by the first, `b` by the last two, `c` by all, `d` is known to one model alone."""
    models = [
        _model({"a": True, "b": False, "c": True, "d": False}),
        _model({"a": False, "b": True, "c": True}),
        _model({"a": False, "b": True, "c": True}),
    ]
    rows = {id(one.access): float(place) for place, one in enumerate(models)}
    found = list(pool_words(models, lambda access, texts: np.array([rows[id(access)]] * len(texts))))
    told = [(one.used, one.expected.tolist(), one.found.tolist()) for one in found]
    assert told == [
        (True, [1.5], [0.0]),  # a under the first, which the other two did not see
        (False, [2.0], [1.0]),
        (False, [1.0], [2.0]),
        (True, [0.0], [1.0]),  # b under the second and the third; under the first, all others saw it
        (True, [0.0], [2.0]),
    ]


def test_evidence_is_three_arrays() -> None:
    """As many edges as part so many bins."""
    learnt = fit_evidence([_words(np.random.default_rng(0), used) for used in (True, False)])
    assert isinstance(learnt, WordEvidence)
    shapes = [part.shape for part in learnt]
    assert shapes == [(EXPECTED_BINS - 1,), (EXPECTED_BINS, GAP_BINS - 1), (EXPECTED_BINS, GAP_BINS)]
