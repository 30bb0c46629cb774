"""The discrete loss of completions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.attacks.pins import DIGITS, TABLE, TableTagger, pin_hint

from divulge.attacks.completion_loss import completion_losses


def test_the_loss_is_that_of_the_filled_text() -> None:
    """All parts are summed over the known and the filled tokens."""
    # pin 0.25 + is 0.5 + "2" at place 2: 1.0 + "0" at place 3: 0.5 = 2.25; "0", "1": 0.75 + 3.0 + 4.0 = 7.75
    found = completion_losses(TableTagger(TABLE), pin_hint(), [("2", "0"), ("0", "1")])
    assert found.tolist() == [2.25, 7.75]
    assert found.dtype == np.float64


@pytest.mark.parametrize("batch", [1, 2, 4, 9, 100])
def test_batches_do_not_change_the_answer_or_the_count(batch: int) -> None:
    """Nine completions in any batches: the same losses in the same order, nine examples asked."""
    target = TableTagger(TABLE)
    fillings = list(itertools.product(DIGITS, DIGITS))
    found = completion_losses(target, pin_hint(), fillings, batch)
    slow = [0.75 + TABLE[2][2 + int(a)] + TABLE[3][2 + int(b)] for a, b in fillings]
    assert found.tolist() == slow
    assert target.meter is not None
    assert target.meter.asked == {"GradientAccess": 9}
    assert max(target.seen) <= batch
