"""The search for the text whose vectors are the leaked ones, against trying every text."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from tests.attacks.toy_oracles import PIECES, WIDTH, ToyOracle, texts_of

from divulge.access import EmbeddingOracleAccess
from divulge.attacks.piece_discriminant import fit_discriminant
from divulge.attacks.piece_neighbours import PieceNeighbours
from divulge.attacks.row_alignment import Alignment
from divulge.attacks.row_continuations import Continuations
from divulge.attacks.row_decoding import RowDecoder
from divulge.attacks.row_search import ROUND, RowSearch, _Trail
from divulge.grants import Grant


@cache
def learnt(causal: bool = False) -> RowDecoder:
    """A decoder fitted on few texts, so that it errs, and told nothing of neighbours."""
    texts = texts_of(25, 4, seed=1)
    rows = [row.astype(np.float32) for row in ToyOracle(causal=causal, blur=1.5)._embed(texts)]
    labels = [np.array([PIECES.index(token) for token in text]) for text in texts]
    decision = fit_discriminant(rows, labels, PIECES, np.ones(len(PIECES)), shrinkage=0.1, rank=WIDTH)
    return RowDecoder(decision, PieceNeighbours.of([], len(PIECES)), longest=9)


def searched(
    oracle: ToyOracle,
    truths: list[tuple[str, ...]],
    starts: list[tuple[str, ...]],
    *,
    checks: int = 64,
    limit: int | None = None,
    alignment: Alignment | None = None,
) -> tuple[list[list[tuple[str, ...]]], Grant]:
    grant = Grant([oracle], limit)
    search = RowSearch(learnt(oracle.causal), grant[EmbeddingOracleAccess], checks=checks, alignment=alignment)
    return search.candidates(oracle._embed(truths), [[start] for start in starts]), grant


@pytest.mark.parametrize("causal", [False, True], ids=["both ways", "left to right"])
def test_the_search_finds_what_trying_every_text_finds(causal: bool) -> None:
    """All 512 texts of three tokens: the nearest one, from a start where every token is wrong, in a tenth of them."""
    oracle, truths = ToyOracle(causal=causal, blur=1.5), texts_of(30, 3, seed=2)
    every = list(product(PIECES, repeat=3))
    vectors = np.stack(oracle._embed(every))
    rows = oracle._embed(truths)
    nearest = [every[int(np.argmin(np.linalg.norm(vectors - row, axis=(1, 2))))] for row in rows]
    shifted = [tuple(PIECES[(PIECES.index(token) + 1) % 8] for token in text) for text in truths]
    found, grant = searched(oracle, truths, shifted)
    assert np.mean([texts[0] == best for texts, best in zip(found, nearest, strict=True)]) > 0.95
    assert grant.meter.total < 30 * 512 / 10


def test_a_proven_text_ends_the_search() -> None:
    """The right start is embedded once, and stands alone."""
    truth = texts_of(1, 4, seed=3)
    found, grant = searched(ToyOracle(), truth, truth)
    assert found == [truth]
    assert grant.meter.total == 1


def test_checks_bound_what_is_embedded_for_a_row() -> None:
    """With six checks no row has more than six texts, and with none the start stands unasked."""
    truths, starts = texts_of(8, 4, seed=4), texts_of(8, 4, seed=5)
    found, grant = searched(ToyOracle(blur=1.5), truths, starts, checks=6)
    assert grant.meter.total <= 8 * 6
    assert max(len(texts) for texts in found) <= 6
    found, grant = searched(ToyOracle(), truths, starts, checks=0)
    assert found == [[start] for start in starts]
    assert grant.meter.total == 0


@pytest.mark.parametrize("limit", [0, 3, 10, 11])
def test_the_budget_is_obeyed_to_the_last_query(limit: int) -> None:
    """Eight rows share it: each start is tried before any other text, and no query more than allowed is asked."""
    truths, starts = texts_of(8, 4, seed=4), texts_of(8, 4, seed=5)
    found, grant = searched(ToyOracle(blur=1.5), truths, starts, limit=limit)
    assert grant.meter.total == limit
    assert all(texts for texts in found)
    assert all(start in texts or len(texts) == 1 for start, texts in zip(starts, found, strict=True))


def test_nearest_comes_first() -> None:
    """Of what was tried without success, texts are told by their distance from the row."""
    oracle = ToyOracle(blur=1.5)
    (row,) = oracle._embed([("ant", "bee", "cat", "dog", "eel")])
    noisy = row + 0.5  # no text embeds like this
    search = RowSearch(learnt(), oracle, checks=3 * ROUND)
    (texts,) = search.candidates([noisy], [[("hen", "hen", "hen", "hen", "hen")]])
    distances = [float(np.linalg.norm(noisy - vectors)) for vectors in oracle._embed(texts)]
    assert len(texts) > ROUND
    assert distances == sorted(distances)
    assert len(set(texts)) == len(texts)


def test_errors_are_brought_back_through_the_alignment() -> None:
    """Behind a secret map, the search needs it to read its errors; with it, texts are found as before."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(WIDTH, WIDTH)))[0]
    oracle, truths = ToyOracle(blur=1.5, turn=turn), texts_of(20, 4, seed=6)
    starts = texts_of(20, 4, seed=7)
    known = Alignment(turn.T, np.zeros(WIDTH))
    aware, few = searched(oracle, truths, starts, checks=24, alignment=known)
    blind, many = searched(oracle, truths, starts, checks=24)
    right = [np.mean([texts[0] == t for texts, t in zip(found, truths, strict=True)]) for found in (aware, blind)]
    assert right[0] > 0.9
    assert right[1] < right[0]
    assert few.meter.total < many.meter.total


