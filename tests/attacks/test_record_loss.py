"""The reference-free statistic: log-odds, and the least likely tokens."""

from __future__ import annotations

import math

import pytest
from tests.attacks.tables import TableLabels, TableTokens, record, statistics

from divulge.attacks.record_loss import RecordLoss

# Ten tokens of likelihood 0.1, 0.2, …, 1.0.
TEN = {f"t{number}": number / 10 for number in range(1, 11)}
LONG = record(" ".join(TEN))


def least(share: float) -> float:
    """The statistic of the ten tokens, beside one control of likelihood 1, which is the line at 0."""
    (found,) = statistics(RecordLoss({"share": share}), TableTokens(TEN), [LONG], controls=[record("t10")])
    return found


def test_a_fifth_of_ten_tokens_are_the_two_least_likely() -> None:
    """(log 0.1 + log 0.2) / 2; a share that is no whole number of tokens is rounded up."""
    assert least(0.2) == pytest.approx((math.log(0.1) + math.log(0.2)) / 2)
    assert least(0.11) == pytest.approx((math.log(0.1) + math.log(0.2)) / 2)
    assert least(0.01) == pytest.approx(math.log(0.1))
    assert RecordLoss().options.share == 0.2


def test_the_whole_share_is_the_plain_loss() -> None:
    """The mean over all ten."""
    assert least(1.0) == pytest.approx(sum(math.log(p) for p in TEN.values()) / 10)


def test_a_classifier_is_judged_by_its_log_odds() -> None:
    """Log 4 and log 9 less the median of the three, log 4; likelier means used."""
    target = TableLabels({"a": 0.8, "b": 0.9, "c": 0.1})
    found = statistics(RecordLoss(), target, [record("a"), record("b"), record("c")])
    assert found == pytest.approx([0.0, math.log(9) - math.log(4), -math.log(9) - math.log(4)])


def test_an_unknown_label_is_the_least_likely() -> None:
    """A record whose label the model never learnt was not used."""
    found = statistics(RecordLoss(), TableLabels({"a": 0.01}), [record("a"), record("a", label="other")])
    assert found[0] > 0 > found[1]
