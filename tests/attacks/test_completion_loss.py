"""The discrete loss of completions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from tests.attacks.pins import DIGITS, TABLE, TableTagger, pin_hint

from divulge.attacks.completion_loss import CompletionLoss, completion_losses
from divulge.errors import InputError
from divulge.records import Gaps


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


def test_numbers_follow_spelling_not_the_order_of_the_hint() -> None:
    """Candidates offered as 2 0 1 are numbered as 0 1 2, so that ties know nothing of the hint's order."""
    hint = Gaps(tokens=("pin", None, "0", None), label="PinIntent", candidates=(("2", "0", "1"), ("1", "0")))
    loss = CompletionLoss(TableTagger(TABLE), hint)
    assert loss.sizes == (3, 2)
    assert loss.numbers([("2", "0"), ("0", "1")]).tolist() == [[2, 0], [0, 1]]
    assert loss.completion([1, 1]) == ("1", "1")
    # pin 0.25 + a digit at place 1: 9 + "0" at place 2: 3.0 + "0" 0.5 or "1" 4.0 at place 3
    assert loss(loss.numbers([("2", "0"), ("0", "1")])).tolist() == [12.75, 16.25]


@pytest.mark.parametrize(("parts", "expected"), [("intent", 0.25), ("slots", 2.0), ("both", 2.25)])
def test_parts_are_taken_alone_or_summed(parts: str, expected: float) -> None:
    """The table's intent is its first place, its slots the rest."""
    loss = CompletionLoss(TableTagger(TABLE), pin_hint(), parts)  # type: ignore[arg-type]
    assert loss(loss.numbers([("2", "0")])).tolist() == [expected]


def test_a_part_that_is_not_there_is_named_with_those_that_are() -> None:
    """A model with another loss is told apart from one that leaks nothing."""

    class Whole(TableTagger):
        def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
            return {"whole": super()._loss(inputs, labels)["slots"]}

    loss = CompletionLoss(Whole(TABLE), pin_hint(), "intent")
    with pytest.raises(InputError, match="'intent'.*It has: 'whole'"):
        loss(np.zeros((1, 2), dtype=np.int64))
    both = CompletionLoss(Whole(TABLE), pin_hint())
    assert both(np.array([[2, 0]])).tolist() == [2.0]


class Dropping(TableTagger):
    """Adds 0, 1, 2, ... to the losses of a batch: the mean over askings shows how many there were."""

    def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
        parts = super()._loss(inputs, labels)
        return {**parts, "noise": torch.arange(len(inputs), dtype=torch.float64)}


def test_masks_average_over_so_many_askings_of_the_same_completion() -> None:
    """Three askings each: noise 0 1 2 and 3 4 5 have means 1 and 4; six examples are asked."""
    target = Dropping(TABLE)
    found = completion_losses(target, pin_hint(), [("2", "0"), ("0", "1")], masks=3)
    assert found.tolist() == [2.25 + 1, 7.75 + 4]
    assert target.seen == [6]


def test_slopes_of_a_linear_loss_are_its_differences() -> None:
    """The table is linear in the one-hot vectors, so that the first-order estimate is exact."""
    target = TableTagger(TABLE)
    loss = CompletionLoss(target, pin_hint(), batch=2)
    rows = np.array([[0, 0], [2, 1], [1, 1]])
    assert loss.slopes(rows, 0).tolist() == [[3.0, 2.0, 1.0]] * 3
    assert loss.slopes(rows, 1).tolist() == [[0.5, 4.0, 2.5]] * 3
    assert target.meter is not None
    assert target.meter.total == 6


def test_a_word_that_is_no_candidate_can_be_scored() -> None:
    """The truth may lie outside what the attack would try."""
    hint = Gaps(tokens=("pin", "is", None), label="PinIntent", candidates=(("0", "1"),))
    assert completion_losses(TableTagger(TABLE), hint, [("2",)]).tolist() == [1.75]  # 0.25 + 0.5 + 1.0
