"""What may be said about a result."""

from typing import Any

import pytest
from tests.report.sample import arms, figure, result
from tests.report.whole_run import BROKEN, of_records, with_epsilon

from divulge.canonical import freeze
from divulge.records import Check, Measurement, SpecResult
from divulge.report.findings import beyond, comparisons, finding


def test_a_leak_lies_beyond_baseline_and_control() -> None:
    """Both intervals are apart from the attack's."""
    found = finding(result(*arms("accuracy", (0.9, 0.8, 0.95), 0.01, (0.0, 0.0, 0.1))))
    assert found.kind == "leak"
    assert found.sentence == "A leak was found at GradientAccess: beyond baseline and control by accuracy."


def test_lower_is_a_leak_where_the_metric_says_so() -> None:
    """A small distance leaks; a large one does not."""
    assert finding(result(*arms("hdt", (0.1, 0.05, 0.2), 0.9, (0.9, 0.8, 1.0)))).kind == "leak"
    assert finding(result(*arms("hdt", (1.0, 0.95, 1.0), 0.9, (0.9, 0.8, 1.0)))).kind == "none found"


def test_none_found_is_about_this_attack() -> None:
    """The sentence names the access and n, and does not clear the model."""
    found = finding(result(*arms("accuracy", (0.02, 0.0, 0.13), 0.01, (0.0, 0.0, 0.09))))
    assert found.kind == "none found"
    assert "This attack found none at GradientAccess with n = 40." in found.sentence
    assert "Another attack, or more queries, may." in found.sentence


@pytest.mark.parametrize(
    ("control", "kind"),
    [((0.1, 0.05, 0.39), "leak"), ((0.1, 0.05, 0.4), "inconclusive"), ((0.5, 0.4, 0.6), "inconclusive")],
)
def test_a_control_that_comes_as_far_forbids_the_claim(control: tuple[float, float, float], kind: str) -> None:
    """Touching intervals are not apart, and then nothing is claimed, nor denied."""
    assert finding(result(*arms("accuracy", (0.5, 0.4, 0.6), 0.01, control))).kind == kind


def test_better_than_a_measured_baseline_but_not_apart_from_it_is_open() -> None:
    """All of twelve right against 0.58 of a blind guesser must not read as "none found"."""
    found = finding(
        result(figure("accuracy", 1.0, 0.758, 1.0, 12), figure("accuracy", 0.583, 0.32, 0.807, 12, "baseline"))
    )
    assert found.kind == "inconclusive"
    assert "More secrets and controls would tell" in found.sentence


def test_recall_beside_another_line_is_no_reason_for_doubt() -> None:
    """Who accuses most people finds most; beyond those controls that the same line accuses it is a leak."""
    clear = arms("auc", (0.5, 0.4, 0.6), 0.5)
    found = finding(result(*clear, figure("recall", 0.6, 0.45, 0.75), figure("recall", 0.3, 0.2, 0.5, arm="baseline")))
    assert found.kind == "none found"
    assert finding(result(*arms("recall", (0.9, 0.8, 0.95), 0.3, (0.05, 0.0, 0.1)))).kind == "leak"


def test_too_few_secrets_show_nothing() -> None:
    """Nine failures are no proof; forty are something."""
    few = finding(result(*arms("hdt", (0.9, 0.8, 1.0), 0.9, n=9)))
    assert (few.kind, few.sentence) == ("inconclusive", "Inconclusive: only 9 secrets (hdt).")
    assert finding(result(*arms("hdt", (0.9, 0.8, 1.0), 0.9, n=10))).kind == "none found"


def test_a_wide_interval_shows_nothing() -> None:
    """A half-width of 0.2 is the widest."""
    assert finding(result(*arms("auc", (0.5, 0.29, 0.7), 0.5))).kind == "inconclusive"
    assert finding(result(*arms("auc", (0.5, 0.31, 0.7), 0.5))).kind == "none found"
    assert finding(result(*arms("rank", (500.0, 300.0, 700.0), 500.0))).kind == "none found"


