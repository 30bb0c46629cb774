"""The printed numbers, against sums that were made by hand from the paper's tables."""

from __future__ import annotations

import pytest

from divulge.studies.parikh2022.published import (
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    beside,
    best_over_r,
    chance,
)


def test_columns_add_up() -> None:
    """The sums of the accuracy and HDT columns of tables 2, 4 and 5."""
    # 0.4+0.3+0.1+0 + 0.4+0.1+0+0.1 + 0.3+0.2+0+0; 0.30+0.45+0.60+0.59 + 0.27+0.45+0.61+0.43 + 0.40+0.50+0.60+0.59
    assert sum(row[3] for row in TABLE_2) == pytest.approx(1.9)
    assert sum(row[4] for row in TABLE_2) == pytest.approx(1.94 + 1.76 + 2.09)
    # table 5 differs in color 8 and 10, pin 4, 6 and 8, call 8 and 10
    assert sum(row[3] for row in TABLE_5) == pytest.approx(2.0)
    assert sum(row[4] for row in TABLE_5) == pytest.approx(
        (0.30 + 0.45 + 0.48 + 0.59) + 1.61 + (0.40 + 0.50 + 0.58 + 0.59)
    )
    assert sum(row[3] for row in TABLE_4) == pytest.approx(0.63)
    assert sum(row[4] for row in TABLE_4) == pytest.approx(2.99)


def test_repetitions_at_which_the_best_was_seen() -> None:
    """Typed off once more, column by column."""
    assert [row[2] for row in TABLE_2] == [10, 100, 100, 500, 500, 100, 100, 100, 10, 100, 100, 500]
    assert [row[2] for row in TABLE_5] == [10, 100, 1000, 1000, 1000, 1000, 1000, 100, 10, 100, 1000, 2000]
    assert [row[1] for row in TABLE_2] == [4, 6, 8, 10] * 3


def test_table_3_adds_up() -> None:
    """The sums of its columns, R by R, and single numbers."""
    sums = {
        count: [round(sum(column), 2) for column in zip(*rows.values(), strict=True)] for count, rows in TABLE_3.items()
    }
    assert sums == {10: [5.38, 5.44, 5.76], 500: [5.20, 5.53, 5.40], 1000: [5.01, 5.38, 5.49]}
    assert TABLE_3[500]["ES"] == (0.85, 1.00, 0.75)
    assert TABLE_3[1000]["none"] == (0.35, 0.18, 0.48)
    assert all("D+CE" not in rows and len(rows) == 7 for rows in TABLE_3.values())


@pytest.mark.parametrize("canary", ["call", "pin", "color"])
@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_printed_chance_is_the_closed_form(canary: str, n: int) -> None:
    """(1 / |V0|)^n and 1 - 1 / |V0|, to the digits that are printed."""
    size = 12 if canary == "color" else 10
    accuracy, hdt = chance(canary, n)
    assert accuracy == pytest.approx(size**-n, rel=2e-3)
    assert hdt == pytest.approx(1 - 1 / size, abs=5e-3)


def test_a_printed_number_stands_beside_the_copy_and_ours() -> None:
    """Beside ours it is context, and says so; chance is printed once as the closed form, once as random guesses."""
    found = list(beside({"R": 1}, {"hdt": 0.4}, {"hdt": 0.9}, "why"))
    assert [(one.attack, one.arm, one.value) for one in found] == [
        ("soft-token", "attack", 0.4),
        ("soft-token-32", "attack", 0.4),
        ("discrete-search", "attack", 0.4),
        ("soft-token", "baseline", 0.9),
        ("random", "attack", 0.9),
    ]
    assert found[0].note == "why"
    assert found[2].note == "why; printed for the paper's own attack on its own models"


def test_the_best_over_r_stands_beside_its_own_r_alone() -> None:
    """Once for each kind of vectors; rows of another R have nothing printed."""
    found = [
        one for one in best_over_r(TABLE_2, ("random", "glove")) if one.attack == "soft-token" and one.arm == "attack"
    ]
    assert len(found) == 12 * 2 * 2
    assert all(one.note == "printed as the best over R" for one in found)
    pins = {
        (one.cell["R"], one.metric): one.value for one in found if one.cell["canary"] == "pin" and one.cell["n"] == 4
    }
    assert pins == {(500, "accuracy"): 0.4, (500, "hdt"): 0.27}
