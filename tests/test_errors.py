"""Kinds of failure, their exit codes and their words."""

from __future__ import annotations

import pytest

from divulge.errors import AuditError, BudgetExhausted, EvidenceError, ExecutionError, InputError, OwnCodeError


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (InputError, 2),
        (ExecutionError, 1),
        (EvidenceError, 3),
        (AuditError, 1),
        (BudgetExhausted, 1),
        (OwnCodeError, 1),
    ],
)
def test_each_kind_has_the_exit_code_of_the_contract(kind: type[AuditError], code: int) -> None:
    """2 the caller's input is wrong, 1 execution failed, 3 no evidence; one handler catches them all."""
    with pytest.raises(AuditError, match="said") as caught:
        raise kind("said")
    assert caught.value.exit_code == code


def test_one_problem_is_its_own_message() -> None:
    """A single problem is not listed."""
    error = InputError("x must be 1. Got 2")
    assert str(error) == "x must be 1. Got 2"
    assert error.problems == ("x must be 1. Got 2",)


def test_several_problems_are_counted_and_listed() -> None:
    """All that is wrong comes at once, in order, from any iterable."""
    error = InputError(problem for problem in ("a is missing", "b is missing"))
    assert error.problems == ("a is missing", "b is missing")
    assert str(error) == "2 problems:\n  - a is missing\n  - b is missing"


def test_no_problem_is_no_error() -> None:
    """An empty list of problems is a fault of the code that raises, not of the caller."""
    with pytest.raises(ValueError, match="at least one problem"):
        InputError([])
