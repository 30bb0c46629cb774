"""Plain clauses."""

from __future__ import annotations

import numpy as np

from divulge.data.synthetic.clauses import CLAUSES, CONTENT, MANNERS
from divulge.data.synthetic.grammar import Grammar


def test_clauses_are_short_plain_and_many() -> None:
    """A thousand clauses have 3 to 20 lower-case words each and are nearly all different."""
    grammar, rng = Grammar({**CLAUSES, **CONTENT}), np.random.default_rng(0)
    drawn = [grammar.expand("clause", rng)[0] for _ in range(1000)]
    assert all(3 <= len(clause) <= 20 for clause in drawn)
    assert all(word == word.lower() for clause in drawn for word in clause)
    assert len(set(drawn)) > 950


def test_manners_stand_alone() -> None:
    """Openers and closers are fixed phrases of one to four words."""
    assert all(1 <= len(phrase.split()) <= 4 for phrases in MANNERS.values() for phrase in phrases)
    assert not set(MANNERS["opener"]) & set(MANNERS["closer"])
