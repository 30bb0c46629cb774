"""Leaked rows against what an encoder makes of their texts: are they another's, in another order, of another length?

Vectors of many encoders all point roughly one way, so that any row is like any text's vector and a plain cosine tells
nothing. What they have in common is taken off both sides before they are compared; noise and rounding are let pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.access import TokenTuple
from divulge.trials import same_vectors

__all__ = ["Vectors", "fault"]

Vectors = Sequence[npt.NDArray[Any]]

LIKE = 0.9  # cosine: less than noise or rounding leave, more than another encoder has
LIKE_APART = 0.8  # the same without what all have in common: noise is more beside what is left; another order has 0
FEWEST = 3  # texts that can have something in common: of two, each would be the other's opposite without it
NOTHING = 1e-3  # of a vector's length: where less is left without what is common, rounding would decide
STRAY = 0.125  # the share of rows that may be unlike by themselves: a text that was mended since, say
LENGTHS = (LIKE, 1 / LIKE)  # of a row against its text's vector: noise that leaves such a cosine makes it no longer
EVEN = 1e-3  # relative spread of lengths that were made the same
NORMALISED = 'a sentence-transformers folder with a Normalize module (pooling = "own"), or '
LEFT_OUT = (
    "Or leave recipe.encoder out, and name the encoder that the adversary practises on in adversary.background.target "
    '(of a sentence-encoder with unit = "word")'
)


def fault(
    rows: Vectors, made: Vectors, texts: Sequence[TokenTuple], others: Callable[[], Vectors] = lambda: ()
) -> str | None:
    """What is wrong with rows, and what to do; None where the encoder may have made them of these texts.

    `made` is of the same shapes as `rows`: (d,) or (tokens, d) each. `others` makes vectors of more texts, which a row
    in a wrong place may belong to; it is asked only where rows are unlike theirs.
    """
    if not rows:
        return None
    whole = all(row.dtype.kind in "iu" for row in rows)
    rows, made = _doubled(rows), _doubled(made)
    raw = [_cosine(row, one) for row, one in zip(rows, made, strict=True)]
    centres = _common(rows, texts), _common(made, texts)
    apart = [row - centres[0] for row in rows], [one - centres[1] for one in made]
    told = [_size(one) > NOTHING * _size(whole) for one, whole in zip(apart[1], made, strict=True)]
    cosines = [_cosine(*pair) if by_itself else 1.0 for *pair, by_itself in zip(*apart, told, strict=True)]
    unlike = [place for place, one in enumerate(raw) if one < LIKE or cosines[place] < LIKE_APART]
    if len(unlike) <= len(rows) * STRAY:
        return _of_other_lengths(rows, made, whole=whole) or _read_elsewhere(rows, made, [len(text) for text in texts])
    beside = ", without what all have in common" if _centred(texts) else ""
    said = (
        f"the rows are not what the encoder makes of the texts (of {len(rows)} tried, from the first to the last, "
        f"{len(unlike)} differ; median cosine {float(np.median(cosines)):.2f}{beside})"
    )
    away = [place for place in unlike if told[place] and cosines[place] < LIKE_APART]
    known = [*apart[1], *(one - centres[1] for one in others())] if away and _centred(texts) else []
    moved = sum(any(_cosine(*_as_long(apart[0][place], one)) >= LIKE for one in known) for place in away)
    if 2 * moved > len(unlike):
        where = f"{moved} of them are what it makes of another text, so that they are in another order than the data"
        return f"{said}. {where}: save one row for each training text, in the order of the data"
    why = "Another encoder or pooling made them, or they are in another order than the data"
    return f"{said}. {why}: mend recipe.encoder, or the order. {LEFT_OUT}"


def _of_other_lengths(rows: Vectors, made: Vectors, *, whole: bool) -> str | None:
    """Rows that point where they should and are longer or shorter: none of them would match."""
    leaked, own = (
        np.concatenate([np.linalg.norm(np.atleast_2d(one), axis=1) for one in all_]) for all_ in (rows, made)
    )
    there = own > 0
    if not there.any():
        return None
    leaked, own = leaked[there], own[there]
    even, own_even = (bool(np.ptp(one) <= EVEN * one.max()) for one in (leaked, own))
    if LENGTHS[0] <= float(np.median(leaked / own)) <= LENGTHS[1] and (own_even or not even):
        return None
    what = "rounded to whole numbers" if whole else "normalised" if even else "scaled"
    said = (
        f"the rows have a length of {float(np.median(leaked)):.3g}, and what the encoder makes of their texts one of "
    )
    does = f"{NORMALISED if even and not whole else ''}a function of your own (embed)"
    return (
        f"{said}{float(np.median(own)):.3g}: they were {what}. Name an encoder that does the same: {does}. {LEFT_OUT}"
    )


def _read_elsewhere(rows: Vectors, made: Vectors, lengths: Sequence[int]) -> str | None:
    """Rows that match for short texts only: more of the long ones was read, or less."""
    matching = [same_vectors(row, one) for row, one in zip(rows, made, strict=True)]
    right = [length for length, same in zip(lengths, matching, strict=True) if same]
    wrong = [length for length, same in zip(lengths, matching, strict=True) if not same]
    if min(len(right), len(wrong)) < 2 or max(right) >= min(wrong):
        return None
    said = (
        f"the rows of texts of up to {max(right)} tokens are what the encoder makes of them, those of longer ones are"
    )
    how = "Set recipe.encoder.tokens, or context, to what the rows were made with"
    return f"{said} not ({len(wrong)} of {len(rows)} tried): more or less of a text was read. {how}"


def _centred(texts: Sequence[TokenTuple]) -> bool:
    return len(set(texts)) >= FEWEST


def _doubled(vectors: Vectors) -> list[npt.NDArray[np.float64]]:
    """In double precision: sums of squares overflow in half, and whole numbers wrap around."""
    return [one.astype(np.float64) for one in vectors]


def _common(vectors: Vectors, texts: Sequence[TokenTuple]) -> npt.NDArray[np.float64]:
    """What vectors of different texts have in common: their mean; zeros where there are too few to tell."""
    if not _centred(texts):
        return np.zeros(vectors[0].shape[-1])
    first = {text: place for place, text in reversed(list(enumerate(texts)))}
    every = np.concatenate([np.atleast_2d(vectors[place]) for place in sorted(first.values())])
    return np.asarray(every.mean(axis=0))


def _as_long(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Unpooled, the tokens that both have."""
    least = len(one) if one.ndim == 1 else min(len(one), len(other))
    return one[:least], other[:least]


def _cosine(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    a, b = one.ravel(), other.ravel()
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes else float(not a.any() and not b.any())


def _size(vectors: npt.NDArray[Any]) -> float:
    return float(np.linalg.norm(vectors))
