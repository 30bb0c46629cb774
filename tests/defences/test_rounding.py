"""Few decimals, the same label."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import TEXTS, Gradients, Labels, Likelihoods

from divulge.access import LabelLikelihoodAccess
from divulge.defences.rounding import Rounding
from divulge.errors import InputError
from divulge.grants import level_of
from divulge.records import Artefact


def rounded(decimals: int | None, access: LabelLikelihoodAccess) -> LabelLikelihoodAccess:
    found = Rounding({"decimals": decimals}).on_access(access, Artefact())
    assert isinstance(found, LabelLikelihoodAccess)
    return found


@pytest.mark.parametrize("decimals", [0, 1, 3])
def test_probabilities_have_that_many_decimals(decimals: int) -> None:
    """Each is within half a unit of the clear one, and a whole number of units."""
    shown, clear = rounded(decimals, Likelihoods()).likelihoods(TEXTS), Likelihoods().likelihoods(TEXTS)
    assert np.abs(shown - clear).max() <= 0.5 * 10.0**-decimals + 1e-12
    assert np.allclose(shown * 10**decimals, np.round(shown * 10**decimals))
    assert not np.array_equal(shown, clear)


def test_the_label_stays() -> None:
    """Also where rounding leaves no likeliest: with 0 decimals, all below 0.5 show as 0."""

    class Undecided(Likelihoods):
        def _likelihoods(self, texts: object) -> np.ndarray:
            return np.tile([0.2, 0.2, 0.2, 0.4], (len(texts), 1))  # type: ignore[arg-type]

    access = rounded(0, Undecided())
    assert not access.likelihoods(TEXTS).any()
    assert access.label(TEXTS).tolist() == [3, 3, 3]


def test_weights_are_no_longer_granted() -> None:
    """Whoever holds the weights sees all decimals, so that gradients go; labels alone have nothing to round."""
    assert level_of(rounded(2, Gradients())) is LabelLikelihoodAccess
    labels = Labels()
    assert Rounding().on_access(labels, Artefact()) is labels


def test_all_decimals_change_nothing() -> None:
    """The access itself comes back, gradients included."""
    access = Gradients()
    assert rounded(None, access) is access
    with pytest.raises(InputError, match="'decimals'"):
        Rounding({"decimals": -1})
