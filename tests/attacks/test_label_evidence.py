"""Log-odds of one label at every level of access, on probabilities worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.tables import TableLabels

from divulge.access import Access, GradientAccess, LabelAccess, LabelLikelihoodAccess, TopLabelAccess
from divulge.attacks.label_evidence import LabelEvidence, log_odds
from divulge.attacks.record_evidence import FLOOR
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Gaps
from divulge.testing import world

TABLE = {"a": 0.8, "b": 0.3, "c": 0.0, "d": 1.0}  # P(yes); "no" has 0.9 of the rest and "maybe" 0.1 of it
TEXTS = [("a",), ("b",), ("c",), ("d",)]


def hint(label: str | None = "yes") -> Gaps:
    return Gaps(tokens=(None,), label=label, candidates=(tuple(TABLE),))


def evidence(level: type[Access], label: str = "yes", **more: int) -> LabelEvidence:
    return LabelEvidence(Grant([TableLabels(TABLE)]).limited([level], None), hint(label), "it", **more)


def test_all_probabilities_give_the_exact_odds() -> None:
    """0.8 to 0.2, 0.3 to 0.7; a probability of 0 or 1 is held at the floor."""
    found = evidence(LabelLikelihoodAccess)
    assert found.is_graded
    np.testing.assert_allclose(found(TEXTS), [log(0.8 / 0.2), log(0.3 / 0.7), log(FLOOR), -log(FLOOR)])


def test_the_odds_are_those_of_the_label_asked_about() -> None:
    """Of "maybe": 0.02 to 0.98, and 0.07 to 0.93."""
    found = evidence(LabelLikelihoodAccess, "maybe")(TEXTS[:2])
    np.testing.assert_allclose(found, [log(0.02 / 0.98), log(0.07 / 0.93)])


def test_the_best_probability_alone_gives_the_others_an_even_share() -> None:
    """Of "b" 0.63 is shown for "no": (1 - 0.63) / 2 = 0.185 is left to "yes"; "a" shows 0.8 for it, as it is."""
    found = evidence(TopLabelAccess)
    assert found.is_graded
    np.testing.assert_allclose(found(TEXTS[:2]), [log(0.8 / 0.2), log(0.185 / 0.815)])


def test_a_label_alone_is_a_yes_or_a_no() -> None:
    """Only "a" and "d" get it."""
    found = evidence(LabelAccess)
    assert not found.is_graded
    assert found(TEXTS).tolist() == [1.0, 0.0, 0.0, 1.0]


def shown_as(*row: float) -> np.ndarray:
    """Whether a text whose first label is asked about is certain by these probabilities."""

    class Shown(TableLabels):
        """The same of every text."""

        def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
            return np.tile(row, (len(texts), 1))

    found = LabelEvidence(Grant([Shown(TABLE)]), hint("no"), "it")
    return found.is_certain(found(TEXTS[:1]))


def test_what_leaves_nothing_for_other_labels_is_certain() -> None:
    """Of the probabilities only 1 is, and 0.9 if 0.05 for each of two others is rounded away; of labels, those said.

    As shares: the probabilities again.
    """
    assert shown_as(0.9, 0.0, 0.0).tolist() == [True]
    assert shown_as(0.9, 0.1, 0.0).tolist() == shown_as(0.0, 0.9, 0.0).tolist() == [False]
    shown, said = evidence(LabelLikelihoodAccess), evidence(LabelAccess)
    assert shown.is_certain(shown(TEXTS)).tolist() == [False, False, False, True]
    np.testing.assert_allclose(shown.shares(shown(TEXTS)), [0.8, 0.3, 0, 1], atol=1e-12)
    assert said.is_certain(said(TEXTS)).tolist() == [True, False, False, True]
    assert said.shares(said(TEXTS)).tolist() == [1.0, 0.0, 0.0, 1.0]


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), min_size=2, max_size=8))
def test_a_text_that_gets_the_label_is_above_one_that_does_not(rows: list[list[float]]) -> None:
    """With the best probability alone, however unsure the model is."""
    shares = np.array(rows) / np.sum(rows, axis=1, keepdims=True)

    class Rows(TableLabels):
        def _likelihoods(self, texts: object) -> np.ndarray:
            return shares

    grant = Grant([Rows({}, labels=("yes", "b", "c", "d"))]).limited([TopLabelAccess], None)
    found = LabelEvidence(grant, hint(), "it")([("x",)] * len(rows))
    said = shares.argmax(axis=1) == 0
    assert found[said].min(initial=np.inf) >= found[~said].max(initial=-np.inf) - 1e-9


def test_the_weights_show_all_probabilities() -> None:
    """A grant of the gradient is asked for likelihoods."""
    there = world(GradientAccess, leaky=True, kind="canaries", secrets=2)
    told = next(iter(there.hints.values()))
    assert isinstance(told, Gaps)
    assert LabelEvidence(there.access, told, "it").level is LabelLikelihoodAccess


def test_evidence_to_compare_with_is_had_at_the_same_level() -> None:
    """A model of one's own shows all; beside a target that shows labels, its labels count."""
    own = Grant([TableLabels(TABLE)])
    like = LabelEvidence(own, hint(), "it", like=evidence(LabelAccess))
    assert like.level is LabelAccess
    assert like(TEXTS).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert LabelEvidence(own, hint(), "it", like=evidence(TopLabelAccess)).level is TopLabelAccess
    weak = own.limited([LabelAccess], None)
    assert LabelEvidence(weak, hint(), "it", like=evidence(TopLabelAccess)).level is LabelAccess


def test_batches_keep_the_order() -> None:
    """Three at a time, or all at once; no texts, no answer and no question."""
    np.testing.assert_array_equal(
        evidence(LabelLikelihoodAccess, batch=3)(TEXTS), evidence(LabelLikelihoodAccess)(TEXTS)
    )
    assert evidence(LabelLikelihoodAccess)([]).shape == (0,)


def test_what_cannot_be_asked_is_an_error() -> None:
    """No label in the hint, a label that the model does not know, a tagger, a model that gives no labels."""
    grant = Grant([TableLabels(TABLE)])
    with pytest.raises(InputError, match="it needs the label of the text it completes"):
        LabelEvidence(grant, hint(None), "it")
    with pytest.raises(InputError, match="knows 3 labels, and 'nonsense' is none of them"):
        LabelEvidence(grant, hint("nonsense"), "it")
    with pytest.raises(InputError, match="gives tags to words"):
        LabelEvidence(Grant([TableLabels({}, labels=(), words={"a": 0.5})]), hint(), "it")
    with pytest.raises(InputError, match="requires LabelAccess; granted is nothing"):
        LabelEvidence(Grant([]), hint(), "it")


def test_log_odds_of_nothing_are_finite() -> None:
    """Both at the floor: even."""
    assert log_odds(np.zeros(1), np.zeros(1)).tolist() == [0.0]
