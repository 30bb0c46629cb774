"""Parts of a Markdown report that not every result has."""

from tests.report.sample import run
from tests.report.whole_run import leaking, of_records, silent, with_epsilon

from divulge.records import SpecResult
from divulge.report.entries import Entry
from divulge.report.findings import finding
from divulge.report.grouping import audits
from divulge.report.ladder import ladders
from divulge.report.markdown_parts import claims_part, curve_part, ladder_part, risks_part


def entry(result: SpecResult) -> Entry:
    """One result, judged."""
    return Entry(result, finding(result))


def plain(text: str) -> str:
    """Without spaces that do not break."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_a_refuted_claim_is_bold() -> None:
    """One that is not is told all the same."""
    assert "Claimed is at most 2. **The claim is refuted:" in "\n".join(claims_part(entry(with_epsilon(3.0, 2.0))))
    assert "**" not in "\n".join(claims_part(entry(with_epsilon(1.0, 2.0))))


def test_the_curve_is_a_table() -> None:
    """A row for each rate."""
    _, table = curve_part(entry(of_records()))
    assert plain(table).splitlines()[0] == "| wrongly accused | the attack | without the model |"
    assert plain(table).splitlines()[2].startswith("| 0.1 % | 6 % (4.8 to 7.2 %, n = 1000) | 0.11 % ")


def test_records_are_listed_by_id() -> None:
    """Ten of them, and where the others are."""
    _, table, where = risks_part(entry(of_records()))
    assert len(table.splitlines()) == 12
    assert table.splitlines()[2].startswith("| r-0000 | 100")
    assert "results.json" in where


def test_the_ladder_has_every_rung() -> None:
    """Also those that were not tried."""
    found = ladders(audits(run(silent("m", access=("LabelAccess",)), leaking("s", access=("GradientAccess",)))))
    head, sentence, table = ladder_part(found[1])
    assert head == "### What each step of access buys"
    assert sentence.endswith("Over audits 1, 2.")
    assert len(table.splitlines()) == 5
    assert "| the probabilities of labels | LabelLikelihoodAccess | – | not tried | – |" in table


def test_what_a_result_lacks_is_not_there() -> None:
    """A leak of canaries has none of the three."""
    assert [list(part(entry(leaking()))) for part in (claims_part, curve_part, risks_part)] == [[], [], []]
