"""The budget, the line and the p-value that attacks on records share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.tables import TableLabels, record, verdicts

from divulge.adversary import Background
from divulge.attacks.record_attack import kept_controls, known_controls, p_value, within_budget
from divulge.attacks.record_loss import RecordLoss
from divulge.records import Artefact, UserTexts


@given(st.integers(0, 50), st.integers(0, 30), st.integers(0, 30), st.integers(0, 1))
def test_a_budget_is_kept_and_spent(left: int, records: int, controls: int, fewest: int) -> None:
    """Never more than is left; nothing is left over while there is something to ask; records are not starved."""
    asked, kept = within_budget(left, records, controls, fewest)
    assert 0 <= asked <= records
    assert 0 <= kept <= controls
    assert asked + kept <= left
    if asked:
        assert asked + kept == min(left, records + controls)
        assert asked >= min(records, left // 2)
        assert kept >= min(fewest, controls)
    else:
        assert records == 0 or left == 0 or (fewest and left < 2)


def test_without_a_budget_all_are_asked() -> None:
    """Records and controls, however many."""
    assert within_budget(None, 7, 3) == (7, 3)


def test_controls_survive_being_kept() -> None:
    """Records known to be out go into the artefact as plain values and come back; other hints do not."""
    told = (record("a b", tags="X O", context="why"), UserTexts(examples=()))
    kept = kept_controls(Background(controls=told))
    assert known_controls(Artefact(values={"controls": kept})) == [told[0]]
    assert known_controls(Artefact()) == []


def test_a_p_value_counts_those_who_reach_it() -> None:
    """Two of four reach 2.0, and the record itself: 3 / 5."""
    null = np.array([1.0, 2.0, 3.0, 0.0])
    assert p_value(2.0, null) == pytest.approx(3 / 5)
    assert p_value(9.0, null) == pytest.approx(1 / 5)
    assert p_value(9.0, np.array([])) is None


def known(count: int) -> tuple[TableLabels, list, list]:
    table = {f"c{number}": 0.1 + 0.5 * number / count for number in range(count)} | {"low": 0.05, "high": 0.99}
    return TableLabels(table), [record("low"), record("high")], [record(f"c{number}") for number in range(count)]


@pytest.mark.parametrize("count", [5, 19, 20, 39, 100])
def test_above_the_line_means_a_small_p_value(count: int) -> None:
    """Above zero exactly where p is at most 5 %; with fewer than nineteen controls, where none reaches it."""
    target, records, controls = known(count)
    low, high = verdicts(RecordLoss(), target, records, controls=controls)
    assert low.statistic < 0 < high.statistic
    assert (low.p_value, high.p_value) == (1.0, pytest.approx(1 / (1 + count)))
    asked = verdicts(RecordLoss(), target, [*controls, *records], controls=controls)
    for one in asked:
        assert (one.statistic > 0) == (one.p_value <= max(0.05, 1 / (1 + count)))


def test_controls_share_a_small_budget() -> None:
    """Six queries for two records and twenty controls: both records, four controls."""
    target, records, controls = known(20)
    found = verdicts(RecordLoss(), target, records, controls=controls, limit=6)
    assert len(found) == 2
    assert found[1].p_value == pytest.approx(1 / 5)
    assert verdicts(RecordLoss(), target, records, controls=controls, limit=0) == []


def test_the_order_of_records_does_not_matter() -> None:
    """Each record has the same verdict wherever it stands."""
    target, records, controls = known(20)
    forth = verdicts(RecordLoss(), target, [*records, *controls], controls=controls)
    back = verdicts(RecordLoss(), target, [*records, *controls][::-1], controls=controls)
    assert [one.statistic for one in forth] == [one.statistic for one in back][::-1]


def test_cost_is_a_query_per_record() -> None:
    """Two where both label and tags are known."""
    assert RecordLoss.cost(RecordLoss.Options(), record("a")) == 1
    assert RecordLoss.cost(RecordLoss.Options(), record("a", tags="X")) == 2
