"""What became of a deletion, in the sentence of the finding and in every kind of report."""

from __future__ import annotations

import pytest
from tests.report.deletions import FEW, GONE, LEFT, PUSHED, of_deletion
from tests.report.sample import SECRET, arms, run
from tests.report.whole_run import BROKEN

from divulge.gate.holding import judged_figure
from divulge.gate.policy import Limit
from divulge.records import SpecResult
from divulge.report import rendered
from divulge.report.advice import advice
from divulge.report.asking import asked
from divulge.report.deletion import trace_sentence
from divulge.report.findings import finding
from divulge.report.grouping import audits, verdict
from divulge.report.ranking import lines
from divulge.report.reading import readings
from divulge.report.tables import results_layout
from divulge.report.terminal import closing_lines
from divulge.report.wording import with_metric_words


@pytest.mark.parametrize(
    ("made", "kind", "said"),
    [
        (
            LEFT,
            "leak",
            "with a probability of 0.93 (95 % interval 0.75 to 0.98; 0.5 is no trace), p-value 0.00052, n = 20.",
        ),
        (GONE, "none found", "The interval still allows one of 0.74: that none was found does not prove that none is"),
        (FEW, "inconclusive", "Inconclusive: 4 canaries, planted or held out, cannot tell a trace from chance"),
        (PUSHED, "inconclusive", "they were pushed away, not forgotten"),
    ],
)
def test_the_finding_says_what_became_of_it(made: SpecResult, kind: str, said: str) -> None:
    """A trace is left, none was found, or it stays open, with the figure and its p-value."""
    found = finding(made)
    assert found.kind == kind
    assert said in found.sentence


def test_a_broken_access_decides_nothing() -> None:
    """Whatever the figures."""
    found = finding(of_deletion((0.93, 0.75, 0.985), 0.0005, handshake=(BROKEN,)))
    assert found.kind == "inconclusive"
    assert "handshake failed" in found.sentence


def test_without_a_figure_nothing_is_known() -> None:
    """An attack that answered nothing placed no canary."""
    bare = LEFT.model_copy(update={"measurements": ()})
    assert finding(bare).kind == "inconclusive"
    assert trace_sentence("inconclusive", None, None, "x").startswith("Inconclusive: no canary was placed")


def test_an_attack_that_never_asked_shows_nothing_of_the_model() -> None:
    """Chance, or the texts, did it."""
    assert finding(of_deletion((0.93, 0.75, 0.985), 0.0005, queries={})).kind == "inconclusive"


def test_what_is_read_out_is_a_leak_whatever_the_trace() -> None:
    """Other figures are still looked at; the sentence tells both."""
    read = arms("accuracy", (0.9, 0.8, 0.95), 0.001, (0.0, 0.0, 0.1))
    found = finding(of_deletion((0.6, 0.4, 0.8), 0.2, figures=read))
    assert found.kind == "leak"
    assert "beyond baseline and control by accuracy" in found.sentence
    assert "No trace" in found.sentence


def test_a_trace_without_a_deletion_decides_nothing() -> None:
    """The question must have been asked."""
    plain = LEFT.model_copy(update={"spec": {**LEFT.spec, "secrets": {**LEFT.spec["secrets"], "deleted": False}}})
    assert "trace of the deleted" not in finding(plain).sentence


@pytest.mark.parametrize(("made", "words"), [(LEFT, "A trace is left of what"), (GONE, "No trace was found of what")])
def test_the_verdict_answers_the_question(made: SpecResult, words: str) -> None:
    """In one sentence; the title asks it."""
    assert verdict(run(made)).startswith(words)
    (audit,) = audits(run(made))
    assert audit.title == "text-classifier: is a trace left of texts that were to be deleted, from its scores?"
    assert "Deletion" in dict(asked(audit))


@pytest.mark.parametrize("name", ["card", "html", "junit", "md", "sarif"])
def test_every_report_tells_what_is_left(name: str) -> None:
    """With the p-value, and no word of the secrets."""
    text = " ".join(rendered(run(LEFT), name).split())
    assert "race of the deleted canaries is left at LabelLikelihoodAccess" in text
    assert "p-value 0.00052" in text
    assert SECRET not in text


@pytest.mark.parametrize("name", ["card", "html", "md"])
def test_what_people_read_tells_that_none_was_found(name: str) -> None:
    """And what is still possible."""
    text = " ".join(rendered(run(GONE), name).split())
    assert "o trace of the deleted canaries was found" in text
    assert "still allows one of 0.74" in text


def test_the_table_of_results_shows_the_trace() -> None:
    """Beside what there would be without one."""
    (row,) = results_layout(run(LEFT)).rows
    assert row == ("leak", "label-likelihood", "text-classifier", "–", "trace", "0.93 [0.75, 0.985] n=20", "0.5", "–")


def test_the_terminal_tells_it_in_two_lines() -> None:
    """The verdict, and the figure with its p-value."""
    first, second = closing_lines(run(LEFT))
    assert first == "A trace is left of what was to be deleted."
    assert second.startswith("leak (severity medium): text-classifier, label-likelihood: A trace of the deleted")
    assert "p-value 0.00052" in second


def test_a_trace_is_less_grave_than_a_secret_read_out() -> None:
    """The canaries are easier to guess; nobody read them."""
    read = arms("accuracy", (0.9, 0.8, 0.95), 0.001, (0.0, 0.0, 0.1))
    (narrowed,), (out,) = (lines(audits(run(one))) for one in (LEFT, of_deletion((0.9, 0.7, 1.0), 0.001, figures=read)))
    assert (narrowed.severity, out.severity) == ("medium", "high")


def test_what_to_do() -> None:
    """Train anew; after none, what remains possible; with few canaries, plant more; pushed away, train anew."""
    (left,), (gone,), (few,), (pushed,) = (
        [f"{one.do} {one.why}" for one in advice(audits(run(made))[0])[:1]] for made in (LEFT, GONE, FEW, PUSHED)
    )
    assert left.startswith("Train anew without the deleted texts")
    assert "a trace of up to 0.74 remains possible" in gone
    assert few.startswith("Plant and hold out more canaries")
    assert pushed.startswith("Train anew without the deleted texts")


def test_how_to_read_a_trace() -> None:
    """It has words, although it is no metric of guesses; in a sentence the word stays a word."""
    ((name, said),) = readings(["trace", "trace_p_value"])
    assert name == "trace"
    assert "0.5 is no trace" in said
    assert said.endswith("Higher means that more leaks.")
    assert with_metric_words("A trace is left by accuracy.") == "A trace is left by secrets guessed entirely right."


def test_a_p_value_has_a_side_of_its_own() -> None:
    """Small is bad; a limit holds the value, which has no interval. A trace is limited by its high end."""
    above, below = Limit(metric="trace_p_value", above=0.05), Limit(metric="trace", below=0.8)
    assert [
        [judged_figure(limit, made, next(one for one in made.measurements if one.metric == limit.metric), {}).verdict]
        for made in (LEFT, GONE, FEW)
        for limit in (above, below)
    ] == [["exceeded"], ["exceeded"], ["passed"], ["passed"], ["inconclusive"], ["inconclusive"]]
    assert above.required == "trace_p_value: above 0.05"
    with pytest.raises(ValueError, match="leaks when it is low: limit it with above"):
        Limit(metric="trace_p_value", below=0.05)
    with pytest.raises(ValueError, match="leaks when it is high: limit it with below"):
        Limit(metric="trace", above=0.5)
