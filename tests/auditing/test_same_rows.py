"""Guesses about rows serve their controls, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.auditing import tasks
from divulge.auditing.same_rows import same_guesses
from divulge.data.rows import control_rows
from divulge.records import LeakedRow, Ranking, RowContent, Secret

SECRETS = tuple(
    Secret(id=f"s{row}", hint=LeakedRow(row=row), answer=RowContent(tokens=(f"word{row}",))) for row in range(6)
)
CONTROLS = control_rows(SECRETS, b"key", np.random.default_rng(0))
GUESSES = [Ranking(secret_id=f"s{row}", candidates=((f"word{row}",),), scores=(1.0,)) for row in range(5)]


def test_a_control_gets_the_guess_about_its_row() -> None:
    """Under its own id; what was not guessed about a row is not guessed about its control."""
    found = same_guesses(GUESSES, SECRETS, CONTROLS)
    rows = {control.id: control.hint.row for control in CONTROLS if isinstance(control.hint, LeakedRow)}
    assert {guess.secret_id: guess.candidates for guess in found} == {  # type: ignore[union-attr]
        name: ((f"word{row}",),) for name, row in rows.items() if row < 5
    }


@pytest.mark.parametrize(
    ("asked", "controls", "told"),
    [
        (SECRETS, CONTROLS, 3),
        (SECRETS[:3], CONTROLS, 0),
        (SECRETS, (), 0),
        ((), CONTROLS, 0),
    ],
    ids=["told how texts begin", "another row", "no controls", "nothing asked"],
)
def test_hints_that_differ_are_guessed_about(
    asked: tuple[Secret, ...], controls: tuple[Secret, ...], told: int
) -> None:
    """Nothing is taken over."""
    assert same_guesses(GUESSES, asked, controls, told) == []


def test_the_runner_takes_them() -> None:
    """It is this function that the attack's task asks."""
    assert tasks.same_guesses is same_guesses
