"""Results with what may be said about them."""

from tests.report.sample import arms, figure, run
from tests.report.whole_run import BROKEN, leaking, made, of_records, of_users, silent, with_epsilon

from divulge.records import SpecResult
from divulge.report.entries import Entry, Setting, deciding, figure_of, gravest, strongest
from divulge.report.findings import finding
from divulge.report.grouping import audits


def entry(result: SpecResult) -> Entry:
    """One result, judged."""
    return Entry(result, finding(result))


def test_what_a_figure_shows_is_told() -> None:
    """A leak, what was reached without asking, what is void, what the texts alone explain."""
    one = entry(leaking())
    assert one.shows(one.compared(("accuracy", "{}"))) == "leak"
    unasked = entry(leaking(queries={}))
    assert unasked.shows(unasked.compared(("accuracy", "{}"))) == "reached without asking the model"
    void = entry(leaking(handshake=(BROKEN,)))
    assert void.shows(void.compared(("accuracy", "{}"))) == "void: the handshake failed"
    same = entry(of_records((0.84, 0.8, 0.88)))
    assert same.shows(same.compared(("auc", "{}"))) == "the texts alone tell members from others as well"
    assert one.compared(("auc", "{}")) is None


def test_a_privacy_claim_is_no_utility() -> None:
    """It has a place of its own; probes are utility."""
    worth = Setting("no defence", False, (entry(with_epsilon(1.0, 2.0)),)).utility()
    assert [metric for metric, _ in worth] == ["train_accuracy", "test_accuracy"]


def test_figures_are_graded_apart_from_claims() -> None:
    """A refuted claim is critical; the figures beside it may show nothing."""
    one = entry(with_epsilon(3.0, 2.0))
    assert (one.severity, one.severity_of_figures) == ("critical", "none")
    assert gravest([one]) == "leak"
    assert gravest([one], claims=False) == "none found"


def test_the_strongest_comes_farthest_in_the_leaking_direction() -> None:
    """What never asked comes last, however far it comes."""
    near, far = (entry(made(*arms("hdt", (v, v, v), 0.9), attack=str(v))) for v in (0.1, 0.5))
    blind = entry(made(*arms("hdt", (0.0, 0.0, 0.0), 0.9), attack="blind", queries={}))
    assert strongest([far, blind, near], ("hdt", "{}")) is near
    assert strongest([far], ("accuracy", "{}")) is None


def test_what_asked_decides_where_anything_did() -> None:
    """Else what attacked without asking; probes never do."""
    asked, blind, probes = entry(of_users()), entry(of_users(attack="blind", queries={})), entry(made(attack=None))
    assert deciding([probes, blind, asked]) == [asked]
    assert deciding([probes, blind]) == [blind]
    assert deciding([probes]) == []


def test_defences_are_known() -> None:
    """And a figure is a metric and its group."""
    (audit,) = audits(run(silent()))
    assert not audit.entries[0].defended
    assert figure_of(figure("success", 0.5, 0.4, 0.6, k=10)) == ("success", '{"k":10}')
