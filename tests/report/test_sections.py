"""What comes first in an audit."""

import pytest
from tests.report.sample import arms, figure, run
from tests.report.whole_run import (
    BROKEN,
    HELD,
    UNTRIED,
    deduplicated,
    leaking,
    made,
    of_records,
    of_rows,
    of_users,
    silent,
    with_epsilon,
)

from divulge.records import SpecResult
from divulge.report.grouping import audits
from divulge.report.sections import Audit


def audit(*results: SpecResult) -> Audit:
    """The only audit of some results."""
    (only,) = audits(run(*results))
    return only


@pytest.mark.parametrize(
    ("results", "kind"),
    [
        ([silent(), leaking("soft-token")], "leak"),
        ([leaking(defences=deduplicated()), silent()], "leak"),
        ([made(attack=None), silent()], "none found"),
        ([made(attack=None)], "not attacked"),
        ([leaking(handshake=(BROKEN,)), silent("soft-token")], "inconclusive"),
    ],
)
def test_the_gravest_finding_is_that_of_the_audit(results: list[SpecResult], kind: str) -> None:
    """An open question is graver than none found."""
    assert audit(*results).kind == kind


def test_what_never_asked_decides_nothing_beside_what_did() -> None:
    """A blind attack that succeeds makes no leak; alone it leaves the question open."""
    blind = of_users(attack="blind", queries={})
    failing = of_users().model_copy(update={"measurements": tuple(arms("auc", (0.5, 0.4, 0.6), 0.5, (0.5, 0.4, 0.6)))})
    assert audit(blind, failing).kind == "none found"
    assert audit(blind).kind == "inconclusive"
    assert (
        audit(blind, of_users()).strongest(audit(blind, of_users()).entries, ("auc", "{}")).attack == "rank-histogram"
    )


def test_the_first_figures_decide_the_finding_of_every_result() -> None:
    """A result that leaks by another figure brings that one along."""
    by_distance = made(
        *arms("accuracy", (0.0, 0.0, 0.09), 0.0001, (0.0, 0.0, 0.09)),
        *arms("hdt", (0.5, 0.4, 0.6), 0.9, (0.9, 0.8, 1.0)),
    )
    assert audit(leaking()).leads == (("accuracy", "{}"),)
    assert audit(leaking(), by_distance).leads == (("accuracy", "{}"), ("hdt", "{}"))
    assert audit(by_distance, leaking()).leads == (("accuracy", "{}"), ("hdt", "{}"))
    by_guess = made(*arms("accuracy", (0.95, 0.83, 0.99), 0.0001, (0.0, 0.0, 0.09)), attack="other")
    assert audit(by_guess, by_distance).leads == (("accuracy", "{}"), ("hdt", "{}"))
    chosen = audit(leaking(), by_distance, by_guess)
    for entry in chosen.entries:
        assert any(one is not None and one.leaks for one in map(entry.compared, chosen.leads))
    assert set(chosen.leads) | set(chosen.others) == set(chosen.figures())
    assert set(chosen.leads) & set(chosen.others) == set()


def test_where_nothing_leaks_the_preferred_figure_leads() -> None:
    """Of people, how well they are told apart; a figure that could not be measured never leads."""
    assert audit(silent()).leads == (("accuracy", "{}"),)
    unmeasured = of_users().model_copy(
        update={
            "measurements": (
                *arms("auc", (None, None, None), 0.5),
                *arms("accuracy", (0.5, 0.4, 0.6), 0.5, (0.5, 0.4, 0.6)),
            )
        }
    )
    assert audit(unmeasured).leads == (("accuracy", "{}"),)
    assert audit(made(attack=None)).leads == ()