def test_one_clear_figure_is_enough_to_find_none() -> None:
    """A rate that needs a hundred outsiders does not void the others."""
    found = finding(result(*arms("auc", (0.5, 0.4, 0.6), 0.5), *arms("tpr_at_fpr_0.01", (None, None, None), 0.01)))
    assert found.kind == "none found"


def test_a_failed_handshake_voids_everything() -> None:
    """Even what looks like a leak, for a broken access may show anything; an untried check does not."""
    leak = arms("accuracy", (0.9, 0.8, 0.95), 0.01, (0.0, 0.0, 0.1))
    broken = Check(access="LabelAccess", name="accuracy is above chance", passed=False)
    found = finding(result(*leak, handshake=(broken,)))
    assert found.kind == "inconclusive"
    assert "LabelAccess: accuracy is above chance" in found.sentence
    untried = Check(access="LabelAccess", name="accuracy is above chance", passed=None)
    assert finding(result(*leak, handshake=(untried,))).kind == "leak"


def test_without_anything_to_compare_nothing_is_claimed() -> None:
    """A high figure alone is no leak."""
    found = finding(result(figure("accuracy", 0.9, 0.8, 0.95)))
    assert (found.kind, found.sentence) == ("inconclusive", "Inconclusive: nothing to be compared with (accuracy).")
    assert finding(result()).sentence == "Inconclusive: no metric applies."


def test_without_a_control_no_leak_is_claimed() -> None:
    """All of forty right, far from chance: something else than the model may give it away, and nobody looked."""
    found = finding(result(*arms("accuracy", (1.0, 0.91, 1.0), 0.01)))
    assert found.kind == "inconclusive"
    assert found.sentence == (
        "Inconclusive: no control (accuracy), although the attack lies beyond baseline by accuracy. "
        "Set secrets.controls to 10 or more (a secrets file must hold controls: divulge plant, or "
        "divulge secrets --held-out)."
    )
    assert not found.comparisons[0].leaks
    assert found.comparisons[0].doubt == "no control"


def test_a_figure_needs_a_control_of_its_own() -> None:
    """The control of another metric, or of another depth, does not stand in for it."""
    figures = [
        figure("success", 0.9, 0.8, 1.0, 40, "attack", k=10),
        figure("success", 0.1, 0.1, 0.1, 40, "baseline", k=10),
        figure("success", 0.0, 0.0, 0.1, 40, "control", k=1),
        *arms("accuracy", (0.0, 0.0, 0.1), 0.01, (0.0, 0.0, 0.1)),
    ]
    found = finding(result(*figures))
    assert found.kind == "inconclusive"
    assert "no control (success)" in found.sentence


def test_without_a_control_none_may_still_be_found() -> None:
    """An attack no better than chance needs no control to be seen to fail."""
    assert finding(result(*arms("accuracy", (0.0, 0.0, 0.1), 0.01))).kind == "none found"


def test_few_secrets_are_no_leak_either() -> None:
    """Nine of nine right are not enough to accuse; ten are."""
    few = finding(result(*arms("accuracy", (1.0, 0.7, 1.0), 0.01, (0.0, 0.0, 0.3), n=9)))
    assert few.kind == "inconclusive"
    assert few.sentence == (
        "Inconclusive: only 9 secrets (accuracy), although the attack lies beyond baseline and control by accuracy. "
        "Set secrets.count, or run.models where each model holds one secret, to 10 or more."
    )
    assert finding(result(*arms("accuracy", (1.0, 0.7, 1.0), 0.01, (0.0, 0.0, 0.3), n=10))).kind == "leak"


