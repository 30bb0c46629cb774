"""What every access has: a count of what was asked, and a stop."""

from __future__ import annotations

import pytest
from tests.adapters import TEXTS, Labels

from divulge.access import LabelAccess
from divulge.asking import Access
from divulge.errors import BudgetExhausted
from divulge.metering import QueryMeter


def test_questions_are_counted_by_level_from_the_first_on() -> None:
    """Without a meter one is made; nothing limits it."""
    access = Labels()
    assert access.remaining is None
    access.label(TEXTS)
    assert access.meter is not None
    assert dict(access.meter.asked) == {"LabelAccess": len(TEXTS)}
    assert access.remaining is None


def test_a_meter_stops_what_exceeds_it() -> None:
    """What remains can be seen; a question too many is refused as a whole."""
    access = Labels()
    access.meter = QueryMeter(len(TEXTS) + 1)
    access.label(TEXTS)
    assert access.remaining == 1
    with pytest.raises(BudgetExhausted):
        access.label(TEXTS)
    assert access.remaining == 1


def test_it_is_abstract() -> None:
    """An access without a handshake could be broken unseen."""
    assert "handshake" in Access.__abstractmethods__
    assert issubclass(LabelAccess, Access)
