"""The summary in the terminal."""

from tests.report.sample import arms, result, run
from tests.report.whole_run import BROKEN, leaking, made, of_users, silent, whole_run, with_epsilon

from divulge.report.terminal import closing_lines, summary_rows


def test_each_result_has_a_row_under_the_columns() -> None:
    """What may be said comes first."""
    columns, rows = summary_rows(run(result(*arms("accuracy", (0.9, 0.8, 1.0), 0.01, (0.0, 0.0, 0.1)))))
    assert columns[0] == "finding"
    (row,) = rows
    assert list(row) == columns
    assert (row["finding"], row["attack"], row["attack's figure"]) == ("leak", "soft-token", "0.9 [0.8, 1] n=40")


def test_the_last_lines_are_the_verdict_and_the_audits() -> None:
    """Each with its attack and what it is compared with; the gravest first."""
    lines = closing_lines(run(silent(), of_users()))
    assert lines[0] == "1 of 2 audits found a leak."
    assert lines[1] == (
        "leak (severity high): next-word, rank-histogram, people told apart (AUC): 0.97 (0.93 to 0.99) "
        "against 0.5 without the model and 0.51 on controls. What to do: Limit what one person contributes"
    )
    assert lines[2].startswith("none found (severity none): tagger, discrete-search, ")


def test_there_are_never_more_than_five_lines() -> None:
    """Four audits have a line each; of more, the rest is counted."""
    four = run(*(leaking(target=str(number)) for number in range(4)))
    assert [line.split(",")[0] for line in closing_lines(four)[1:]] == [
        f"leak (severity medium): {number}" for number in range(4)
    ]
    lines = closing_lines(whole_run())
    assert len(lines) == 5
    assert lines[0] == "2 of 6 audits found a leak; 2 are inconclusive; 1 part of the run failed."
    assert lines[-1] == "and 3 more findings: 1 inconclusive, 1 none found, 1 not attacked"


def test_a_run_without_figures_ends_with_words_too() -> None:
    """Nothing, and probes alone."""
    assert closing_lines(run()) == ["Nothing was audited."]
    assert closing_lines(run(made(attack=None)))[1].startswith("not attacked (severity unclear): tagger, no attack. ")


def test_no_figure_of_a_broken_access_is_repeated() -> None:
    """The line says that the handshake failed."""
    assert closing_lines(run(leaking(handshake=(BROKEN,))))[1] == (
        "inconclusive (severity unclear): tagger, discrete-search, void: the handshake failed. "
        "What to do: Mend the access first"
    )


def test_a_refuted_claim_has_the_first_line() -> None:
    """Before a leak that is graver than most."""
    lines = closing_lines(run(of_users(), with_epsilon(3.21, 2.0)))
    assert lines[0] == "A privacy claim is refuted; 2 of 2 audits found a leak."
    assert lines[1].startswith(
        "leak (severity critical): private, its privacy claim is refuted, label-likelihood: epsilon"
    )
    assert "at least 3.21" in lines[1]
    assert lines[2].startswith("leak (severity high): next-word")
    assert len(lines) == 3  # the figures of that audit found nothing, and have no line of their own