def test_the_headline_is_the_strongest_attack_on_the_undefended_model() -> None:
    """By the figure that leads, in the direction in which it leaks."""
    better = made(*arms("accuracy", (1.0, 0.9, 1.0), 0.0001, (0.0, 0.0, 0.09)), attack="better")
    entry, compared = audit(leaking(defences=deduplicated()), better, leaking()).headline()
    assert (entry.attack, compared.metric, compared.attack.value) == ("better", "accuracy", 1.0)
    near, far = (made(*arms("hdt", (v, v, v), 0.9, (0.9, 0.8, 1.0)), attack=str(v)) for v in (0.1, 0.3))
    assert audit(far, near).headline()[0].attack == "0.1"
    assert audit(made(attack=None)).headline() is None


def test_a_leak_under_a_defence_alone_is_its_own_headline() -> None:
    """Where the undefended model was not seen to leak, the defended one is shown."""
    entry, _ = audit(silent(), leaking("soft-token", defences=deduplicated())).headline()
    assert entry.attack == "soft-token"


def test_what_a_figure_shows_depends_on_the_whole_result() -> None:
    """A broken access and an attack that never asks are not called leaks."""
    shown = {}
    for name, result in {
        "leak": leaking(),
        "broken": leaking(handshake=(BROKEN,)),
        "blind": leaking(queries={}),
        "overlap": of_rows(),
        "silent": silent(),
    }.items():
        (entry,) = audit(result).entries
        shown[name] = entry.shows(entry.found.comparisons[0])
    assert shown == {
        "leak": "leak",
        "broken": "void: the handshake failed",
        "blind": "reached without asking the model",
        "overlap": "better than without the model, but not clearly better than on controls",
        "silent": "",
    }


def test_checks_are_counted_once() -> None:
    """However many attacks share them; one that failed anywhere has failed."""
    both = audit(leaking(handshake=(HELD, UNTRIED)), silent("soft-token", handshake=(HELD, BROKEN)))
    assert (both.handshake.held, both.handshake.untried) == (1, 1)
    assert both.handshake.failed == (("no defence", BROKEN),)


def test_utility_is_that_of_the_setting() -> None:
    """Probes count as the owner's view; attacks do not."""
    worth = audit(silent(), made(figure("memorised", 0.1, 0.0, 0.2, arm="probe"), attack="other")).settings[0].utility()
    assert [metric for metric, _ in worth] == ["train_accuracy", "test_accuracy", "memorised"]


def test_access_is_what_was_granted_or_else_asked() -> None:
    """An empty grant means all; then what was asked tells."""
    assert audit(leaking()).levels == ("GradientAccess",)
    asked = leaking(access=("GradientAccess",), queries={"LabelAccess": 3})
    assert audit(asked).levels == ("GradientAccess",)
    spec = {**asked.spec, "adversary": {**asked.spec["adversary"], "access": []}}
    assert audit(asked.model_copy(update={"spec": spec})).levels == ("LabelAccess",)


def test_records_lead_with_how_well_they_are_told_apart() -> None:
    """The points of the curve are not among the figures."""
    one = audit(of_records())
    assert one.leads == (("auc", "{}"),)
    assert one.others == [("tpr_at_fpr_0.01", "{}")]


def test_refuted_claims_are_known_the_farthest_first() -> None:
    """They make the audit a leak, and critical, but not its figures."""
    both = audit(with_epsilon(2.5, 2.0, attack="near"), with_epsilon(3.0, 2.0, attack="far"))
    assert [entry.attack for entry, _ in both.refuted] == ["far", "near"]
    assert (both.kind, both.by_figures, both.severity) == ("leak", "none found", "critical")
    assert audit(with_epsilon(2.5)).refuted == []
    assert both.headline()[1].metric == "exposure"


def test_severity_is_that_of_the_gravest_result_that_asked() -> None:
    """Nothing attacked is unclear."""
    scores = leaking("a", queries={"LabelLikelihoodAccess": 5})
    assert audit(leaking("b"), scores, silent("c")).severity == "high"
    assert audit(made(attack=None)).severity == "unclear"
