"""Another temperature, the same label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.adapters import TEXTS, Gradients, Labels, Likelihoods

from divulge.access import LabelLikelihoodAccess
from divulge.defences.temperature import Temperature
from divulge.errors import InputError
from divulge.grants import Grant, level_of
from divulge.records import Artefact


class Said(Likelihoods):
    """Answers with the rows it is given."""

    def __init__(self, *rows: Sequence[float]) -> None:
        self.rows = np.array(rows)

    def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> Any:
        return self.rows[: len(texts)]


def tempered(temperature: float | None, access: LabelLikelihoodAccess) -> LabelLikelihoodAccess:
    found = Temperature({"temperature": temperature}).on_access(access, Artefact())
    assert isinstance(found, LabelLikelihoodAccess)
    return found


def test_log_probabilities_are_divided() -> None:
    """Square roots of 0.64, 0.16, 0.16 and 0.04 are 0.8, 0.4, 0.4 and 0.2, which sum to 1.8."""
    (shown,) = tempered(2.0, Said([0.64, 0.16, 0.16, 0.04])).likelihoods(TEXTS[:1])
    assert shown.tolist() == pytest.approx([0.8 / 1.8, 0.4 / 1.8, 0.4 / 1.8, 0.2 / 1.8])


def test_below_one_it_sharpens() -> None:
    """Squares of 0.4, 0.3, 0.2 and 0.1 are 0.16, 0.09, 0.04 and 0.01, which sum to 0.3."""
    (shown,) = tempered(0.5, Said([0.4, 0.3, 0.2, 0.1])).likelihoods(TEXTS[:1])
    assert shown.tolist() == pytest.approx([0.16 / 0.3, 0.09 / 0.3, 0.04 / 0.3, 0.01 / 0.3])


@pytest.mark.parametrize("temperature", [0.01, 1.0, 1e9])
def test_labels_stay_and_what_is_impossible_does(temperature: float) -> None:
    """At any temperature, also where all probabilities come out equal."""
    access = tempered(temperature, Said([0.0, 0.3, 0.7, 0.0], [0.3, 0.2, 0.1, 0.4], [0.25, 0.25, 0.3, 0.2]))
    assert access.label(TEXTS).tolist() == [2, 3, 2]
    shown = access.likelihoods(TEXTS)
    assert shown[0, [0, 3]].tolist() == [0, 0]
    assert np.allclose(shown.sum(axis=1), 1)
    assert access.likelihoods([]).shape == (0, 4)


def test_the_top_label_is_shown_at_the_same_temperature() -> None:
    """Else it could be asked for what is hidden."""
    numbers, shown = tempered(2.0, Said([0.64, 0.16, 0.16, 0.04])).top(TEXTS[:1])
    assert (numbers.tolist(), shown.tolist()) == ([0], pytest.approx([0.8 / 1.8]))


def test_weights_are_no_longer_granted() -> None:
    """Labels alone, and a temperature of none, pass as they are."""
    assert level_of(tempered(2.0, Gradients())) is LabelLikelihoodAccess
    plain, labels = Gradients(), Labels()
    assert tempered(None, plain) is plain
    assert Temperature().on_access(labels, Artefact()) is labels
    assert LabelLikelihoodAccess in Grant([tempered(2.0, plain)])


def test_no_temperature_below_zero() -> None:
    """At zero there is nothing to divide by."""
    with pytest.raises(InputError, match="'temperature'"):
        Temperature({"temperature": 0.0})
