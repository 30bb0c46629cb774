"""Secrets most exposed."""

from tests.report.whole_run import BROKEN, leaking, of_records

from divulge.records import Outcome, SpecResult
from divulge.report.entries import Entry
from divulge.report.exposed import MOST_EXPOSED, Exposed, exposed
from divulge.report.findings import finding


def of(result: SpecResult) -> Exposed | None:
    """The most exposed secrets of one result."""
    return exposed(Entry(result, finding(result)))


def at(*bits: float) -> SpecResult:
    """A result with secrets of such exposure, beside outcomes of another metric."""
    outcomes = [Outcome(secret_id=f"s{n}", metric="exposure", value=value) for n, value in enumerate(bits)]
    return leaking().model_copy(update={"outcomes": (*outcomes, Outcome(secret_id="x", metric="rank", value=99.0))})


def test_the_highest_come_first() -> None:
    """In bits, ids breaking ties; how many there are in all is told."""
    found = of(at(1.0, 9.96, 1.0))
    assert found is not None
    assert found.shown == (("s1", "10.0 bits"), ("s0", "1.0 bits"), ("s2", "1.0 bits"))
    assert found.of == 3


def test_ten_are_shown_and_luck_is_told_by_their_number() -> None:
    """Of 1,000 secrets that nobody planted, the best lies about 10 bits up; of one, none."""
    found = of(at(*[0.5] * 1000))
    assert found is not None
    assert len(found.shown) == MOST_EXPOSED == 10
    assert "among 1000 such secrets the highest would lie about 10 bits up" in found.meaning
    assert "about 0 bits up" in (of(at(3.0)) or found).meaning


def test_nothing_is_shown_where_nothing_was_measured_or_nothing_holds() -> None:
    """Records have no exposure; a broken access has no figures."""
    assert of(of_records()) is None
    assert of(at(5.0).model_copy(update={"handshake": (BROKEN,)})) is None
    assert of(at(5.0).model_copy(update={"queries": {}})) is None
