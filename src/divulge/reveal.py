"""Secrets in plain words, for the owner who asks: what was hidden, what the attack said first, was it right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from divulge.auditing.measuring import scored
from divulge.auditing.planning import Plan, Planned, plan
from divulge.canonical import canonical_json
from divulge.data.cases import Case
from divulge.errors import ExecutionError, InputError
from divulge.metrics.base import Scored
from divulge.pieces import spoken
from divulge.records import (
    Answer,
    Artefact,
    Gaps,
    Guess,
    Hint,
    Keywords,
    LeakedRow,
    Member,
    Ranking,
    RecordText,
    Revealed,
    RunResults,
)
from divulge.spec import AuditSpec
from divulge.store import MissingArtefactError, Store

__all__ = ["reveal"]

HOLE = "____"


def reveal(results: RunResults, store: Store) -> Mapping[str, tuple[Revealed, ...]]:
    """Makes the secrets of a run again from its specs, and reads the guesses from the store; by spec hash."""
    specs = [AuditSpec.model_validate_json(canonical_json(result.spec)) for result in results.results]
    try:
        planned = plan(specs)
        return {one.spec.hash: tuple(_of_spec(one, planned, store)) for one in planned.planned if one.attack}
    except MissingArtefactError:
        raise ExecutionError(
            "the guesses of this run are not in the store any more, so that there is nothing to show. "
            "Run the audit again, or leave out --show-secrets"
        ) from None
    except InputError as error:
        raise ExecutionError(f"the secrets of this run cannot be made again: {error}") from None


def _of_spec(one: Planned, planned: Plan, store: Store) -> Iterator[Revealed]:
    needs = planned.graph[one.measure].needs
    for number, member in enumerate(one.members):
        role = "attack" if len(one.members) == 1 else f"{number} attack"
        prefix = "" if len(one.members) == 1 else f"{member.spec.seed}/"  # as in the outcomes of results.json
        yield from _of_model(member.case, store.get(needs[role]), prefix)


def _of_model(case: Case, artefact: Artefact, prefix: str) -> Iterator[Revealed]:
    for arm, secrets in (("attack", case.secrets), ("control", case.controls)):
        found: Scored = scored(secrets, artefact, arm)
        for secret in secrets:
            yield _revealed(f"{prefix}{secret.id}", arm, secret.hint, secret.answer, found.guesses.get(secret.id))


def _revealed(secret_id: str, arm: Any, hint: Hint, answer: Answer, guess: Guess | None) -> Revealed:
    said, right = _said(guess, answer)
    return Revealed(secret_id=secret_id, arm=arm, asked=_asked(hint), answer=_answered(answer), guess=said, right=right)


def _asked(hint: Hint) -> str:
    if isinstance(hint, Gaps):
        return " ".join(HOLE if token is None else token for token in hint.tokens)
    if isinstance(hint, LeakedRow):
        return f"row {hint.row}"
    if isinstance(hint, RecordText):
        return " ".join(hint.tokens)
    texts = hint.examples
    return f"{len(texts)} texts, the first: {' '.join(texts[0].tokens)}" if texts else "no texts"


def _answered(answer: Answer) -> str:
    if isinstance(answer, Member) and not answer.known:
        return "unknown"
    if isinstance(answer, Member):
        return "used" if answer.used else "not used"
    return ", ".join(answer.words) if isinstance(answer, Keywords) else spoken(answer.tokens)


def _said(guess: Guess | None, answer: Answer) -> tuple[str | None, bool | None]:
    """The first guess in words, and whether it is the answer; a statistic is neither right nor wrong."""
    if guess is None:
        return None, None if isinstance(answer, Member) else False
    if not isinstance(guess, Ranking):
        p_value = "" if guess.p_value is None else f", p = {guess.p_value:.3g}"
        return f"statistic {guess.statistic:.3g}{p_value}", None
    first = guess.candidates[0] if guess.candidates else ()
    if isinstance(answer, Keywords):
        return " ".join(first), set(answer.words) <= set(first)
    assert not isinstance(answer, Member)
    return spoken(first), first == answer.tokens[: len(first)] and len(first) == len(answer.tokens)
