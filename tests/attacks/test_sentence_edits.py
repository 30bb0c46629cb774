"""Edits of a guess, and what they are worth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.attacks.piece_bigrams import Bigrams
from divulge.attacks.piece_effects import PieceEffects
from divulge.attacks.sentence_edits import FLUENT, NEARER, PRESENT, Desk, Edit, edited

PIECES, WIDTH, LONGEST = 9, 6, 5
PUBLIC = [(0, 1, 2), (3, 1, 4, 5), (6, 7), (0, 1, 2, 3, 8)]


def desk(seed: int = 0, special: int = 2) -> Desk:
    """All pieces are in play; a linear world whose constants are not zero."""
    rng = np.random.default_rng(seed)
    effects, around, constant, target, odds = (
        (3 * rng.normal(size=size)).astype(np.float32) for size in ((PIECES, WIDTH), WIDTH, WIDTH, WIDTH, PIECES)
    )
    model = PieceEffects(effects, around, constant, np.eye(WIDTH, dtype=np.float32), special)
    return Desk(target, np.arange(PIECES), odds, model, Bigrams(PUBLIC, PIECES, LONGEST), LONGEST)


def worth(at: Desk, text: tuple[int, ...]) -> float:
    """The whole score of a text, written out."""
    apart = float(np.sum((at.target - at.expected(text)) ** 2))
    follows = at.bigrams.among(at.pieces)
    end = () if len(text) == LONGEST else (PIECES,)
    fluent = sum(float(follows[a, b]) for a, b in itertools.pairwise((PIECES, *text, *end)))
    return -NEARER * apart + FLUENT * fluent + PRESENT * float(sum(at.odds[piece] for piece in text))


texts = st.lists(st.integers(0, PIECES - 1), min_size=1, max_size=LONGEST).map(tuple)


@settings(max_examples=15, deadline=None)
@given(texts, st.integers(0, 1000), st.integers(0, 2))
def test_an_edit_is_worth_the_difference_it_makes(text: tuple[int, ...], seed: int, special: int) -> None:
    """Every replacement, insertion and deletion, against scoring the whole text before and after."""
    at = desk(seed, special)
    parts = at.scores(text, at.expected(text))
    for kind, part in enumerate(parts):
        for place in np.ndindex(part.shape):
            if part[place] < -1e8:
                continue  # not an edit
            new = edited(text, [Edit(0.0, kind, place[0], place[1] if kind < 2 else 0)], LONGEST)
            assert part[place] == pytest.approx(worth(at, new) - worth(at, text), abs=1e-2)


@settings(max_examples=25, deadline=None)
@given(texts, texts, st.integers(0, 1000))
def test_new_texts_keep_to_the_pieces_and_the_length(text: tuple[int, ...], other: tuple[int, ...], seed: int) -> None:
    """Whatever the move; a reordering holds the same pieces, and none is the text itself."""
    at, rng = desk(seed), np.random.default_rng(seed)
    orders = at.reorderings(text, 50, rng)
    assert all(sorted(new) == sorted(text) for new in orders)
    vector = at.expected(other)
    made = [edited(text, [edit], LONGEST) for edit in at.edits(text, vector, 30, rng)]
    # Of equal pieces an exchange changes nothing; every other edit does.
    assert text not in made or len(set(text)) < len(text)
    path = [new for new, _ in at.corrections(text, vector, 4, rng)]
    for new in [*orders, *made, *path, *at.crossings(text, other, 10, rng)]:
        assert 1 <= len(new) <= LONGEST
        assert set(new) <= set(range(PIECES))


@settings(max_examples=25, deadline=None)
@given(texts, texts, st.integers(0, 1000))
def test_crossings_come_in_the_order_of_their_worth(text: tuple[int, ...], other: tuple[int, ...], seed: int) -> None:
    """Without noise: all beginnings with all ends, cut at the longest, as slow scoring sorts them."""
    at = desk(seed)
    found = at.crossings(text, other, 1000, _Silent())
    every = [(*text[:i], *other[j:])[:LONGEST] for i in range(len(text) + 1) if i < LONGEST for j in range(len(other))]
    assert sorted(found) == sorted(every)

    def score(new: tuple[int, ...]) -> float:
        return worth(at, new) - PRESENT * float(sum(at.odds[piece] for piece in new))

    scores = [score(new) for new in found]
    assert all(a >= b - 1e-2 for a, b in itertools.pairwise(scores))


class _Silent(np.random.Generator):
    """A generator whose noise is nought."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def gumbel(self, size: int) -> np.ndarray:
        return np.zeros(size)


def test_corrections_climb() -> None:
    """Without noise every text of the path is worth more than the one before, and its vector is the one to expect."""
    at = desk(3)
    start = (0, 1, 2)
    path = at.corrections(start, at.expected(start), 6, None)
    values = [worth(at, start), *(worth(at, text) for text, _ in path)]
    assert len(path) > 2
    assert all(b > a for a, b in itertools.pairwise(values))
    assert [at.worth(*one) for one in path] == pytest.approx(values[1:], abs=1e-2)


def test_a_desk_is_widened_by_what_is_missing() -> None:
    """Only some pieces are in play; the one that would bring the guess to its target comes in first."""
    at = desk(0)
    few = Desk(at.target, np.array([0, 1, 2]), np.zeros(PIECES, np.float32), at.model, at.bigrams, LONGEST)
    vector = at.target - 0.5 * at.model.effects[7]
    wider = few.widened((0, 1), vector, 2)
    assert wider.pieces[:4].tolist() == [0, 1, 2, 7]
    assert len(wider.pieces) == 5
    assert len(few.widened((0, 1), vector, 100).pieces) == PIECES


def test_all_orders_one_move_away_are_tried() -> None:
    """Of three pieces every order but the reversed one with its middle kept is a move, and that one is an exchange."""
    assert sorted(desk().reorderings((0, 1, 2), 99, None)) == [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    long = Desk(desk().target, np.arange(PIECES), desk().odds, desk().model, desk().bigrams, 200)
    assert len(long.reorderings(tuple(range(PIECES)) * 14, 10**6, None)) < 10_000


def test_several_edits_at_once_mean_the_places_before() -> None:
    """0 1 2 3: take out the first, put 8 before the third, 7 in the place of the last."""
    edits = [Edit(0.0, 2, 0, 0), Edit(0.0, 1, 2, 8), Edit(0.0, 0, 3, 7)]
    assert edited((0, 1, 2, 3), edits, 9) == (1, 8, 2, 7)
    assert edited((0, 1, 2, 3), [Edit(0.0, 1, 0, 8)], 4) == (8, 0, 1, 2)
