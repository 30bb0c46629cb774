"""Which piece follows which."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.piece_bigrams import BACK_OFF, UNSEEN, Bigrams

EDGE = 3  # behind the three pieces of the vocabulary


def test_a_probability_by_hand() -> None:
    """0 1 twice, once with 2 behind: 1 follows 0 in 2 of 2; 2 follows 1 in 1 of 2."""
    found = Bigrams([(0, 1), (0, 1, 2)], 3, 5).among(np.array([0, 1, 2]))
    total = 7 + 4 * UNSEEN  # successors: 0 0 1 1 2 and two edges
    plain = [(count + UNSEEN) / total for count in (2, 2, 1, 2)]
    assert found[0, 1] == pytest.approx(np.log((2 + BACK_OFF * plain[1]) / (2 + BACK_OFF)))
    assert found[1, 2] == pytest.approx(np.log((1 + BACK_OFF * plain[2]) / (2 + BACK_OFF)))
    assert found[1, EDGE] == pytest.approx(np.log((1 + BACK_OFF * plain[3]) / (2 + BACK_OFF)))
    assert found[EDGE, 0] == pytest.approx(np.log((2 + BACK_OFF * plain[0]) / (2 + BACK_OFF)))
    assert found[2, 0] == pytest.approx(np.log(BACK_OFF * plain[0] / (1 + BACK_OFF)))


def test_what_follows_a_piece_sums_up_to_one() -> None:
    """Over the whole vocabulary and the edge."""
    found = Bigrams([(0, 1), (0, 1, 2)], 3, 5).among(np.array([0, 1, 2]))
    assert np.exp(found[:4, :4]).sum(axis=1) == pytest.approx(1)


def test_the_end_of_a_cut_text_is_not_an_edge() -> None:
    """A text as long as any may go on; what follows there costs nothing."""
    cut, whole = (Bigrams([(0, 1)], 2, longest).among(np.array([0, 1])) for longest in (2, 3))
    assert cut[1, 2] < whole[1, 2]
    assert (cut[:, 3] == 0).all()


def test_pieces_may_be_a_choice_in_any_order() -> None:
    """The same numbers, rearranged."""
    bigrams = Bigrams([(0, 1), (0, 1, 2)], 3, 5)
    every, some = bigrams.among(np.array([0, 1, 2])), bigrams.among(np.array([2, 0]))
    assert some[1, 0] == every[0, 2]
    assert some[0, 2] == every[2, EDGE]
