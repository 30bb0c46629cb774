"""Which question a set of secrets puts, and what was guessed about each of them."""

from __future__ import annotations

import math

from divulge.metrics.base import Scored
from divulge.records import Gaps, Keywords, LeakedRow, Member, Ranking, RowContent, Tokens, Verdict

__all__ = [
    "about_gaps",
    "about_keywords",
    "about_rows",
    "about_users",
    "candidates",
    "gaps",
    "keywords",
    "right_verdict",
    "statistic",
    "true_tokens",
    "was_used",
]


def about_gaps(scored: Scored) -> bool:
    """Whether every secret is a text with holes to fill."""
    return _all_of(scored, Gaps, (Tokens,))


def about_rows(scored: Scored) -> bool:
    """Whether every secret is the sentence behind a leaked row."""
    return _all_of(scored, LeakedRow, (Tokens, RowContent))


def about_keywords(scored: Scored) -> bool:
    """Whether every secret is a leaked row, and some have keywords to find."""
    rows = _all_of(scored, LeakedRow, (Tokens, Keywords, RowContent))
    return rows and any(keywords(scored, secret_id) for secret_id in scored.answers)


def about_users(scored: Scored) -> bool:
    """Whether every secret is a person whose texts were used or not."""
    return bool(scored.answers) and all(isinstance(answer, Member) for answer in scored.answers.values())


def gaps(scored: Scored, secret_id: str) -> Gaps:
    """The hint of a secret in a set that is `about_gaps`."""
    hint = scored.hints[secret_id]
    assert isinstance(hint, Gaps)
    return hint


def true_tokens(scored: Scored, secret_id: str) -> tuple[str, ...]:
    """The tokens to be guessed."""
    answer = scored.answers[secret_id]
    assert isinstance(answer, Tokens | RowContent)
    return answer.tokens


def keywords(scored: Scored, secret_id: str) -> tuple[str, ...]:
    """The keywords to be guessed, each once, sorted."""
    answer = scored.answers[secret_id]
    return tuple(sorted(set(answer.words))) if isinstance(answer, Keywords | RowContent) else ()


def was_used(scored: Scored, secret_id: str) -> bool:
    """Whether the person's texts were used."""
    answer = scored.answers[secret_id]
    assert isinstance(answer, Member)
    return answer.used


def candidates(scored: Scored, secret_id: str) -> tuple[tuple[str, ...], ...]:
    """The guesses about a secret, best first; none where there is no ranking."""
    guess = scored.guesses.get(secret_id)
    return guess.candidates if isinstance(guess, Ranking) else ()


def statistic(scored: Scored, secret_id: str) -> float:
    """How strongly the person is held to be a member; infinitely wrong where there is no verdict."""
    guess = scored.guesses.get(secret_id)
    if isinstance(guess, Verdict):
        return guess.statistic
    return -math.inf if was_used(scored, secret_id) else math.inf


def right_verdict(scored: Scored, secret_id: str, threshold: float = 0.0) -> bool:
    """Whether a person above `threshold` was used, or one not above it was not; no verdict is never right."""
    found = statistic(scored, secret_id)
    return math.isfinite(found) and (found > threshold) == was_used(scored, secret_id)


def _all_of(scored: Scored, hint: type, answers: tuple[type, ...]) -> bool:
    return bool(scored.answers) and all(
        isinstance(scored.hints.get(secret_id), hint) and isinstance(answer, answers)
        for secret_id, answer in scored.answers.items()
    )
