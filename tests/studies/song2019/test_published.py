"""The printed numbers, checked against what the paper says of them in words and against each other."""

from __future__ import annotations

from divulge.studies.song2019.published import (
    TABLE_1,
    TABLE_2,
    TABLE_3,
    anchor,
    private,
    shares,
    table1,
    table2,
    table3,
    table5,
)


def test_what_the_text_says_of_the_tables_is_so() -> None:
    """Gaps of accuracy are near 5 % at most, those of perplexity within 16; table 2 is nearly everywhere above 0.95."""
    assert all(abs(train - test) < 0.06 for train, test, _, _ in TABLE_1.values())
    assert all(0 < test - train < 16 for _, _, train, test in TABLE_1.values())
    assert sum(value < 0.95 for row in TABLE_2.values() for value in row) == 1
    assert all(TABLE_3[task][shown][0][1] > 0.95 for task in TABLE_3 for shown in (500, 1000))
    assert all(TABLE_3[task][50][0][0] < 0.61 for task in ("next-word", "dialog"))
    assert TABLE_3["next-word"][100][0][1] == 0.788


def test_every_number_stands_once_beside_the_papers_attack() -> None:
    """12 utilities; 2 x 3 x 4; 3 tasks of 7 outputs, twice, and the whole output; 3 ways of 4."""
    beside = {"a": ("none", ""), "b": ("google", "g"), "c": ("yandex", "y")}
    tables = {12: table1(), 24: table2(), 3 * (7 * 2 + 1) * 4: table3(), 3 * 4: table5(beside)}
    for count, rows in tables.items():
        assert len({repr((sorted(one.cell.items(), key=str), one.metric)) for one in rows}) == len(rows) == count
    assert {one.attack for one in (*table2(), *table3())} == {"rank-histogram"}
    assert {one.arm for one in table1()} == {"utility"}
    google = {one.metric: (one.value, one.note) for one in table5(beside) if one.cell["obfuscation"] == "b"}
    assert google["auc"] == (0.858, "g")


def test_what_only_the_text_tells_is_marked_as_such() -> None:
    """Curves have no numbers: the note says whose words they are."""
    assert anchor({"users": 100}, 0.95, "at least").note == "at least"
    told = {one.metric: one.value for one in private({"defence": "DP"})}
    assert told == {"test_accuracy": 0.15, "epsilon": 4.129, "auc": 0.5}
    dialogs = [one.value for one in shares() if one.cell["task"] == "dialog"]
    assert dialogs == [0.931, 0.941]
