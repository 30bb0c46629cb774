"""Rows whose sentences and keywords the adversary knows: what attacks on leaked rows learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background, Practice
from divulge.errors import InputError
from divulge.pieces import words_of
from divulge.records import FloatArray, Hint, LeakedRow, RowContent, Secret, Tokens

__all__ = ["affordable_rows", "keyword_names", "known_rows", "own_encoder", "pooled"]

AT_ONCE = 256  # rows in memory; those of a large corpus would fill gigabytes


def own_encoder(background: Background, name: str) -> Practice:
    """The adversary's first encoder with its public rows: vectors of two encoders cannot be mixed."""
    if not background.practice:
        raise InputError(f"{name} needs practice rows with known sentences: set adversary.background.corpus")
    return background.practice[0]


def known_rows(practice: Practice, numbers: Sequence[int] | None = None) -> Iterator[tuple[FloatArray, RowContent]]:
    """Each practice row with what is behind it; `numbers` chooses among its secrets."""
    every = [secret for secret in practice.secrets if isinstance(secret.hint, LeakedRow)]
    chosen = every if numbers is None else [every[number] for number in numbers]
    access = practice.access[EmbeddedRowsAccess]
    for start in range(0, len(chosen), AT_ONCE):
        part = chosen[start : start + AT_ONCE]
        for secret, row in zip(part, access.rows([_number(secret) for secret in part]), strict=True):
            answer = secret.answer
            assert isinstance(answer, RowContent | Tokens)
            yield row, answer if isinstance(answer, RowContent) else RowContent(tokens=answer.tokens)


def affordable_rows(
    access: EmbeddedRowsAccess, hints: Mapping[str, Hint]
) -> Iterator[tuple[list[str], list[FloatArray]]]:
    """The leaked rows, some at a time, as far as the budget goes."""
    names = list(hints)
    while names:
        most = AT_ONCE if access.remaining is None else min(AT_ONCE, access.remaining)
        part, names = names[:most], names[most:]
        if not part:
            return  # the budget is spent
        numbers = [hint.row for hint in (hints[name] for name in part) if isinstance(hint, LeakedRow)]
        yield part, access.rows(numbers)


def pooled(row: FloatArray) -> FloatArray:
    """The mean of a row's vectors; a row that is pooled already stays as it is."""
    if row.ndim == 1:
        return row
    return np.asarray(row.mean(axis=0) if len(row) else np.zeros(row.shape[1]), dtype=np.float64)


def keyword_names(answer: RowContent) -> list[str]:
    """The keywords of a text, each once and sorted, in lower-case words with a space between."""
    return sorted({" ".join(words_of([keyword])) for keyword in answer.words} - {""})


def _number(secret: Secret) -> int:
    assert isinstance(secret.hint, LeakedRow)
    return secret.hint.row
