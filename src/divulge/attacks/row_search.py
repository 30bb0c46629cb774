"""Mends decoded texts by embedding them again: the truth is the text whose vectors are the leaked ones.

Of a text that is wrong in places, the vectors' errors tell where and towards what. Its context is nearly right, so what
the context does to each vector is known by now and cancels: the error, added to the point of the token that was tried,
lies close to the point of the token that is there. A row whose text may go on unseen is judged without what its
continuation can have done to it (`row_continuations`): no text is proven then, but the right one leaves the least.
Vectors that are masked in the row or in the answer are not compared: those that both show tell of all tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddingOracleAccess, TokenTuple
from divulge.attacks.hidden_pieces import hidden_places
from divulge.attacks.piece_discriminant import Places, Shortlist
from divulge.attacks.row_alignment import Alignment
from divulge.attacks.row_continuations import NOTHING_UNREAD, Continuations, Unread
from divulge.attacks.row_decoding import RowDecoder
from divulge.records import FloatArray

__all__ = ["PATIENCE", "ROUND", "RowSearch"]

EXACT = 1e-4  # of a vector's norm: sums in another order differ by less, another token by far more
ROUND = 4  # texts tried for a row before its errors are looked at again
TOKENS = 16  # how many tokens are tried at a position at most
POSITIONS = 3  # how many of the worst positions are tried with all tokens before any other
SURPRISE = 2.0  # weight of a text's unlikelihood against squared errors on the plane
PATIENCE = 8  # rounds without a better text that end the search where no text can be proven
BLURRED = 0.5  # of a row's norm: where the nearest texts of most rows are farther off, distances tell nothing


@dataclass
class _Trail:
    """What was tried for one row."""

    row: FloatArray  # (tokens, d)
    ready: list[TokenTuple]  # to be tried next
    to_plane: FloatArray  # (d, r)
    asked: int = 0
    idle: int = 0  # rounds without a better text
    unread: Unread | None = None  # what the part of the text that has no vectors here can have done
    found: list[tuple[float, TokenTuple]] = field(default_factory=list)
    seen: set[TokenTuple] = field(default_factory=set)
    best: TokenTuple = ()
    distance: float = np.inf
    apart: float = np.inf  # how far the vectors of the nearest text are off, as a share of the row's norm
    errors: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # of the best text
    shown: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))  # by row and best text
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

    @property
    def norm(self) -> float:
        """Of the row, as if all of its vectors were shown."""
        hidden = len(hidden_places(self.row))
        return float(np.linalg.norm(self.row)) * float(np.sqrt(len(self.row) / max(1, len(self.row) - hidden)))

    @property
    def on_plane(self) -> FloatArray:
        """The errors of the best text, (tokens, r)."""
        return self.errors @ self.to_plane if self.unread is None else self.errors

    def note(self, text: TokenTuple, embedded: FloatArray, surprise: float) -> None:
        """Keeps what embedding a text showed; a text of another length proves itself wrong.

        Where nothing can be proven, what remains unexplained is weighed with how surprising the text is.
        """
        errors = self.row - embedded if embedded.shape == self.row.shape else np.full_like(self.row, np.inf)
        shown = _shown(self.row, embedded) if embedded.shape == self.row.shape else np.ones(len(self.row), dtype=bool)
        distance = float(np.linalg.norm(errors))
        if not shown.all():
            errors = np.where(shown[:, None], errors, 0.0)
            distance = float(np.sqrt(np.mean(errors[shown] ** 2) * errors.size)) if shown.any() else np.inf
        self.apart = min(self.apart, distance / max(self.norm, 1e-30))
        if self.unread is not None and self.small < distance < np.inf:
            errors = self.unread.without(errors @ self.to_plane)
            distance = float(np.sqrt(np.sum(errors**2) + 2 * SURPRISE * surprise))
        self.found.append((distance, text))
        self.asked += text not in self.seen
        self.seen.add(text)
        sizes = np.where(shown, np.linalg.norm(errors, axis=1), np.inf)
        if not self.nearest:
            self.nearest, self.sizes = list(text), sizes
        for position in np.flatnonzero(sizes < self.sizes).tolist():
            self.nearest[position], self.sizes[position] = text[position], sizes[position]
        if distance < self.distance:
            self.best, self.distance, self.errors, self.shown, self.idle = text, distance, errors, shown, 0

    def note_continued(self, continued: Sequence[FloatArray], surprise: float) -> None:
        """Keeps in which directions continuations move the first text; what that one showed is looked at again."""
        alone = self.row - self.errors
        fitting = [one @ self.to_plane for one in continued if one.shape == self.row.shape]
        if fitting:
            self.unread = Unread.shown(alone @ self.to_plane, fitting)
            text, self.found, self.nearest, self.distance = self.best, [], [], np.inf
            self.note(text, alone, surprise)


class RowSearch:
    """Tries texts for many rows at once, through the encoder that made them.

    Args:
        decoder: What names tokens, and knows where they lie.
        oracle: The encoder.
        checks: How many texts are embedded for one row at most.
        alignment: The map from leaked vectors to those that the discriminant knows, where they differ.
        continuations: How texts may go on of which the row shows the beginning only.
    """

    def __init__(
        self,
        decoder: RowDecoder,
        oracle: EmbeddingOracleAccess,
        *,
        checks: int,
        alignment: Alignment | None = None,
        continuations: Continuations = NOTHING_UNREAD,
    ) -> None:
        self._decoder, self._decision, self._oracle = decoder, decoder.decision, oracle
        self._checks, self._alignment, self._continuations = checks, alignment, continuations
        self._to_plane = self._decision.own if alignment is None else alignment.matrix @ self._decision.own
        self._place = {piece: place for place, piece in enumerate(self._decision.pieces)}

    def candidates(self, rows: Sequence[FloatArray], starts: Sequence[Sequence[TokenTuple]]) -> list[list[TokenTuple]]:
        """For each row its texts, nearest first; one that is proven stands alone, one never tried as it came.

        `starts` are the decoder's texts for each row, best first; the first of them is tried first. Where the encoder
        answers with noise of its own, or hides other places than the rows do, they stand before all that was tried.
        """
        trails = [
            _Trail(row, list(texts[:1]) if len(row) else [], self._to_plane)
            for row, texts in zip(rows, starts, strict=True)
        ]
        while asked := self._affordable(trails):
            for (trail, text), embedded in zip(asked, self._oracle.embed([text for _, text in asked]), strict=True):
                trail.note(text, embedded, 0.0 if trail.unread is None else self._surprise(text))
            self._continue([trail for trail in trails if self._may_be_longer(trail)])
            self._propose([trail for trail in trails if self._goes_on(trail)])
        whole = [trail.apart for trail in trails if trail.found and trail.unread is None]
        blurred = float(np.median(whole or [0.0])) > BLURRED
        return [_ranked(trail, texts, blurred=blurred) for trail, texts in zip(trails, starts, strict=True)]

    def _goes_on(self, trail: _Trail) -> bool:
        tried = bool(trail.found) and not trail.proven and bool(np.isfinite(trail.distance))
        return tried and trail.asked < self._checks and (trail.unread is None or trail.idle < PATIENCE)

    def _may_be_longer(self, trail: _Trail) -> bool:
        concerned = trail.unread is None and self._continuations.concern(trail.row) and self._goes_on(trail)
        # Masked answers do not show in which directions continuations move all vectors together.
        concerned = concerned and not len(hidden_places(trail.row))
        return concerned and trail.asked + len(self._continuations.rests) < self._checks

    def _continue(self, trails: Sequence[_Trail]) -> None:
        """Tries the first texts of rows with all continuations, as far as the budget goes."""
        rests, left = self._continuations.rests, self._oracle.remaining
        reached = trails if left is None else trails[: left // max(1, len(rests))]
        if not reached:
            return
        found = self._oracle.embed([trail.best + rest for trail in reached for rest in rests])
        for place, trail in enumerate(reached):
            trail.asked += len(rests)
            shown = found[place * len(rests) : (place + 1) * len(rests)]
            trail.note_continued(shown, self._surprise(trail.best))

    def _surprise(self, text: TokenTuple) -> float:
        return self._decoder.surprise(np.array([self._place[token] for token in text]))

    def _affordable(self, trails: Sequence[_Trail]) -> list[tuple[_Trail, TokenTuple]]:
        """What to embed now: everything ready, as far as checks and budget go; nobody's second before all first."""
        waiting = [(turn, trail, text) for trail in trails for turn, text in enumerate(self._taken(trail))]
        waiting.sort(key=lambda one: one[0])
        left = self._oracle.remaining
        return [(trail, text) for _, trail, text in waiting[:left]]

    def _taken(self, trail: _Trail) -> list[TokenTuple]:
        ready, trail.ready = trail.ready[: self._checks - trail.asked], []
        trail.idle += bool(ready)  # unless one of them is better
        return ready

    def _propose(self, trails: Sequence[_Trail]) -> None:
        """Readies the next texts of each row."""
        if not trails:
            return
        self._decode([trail for trail in trails if trail.decoded is None])
        known = [self._known(trail) for trail in trails]
        errors = np.concatenate([trail.on_plane for trail in trails])
        pointed = self._listed(errors + self._decision.piece_points[np.concatenate(known)], known)
        for trail, own, listed in zip(trails, known, pointed, strict=True):
            for text in self._variants(trail, listed.places, _gains(listed, own)):
                if len(trail.ready) == ROUND:
                    break
                if text not in trail.seen and text not in trail.ready:
                    trail.ready.append(text)

    def _decode(self, trails: Sequence[_Trail]) -> None:
        """Notes the decoder's own lists of tokens, for rows whose first text was wrong."""
        if trails:
            rows = [trail.row for trail in trails]
            points = self._decision.points(rows if self._alignment is None else self._alignment.applied(rows))
            known = [self._known(trail) for trail in trails]
            for trail, listed in zip(trails, self._listed(points, known), strict=True):
                trail.decoded = listed.places
                tried = listed.places.shape[1]
                hidden, tokens = self._decoder.hidden_tokens(trail.row, self._known(trail), tried)
                trail.decoded[hidden] = tokens

    def _known(self, trail: _Trail) -> Places:
        return np.array([self._place[token] for token in trail.best])

    def _listed(self, points: FloatArray, known: Sequence[Places]) -> list[Shortlist]:
        """The best tokens at each position of each row, beside those that are known of it; (positions, TOKENS) each."""
        found = []
        for own, part in zip(known, np.split(points, np.cumsum([len(own) for own in known])[:-1]), strict=True):
            found.append(self._decoder.listed(part, *self._decoder.beside(own), TOKENS))
        return found

    def _variants(self, trail: _Trail, places: Places, gains: FloatArray) -> Iterator[TokenTuple]:
        """Other texts, the likeliest first: what came nearest at each position, what all errors point to, then
        single changes that errors promise most of, and those that the decoder names where errors are largest.
        """
        pieces, sizes = self._decision.pieces, np.linalg.norm(trail.errors, axis=1)
        yield tuple(trail.nearest)
        yield tuple(pieces[place] for place in places[:, 0])
        first = int(np.argmax(sizes > trail.small))
        sizes[hidden_places(trail.row)] = np.inf  # nothing is as doubtful
        order = np.argsort(-sizes, kind="stable").tolist()
        exact = first > 0 and trail.shown[:first].all()
        if exact:  # all before is: the encoder reads from left to right, and this token must be wrong
            order = [first]
        assert trail.decoded is not None
        ranks = range(places.shape[1])
        worst = chain(product(ranks, order[:POSITIONS]), product(ranks, order[POSITIONS:]))
        named = ((position, trail.decoded[position, rank]) for rank, position in worst)
        sorted_gains = (divmod(one, len(ranks)) for one in np.argsort(-gains, axis=None, kind="stable").tolist())
        promised = ((position, places[position, rank]) for position, rank in sorted_gains if position in order)
        for position, place in chain.from_iterable(zip(promised, named, strict=False)):
            yield (*trail.best[:position], pieces[place], *trail.best[position + 1 :])


def _shown(row: FloatArray, embedded: FloatArray) -> npt.NDArray[np.bool_]:
    """Which positions have vectors in both; (tokens,)."""
    return np.asarray(row.any(axis=1) & embedded.any(axis=1))


def _gains(listed: Shortlist, own: Places) -> FloatArray:
    """By how much each token listed is more likely than the one that was tried; (positions, TOKENS)."""
    tried = np.where(listed.places == own[:, None], listed.scores, -np.inf).max(axis=1)
    return np.asarray(listed.scores - np.maximum(tried, listed.scores[:, -1])[:, None], dtype=np.float64)


def _ranked(trail: _Trail, texts: Sequence[TokenTuple], *, blurred: bool) -> list[TokenTuple]:
    if trail.proven and trail.shown.all():
        return [trail.best]
    tried = [text for _, text in sorted(trail.found, key=lambda one: one[0])]
    # Of answers that each hide other vectors, the nearest is often the one that shows least.
    doubted = blurred or (len(hidden_places(trail.row)) > 0 and not trail.proven)
    first, then = (texts, tried) if doubted else (tried, texts)
    return [*first, *(text for text in then if text not in first)]