def test_the_sentence_names_only_the_arms_that_are_there() -> None:
    """A metric without a baseline lies beyond its control, and nothing else."""
    leaks = [
        *arms("accuracy", (0.9, 0.8, 0.95), 0.01, (0.0, 0.0, 0.1)),
        *arms("bleu", (0.9, 0.8, 1), None, (0, 0, 0.1)),
    ]
    assert finding(result(*leaks)).sentence == (
        "A leak was found at GradientAccess: beyond baseline and control by accuracy, beyond control by bleu."
    )
    open_ = finding(result(*arms("bleu", (0.5, 0.4, 0.6), None, (0.1, 0.0, 0.45))))
    assert "not clearly beyond control by bleu" in open_.sentence
    assert "baseline" not in open_.sentence


def budgeted(*measurements: Measurement, limit: int | None, **more: Any) -> SpecResult:
    """A result whose adversary may ask so much."""
    made = result(*measurements, **more)
    adversary: Any = made.spec["adversary"]
    return made.model_copy(update={"spec": freeze({**made.spec, "adversary": {**adversary, "max_queries": limit}})})


STANDINGS = [*arms("exposure", (9.0, 8.0, 9.9), 1.4, (1.4, 0.9, 2.0)), *arms("rank", (1, 1, 2), 500, (500, 400, 600))]


def test_the_owners_view_decides_nothing_under_a_budget() -> None:
    """Standings cost no queries; an adversary who asked nothing has found nothing."""
    failing = arms("accuracy", (0.0, 0.0, 0.1), 0.01, (0.0, 0.0, 0.1))
    found = finding(budgeted(*STANDINGS, *failing, limit=0, queries={}))
    assert found.kind == "none found"
    assert [one.leaks for one in found.comparisons] == [False] * 3
    assert {one.doubt for one in found.comparisons[:2]} == {"the owner's view, outside the query budget"}
    assert finding(budgeted(*STANDINGS, *failing, limit=None)).kind == "leak"
    leaking = arms("accuracy", (0.9, 0.8, 1.0), 0.01, (0.0, 0.0, 0.1))
    assert "control by accuracy." in finding(budgeted(*STANDINGS, *leaking, limit=50)).sentence


def test_the_owners_view_alone_is_inconclusive_under_a_budget() -> None:
    """Neither a leak, nor, where standings are poor, a clean bill; nor are they suspicious."""
    near = arms("rank", (400.0, 300.0, 480.0), 500.0, (450.0, 400.0, 600.0))
    for figures in (STANDINGS, arms("rank", (500.0, 400.0, 600.0), 500.0, (500.0, 400.0, 600.0)), near):
        found = finding(budgeted(*figures, limit=5))
        assert found.kind == "inconclusive"
        assert found.sentence.startswith("Inconclusive: the owner's view, outside the query budget (")


def test_what_only_an_oracle_could_choose_is_no_leak() -> None:
    """Its figures are left out of the comparison; other groups are compared with their own kind."""
    figures = [
        figure("exact", 0.9, 0.8, 1.0, 40, "attack", choice="oracle"),
        figure("exact", 0.0, 0.0, 0.1, 40, "control", choice="oracle"),
        figure("success", 0.9, 0.8, 1.0, 40, "attack", k=1),
        figure("success", 0.1, 0.1, 0.1, 40, "baseline", k=1),
        figure("success", 0.9, 0.9, 0.9, 40, "baseline", k=10),
    ]
    (only,) = comparisons(result(*figures))
    assert only.metric == "success"
    assert only.baseline is not None
    assert only.baseline.value == 0.1
    assert only.control is None


def test_a_spec_without_attack_finds_nothing() -> None:
    """Probes alone make no claim."""
    assert finding(result(figure("test_accuracy", 0.9, 0.8, 1.0, arm="utility"), attack=None)).kind == "not attacked"


def test_an_attack_that_never_asked_is_said_to_have_asked_nothing() -> None:
    """Its finding names no access."""
    found = finding(result(*arms("hdt", (0.9, 0.85, 0.95), 0.9), queries={}))
    assert "no access (it never asked)" in found.sentence


def test_what_is_reached_without_asking_is_no_leak_of_the_model() -> None:
    """The texts give it away by themselves."""
    found = finding(result(*arms("accuracy", (0.9, 0.8, 0.95), 0.01, (0.0, 0.0, 0.1)), queries={}))
    assert found.kind == "inconclusive"
    assert "beyond baseline and control by accuracy without asking the model" in found.sentence


