"""Tests of the verdict of a gate: it follows from the judgements, and the exit code from it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.gate.judgements import EXIT_CODES, Judged, Judgement


def judged(*verdicts: str) -> Judged:
    """A gate with these judgements."""
    return Judged(judgements=tuple(Judgement(required="x", verdict=one, reason="y") for one in verdicts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "verdict", "code"),
    [
        (["passed", "passed"], "passed", 0),
        (["passed", "inconclusive"], "inconclusive", 3),
        (["inconclusive", "exceeded", "passed"], "exceeded", 100),
        ([], "inconclusive", 3),
    ],
)
def test_the_gravest_judgement_decides(verdicts, verdict, code):
    """Exceeded before inconclusive before passed; nothing judged is no evidence."""
    assert (judged(*verdicts).verdict, judged(*verdicts).exit_code) == (verdict, code)


@given(st.lists(st.sampled_from(sorted(EXIT_CODES))))
def test_words_code_and_json_agree(verdicts):
    """Whatever was judged: the sentence begins with the verdict that the code means."""
    found = judged(*verdicts)
    assert found.exit_code == {"passed": 0, "inconclusive": 3, "exceeded": 100}[found.verdict]
    assert found.sentence.startswith(found.verdict.capitalize())
    shown = json.loads(json.dumps(found.shown()))
    assert (shown["verdict"], shown["exit_code"]) == (found.verdict, found.exit_code)
    assert [one["verdict"] for one in shown["judgements"]] == verdicts
    assert (found.exit_code == 100) == ("exceeded" in verdicts)
    assert (found.exit_code == 0) == (set(verdicts) == {"passed"})


def test_the_sentence_counts():
    """The gravest first."""
    said = judged("passed", "exceeded", "passed").sentence
    assert said == "Exceeded: a limit does not hold (1 exceeded, 2 passed)."
