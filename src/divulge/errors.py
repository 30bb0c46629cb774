"""What can go wrong, sorted by who can mend it: each kind carries the exit code the command line gives."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["AuditError", "BudgetExhausted", "EvidenceError", "ExecutionError", "InputError", "OwnCodeError"]


class AuditError(Exception):
    """Anything Divulge reports in one message without a trace.

    The message says what was found, what is allowed and what to do. It never holds secret text.
    """

    exit_code = 1


class InputError(AuditError):
    """The caller's input is wrong: arguments, TOML, data, an unknown name. Collects every problem found."""

    exit_code = 2

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        if not self.problems:
            raise ValueError("an InputError needs at least one problem")
        if len(self.problems) == 1:
            message = self.problems[0]
        else:
            listed = "\n".join(f"  - {problem}" for problem in self.problems)
            message = f"{len(self.problems)} problems:\n{listed}"
        super().__init__(message)


class ExecutionError(AuditError):
    """The input was fine, yet the work failed: a task failed, a file could not be read or written."""

    exit_code = 1


class OwnCodeError(ExecutionError):
    """Code of the user's own raised: whoever asked it stops and concludes nothing; it can be asked again."""


class EvidenceError(AuditError):
    """There is no evidence, or too little of it, to answer the question."""

    exit_code = 3


class BudgetExhausted(AuditError):  # noqa: N818 - a signal an attack may let pass, not a fault
    """The adversary asked for more examples than its query budget has left.

    An attack may let this pass: the runner keeps what was guessed before. Better attacks look at
    `access.remaining` and spend what is left.
    """
