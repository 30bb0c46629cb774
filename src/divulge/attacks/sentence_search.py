"""Searches, for many leaked vectors at once, the text that the encoder turns into each of them.

A few good guesses are kept for each vector. Every round they are edited, reordered and crossed, all new texts of all
vectors are embedded at once, and the nearest are kept. A text that comes out at the leaked vector itself is proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from divulge.attacks.public_sentences import Floats, Numbers
from divulge.attacks.sentence_edits import Desk, edited

__all__ = ["Member", "RowSearch", "search"]

PROVEN = 1e-3  # a distance so small, relative to the vector's length, that the text must be the right one
SHARES = (0.4, 0.25, 0.2, 0.15)  # of a round's texts, that are made from the first guesses
# Of those, the shares of single edits, of several in a row and of other orders, in turn; the rest are crossings. Where
# all pieces are right only the order is left to find, and the models do not know when that is so.
KINDS = ((0.45, 0.25, 0.2), (0.2, 0.1, 0.6))
WIDENING, WIDER = 6, 20  # after how many rounds how many more pieces are let in
STEPS = 4  # edits in a row without asking
LITTER = 4  # the fewest texts that are made from a guess at once
PATIENCE = 5  # rounds in a row without a single new text, before the search is given up
SHARP = 8.0  # what halving the distance is worth beside reading well


class Member(NamedTuple):
    """A guess, how far its vector is from the leaked one (squared), and what it is ranked by; smaller is better."""

    distance: float
    rank: float
    text: Numbers
    vector: Floats


class RowSearch:
    """The state of the search for one vector."""

    def __init__(self, desk: Desk, starts: Sequence[tuple[Numbers, Floats]], population: int) -> None:
        self.desk, self.population, self.asked = desk, population, 0
        self._rounds = 0
        self._seen: set[Numbers] = set()
        self.members: list[Member] = []  # by rank
        self.nearest: list[Member] = []  # by distance
        self._admit(starts)

    @property
    def proven(self) -> bool:
        """Whether the nearest guess is the right one beyond doubt."""
        return self.nearest[0].distance <= PROVEN**2 * float(self.desk.target @ self.desk.target)

    def first_guesses(self) -> list[Numbers]:
        """What the models alone make of the guesses so far, best first."""
        found: dict[Numbers, float] = {}
        for member in self.nearest:
            path = self.desk.corrections(member.text, member.vector, 2 * self.desk.longest, None)
            text, vector = path[-1] if path else (member.text, member.vector)
            found[text] = max(self.desk.worth(text, vector), found.get(text, -np.inf))
        return sorted(found, key=lambda text: -found[text])

    def proposals(self, most: int, rng: np.random.Generator) -> list[Numbers]:
        """New texts, none of them seen before; at first what the models alone make of the starts."""
        if self.asked == 0:
            guesses = [text for text in self.first_guesses() if text not in self._seen][:most]
            if guesses:
                return guesses
        found: dict[Numbers, None] = {}
        for parent, share in zip(self._parents(rng), SHARES, strict=False):
            count = max(LITTER, round(share * most))
            for text in self._offspring(parent, count, rng):
                if text and text not in self._seen:
                    found[text] = None
        return list(found)[:most]

    def learn(self, texts: Sequence[Numbers], vectors: Floats) -> None:
        """Takes note of the vectors of texts that were asked for."""
        self.asked += len(texts)
        self._rounds += 1
        self._admit(zip(texts, vectors, strict=True))

    def widen(self, most: int) -> None:
        """Lets a few more pieces of the vocabulary in."""
        best = self.nearest[0]
        self.desk = self.desk.widened(best.text, best.vector, most)

    def _admit(self, found: Iterable[tuple[Numbers, Floats]]) -> None:
        for text, vector in found:
            self._seen.add(text)
            distance = float(np.sum((vector - self.desk.target) ** 2))
            rank = SHARP * np.log(distance + 1e-9) - float(self.desk.fluency(np.array([text]))[0])
            member = Member(distance, float(rank), text, vector)
            self.members.append(member)
            self.nearest.append(member)
        self.members = sorted(self.members, key=lambda member: member.rank)[: self.population]
        self.nearest = sorted(self.nearest, key=lambda member: member.distance)[: self.population]

    def _parents(self, rng: np.random.Generator) -> list[Member]:
        """The nearest guess, the first by rank, and others by chance; each once."""
        order = [self.nearest[0], *self.members[:2], *(self.members[n] for n in rng.permutation(len(self.members)))]
        return list({member.text: member for member in order}.values())

    def _offspring(self, parent: Member, count: int, rng: np.random.Generator) -> list[Numbers]:
        desk, text, vector = self.desk, parent.text, parent.vector
        single, corrected, reordered = KINDS[self._rounds % 2]
        made = [edited(text, [edit], desk.longest) for edit in desk.edits(text, vector, 4 * count, rng)]
        found = [new for new in made if new not in self._seen][: round(single * count)]
        for _ in range(max(1, round(corrected * count / STEPS))):
            path = desk.corrections(text, vector, STEPS, rng)
            found += [new for new, _ in path[1:]]  # the first edit alone is among the singles
        orders = desk.reorderings(text, 4 * count, rng)
        found += [new for new in orders if new not in self._seen][: round(reordered * count)]
        other = self.members[rng.integers(len(self.members))].text
        return found + desk.crossings(text, other, max(0, count - len(found)), rng)


def search(
    rows: Sequence[RowSearch],
    embed: Callable[[list[Numbers], list[int]], Floats],
    checks: int,
    proposals: int,
    rng: np.random.Generator,
) -> None:
    """Improves all rows until each is proven or has asked `checks` texts, in rounds of `proposals` texts a row.

    `embed` is handed texts and the number of the row that each belongs to, whose pieces it is written in.
    """
    rounds = idle = 0
    while idle < PATIENCE and any(row.asked < checks and not row.proven for row in rows):
        texts: list[Numbers] = []
        owners: list[int] = []
        for number, row in enumerate(rows):
            if row.proven or row.asked >= checks:
                continue
            if rounds and rounds % WIDENING == 0:
                row.widen(WIDER)
            new = row.proposals(min(proposals, checks - row.asked), rng)
            texts += new
            owners += [number] * len(new)
        rounds, idle = rounds + 1, 0 if texts else idle + 1
        if not texts:
            continue
        vectors, of = embed(texts, owners), np.array(owners)
        for number in sorted(set(owners)):
            places = np.flatnonzero(of == number)
            rows[number].learn([texts[place] for place in places], vectors[places])
