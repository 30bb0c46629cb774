"""One number per record, for every kind of model, against hand-worked values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.attacks.tables import TableLabels, TableTokens, record

from divulge.access import LabelAccess
from divulge.attacks import record_evidence
from divulge.attacks.record_evidence import LOWEST, Evidence, RecordReader, queries_per_record
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import RecordText


def read(model: object, *records: RecordText) -> Evidence:
    return RecordReader(Grant([model]), "it").read(records)  # type: ignore[list-item]


def test_a_classifier_is_read_by_its_label() -> None:
    """P = 0.8: log 0.8, and log 0.8 - log 0.2; another label's is its own: 0.9 x 0.2 = 0.18 against 0.82."""
    found = read(TableLabels({"a b": 0.8}), record("a b"), record("a b", label="no"))
    np.testing.assert_allclose(found.logs, np.log([0.8, 0.18]))
    np.testing.assert_allclose(found.odds, [math.log(0.8 / 0.2), math.log(0.18 / 0.82)])


def test_odds_survive_certainty() -> None:
    """Where 1 - p rounds to nothing, the other labels still tell how sure the model is."""
    rows = np.array([[1e-12, 1.0, 0.0], [1e-9, 1.0, 0.0], [0.0, 1.0, 0.0]])
    _, odds = record_evidence._scales(rows, [1, 1, 1])
    np.testing.assert_allclose(odds, [12 * math.log(10), 9 * math.log(10), -LOWEST])


def test_a_tagger_is_read_by_the_mean_over_words() -> None:
    """Tags X, O of words with P(X) = 0.9 and 0.4: (log 0.9 + log 0.6) / 2, odds (log 9 + log 1.5) / 2."""
    tagger = TableLabels({}, labels=(), words={"a": 0.9, "b": 0.4})
    found = read(tagger, record("a b", label=None, tags="X O"), record("a b", label="yes", tags="X O"))
    np.testing.assert_allclose(found.logs, (math.log(0.9) + math.log(0.6)) / 2)
    np.testing.assert_allclose(found.odds, (math.log(9) + math.log(1.5)) / 2)


def test_label_and_tags_are_added() -> None:
    """Label 0.8 and one word of 0.9; a record without tags has the label alone."""
    both = TableLabels({"a": 0.8}, words={"a": 0.9})
    found = read(both, record("a", tags="X"), record("a"))
    np.testing.assert_allclose(found.odds, [math.log(4) + math.log(9), math.log(4)])


def test_a_generator_is_read_by_the_mean_over_tokens() -> None:
    """(log 0.5 + log 0.1) / 2; in another context the tokens are others; the impossible is only very unlikely."""
    model = TableTokens({"a": 0.5, "b": 0.1, "why a": 0.25, "c": 0.0})
    found = read(model, record("a b"), record("a", context="why"), record("c"))
    np.testing.assert_allclose(found.odds, [(math.log(0.5) + math.log(0.1)) / 2, math.log(0.25), LOWEST])
    np.testing.assert_array_equal(found.logs, found.odds)
    np.testing.assert_allclose(found.pieces[0], np.log([0.5, 0.1]))


def test_what_the_model_does_not_know_is_no_number() -> None:
    """A label or tag of another data set is NaN, and as an audited model's answer the least there is."""
    found = read(TableLabels({"a": 0.8}), record("a"), record("a", label="other"), record("a", label=None))
    assert np.isnan(found.odds).tolist() == [False, True, True]
    assert found.known.tolist()[1:] == [LOWEST, LOWEST]
    tagger = TableLabels({}, labels=(), words={"a": 0.9, "b": 0.4})
    some = read(tagger, record("a b", label=None, tags="X B-other"))
    np.testing.assert_allclose(some.logs, math.log(0.9))  # the one word whose tag is known


def test_a_model_that_knows_none_of_the_labels_is_an_error() -> None:
    """So is one that is asked for what the records do not have."""
    reader = RecordReader(Grant([TableLabels({"a": 0.8})]), "it")
    with pytest.raises(InputError, match="knows the labels or tags of none of the 1 records"):
        reader.read_target([record("a", label="other")])
    with pytest.raises(InputError, match="none of the 1 records has what this model gives: it gives labels"):
        reader.read_target([record("a", label=None, tags="X")])


def test_neither_level_is_refused() -> None:
    """A view of labels alone has no likelihoods."""
    grant = Grant([TableLabels({})]).limited([LabelAccess], None)
    with pytest.raises(InputError, match="'it' requires LabelLikelihoodAccess or TokenLikelihoodAccess; granted is L"):
        RecordReader(grant, "it")


def test_questions_are_batched_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five records in batches of two; label and tags of one record are two queries."""
    monkeypatch.setattr(record_evidence, "BATCH", 2)
    model = TableLabels({"a": 0.8}, words={"a": 0.9})
    grant = Grant([model], 12)
    reader = RecordReader(grant, "it")
    records = [record("a", tags="X")] * 5
    assert reader.affordable(records) == 6
    reader.read(records)
    assert model.batches == [2, 2, 1]
    assert grant.meter.total == 10 == 5 * queries_per_record(records[0])
    assert queries_per_record(record("a")) == 1
    assert reader.affordable([record("a")]) == 2  # tags are not asked for where no record has any


def test_nothing_asked_is_nothing_answered() -> None:
    """No records, no evidence, no query."""
    assert len(read(TableLabels({})).odds) == len(read(TableTokens({})).odds) == 0