def test_rows_without_tokens_are_not_asked_about() -> None:
    """An empty row keeps its empty text; some encoders take no empty text."""
    grant = Grant([ToyOracle()])
    search = RowSearch(learnt(), grant[EmbeddingOracleAccess], checks=5)
    assert search.candidates([np.empty((0, WIDTH))], [[()]]) == [[()]]
    assert grant.meter.total == 0


def test_an_encoder_that_answers_in_another_shape_proves_nothing() -> None:
    """Rows of four tokens from an encoder that shows three: the start stands."""

    class Short(ToyOracle):
        def _one(self, text: tuple[str, ...]) -> np.ndarray:
            return super()._one(text)[:3]

    (row,) = ToyOracle()._embed([("ant", "bee", "cat", "dog")])
    search = RowSearch(learnt(), Short(), checks=5)
    assert search.candidates([row], [[("ant", "bee", "cat", "dog")]]) == [[("ant", "bee", "cat", "dog")]]


def single_changes(errors: list[float]) -> list[int]:
    """The positions of the first single changes that are proposed for a text whose errors have these sizes."""
    best = ("ant",) * len(errors)
    trail = _Trail(np.ones((len(errors), WIDTH)), [], np.eye(WIDTH), best=best, nearest=list(best))
    trail.errors = np.zeros((len(errors), WIDTH))
    trail.errors[:, 0] = errors
    trail.decoded = np.full((len(errors), 2), PIECES.index("bee"))
    search = RowSearch(learnt(), ToyOracle(), checks=5)
    places = np.tile([PIECES.index("cat"), PIECES.index("dog")], (len(errors), 1))
    gains = np.repeat(np.array(errors)[:, None], 2, axis=1)
    found = list(search._variants(trail, places, gains))
    assert found[:2] == [best, ("cat",) * len(errors)]
    changed = [[place for place, token in enumerate(text) if token != "ant"] for text in found[2:]]
    assert all(len(places) == 1 for places in changed)
    return list(dict.fromkeys(places[0] for places in changed))


def test_the_largest_error_is_mended_first() -> None:
    """Where all positions err, the worst are tried first and the best last."""
    assert single_changes([0.2, 0.9, 0.1, 0.5]) == [1, 3, 0, 2]


def test_what_is_read_from_left_to_right_is_mended_from_left_to_right() -> None:
    """Two positions without error: the third is wrong for certain, and those behind it may only suffer from it."""
    assert single_changes([0.0, 0.0, 0.1, 0.9]) == [2]


class Onward(ToyOracle):
    """Shows the first five tokens of a text, each moved along with the mean of all that comes behind them."""

    def _one(self, text: tuple[str, ...]) -> np.ndarray:
        behind = np.mean([np.zeros(WIDTH), *(self.vectors[piece] for piece in text[5:])], axis=0)
        return super()._one(text[:5]) + 6 * np.tanh(behind @ self.mix)


def test_a_text_that_goes_on_unseen_is_found_by_what_continuations_do() -> None:
    """Ignoring that texts go on, many are mistaken; told of other continuations, the search finds most, unproven."""
    oracle, truths, rests = Onward(blur=1.5), texts_of(40, 5, seed=8), texts_of(40, 3, seed=9)
    rows = oracle._embed([text + rest for text, rest in zip(truths, rests, strict=True)])
    starts = [[text] for text in texts_of(40, 5, seed=10)]
    public = Continuations(5, tuple(texts_of(8, 3, seed=11)))
    right = {}
    for known in (Continuations(0, ()), public):
        grant = Grant([oracle])
        search = RowSearch(learnt(), grant[EmbeddingOracleAccess], checks=60, continuations=known)
        found = search.candidates(rows, starts)
        right[bool(known.rests)] = np.mean([texts[0] == truth for texts, truth in zip(found, truths, strict=True)])
        assert grant.meter.total <= 40 * 60
    assert right[True] > 0.9
    assert right[False] < right[True] - 0.2


@pytest.mark.parametrize("limit", [0, 3, 12, 40])
def test_continuations_are_asked_within_the_budget(limit: int) -> None:
    """Eight rows that may go on, each with four continuations: never a query more than allowed."""
    oracle, truths = Onward(blur=1.5), texts_of(8, 5, seed=8)
    rows = oracle._embed([(*text, "hen", "hen") for text in truths])
    grant = Grant([oracle], limit)
    known = Continuations(5, tuple(texts_of(4, 3, seed=11)))
    search = RowSearch(learnt(), grant[EmbeddingOracleAccess], checks=20, continuations=known)
    found = search.candidates(rows, [[text] for text in texts_of(8, 5, seed=10)])
    assert grant.meter.total <= limit
    assert all(texts for texts in found)
