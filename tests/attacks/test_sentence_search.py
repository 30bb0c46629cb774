"""The search for a text that has a given vector."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.piece_bigrams import Bigrams
from divulge.attacks.piece_effects import PieceEffects
from divulge.attacks.public_sentences import Numbers
from divulge.attacks.sentence_edits import Desk
from divulge.attacks.sentence_search import RowSearch, search

PIECES, WIDTH, LONGEST = 8, 24, 3
PUBLIC: list[Numbers] = [(0, 1, 2), (3, 4), (5, 6, 7), (1, 1, 0)]
OWN = 6 * np.random.default_rng(0).normal(size=(PIECES, WIDTH)).astype(np.float32)
TURNS = 1 + 0.7 * np.random.default_rng(1).normal(size=(LONGEST, WIDTH)).astype(np.float32)


def vector(text: Numbers) -> np.ndarray:
    """The mean of the pieces' vectors, each changed by its place: what the models do not know."""
    return (OWN[list(text)] * TURNS[: len(text)]).mean(axis=0).astype(np.float32)


def begun(truth: Numbers, pieces: int = PIECES) -> RowSearch:
    nothing = np.zeros(WIDTH, np.float32)
    model = PieceEffects(OWN, nothing, nothing, np.eye(WIDTH, dtype=np.float32), 0)
    bigrams, odds = Bigrams(PUBLIC, PIECES, LONGEST), np.zeros(PIECES, np.float32)
    desk = Desk(vector(truth), np.arange(pieces), odds, model, bigrams, LONGEST)
    starts = [text for text in PUBLIC if max(text) < pieces]
    return RowSearch(desk, [(text, vector(text)) for text in starts], 5)


class Encoder:
    """Embeds, and writes down for which row what was asked and how near its best guess was then."""

    def __init__(self, rows: list[RowSearch]) -> None:
        self.rows, self.asked, self.best = rows, [], []

    def __call__(self, texts: list[Numbers], owners: list[int]) -> np.ndarray:
        self.asked += list(zip(owners, texts, strict=True))
        self.best.append([row.nearest[0].distance for row in self.rows])
        return np.stack([vector(text) for text in texts])


@pytest.fixture(scope="module")
def done() -> Encoder:
    """All texts of three different pieces that begin with 2; none of them is public."""
    truths = [(2, b, c) for b in range(PIECES) for c in range(PIECES) if len({2, b, c}) == 3]
    encoder = Encoder([begun(truth) for truth in truths])
    search(encoder.rows, encoder, 200, 6, np.random.default_rng(0))
    return encoder


def test_the_truth_is_found_and_known_to_be_it(done: Encoder) -> None:
    """8 pieces, texts of 3: every one is found and proven, long before all 584 texts are tried."""
    assert all(row.proven for row in done.rows)
    assert all(np.array_equal(vector(row.nearest[0].text), row.desk.target) for row in done.rows)
    assert np.mean([row.asked for row in done.rows]) < 60


def test_the_best_distance_never_gets_worse(done: Encoder) -> None:
    """From round to round, in every row."""
    best = np.array(done.best)
    assert len(best) > 2
    assert (np.diff(best, axis=0) <= 0).all()


def test_no_text_is_asked_twice_for_a_row(done: Encoder) -> None:
    """Nor one that is public, whose vector is known."""
    assert len(set(done.asked)) == len(done.asked)
    assert not {text for _, text in done.asked} & set(PUBLIC)
    assert all(1 <= len(text) <= LONGEST and set(text) <= set(range(PIECES)) for _, text in done.asked)


@pytest.mark.parametrize("checks", [0, 1, 7])
def test_each_row_asks_no_more_than_it_may(checks: int) -> None:
    """And all of it where the truth is out of reach: its length is not allowed."""
    rows = [begun((2, 4, 6)), begun((4, 2, 7))]
    for row in rows:
        object.__setattr__(row.desk, "target", row.desk.target + 30)  # no text is there
    search(rows, Encoder(rows), checks, 5, np.random.default_rng(0))
    assert [row.asked for row in rows] == [checks, checks]


def test_pieces_that_were_left_out_come_in() -> None:
    """Piece 7 is not on the desk at first; the search for 2 4 7 lets it in."""
    row = begun((2, 4, 7), pieces=7)
    search([row], Encoder([row]), 2000, 10, np.random.default_rng(0))
    assert row.proven
    assert row.nearest[0].text == (2, 4, 7)


def test_first_guesses_are_those_of_the_models_alone() -> None:
    """Asked nothing; where pieces add up exactly, the best of them holds the right pieces."""
    row = begun((2, 0, 1))
    guesses = row.first_guesses()
    assert sorted(guesses[0]) == [0, 1, 2]
    assert row.asked == 0
