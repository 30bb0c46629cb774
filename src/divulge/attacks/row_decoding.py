"""Texts read off the vectors of a row: what each position says by itself, and then what its neighbours make likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.access import TokenTuple
from divulge.attacks.hidden_pieces import HiddenPieces, hidden_places
from divulge.attacks.piece_discriminant import PieceDiscriminant, Places, Shortlist, best_of
from divulge.attacks.piece_neighbours import NOBODY, PieceNeighbours
from divulge.records import FloatArray

__all__ = ["Decoded", "RowDecoder"]

AT_ONCE = 128  # positions whose scores for every token are in memory
DOUBT = 8.0  # a token that leads by so much stays, whatever its neighbours say
PASSES = 2  # a neighbour that is mended may mend its own
VARIANTS = 5  # texts that differ from the best in one doubtful position
HIDDEN_VARIANTS = 10  # texts at most where tokens are hidden: each has other tokens at all those positions
HIDDEN_WEIGHT = 0.5  # of what neighbours say of a hidden token: part of that is told by their vectors


NOTHING: Places = np.empty(0, dtype=np.int64)


class Decoded(NamedTuple):
    """The best token at each position of a row, the second best, and by how much it loses; (tokens,) each.

    `hidden` are the positions whose vectors show nothing, `guessed` the tokens there, best first; (hidden, guesses).
    """

    best: Places
    second: Places
    margin: npt.NDArray[np.float32]
    hidden: Places = NOTHING
    guessed: Places = NOTHING


class RowDecoder:
    """The discriminant and what it is told of neighbours.

    `longest` is the most tokens that a row has: behind the last of so many a text may go on, behind fewer it ends.
    `hidden` names tokens whose vectors were masked, if such rows were learnt from.
    """

    def __init__(
        self,
        decision: PieceDiscriminant,
        neighbours: PieceNeighbours,
        longest: int,
        hidden: HiddenPieces | None = None,
    ) -> None:
        self.decision, self._neighbours, self._longest, self._hidden = decision, neighbours, longest, hidden

    def decode(self, rows: Sequence[FloatArray]) -> list[Decoded]:
        """Names the token of every position, those in doubt again beside the others."""
        points = self.decision.points(rows)
        listed = self.decision.shortlist(points, 2)
        if listed.places.shape[1] < 2:
            listed = Shortlist(np.repeat(listed.places, 2, axis=1), np.repeat(listed.scores, 2, axis=1))
        best, second = listed.places[:, 0].copy(), listed.places[:, 1].copy()
        margin = listed.scores[:, 0] - listed.scores[:, 1]
        hidden = NOTHING if self._hidden is None else hidden_places(np.concatenate(rows))
        best[hidden] = NOBODY  # until all that is shown was read
        doubtful = np.setdiff1d(np.flatnonzero(margin < DOUBT), hidden)
        told: tuple[Places, Places] | None = None
        for _ in range(PASSES):
            before, after = self._beside(best, [len(row) for row in rows])
            # Beside the same neighbours as in the pass before, a position says the same.
            news = np.ones(len(best), dtype=bool) if told is None else (before != told[0]) | (after != told[1])
            told, asked = (before, after), doubtful[news[doubtful]]
            for start in range(0, len(asked), AT_ONCE):
                part = asked[start : start + AT_ONCE]
                again = self.listed(points[part], before[part], after[part], 2)
                best[part], second[part] = again.places[:, 0], again.places[:, -1]
                margin[part] = again.scores[:, 0] - again.scores[:, -1]
        ends = np.cumsum([len(row) for row in rows])[:-1]
        split = (np.split(one, ends) for one in (best, second, margin))
        decoded = [Decoded(*one) for one in zip(*split, strict=True)]
        return [self._with_hidden(one, row) for one, row in zip(decoded, rows, strict=True)] if len(hidden) else decoded

    def _with_hidden(self, decoded: Decoded, row: FloatArray) -> Decoded:
        """What stands at the hidden positions, beside what was read and then beside what is guessed of it."""
        best = decoded.best.copy()
        for _ in range(1 + PASSES):
            hidden, guessed = self.hidden_tokens(row, best, HIDDEN_VARIANTS)
            best[hidden] = guessed[:, 0]
        return Decoded(best, decoded.second, decoded.margin, hidden, guessed)

    def hidden_tokens(self, row: FloatArray, places: Places, count: int) -> tuple[Places, Places]:
        """The hidden positions of a row (hidden,), and the likeliest tokens there, best first; (hidden, count).

        `places` are the tokens of all positions as far as they are known; none is hidden to who never saw such rows.
        """
        hidden = NOTHING if self._hidden is None else hidden_places(row)
        if self._hidden is None or not len(hidden):
            return NOTHING, np.empty((0, count), dtype=np.int64)
        before, after = self.beside(places)
        told = np.zeros((len(hidden), len(self.decision.pieces)), dtype=np.float32)
        self._neighbours.add(told, before[hidden], after[hidden])
        every = self._hidden.scores(row, len(self.decision.pieces)) + HIDDEN_WEIGHT * told
        return hidden, best_of(every, min(count, every.shape[1]))[0]

    def listed(self, points: FloatArray, before: Places, after: Places, count: int) -> Shortlist:
        """The best tokens at points (positions, r), given the tokens before and behind each; best first."""
        every = self.decision.likeness(points, self._neighbours.plain)
        self._neighbours.add(every, before, after)
        return Shortlist(*best_of(every, min(count, every.shape[1])))

    def beside(self, places: Places) -> tuple[Places, Places]:
        """The tokens before and behind each position of one text."""
        return self._beside(places, [len(places)])

    def surprise(self, places: Places) -> float:
        """How unlikely the tokens of a text are, each behind the one before it; in nats."""
        return self._neighbours.surprise(places)

    def texts(self, decoded: Decoded) -> list[TokenTuple]:
        """The best token everywhere, then the most doubtful positions with their second token instead.

        Where tokens are hidden, nothing is as doubtful as they are: further texts have the next ones in their places.
        """
        pieces = self.decision.pieces
        best = tuple(pieces[place] for place in decoded.best)
        if len(decoded.hidden):
            return [self._text(decoded, guess) for guess in decoded.guessed.T]
        doubtful = np.argsort(decoded.margin, kind="stable")[:VARIANTS].tolist() if len(pieces) > 1 else []
        return [best, *((*best[:p], pieces[decoded.second[p]], *best[p + 1 :]) for p in doubtful)]

    def _text(self, decoded: Decoded, guess: Places) -> TokenTuple:
        places = decoded.best.copy()
        places[decoded.hidden] = guess
        return tuple(self.decision.pieces[place] for place in places)

    def _beside(self, places: Places, lengths: Sequence[int]) -> tuple[Places, Places]:
        edge = self._neighbours.edge
        before, after = np.empty_like(places), np.empty_like(places)
        before[1:], after[:-1] = places[:-1], places[1:]
        filled = np.array([length for length in lengths if length], dtype=np.int64)
        ends = np.cumsum(filled)
        before[ends - filled] = edge
        after[ends - 1] = np.where(filled < self._longest, edge, NOBODY)
        return before, after
