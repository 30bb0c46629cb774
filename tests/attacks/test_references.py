"""What models that never saw a record say of it, and what is said for those that do not know its label."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.tables import TableLabels, record

from divulge.adversary import Knowledge, Practice
from divulge.attacks.references import said_by_references
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import FloatArray


def said(*models: TableLabels, label: str = "yes") -> FloatArray:
    known = Knowledge(practice=tuple(Practice(Grant([model])) for model in models))
    records = [record("a", label=label), record("b")]
    return said_by_references(known, records, lambda evidence: evidence.likelihoods, "it")


def test_one_row_per_model_one_column_per_record() -> None:
    """The likelihoods as they are in each table."""
    found = said(TableLabels({"a": 0.1, "b": 0.2}), TableLabels({"a": 0.3, "b": 0.4}))
    np.testing.assert_allclose(found, [[0.1, 0.2], [0.3, 0.4]])


def test_who_does_not_know_a_label_says_the_usual() -> None:
    """The second model has no "maybe": it says of a what the first says, 0.1 x 0.9; where none knows it, the mean."""
    first = TableLabels({"a": 0.1, "b": 0.2})
    second = TableLabels({"a": 0.3, "b": 0.4}, labels=("no", "yes", "other"))
    np.testing.assert_allclose(said(first, second, label="maybe"), [[0.09, 0.2], [0.09, 0.4]])
    np.testing.assert_allclose(said(second, label="nowhere"), [[0.4, 0.4]])


def test_no_models_or_models_of_other_labels_are_an_error() -> None:
    """The message names the setting."""
    with pytest.raises(InputError, match=r"adversary\.background\.references"):
        said()
    with pytest.raises(InputError, match="1 models know the labels or tags of none of the 2 records"):
        said(TableLabels({"a": 0.1, "b": 0.2}, labels=("x", "y", "z")))
