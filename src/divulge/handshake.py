"""The handshake: a broken adapter must never look like "no leak".

Run by the owner, who knows some texts and their labels, before any attack. It costs the adversary no queries: it calls
the underscore methods. A failed check makes every verdict on that target inconclusive; a check that raises has failed.
Here are the frame of all checks and those of vectors; `label_handshake` and `token_handshake` have the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from divulge import answers
from divulge.errors import AuditError, OwnCodeError
from divulge.records import Check, Text
from divulge.trials import same_vectors

if TYPE_CHECKING:
    from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess

__all__ = [
    "ROWS_TRIED",
    "OwnerSample",
    "check_oracle",
    "check_rows",
    "checked",
    "failed",
    "guarded",
    "is_trying",
    "spread",
]

A = TypeVar("A")

ROWS_TRIED = 16

_trying: ContextVar[bool] = ContextVar("trying", default=False)


@dataclass(frozen=True)
class OwnerSample:
    """What the owner knows and may try on an access: some texts, and what stands behind some leaked rows."""

    texts: Sequence[Text] = ()
    row_texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    oracle: EmbeddingOracleAccess | None = None
    blurred_rows: bool = False  # a defence changed the rows on purpose: they need not match the oracle


def is_trying() -> bool:
    """Whether a check is under way: an adapter that keeps answers must not hide then that the model gives others."""
    return _trying.get()


def guarded(
    level: str, name: str
) -> Callable[[Callable[[A, OwnerSample], list[Check]]], Callable[[A, OwnerSample], list[Check]]]:
    """Makes a check that raises a failed one: an adapter may break in any way."""

    def around(check: Callable[[A, OwnerSample], list[Check]]) -> Callable[[A, OwnerSample], list[Check]]:
        @functools.wraps(check)
        def within(access: A, sample: OwnerSample) -> list[Check]:
            before = _trying.set(True)
            try:
                return check(access, sample)
            except OwnCodeError:
                raise  # the run stops and is resumed; a failed check would be kept
            except AuditError as error:
                return [failed(level, name, str(error))]
            except Exception as error:  # noqa: BLE001 - its message is somebody else's and may quote the data
                return [failed(level, name, f"{type(error).__name__} was raised")]
            finally:
                _trying.reset(before)

        return within

    return around


@guarded("EmbeddingOracleAccess", "same text, same vector")
def check_oracle(access: EmbeddingOracleAccess, sample: OwnerSample) -> list[Check]:
    """The same text must give the same vector, whatever else is in the batch; not all texts may give the same."""
    level, name = "EmbeddingOracleAccess", "same text, same vector"
    texts = list(dict.fromkeys(text.tokens for text in sample.texts if text.tokens))[:16]
    if not texts:
        return [checked(level, name, None, "no texts to try")]
    together = answers.vector_rows(access._embed(texts), len(texts), "_embed")
    alone = [access._embed([text])[0] for text in texts[:4]]
    same = all(same_vectors(a, b) for a, b in zip(alone, together, strict=False))
    differs = None if len(texts) < 2 else any(not same_vectors(row, together[0]) for row in together[1:])
    return [checked(level, name, same), checked(level, "other text, other vector", differs)]


@guarded("EmbeddedRowsAccess", "leaked rows match the oracle")
def check_rows(access: EmbeddedRowsAccess, sample: OwnerSample) -> list[Check]:
    """Leaked rows must be what the oracle makes of the texts behind them."""
    level, name = "EmbeddedRowsAccess", "leaked rows match the oracle"
    numbers = spread(sorted(sample.row_texts), ROWS_TRIED)
    if numbers and numbers[-1] >= access.count:
        return [failed(level, name, f"{access.count} rows, but the text behind row {numbers[-1]} is known")]
    if not numbers or sample.oracle is None or sample.blurred_rows:
        reason = "a defence changed the rows" if sample.blurred_rows else "no oracle, or no row whose text is known"
        return [checked(level, name, None, reason)]
    rows = answers.vector_rows(access._rows(numbers), len(numbers), "_rows")
    again = sample.oracle._embed([sample.row_texts[number] for number in numbers])
    matching = sum(same_vectors(a, b) for a, b in zip(rows, again, strict=True))
    return [checked(level, name, matching == len(numbers), f"{matching} of {len(numbers)} rows")]


def spread(every: Sequence[A], most: int) -> list[A]:
    """At most so many, evenly from the first to the last: what is wrong may begin anywhere.

    >>> spread("abcdefghi", 3)
    ['a', 'e', 'i']
    """
    if len(every) <= most:
        return list(every)
    return [every[place * (len(every) - 1) // max(1, most - 1)] for place in range(most)]


def failed(access: str, name: str, detail: str) -> Check:
    """A check that did not hold."""
    return Check(access=access, name=name, passed=False, detail=detail)


def checked(access: str, name: str, passed: bool | None, detail: str = "") -> Check:  # noqa: FBT001 - a record's field
    """A check that held, did not hold, or could not be tried (None)."""
    return Check(access=access, name=name, passed=passed, detail=detail)
