"""Slots, counted by hand and against seqeval."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score
from seqeval.metrics.sequence_labeling import get_entities

from divulge.metrics.spans import Span, span_counts, span_f1, spans

TAGS = st.lists(st.sampled_from(["O", "B-a", "I-a", "B-b", "I-b"]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ([], []),
        (["O", "O"], []),
        (["B-a", "B-a"], [Span("a", 0, 1), Span("a", 1, 2)]),
        (["B-a", "I-b"], [Span("a", 0, 1), Span("b", 1, 2)]),
        (["B-a", "I-a", "I-a"], [Span("a", 0, 3)]),
        (["B-date-time", "I-date-time"], [Span("date-time", 0, 2)]),
    ],
)
def test_spans_by_hand(tags: list[str], found: list[Span]) -> None:
    """Neighbours of one kind, a change of kind, a name with a dash."""
    assert spans(tags) == found


@given(TAGS)
def test_spans_are_those_of_seqeval(tags: list[str]) -> None:
    """Its ends are the last word's places, ours one further."""
    assert [(one.kind, one.start, one.end - 1) for one in spans(tags)] == get_entities(tags)


@given(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=5))
def test_f1_is_that_of_seqeval(pairs: list[tuple[list[str], list[str]]]) -> None:
    """Over several texts, where there is anything to find."""
    cut = [(true[: len(said)], said[: len(true)]) for true, said in pairs]
    counts = [span_counts(true, said) for true, said in cut]
    right, found, there = (sum(column) for column in zip(*counts, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where nothing is to be found
        oracle = f1_score([true for true, _ in cut], [said for _, said in cut])
    if found + there:
        assert span_f1(right, found, there) == pytest.approx(oracle)


def test_f1_by_hand() -> None:
    """2 right of 3 found and 5 there: precision 2/3, recall 2/5, F1 = 2 x 2 / 8."""
    assert span_f1(2, 3, 5) == 0.5
    assert span_f1(0, 0, 0) == 1
    assert span_f1(0, 3, 0) == 0
