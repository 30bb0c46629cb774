"""Texts read off rows, with and without a word from their neighbours."""

from __future__ import annotations

import numpy as np

from divulge.attacks.piece_discriminant import PieceDiscriminant
from divulge.attacks.piece_neighbours import PieceNeighbours
from divulge.attacks.row_decoding import VARIANTS, RowDecoder

PIECES = ("ant", "bee", "cat")


def decoder(texts: list[list[int]], longest: int = 3) -> RowDecoder:
    """Tokens lie on the axes, ten apart from the middle, and vectors are points as they are."""
    points = 4 * np.eye(3, dtype=np.float32)
    prior = np.zeros(3, dtype=np.float32)
    decision = PieceDiscriminant(PIECES, np.eye(3), np.zeros((6, 3)), np.zeros(3), points, prior)
    return RowDecoder(decision, PieceNeighbours.of(texts, 3), longest)


def test_a_doubtful_position_is_decided_by_its_neighbours() -> None:
    """Between bee and cat by a hair: bee by itself, cat where cat always follows ant; what is clear stays."""
    row = np.array([[4.0, 0, 0], [0, 2.01, 2.0], [0, 4.0, 0]])
    alone, beside = (decoder(texts).decode([row])[0] for texts in ([], [[0, 2, 1]] * 20))
    assert alone.best.tolist() == [0, 1, 1]
    assert beside.best.tolist() == [0, 2, 1]
    assert decoder([]).texts(alone)[:2] == [("ant", "bee", "bee"), ("ant", "cat", "bee")]
    assert len(decoder([]).texts(alone)) == 1 + min(VARIANTS, 3)


def test_a_row_of_the_greatest_length_may_go_on() -> None:
    """A text often ends in bee, so a short row does; nothing is known of what is behind a long one."""
    texts = [[0, 1], [1], [2, 0, 2]] * 10
    short = np.array([[4.0, 0, 0], [0, 2.0, 2.01]])
    ended, cut = (decoder(texts, longest).decode([short])[0].best.tolist() for longest in (3, 2))
    assert ended == [0, 1]
    before, after = decoder(texts, 2).beside(np.array([0, 2]))
    assert (before.tolist(), after.tolist()) == ([3, 0], [2, -1])
    assert cut[0] == 0


def test_rows_are_kept_apart() -> None:
    """Two rows, one of them empty: each has its own tokens."""
    found = decoder([]).decode([np.empty((0, 3)), np.array([[0, 0, 4.0]])])
    assert [one.best.tolist() for one in found] == [[], [2]]
    assert [decoder([]).texts(one)[0] for one in found] == [(), ("cat",)]
