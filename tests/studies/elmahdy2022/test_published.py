"""The printed numbers, checked against what the paper says of them in words and against each other."""

from __future__ import annotations

import pytest

from divulge.studies.elmahdy2022.published import (
    GUESSED,
    GUESSED_TWO,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    table2,
    table3,
    table4,
    trained,
)


def test_the_tables_agree_where_they_overlap() -> None:
    """R = 100, lambda 0.01 and k = 100 is printed twice; more guesses never find less."""
    assert TABLE_2[0.01][0] == TABLE_3[100][1] == 0.9
    assert all(list(row) == sorted(row) for table in (TABLE_3, TABLE_4) for row in table.values())
    assert all(list(row) == sorted(row, reverse=True) for row in TABLE_2.values())


def test_chance_is_that_of_seventeen_thousand_words() -> None:
    """So many by the words; for two words the square of it is printed, where drawing pairs would be far rarer."""
    assert all(k / 17_000 == pytest.approx(printed, abs=1e-4) for k, printed in GUESSED.items())
    assert GUESSED[100] ** 2 == pytest.approx(GUESSED_TWO, rel=0.02)


def test_every_number_stands_once_beside_the_papers_attack() -> None:
    """15 + 12 + 12 cells; three missing words have no printed chance."""
    found = [[one for one in table("d") if one.arm == "attack"] for table in (table2, table3, table4)]
    assert [len(rows) for rows in found] == [15, 12, 12]
    for rows in found:
        assert len({repr(sorted(one.cell.items(), key=str)) for one in rows}) == len(rows)
        assert {one.attack for one in rows} == {"label-likelihood"}
    guessed = [one for one in table2("d") if one.arm == "baseline"]
    assert {one.cell["tokens"] for one in guessed} == {1, 2}
    rows = {number: [one.value for one in found[2] if one.cell["supporting"] == number] for number in TABLE_4}
    assert rows == {99: [0.5, 0.5, 0.5], 50: [0.4, 0.4, 0.5], 25: [0.4, 0.5, 0.5], 0: [0.1, 0.1, 0.1]}  # as printed
    (unsupported,) = [one for one in found[2] if one.cell["supporting"] == 0 and one.cell["k"] == 100]
    assert unsupported.value == 0.1


def test_the_classifiers_accuracy_is_utility() -> None:
    """Train and validation, of one cell."""
    assert {(one.metric, one.value) for one in trained({"R": 1})} == {
        ("train_accuracy", 0.4769),
        ("valid_accuracy", 0.4294),
    }
