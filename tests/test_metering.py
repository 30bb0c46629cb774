"""The count of what was asked."""

import pytest

from divulge.access import GradientAccess, LabelAccess
from divulge.errors import BudgetExhausted, InputError
from divulge.metering import QueryMeter


def test_a_budget_is_a_count() -> None:
    """0 allows nothing; less is an error of the input."""
    meter = QueryMeter(0)
    with pytest.raises(BudgetExhausted):
        meter.charge(LabelAccess, 1)
    with pytest.raises(InputError, match="max_queries must be 0 or more. Got -1"):
        QueryMeter(-1)


def test_what_is_left_is_counted_over_all_levels() -> None:
    """2 labels and 3 losses of 6 leave 1; without a limit nothing runs out."""
    meter = QueryMeter(6)
    meter.charge(LabelAccess, 2)
    meter.charge(GradientAccess, 3)
    assert (meter.total, meter.remaining) == (5, 1)
    assert meter.asked == {"LabelAccess": 2, "GradientAccess": 3}
    with pytest.raises(BudgetExhausted, match="2 more examples at LabelAccess"):
        meter.charge(LabelAccess, 2)
    assert meter.total == 5
    assert QueryMeter().remaining is None
