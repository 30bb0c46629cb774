"""Logits become pieces, ranks, best tokens and log-likelihoods."""

from __future__ import annotations

import math

import numpy as np
import pytest

from divulge.targets.own.scored import from_logits


def test_two_tokens_by_hand() -> None:
    """Odds 1 : 2 : 1, so that b has 2/4; then 4 : 1 : 3, so that c has 3/8 and comes second."""
    scored = from_logits(np.log([[1.0, 2.0, 1.0], [4.0, 1.0, 3.0]]), [1, 2], ["a", "b", "c"])
    assert scored.pieces == ("b", "c")
    assert scored.ranks == (0, 1)
    assert scored.best == ("b", "a")
    assert scored.log_likelihoods == pytest.approx((math.log(1 / 2), math.log(3 / 8)))


def test_ties_go_by_the_vocabulary() -> None:
    """Exactly one token has rank 0, and it is the best one."""
    scored = [from_logits([[5.0, 5.0, 5.0]], [place], "abc") for place in range(3)]
    assert [one.ranks for one in scored] == [(0,), (1,), (2,)]
    assert [one.best for one in scored] == [("a",)] * 3


def test_large_logits_do_not_overflow() -> None:
    """The first of two with odds e^-1000 : 1 is all but impossible; no warning, no NaN."""
    assert from_logits([[0.0, 1000.0]], [0], "ab").log_likelihoods == (-1000.0,)


def test_shapes_must_fit() -> None:
    """One row per token, one column per word of the vocabulary; no token needs no row."""
    with pytest.raises(ValueError, match=r"must have shape \(2, 3\). Got \(1, 3\)"):
        from_logits([[0.0, 0.0, 0.0]], [0, 1], "abc")
    assert from_logits(np.empty((0, 3)), [], "abc").ranks == ()
