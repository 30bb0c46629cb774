"""The count of what was asked, and the limit to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from divulge.errors import BudgetExhausted, InputError

if TYPE_CHECKING:
    from divulge.access import Access

__all__ = ["QueryMeter"]


class QueryMeter:
    """Counts the examples asked, by the access class that defines the question, and stops at a limit."""

    def __init__(self, limit: int | None = None) -> None:
        if limit is not None and limit < 0:
            raise InputError(f"max_queries must be 0 or more. Got {limit}")
        self.limit = limit
        self.asked: dict[str, int] = {}

    @property
    def total(self) -> int:
        """How many examples were asked, over all questions."""
        return sum(self.asked.values())

    @property
    def remaining(self) -> int | None:
        """How many examples may still be asked; None = as many as you like."""
        return None if self.limit is None else self.limit - self.total

    def charge(self, level: type[Access], examples: int) -> None:
        """Counts `examples`, or raises before anything is asked if they would exceed the limit."""
        if self.remaining is not None and examples > self.remaining:
            raise BudgetExhausted(
                f"{examples} more examples at {level.__name__} would exceed max_queries = {self.limit} "
                f"({self.total} asked so far)"
            )
        self.asked[level.__name__] = self.asked.get(level.__name__, 0) + examples
