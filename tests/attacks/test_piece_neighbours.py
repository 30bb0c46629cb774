"""What neighbours make likely, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.piece_neighbours import BACK_OFF, NOBODY, UNSEEN, WEIGHT, PieceNeighbours

TEXTS = [[0, 1], [0, 1, 2], [0, 1, 2], [2]]  # of three tokens; the longest may be cut
SHARES = (np.array([3, 3, 3, 0]) + UNSEEN) / (9 + 4 * UNSEEN)


def test_bonuses_are_those_of_the_pairs_that_were_seen() -> None:
    """1 followed 0 three times: log1p(3 / (2 x share)), half of it; an unknown neighbour says nothing."""
    known = PieceNeighbours.of(TEXTS, 3)
    scores = np.zeros((3, 3), dtype=np.float32)
    known.add(scores, np.array([0, NOBODY, known.edge]), np.array([NOBODY, 2, NOBODY]))
    bonus = WEIGHT * np.log1p(np.array([1.0, 2.0, 3.0]) / (BACK_OFF * SHARES[0]))
    assert scores[0] == pytest.approx([0, bonus[2], 0])
    assert scores[1] == pytest.approx([0, bonus[1], 0])  # before 2 stood 1 twice, and once the edge
    assert scores[2] == pytest.approx([bonus[2], 0, bonus[0]])  # a text begins with 0 three times, with 2 once
    assert known.plain == pytest.approx(WEIGHT * np.log(SHARES[:3]))


def test_the_end_of_a_text_is_a_neighbour_unless_it_may_be_cut() -> None:
    """[0, 1] and [2] end; both texts of three tokens may go on."""
    known = PieceNeighbours.of(TEXTS, 3)
    scores = np.zeros((1, 3), dtype=np.float32)
    known.add(scores, np.array([NOBODY]), np.array([known.edge]))
    bonus = WEIGHT * np.log1p(1 / (BACK_OFF * SHARES[0]))
    assert scores[0] == pytest.approx([0, bonus, bonus])


def test_surprise_is_minus_the_log_likelihood() -> None:
    """Begun with 0 by three of four texts, then 1 by all three: (3 + 2 s) / (4 + 2) and (3 + 2 s) / (3 + 2)."""
    known = PieceNeighbours.from_arrays(PieceNeighbours.of(TEXTS, 3).arrays(), 3)
    likely = [(3 + BACK_OFF * SHARES[0]) / (4 + BACK_OFF), (3 + BACK_OFF * SHARES[1]) / (3 + BACK_OFF)]
    assert known.surprise(np.array([0, 1])) == pytest.approx(-np.log(likely).sum(), rel=1e-5)
    assert known.surprise(np.array([1, 0])) > known.surprise(np.array([0, 1]))
    assert PieceNeighbours.of([], 3).surprise(np.array([0])) > 0
