"""The summary in the terminal."""

from tests.report.sample import arms, result, run

from divulge.report.terminal import summary_rows


def test_each_result_has_a_row_under_the_columns() -> None:
    """What may be said comes first."""
    columns, rows = summary_rows(run(result(*arms("accuracy", (0.9, 0.8, 1.0), 0.01, (0.0, 0.0, 0.1)))))
    assert columns[0] == "finding"
    (row,) = rows
    assert list(row) == columns
    assert (row["finding"], row["attack"], row["attack's figure"]) == ("leak", "soft-token", "0.9 [0.8, 1] n=40")
