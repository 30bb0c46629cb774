"""The numbers that parikh2022 prints, typed off its tables; figures 2 to 5 are pictures and give none.

Both prints of the paper agree in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.spec import Published

__all__ = [
    "TABLE_2",
    "TABLE_3",
    "TABLE_3_CHANCE",
    "TABLE_4",
    "TABLE_5",
    "Printed",
    "beside",
    "best_over_r",
    "chance",
    "printed_cells",
]

Printed = tuple[str, int, int, float, float]

# canary, n, R, accuracy, HDT; R is the one at which the best was observed.
TABLE_2: tuple[Printed, ...] = (
    ("color", 4, 10, 0.40, 0.30),
    ("color", 6, 100, 0.30, 0.45),
    ("color", 8, 100, 0.10, 0.60),
    ("color", 10, 500, 0.00, 0.59),
    ("pin", 4, 500, 0.40, 0.27),
    ("pin", 6, 100, 0.10, 0.45),
    ("pin", 8, 100, 0.00, 0.61),
    ("pin", 10, 100, 0.10, 0.43),
    ("call", 4, 10, 0.30, 0.40),
    ("call", 6, 100, 0.20, 0.50),
    ("call", 8, 100, 0.00, 0.60),
    ("call", 10, 500, 0.00, 0.59),
)
TABLE_5: tuple[Printed, ...] = (
    ("color", 4, 10, 0.40, 0.30),
    ("color", 6, 100, 0.30, 0.45),
    ("color", 8, 1000, 0.10, 0.48),
    ("color", 10, 1000, 0.00, 0.59),
    ("pin", 4, 1000, 0.50, 0.18),
    ("pin", 6, 1000, 0.10, 0.43),
    ("pin", 8, 1000, 0.00, 0.57),
    ("pin", 10, 100, 0.10, 0.43),
    ("call", 4, 10, 0.30, 0.40),
    ("call", 6, 100, 0.20, 0.50),
    ("call", 8, 1000, 0.00, 0.58),
    ("call", 10, 2000, 0.00, 0.59),
)
TABLE_4: tuple[Printed, ...] = (
    ("color", 4, 1, 0.33, 0.43),
    ("pin", 4, 1, 0.10, 0.60),
    ("call", 4, 1, 0.10, 0.58),
    ("call", 10, 1, 0.00, 0.68),
    ("call", 7, 1, 0.10, 0.70),
)
# By R and defence: the HDT of color, pin and call. D + CE is not printed; accuracies are "nearly zero" and omitted.
TABLE_3: dict[int, dict[str, tuple[float, float, float]]] = {
    10: {
        "none": (0.30, 0.33, 0.40),
        "D": (0.85, 0.80, 0.76),
        "ES": (0.80, 0.93, 0.95),
        "CE": (0.65, 0.75, 0.90),
        "D+ES": (0.98, 0.90, 0.95),
        "ES+CE": (0.90, 0.83, 0.90),
        "D+ES+CE": (0.90, 0.90, 0.90),
    },
    500: {
        "none": (0.39, 0.27, 0.38),
        "D": (0.65, 0.54, 0.83),
        "ES": (0.85, 1.00, 0.75),
        "CE": (0.58, 0.93, 0.68),
        "D+ES": (0.85, 0.93, 0.98),
        "ES+CE": (0.93, 0.98, 0.78),
        "D+ES+CE": (0.95, 0.88, 1.00),
    },
    1000: {
        "none": (0.35, 0.18, 0.48),
        "D": (0.35, 0.78, 0.58),
        "ES": (0.90, 0.83, 0.85),
        "CE": (0.70, 0.68, 0.78),
        "D+ES": (0.88, 0.98, 0.90),
        "ES+CE": (0.88, 1.00, 0.95),
        "D+ES+CE": (0.95, 0.93, 0.95),
    },
}
TABLE_3_CHANCE = {"color": 0.916, "pin": 0.90, "call": 0.90}

_CHANCE_OF_COLOR = {4: 4.82e-5, 6: 3.35e-7, 8: 2.33e-9, 10: 1.62e-11}
_CHANCE_OF_DIGITS = {4: 1e-4, 6: 1e-6, 7: 1e-7, 8: 1e-8, 10: 1e-10}
_COPIES = ("soft-token", "soft-token-32", "discrete-search")
_OTHERS = "printed for the paper's own attack on its own models"
_ROUNDED = "printed rounded"


def chance(canary: str, n: int) -> tuple[float, float]:
    """The baseline that tables 2 and 5 print for a canary: accuracy and HDT."""
    return (_CHANCE_OF_COLOR[n], 0.92) if canary == "color" else (_CHANCE_OF_DIGITS[n], 0.90)


def printed_cells(printed: Sequence[Printed], copies: int | None = None) -> tuple[dict[str, Any], ...]:
    """The canary, n and R of each printed number, or of those with so many copies: where there is no time for more."""
    return tuple(
        {"canary": (canary,), "n": (n,), "R": (own,), "vectors": ("random",)}
        for canary, n, own, _, _ in printed
        if copies is None or own == copies
    )


def best_over_r(printed: Sequence[Printed], vectors: Sequence[str]) -> tuple[Published, ...]:
    """The numbers of table 2 or 5: each beside the one R that is printed with it, whatever the word vectors."""
    found: list[Published] = []
    for canary, n, repetitions, accuracy, hdt in printed:
        guessing = dict(zip(("accuracy", "hdt"), chance(canary, n), strict=True))
        for one in vectors:
            cell = {"canary": canary, "n": n, "R": repetitions, "vectors": one}
            found += beside(cell, {"accuracy": accuracy, "hdt": hdt}, guessing, "printed as the best over R")
    return tuple(found)


def beside(
    cell: Mapping[str, Any], figures: Mapping[str, float], guessing: Mapping[str, float], note: str = ""
) -> Iterator[Published]:
    """The rows of one cell that a printed number stands beside.

    Args:
        cell: The axis values.
        figures: What is printed of the paper's attack, by metric; beside our attacks it is context.
        guessing: What is printed of random guesses, by metric.
        note: What to say of the print.
    """
    for metric, value in figures.items():
        for attack in _COPIES:
            said = note if attack == "soft-token" else "; ".join(filter(None, (note, _OTHERS)))
            yield Published(cell=cell, attack=attack, metric=metric, value=value, note=said)
    for metric, value in guessing.items():
        # Once as the closed form, once as guesses that were really drawn.
        yield Published(cell=cell, attack="soft-token", metric=metric, value=value, arm="baseline", note=_ROUNDED)
        yield Published(cell=cell, attack="random", metric=metric, value=value, note=_ROUNDED)