def test_beyond_needs_both_ends() -> None:
    """A missing end of the attack's interval is never beyond; a missing end of the other's is its value."""
    other = figure("accuracy", 0.1, None, None)
    assert beyond(figure("accuracy", 0.5, 0.2, None), other)
    assert not beyond(figure("accuracy", 0.5, None, 0.9), other)
    assert not beyond(figure("accuracy", 0.5, 0.2, 0.9), figure("accuracy", None, None, None))
    assert not beyond(figure("accuracy", 0.5, 0.2, 0.9), figure("accuracy", 0.2, None, None))


@pytest.mark.parametrize(
    ("blind", "kind"),
    [
        ((0.52, 0.47, 0.57), "leak"),  # a judge that may know nothing
        ((0.7, 0.66, 0.74), "leak"),  # one that knows something; the attack knows more
        ((0.75, 0.71, 0.79), "inconclusive"),  # the intervals touch
        ((0.84, 0.8, 0.88), "inconclusive"),
    ],
)
def test_texts_that_differ_by_themselves_say_nothing_about_the_model(
    blind: tuple[float, float, float], kind: str
) -> None:
    """A judge of the texts alone that does as well as the attack explains it."""
    made = of_records(blind)
    figures = tuple(one for one in made.measurements if one.metric == "auc")
    found = finding(made.model_copy(update={"measurements": figures}))
    assert found.kind == kind
    assert ("The texts of members and non-members differ by themselves" in found.sentence) == (kind == "inconclusive")
    assert found.comparisons[0].explained == (kind == "inconclusive")


def test_an_attack_that_fails_where_texts_differ_is_no_clean_bill() -> None:
    """Nothing can be said about the model; a judge who may be guessing leaves "none found" as it is."""
    found = [
        finding(
            result(
                figure("auc", 0.5, 0.46, 0.54, 400),
                figure("auc", *blind, 400, "baseline"),
                figure("auc", 0.5, 0.45, 0.55, 200, "control"),
            )
        ).kind
        for blind in ((0.9, 0.87, 0.93), (0.52, 0.49, 0.55))
    ]
    assert found == ["inconclusive", "none found"]


def test_texts_that_differ_leave_every_figure_open() -> None:
    """What tells members from others without the model may show at few false alarms too."""
    rare = (
        figure("tpr_at_fpr_0.01", 0.18, 0.15, 0.22, 1000),
        figure("tpr_at_fpr_0.01", 0.03, 0.02, 0.04, 1000, "baseline"),
        figure("tpr_at_fpr_0.01", 0.01, 0.004, 0.02, 500, "control"),
    )
    made = of_records((0.84, 0.8, 0.88))
    assert finding(made.model_copy(update={"measurements": (*made.measurements, *rare)})).kind == "inconclusive"


def test_points_of_a_curve_are_no_figures_of_their_own() -> None:
    """They decide nothing, and fill no table."""
    assert {one.metric for one in comparisons(of_records())} == {"auc", "tpr_at_fpr_0.01"}


def test_a_bound_is_a_leak_only_where_it_refutes_a_claim() -> None:
    """What the figures say stays known, and is said after it."""
    found = finding(with_epsilon(3.21, 2.0))
    assert (found.kind, found.without_claims) == ("leak", "none found")
    assert found.sentence.startswith("The privacy claim (epsilon at most 2) is refuted: ")
    assert "This attack found none" in found.sentence
    assert [finding(with_epsilon(*one)).kind for one in ((3.21, None), (1.9, 2.0), (0.0, 2.0))] == ["none found"] * 3


def test_a_broken_access_refutes_nothing() -> None:
    """Whatever it answered."""
    found = finding(with_epsilon(3.21, 2.0, handshake=(BROKEN,)))
    assert (found.kind, found.refuted) == ("inconclusive", ())
