"""Records most at risk."""

from tests.report.whole_run import BROKEN, leaking, of_records

from divulge.records import Outcome, SpecResult
from divulge.report.entries import Entry
from divulge.report.findings import finding
from divulge.report.risks import MOST_SHOWN, Risks, risks


def of(result: SpecResult) -> Risks | None:
    """The risks of one result."""
    return risks(Entry(result, finding(result)))


def at(*shares: float) -> SpecResult:
    """A result with so many records at risk, beside an outcome of another metric."""
    outcomes = [Outcome(secret_id=f"r{n}", metric="tpr", value=share) for n, share in enumerate(shares)]
    return of_records(outcomes=(*outcomes, Outcome(secret_id="other", metric="auc", value=1.0)))


def test_the_highest_come_first_and_ids_break_ties() -> None:
    """Those that rank below everybody, and those that were never used, are not at risk."""
    found = of(at(0.5, 0.0, 0.9, 0.5))
    assert [(one.secret_id, one.share) for one in found.shown] == [("r2", 0.9), ("r0", 0.5), ("r3", 0.5)]
    assert found.shown[0].words == "90\N{NO-BREAK SPACE}%"


def test_ten_are_shown_and_the_striking_are_counted() -> None:
    """All of those at 99 % and above, shown or not."""
    found = of(at(*[0.995] * 12, 0.98, 0.99))
    assert len(found.shown) == MOST_SHOWN == 10
    assert found.striking == 13
    assert "13 records are at 99 % or above" in found.meaning
    assert "1 record is at" in of(at(0.99, 0.5)).meaning
    assert "No records are at" in of(at(0.5)).meaning


def test_ties_at_the_end_of_the_list_are_told() -> None:
    """Ten of fifteen alike are no ten most at risk; where the list ends between ranks, there is nothing to tell."""
    assert "5 more rank as high as the last one here" in of(at(*[0.45] * 15)).meaning
    assert "more rank" not in of(at(*[0.5] * 10, 0.4)).meaning


def test_without_risk_or_sense_nothing_is_listed() -> None:
    """Another kind of secret, a broken access, an attack that never asked."""
    assert of(leaking()) is None
    assert of(at(0.0)) is None
    assert of(of_records(handshake=(BROKEN,))) is None
    assert of(of_records(queries={})) is None
