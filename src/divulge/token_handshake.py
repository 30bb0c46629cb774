"""The handshake of generators: do ranks and likelihoods belong to the tokens they are given for?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from divulge import answers
from divulge.handshake import OwnerSample, checked, guarded
from divulge.records import Check, FloatArray, Passage

if TYPE_CHECKING:
    from divulge.access import RankedTokensAccess, TokenLikelihoodAccess

__all__ = ["check_ranks", "check_token_likelihoods"]

LARGEST_VOCABULARY = 50_000
MOST_WORDS = 500  # tried as the next word of a generator that reads in pieces
SLACK = 1e-4


@guarded("RankedTokensAccess", "the greedy token ranks first")
def check_ranks(access: RankedTokensAccess, sample: OwnerSample) -> list[Check]:
    """The model's own best token must have rank 0, any other a later one, whatever comes after it."""
    level = "RankedTokensAccess"
    passages = _passages(sample, fewest=2)
    if not passages:
        return [checked(level, "the greedy token ranks first", None, "no texts to try")]
    if _in_pieces(access, passages):
        return _check_piece_ranks(access, passages)
    greedy, others, cut = [], [], []
    places: list[int] = []
    vocabulary = access.vocabulary
    best = answers.token_texts(access._best(passages), access.pieces(passages), "_best")
    for passage, tokens in zip(passages, best, strict=True):
        for place, token in enumerate(tokens[:6]):
            # Far apart, so that they are not all rare or all common.
            other = vocabulary[(len(places) * len(vocabulary)) // (6 * len(passages))]
            greedy.append(_replaced(passage, place, token))
            others.append(_replaced(passage, place, other if other != token else vocabulary[-1]))
            cut.append(Passage(context=passage.context, tokens=greedy[-1].tokens[: place + 1]))
            places.append(place)
    first, behind, early = (
        np.array([row[place] for row, place in zip(_ranks(access, asked), places, strict=True)])
        for asked in (greedy, others, cut)
    )
    zero, later, same = float(np.mean(first == 0)), float(np.mean(behind > 0)), float(np.mean(early == first))
    said = f"of {len(places)} positions"
    return [
        checked(level, "the greedy token ranks first", zero > 0.95, f"at {zero:.0%} {said}"),
        checked(level, "other tokens rank behind it", later > 0.95, f"at {later:.0%} {said}"),
        checked(level, "what comes later changes no rank", same > 0.95, f"at {same:.0%} {said}"),
    ]


@guarded("TokenLikelihoodAccess", "probabilities normalise")
def check_token_likelihoods(access: TokenLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """The probabilities of all tokens at one position must sum to 1; likelier tokens must rank better."""
    level, name = "TokenLikelihoodAccess", "probabilities normalise"
    passages, vocabulary = _passages(sample, fewest=3) or _passages(sample, fewest=1), access.vocabulary
    if passages and _in_pieces(access, passages):
        return _check_piece_likelihoods(access, sample, passages)
    if not passages or len(vocabulary) > LARGEST_VOCABULARY:
        return [checked(level, name, None, f"{len(passages)} texts, {len(vocabulary)} tokens in the vocabulary")]
    # In the middle, so that answers which belong to the token before or after are noticed.
    place = 1 if len(passages[0].tokens) > 2 else 0
    short = Passage(context=passages[0].context, tokens=passages[0].tokens[:3])
    asked = [_replaced(short, place, token) for token in vocabulary]
    rows = _numbers(access, asked)
    log_likelihoods = np.array([row[place] for row in rows])
    ranks = np.array([row[place] for row in _ranks(access, asked)])
    total = float(np.exp(log_likelihoods).sum())
    ordered = log_likelihoods[np.argsort(ranks, kind="stable")]
    falling = bool(np.all(ordered[1 : access.output_limit] <= ordered[: access.output_limit - 1] + SLACK))
    return [
        checked(level, name, abs(total - 1) < 0.02, f"sum {total:.4f} over {len(vocabulary)} tokens"),
        checked(level, "likelier tokens rank better", falling),
    ]


def _passages(sample: OwnerSample, fewest: int) -> list[Passage]:
    return [Passage(context=t.context, tokens=t.tokens) for t in sample.texts if len(t.tokens) >= fewest][:8]


def _replaced(passage: Passage, place: int, token: str) -> Passage:
    tokens = (*passage.tokens[:place], token, *passage.tokens[place + 1 :])
    return Passage(context=passage.context, tokens=tokens)


def _ranks(access: RankedTokensAccess, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
    return answers.token_ranks(access._ranks(passages), access.pieces(passages), "_ranks")


def _numbers(access: TokenLikelihoodAccess, passages: Sequence[Passage]) -> list[FloatArray]:
    return answers.token_numbers(access._log_likelihoods(passages), access.pieces(passages), "_log_likelihoods")


# -- generators that read in pieces of words: a piece cannot be put in another's place, so words are ----------------


def _in_pieces(access: RankedTokensAccess, passages: Sequence[Passage]) -> bool:
    return any(pieces != passage.tokens for pieces, passage in zip(access.pieces(passages), passages, strict=True))


def _check_piece_ranks(access: RankedTokensAccess, passages: Sequence[Passage]) -> list[Check]:
    """A piece has rank 0 where it is the best one, and nowhere else; what follows a word changes no rank of it."""
    level = "RankedTokensAccess"
    pieces, ranks = access.pieces(passages), _ranks(access, passages)
    best = answers.token_texts(access._best(passages), pieces, "_best")
    cut = [Passage(context=one.context, tokens=one.tokens[: max(1, len(one.tokens) // 2)]) for one in passages]
    early, shorter = _ranks(access, cut), access.pieces(cut)
    true, named, found = np.concatenate(pieces), np.concatenate(best), np.concatenate(ranks)
    first, other = true == named, true != named
    # Some pieces of a vocabulary spell alike: those tell nothing.
    zero = float(np.mean(found[first] == 0)) if first.any() else None
    later = float(np.mean(found[other] > 0)) if other.any() else None
    agree = [
        bool(np.all(a[: len(some)] == b[: len(some)]))
        for a, b, some, whole in zip(early, ranks, shorter, pieces, strict=True)
        if whole[: len(some)] == some
    ]
    said = f"of {len(true)} pieces, {int(first.sum())} of them the best"
    return [
        checked(level, "the greedy token ranks first", None if zero is None else zero > 0.95, said),
        checked(level, "other tokens rank behind it", None if later is None else later > 0.95, said),
        checked(level, "what comes later changes no rank", sum(agree) > 0.7 * len(agree) if agree else None),
    ]


def _check_piece_likelihoods(
    access: TokenLikelihoodAccess, sample: OwnerSample, passages: Sequence[Passage]
) -> list[Check]:
    """The next words of one beginning cannot be likelier together than 1, and the best piece is no less than 1 / V."""
    level, name = "TokenLikelihoodAccess", "probabilities normalise"
    opening = passages[0].tokens[:1]
    words = sorted({word for text in sample.texts for word in text.tokens})[:MOST_WORDS]
    asked = [Passage(context=passages[0].context, tokens=(*opening, word)) for word in words]
    alone = _numbers(access, [Passage(context=passages[0].context, tokens=opening)])[0]
    read = access.pieces(asked)
    prefix = access.pieces([Passage(context=passages[0].context, tokens=opening)])[0]
    rows = _numbers(access, asked)
    ranks = _ranks(access, asked)
    # A word's likelihood is that of its pieces; only words of other pieces exclude each other, and none begins another.
    following = {pieces[len(prefix) :]: row[len(prefix) :] for pieces, row in zip(read, rows, strict=True)}
    single = {pieces: float(row[0]) for pieces, row in following.items() if len(pieces) == 1}
    total = float(np.exp(list(single.values())).sum()) if single else None
    best = [row[place] for row, rank in zip(rows, ranks, strict=True) for place in np.flatnonzero(rank == 0)]
    least = -np.log(len(access.vocabulary)) - SLACK
    steady = bool(np.all(np.abs(rows[0][: len(alone)] - alone) < 1e-2)) if read[0][: len(prefix)] == prefix else None
    return [
        checked(level, name, None if total is None else total <= 1.02, f"sum of {len(single)} next words: {total}"),
        checked(level, "the best token is likely", bool(np.all(np.array(best) >= least)) if best else None),
        checked(level, "what comes later changes no likelihood", steady),
    ]
