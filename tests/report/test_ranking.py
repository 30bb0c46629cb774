"""Findings, gravest first."""

from tests.report.sample import run
from tests.report.whole_run import (
    BROKEN,
    grown_run,
    leaking,
    made,
    of_records,
    of_users,
    silent,
    whole_run,
    with_epsilon,
)

from divulge.records import RunResults, SpecResult
from divulge.report.grouping import audits
from divulge.report.ranking import Line, lines


def ranked(results: RunResults) -> list[Line]:
    """The lines of a run."""
    return lines(audits(results))


def only(result: SpecResult) -> Line:
    """The line of one result."""
    (line,) = ranked(run(result))
    return line


def test_the_gravest_comes_first_and_equals_keep_their_order() -> None:
    """An open question comes before none found."""
    assert [line.severity for line in ranked(grown_run())] == [
        *("critical", "high", "medium", "medium", "medium", "unclear", "none", "none")
    ]
    assert [line.audit.number for line in ranked(whole_run())] == [3, 1, 4, 5, 6, 2]


def test_a_line_has_figure_interval_and_what_to_do() -> None:
    """And where the finding is catalogued."""
    line = only(of_records())
    assert line.said == (
        "lira: records told apart (AUC): 0.81 (0.77 to 0.85), against 0.52 (0.47 to 0.57) without the model and 0.5 "
        "(0.46 to 0.54) on controls."
    )
    assert line.action == "Look at the records most at risk first."
    assert line.standards == ("OWASP AISVS 11.3.3", "MITRE ATLAS AML.T0024.000", "EDPB opinion 28/2024")
    assert (line.anchor, line.title) == ("audit-1", line.audit.title)
    assert only(silent()).standards == ()


def test_a_refuted_claim_is_a_finding_of_its_own() -> None:
    """Before everything; what the figures say beside it has a line where it says anything."""
    alone = only(with_epsilon(3.21, 2.0))
    assert (alone.severity, alone.kind, alone.claim, alone.anchor) == ("critical", "leak", True, "audit-1-epsilon")
    assert alone.title == "private: its privacy claim is refuted"
    assert "at least 3.21" in alone.said
    assert alone.said.endswith("claimed was at most 2.")
    assert alone.action == "Withdraw the privacy claim until it is understood."
    leak = with_epsilon(3.21, 2.0)
    both = leak.model_copy(update={"measurements": (*leak.measurements, *leaking().measurements[:3])})
    first, second = ranked(run(both))
    assert (first.claim, second.claim) == (True, False)
    assert (second.severity, second.kind, second.action) == ("high", "leak", "Take secrets out before training.")
    critical = leaking(access=("LabelAccess",))
    assert [line.claim for line in ranked(run(critical, with_epsilon(3.0, 2.0)))] == [True, False]


def test_a_bound_that_refutes_nothing_is_no_finding() -> None:
    """However large: it is told in its place, and claims no leak."""
    assert only(with_epsilon(9.0)).kind == "none found"
    assert only(with_epsilon(1.9, 2.0)).kind == "none found"


def test_the_gravest_of_several_attacks_is_shown() -> None:
    """What needs less access comes before what reaches further."""
    weights = leaking("soft-token", access=("GradientAccess",))
    scores = of_label_scores()
    line = only_of(weights, scores)
    assert line.severity == "high"
    assert line.said.startswith("label-likelihood: ")
    assert line.further == ""  # 0.83 to 0.99 is not beyond 0.7 to 0.99
    farther = weights.model_copy(
        update={
            "measurements": tuple(
                one.model_copy(update={"value": 1.0, "low": 0.995, "high": 1.0})
                if one.metric == "accuracy" and one.arm == "attack"
                else one
                for one in weights.measurements
            )
        }
    )
    told = only_of(farther, scores).further.replace("\N{NO-BREAK SPACE}", " ")
    assert told == "With GradientAccess, soft-token reaches 100 % (99.5 to 100 %)."


def of_label_scores() -> SpecResult:
    """The same audit, by an attack that asked for scores alone and reached less."""
    less = leaking("label-likelihood", access=("GradientAccess",), queries={"LabelLikelihoodAccess": 9})
    figures = tuple(
        one.model_copy(update={"value": 0.8, "low": 0.7}) if one.metric == "accuracy" and one.arm == "attack" else one
        for one in less.measurements
    )
    return less.model_copy(update={"measurements": figures})


def only_of(*results: SpecResult) -> Line:
    """The line of the only audit of some results."""
    (line,) = ranked(run(*results))
    return line


def test_what_is_open_says_why() -> None:
    """Texts that differ by themselves, a broken access, nothing attacked."""
    assert only(of_records((0.84, 0.8, 0.88))).said.endswith("The texts alone tell members from others as well.")
    broken = only(leaking(handshake=(BROKEN,)))
    assert broken.said.startswith("The handshake failed")
    assert "95" not in broken.said
    idle = only(made(attack=None))
    assert (idle.severity, idle.said.split(";")[0]) == ("unclear", "Only measured as its owner sees it")
    assert idle.action.startswith("Name an attack under [[attacks]]")
    assert only(of_users()).action == "Limit what one person contributes."
