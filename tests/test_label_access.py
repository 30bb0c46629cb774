"""Classifiers give labels, taggers give tags; what a model does not give is refused in words."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import TEXTS, Gradients, Likelihoods, Tagger

from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.label_access import GradientAccess, LabelAccess, LabelLikelihoodAccess

WORDS = [("call", "Ada", "Bo", "now"), ("hello",), ()]


def test_a_tagger_without_labels_answers_about_words() -> None:
    """Tags, their likelihoods, and no more."""
    grant = Grant([Tagger()])
    assert grant[LabelAccess].tags(WORDS) == [("O", "B-PER", "I-PER", "O"), ("O",), ()]
    rows = grant[LabelLikelihoodAccess].tag_likelihoods(WORDS[:2])
    assert [row.shape for row in rows] == [(4, 3), (1, 3)]
    assert np.allclose(rows[0].sum(axis=1), 1)
    assert dict(grant.meter.asked) == {"LabelAccess": 3, "LabelLikelihoodAccess": 2}
    for ask in (grant[LabelAccess].label, grant[LabelLikelihoodAccess].likelihoods):
        with pytest.raises(InputError, match="gives tags to words, and no labels to texts"):
            ask(WORDS)
    assert dict(grant.meter.asked) == {"LabelAccess": 3, "LabelLikelihoodAccess": 2}


def test_a_classifier_without_tags_says_so() -> None:
    """Neither tags nor how likely they are."""
    grant = Grant([Gradients()])
    for ask in (grant[LabelAccess].tags, grant[LabelLikelihoodAccess].tag_likelihoods):
        with pytest.raises(InputError, match="is no tagger"):
            ask(TEXTS)


def test_a_tagger_that_shows_no_likelihoods_says_so() -> None:
    """Its tags stay what they are."""

    class Shy(Likelihoods):
        tag_names = ("O",)

    with pytest.raises(InputError, match="does not tell how likely its tags are"):
        Shy().tag_likelihoods(TEXTS)


def test_likelihoods_of_tags_have_one_row_per_word() -> None:
    """Another shape is a fault of the adapter."""

    class Short(Tagger):
        def _tag_likelihoods(self, texts):  # type: ignore[no-untyped-def]
            return [row[:-1] for row in super()._tag_likelihoods(texts)]

    with pytest.raises(ExecutionError, match=r"shape \(4, 3\). Got \(3, 3\)"):
        Short().tag_likelihoods(WORDS[:1])
    assert issubclass(GradientAccess, LabelLikelihoodAccess)
