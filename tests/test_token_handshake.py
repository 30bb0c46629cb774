"""The handshake of a generator that reads in pieces: answers must belong to the pieces they are given for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.adapters import Pieces, piece_texts

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Passage

SAMPLE = OwnerSample(texts=piece_texts())


def failed(access: Pieces) -> set[str]:
    """The checks that it fails."""
    return {check.name for check in access.handshake(SAMPLE) if check.passed is False}


def test_a_sound_one_passes_every_check() -> None:
    """None of them is left out."""
    assert [check.passed for check in Pieces().handshake(SAMPLE)] == [True] * 6


def test_answers_are_one_per_piece() -> None:
    """A word of five letters has three pieces; a view passes the pieces on."""
    grant, passage = Grant([Pieces()]), Passage(tokens=("abcde", "fg"))
    assert grant[RankedTokensAccess].pieces([passage]) == [("ab", "cd", "e.", "fg.")]
    assert len(grant[RankedTokensAccess].ranks([passage])[0]) == 4
    assert len(grant[RankedTokensAccess].best([passage])[0]) == 4
    assert len(grant[TokenLikelihoodAccess].log_likelihoods([passage])[0]) == 4
    assert dict(grant.meter.asked) == {"RankedTokensAccess": 2, "TokenLikelihoodAccess": 1}


def shifted(rows: list[Any]) -> list[Any]:
    """Answers that belong to the piece before."""
    return [np.roll(row, 1) for row in rows]


@pytest.mark.parametrize(
    ("method", "answer", "fails"),
    [
        ("_ranks", lambda self, ps: shifted(Pieces._ranks(self, ps)), "the greedy token ranks first"),
        ("_ranks", lambda self, ps: [row * 0 for row in Pieces._ranks(self, ps)], "other tokens rank behind it"),
        (
            "_ranks",
            lambda self, ps: [
                (row + len(one.tokens)) * (row > 0) for row, one in zip(Pieces._ranks(self, ps), ps, strict=True)
            ],
            "what comes later changes no rank",
        ),
        (
            "_log_likelihoods",
            lambda self, ps: [row * 0 for row in Pieces._log_likelihoods(self, ps)],
            "probabilities normalise",
        ),
        (
            "_log_likelihoods",
            lambda self, ps: [row - 50 for row in Pieces._log_likelihoods(self, ps)],
            "the best token is likely",
        ),
        (
            "_log_likelihoods",
            lambda self, ps: shifted(Pieces._log_likelihoods(self, ps)),
            "what comes later changes no likelihood",
        ),
    ],
)
def test_a_broken_one_fails(method: str, answer: Callable[..., Any], fails: str) -> None:
    """Each in its own check."""
    assert fails in failed(type("Broken", (Pieces,), {method: answer})())
