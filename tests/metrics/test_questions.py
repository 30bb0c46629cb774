"""Which question secrets put, and what a missing guess counts as."""

from __future__ import annotations

import math

import pytest

from divulge.metrics.base import Scored
from divulge.metrics.questions import (
    about_gaps,
    about_keywords,
    about_rows,
    about_users,
    candidates,
    gaps,
    keywords,
    right_verdict,
    statistic,
    true_tokens,
    was_used,
)
from divulge.records import (
    Answer,
    Gaps,
    Hint,
    Keywords,
    LeakedRow,
    Member,
    Ranking,
    RowContent,
    Tokens,
    UserTexts,
    Verdict,
)

HOLE = Gaps(tokens=(None,), candidates=(("a", "b"),))
ROW = LeakedRow(row=0)
USER = UserTexts(examples=())


def of(*pairs: tuple[Hint, Answer]) -> Scored:
    """Secrets s0, s1, … of these hints and answers."""
    return Scored(
        answers={f"s{number}": answer for number, (_, answer) in enumerate(pairs)},
        hints={f"s{number}": hint for number, (hint, _) in enumerate(pairs)},
    )


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], set()),
        ([(HOLE, Tokens(tokens=("a",)))], {about_gaps}),
        ([(ROW, Tokens(tokens=("a",)))], {about_rows}),
        ([(ROW, RowContent(tokens=("a",), words=("a",)))], {about_rows, about_keywords}),
        ([(ROW, RowContent(tokens=("a",)))], {about_rows}),
        ([(ROW, Keywords(words=("a",)))], {about_keywords}),
        ([(USER, Member(used=True))], {about_users}),
        ([(USER, Member(used=True)), (HOLE, Tokens(tokens=("a",)))], set()),
        ([(ROW, Tokens(tokens=("a",))), (HOLE, Tokens(tokens=("a",)))], set()),
    ],
)
def test_which_question_is_put(pairs: list[tuple[Hint, Answer]], expected: set) -> None:
    """Each set of secrets is about one thing, and a mixed or empty set about nothing."""
    asked = (about_gaps, about_rows, about_keywords, about_users)
    assert {question for question in asked if question(of(*pairs))} == expected


def test_a_verdict_is_no_ranking_and_a_ranking_no_verdict() -> None:
    """A guess of the wrong kind is a missing guess."""
    scored = of((HOLE, Tokens(tokens=("a",))), (USER, Member(used=True)))
    guesses = {
        "s0": Verdict(secret_id="s0", statistic=1.0),
        "s1": Ranking(secret_id="s1", candidates=(("a",),)),
    }
    swapped = Scored(answers=scored.answers, hints=scored.hints, guesses=guesses)
    assert candidates(swapped, "s0") == ()
    assert statistic(swapped, "s1") == -math.inf


def test_without_a_verdict_the_attack_is_infinitely_wrong() -> None:
    """A member falls below everybody, another above everybody, and neither is ever judged rightly."""
    scored = of((USER, Member(used=True)), (USER, Member(used=False)))
    assert statistic(scored, "s0") == -math.inf
    assert statistic(scored, "s1") == math.inf
    for threshold in (0.0, math.inf, -math.inf):
        assert not right_verdict(scored, "s0", threshold)
        assert not right_verdict(scored, "s1", threshold)


@pytest.mark.parametrize(
    ("value", "used", "right"), [(0.1, True, True), (0.1, False, False), (0.0, True, False), (-1.0, False, True)]
)
def test_above_zero_means_used(value: float, used: bool, right: bool) -> None:
    """The verdict is "used" only strictly above the threshold."""
    scored = of((USER, Member(used=used)))
    with_guess = Scored(
        answers=scored.answers, hints=scored.hints, guesses={"s0": Verdict(secret_id="s0", statistic=value)}
    )
    assert right_verdict(with_guess, "s0") is right


def test_reading_answers_and_hints() -> None:
    """Tokens, keywords, membership and holes are read from whichever answer holds them."""
    scored = of(
        (HOLE, Tokens(tokens=("a",))),
        (ROW, RowContent(tokens=("x", "y"), words=("y", "x", "y"))),
        (USER, Member(used=False)),
    )
    assert gaps(scored, "s0") is HOLE
    assert true_tokens(scored, "s0") == ("a",)
    assert true_tokens(scored, "s1") == ("x", "y")
    assert keywords(scored, "s1") == ("x", "y")
    assert keywords(scored, "s0") == ()
    assert was_used(scored, "s2") is False
