"""Mends decoded texts by embedding them again: the truth is the text whose vectors are the leaked ones.

Of a text that is wrong in places, the vectors' errors tell where and towards what. Its context is nearly right, so what
the context does to each vector is known by now and cancels: the error, added to the point of the token that was tried,
lies close to the point of the token that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

import numpy as np

from divulge.access import EmbeddingOracleAccess, TokenTuple
from divulge.attacks.piece_discriminant import PieceDiscriminant, Places
from divulge.attacks.row_alignment import Alignment
from divulge.records import FloatArray

__all__ = ["RowSearch"]

EXACT = 1e-4  # of a vector's norm: sums in another order differ by less, another token by far more
ROUND = 4  # texts tried for a row before its errors are looked at again
TOKENS = 16  # how many tokens are tried at a position at most
POSITIONS = 3  # how many of the worst positions are tried with all tokens before any other


@dataclass
class _Trail:
    """What was tried for one row."""

    row: FloatArray  # (tokens, d)
    ready: list[TokenTuple]  # to be tried next
    found: list[tuple[float, TokenTuple]] = field(default_factory=list)
    seen: set[TokenTuple] = field(default_factory=set)
    best: TokenTuple = ()
    distance: float = np.inf
    errors: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # of the best text
    decoded: Places | None = None  # the decoder's tokens at each position, best first
    nearest: list[str] = field(default_factory=list)  # at each position, the token that came nearest in any text
    sizes: FloatArray = field(default_factory=lambda: np.empty(0))  # the errors they left

    @property
    def small(self) -> float:
        """Below this a distance is no difference."""
        return EXACT * float(np.linalg.norm(self.row) / np.sqrt(max(1, len(self.row)))) + 1e-9

    @property
    def proven(self) -> bool:
        """Whether a text was found that embeds as the row does."""
        return self.distance <= self.small

    def note(self, text: TokenTuple, embedded: FloatArray) -> None:
        """Keeps what embedding a text showed; a text of another length proves itself wrong."""
        errors = self.row - embedded if embedded.shape == self.row.shape else np.full_like(self.row, np.inf)
        distance = float(np.linalg.norm(errors))
        self.found.append((distance, text))
        self.seen.add(text)
        sizes = np.linalg.norm(errors, axis=1)
        if not self.nearest:
            self.nearest, self.sizes = list(text), sizes
        for position in np.flatnonzero(sizes < self.sizes).tolist():
            self.nearest[position], self.sizes[position] = text[position], sizes[position]
        if distance < self.distance:
            self.best, self.distance, self.errors = text, distance, errors


class RowSearch:
    """Tries texts for many rows at once, through the encoder that made them.

    Args:
        decision: The discriminant, which knows where tokens lie.
        oracle: The encoder.
        checks: How many texts are embedded for one row at most.
        alignment: The map from leaked vectors to those that the discriminant knows, where they differ.
    """

    def __init__(
        self,
        decision: PieceDiscriminant,
        oracle: EmbeddingOracleAccess,
        *,
        checks: int,
        alignment: Alignment | None = None,
    ) -> None:
        self._decision, self._oracle = decision, oracle
        self._checks, self._alignment = checks, alignment
        self._to_plane = decision.own if alignment is None else alignment.matrix @ decision.own
        self._place = {piece: place for place, piece in enumerate(decision.pieces)}

    def candidates(self, rows: Sequence[FloatArray], starts: Sequence[Sequence[TokenTuple]]) -> list[list[TokenTuple]]:
        """For each row its texts, nearest first; one that is proven stands alone, one never tried as it came.

        `starts` are the decoder's texts for each row, best first; the first of them is tried first.
        """
        trails = [_Trail(row, list(texts[:1]) if len(row) else []) for row, texts in zip(rows, starts, strict=True)]
        while asked := self._affordable(trails):
            for (trail, text), embedded in zip(asked, self._oracle.embed([text for _, text in asked]), strict=True):
                trail.note(text, embedded)
            self._propose([trail for trail in trails if self._goes_on(trail)])
        return [_ranked(trail, texts) for trail, texts in zip(trails, starts, strict=True)]

    def _goes_on(self, trail: _Trail) -> bool:
        return (
            bool(trail.found) and not trail.proven and len(trail.found) < self._checks and np.isfinite(trail.distance)
        )

    def _affordable(self, trails: Sequence[_Trail]) -> list[tuple[_Trail, TokenTuple]]:
        """What to embed now: everything ready, as far as checks and budget go; nobody's second before all first."""
        waiting = [(turn, trail, text) for trail in trails for turn, text in enumerate(self._taken(trail))]
        waiting.sort(key=lambda one: one[0])
        left = self._oracle.remaining
        return [(trail, text) for _, trail, text in waiting[:left]]

    def _taken(self, trail: _Trail) -> list[TokenTuple]:
        ready, trail.ready = trail.ready[: self._checks - len(trail.found)], []
        return ready

    def _propose(self, trails: Sequence[_Trail]) -> None:
        """Readies the next texts of each row."""
        if not trails:
            return
        self._decode([trail for trail in trails if trail.decoded is None])
        errors = np.concatenate([trail.errors for trail in trails]) @ self._to_plane
        known = [self._place[token] for trail in trails for token in trail.best]
        listed = self._listed(errors + self._decision.piece_points[known], trails)
        for trail, places in zip(trails, listed, strict=True):
            for text in self._variants(trail, places):
                if len(trail.ready) == ROUND:
                    break
                if text not in trail.seen and text not in trail.ready:
                    trail.ready.append(text)

    def _decode(self, trails: Sequence[_Trail]) -> None:
        """Notes the decoder's own lists of tokens, for rows whose first text was wrong."""
        if trails:
            rows = [trail.row for trail in trails]
            points = self._decision.points(rows if self._alignment is None else self._alignment.applied(rows))
            for trail, places in zip(trails, self._listed(points, trails), strict=True):
                trail.decoded = places

    def _listed(self, points: FloatArray, trails: Sequence[_Trail]) -> list[Places]:
        """The best tokens at each position of each row; (positions, TOKENS) each."""
        ends = np.cumsum([len(trail.row) for trail in trails])[:-1]
        return np.split(self._decision.shortlist(points, TOKENS).places, ends)

    def _variants(self, trail: _Trail, places: Places) -> Iterator[TokenTuple]:
        """Other texts, the likeliest first: what came nearest at each position, what all errors point to, then
        single changes where the errors are largest, with tokens that the errors or the decoder name.
        """
        pieces, sizes = self._decision.pieces, np.linalg.norm(trail.errors, axis=1)
        yield tuple(trail.nearest)
        yield tuple(pieces[place] for place in places[:, 0])
        order = np.argsort(-sizes, kind="stable").tolist()
        first = int(np.argmax(sizes > trail.small))
        if first > 0:  # all before is exact: the encoder reads from left to right, and this token must be wrong
            order = [first]
        assert trail.decoded is not None
        ranks = range(places.shape[1])
        for choice, position in chain(product(ranks, order[:POSITIONS]), product(ranks, order[POSITIONS:])):
            for place in (places[position, choice], trail.decoded[position, choice]):
                yield (*trail.best[:position], pieces[place], *trail.best[position + 1 :])


def _ranked(trail: _Trail, texts: Sequence[TokenTuple]) -> list[TokenTuple]:
    if trail.proven:
        return [trail.best]
    tried = [text for _, text in sorted(trail.found, key=lambda one: one[0])]
    return [*tried, *(text for text in texts if text not in trail.seen)]
