"""The numbers that elmahdy2022 prints in tables 2 to 4, typed off them; each is over ten runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from divulge.spec import Published

__all__ = ["TABLE_2", "TABLE_3", "TABLE_4", "TRAINED", "table2", "table3", "table4", "trained"]

# By lambda: success within k = 100 of the last one, two and three tokens.
TABLE_2: Mapping[float, tuple[float, float, float]] = {
    0.0: (0.8, 0.2, 0.0),
    0.01: (0.9, 0.3, 0.0),
    0.1: (0.7, 0.1, 0.0),
    1.0: (0.3, 0.1, 0.0),
    10.0: (0.1, 0.0, 0.0),
}
# By the repetitions of the canary: success within k = 50, 100 and 200.
TABLE_3: Mapping[int, tuple[float, float, float]] = {
    100: (0.7, 0.9, 1.0),
    50: (0.5, 0.5, 0.9),
    25: (0.1, 0.3, 0.4),
    10: (0.0, 0.1, 0.2),
}
# By the repetitions of the supporting canary in one other class.
TABLE_4: Mapping[int, tuple[float, float, float]] = {
    99: (0.5, 0.5, 0.5),
    50: (0.4, 0.4, 0.5),
    25: (0.4, 0.5, 0.5),
    0: (0.1, 0.1, 0.1),
}
WIDTHS = (50, 100, 200)
GUESSED = {50: 0.0029, 100: 0.0058, 200: 0.0117}  # of one token, among 17,000 words
GUESSED_TWO = (
    3.4e-5  # of two tokens within k = 100: printed as the square, where chance is k by the square of the words
)
TRAINED = {"train_accuracy": 0.4769, "valid_accuracy": 0.4294}
SMALLER = "printed for 17,000 words"


def table2(data: str) -> tuple[Published, ...]:
    """Table 2, cell by cell."""
    found: list[Published] = []
    for penalty, printed in TABLE_2.items():
        for tokens, value in enumerate(printed, start=1):
            cell = {"tokens": tokens, "R": 100, "lambda": penalty, "supporting": "all", "data": data}
            guess = {1: GUESSED[100], 2: GUESSED_TWO}.get(tokens)
            note = f"{SMALLER}, as (k / words) to the power of the tokens" if tokens > 1 else SMALLER
            found += beside({**cell, "k": 100}, value, guess, note)
    return tuple(found)


def table3(data: str) -> tuple[Published, ...]:
    """Table 3, cell by cell."""
    shared = {"tokens": 1, "lambda": 0.01, "supporting": "all", "data": data}
    return tuple(one for copies, row in TABLE_3.items() for one in _by_width({**shared, "R": copies}, row))


def table4(data: str) -> tuple[Published, ...]:
    """Table 4, cell by cell."""
    shared = {"tokens": 1, "lambda": 0.0, "R": 100, "data": data}
    return tuple(one for number, row in TABLE_4.items() for one in _by_width({**shared, "supporting": number}, row))


def trained(cell: Mapping[str, Any]) -> tuple[Published, ...]:
    """The accuracy of the paper's classifier, beside that of one cell's models."""
    return tuple(
        Published(cell=dict(cell), attack=None, metric=metric, value=value, arm="utility")
        for metric, value in TRAINED.items()
    )


def beside(cell: Mapping[str, Any], value: float, guess: float | None, note: str) -> Iterator[Published]:
    """A printed success of the paper's attack, and that of guessing."""
    yield Published(cell=dict(cell), attack="label-likelihood", metric="success", value=value)
    if guess is not None:
        yield Published(
            cell=dict(cell), attack="label-likelihood", metric="success", value=guess, arm="baseline", note=note
        )


def _by_width(cell: Mapping[str, Any], row: tuple[float, float, float]) -> Iterator[Published]:
    for k, value in zip(WIDTHS, row, strict=True):
        yield from beside({**cell, "k": k}, value, GUESSED[k], SMALLER)
