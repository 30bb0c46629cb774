"""For each word another that stands between the same words: neighbours by counting, from the texts of a data set.

Which words stand two places before to two places after a word is counted, weighted by positive pointwise mutual
information, and put into few dimensions by a truncated SVD; the nearest word by cosine is the neighbour. That is rough:
"good" is close to "bad", "monday" to "friday", and one name to another. It takes no dictionary and no language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.data.corpus import SameCorpus

__all__ = ["content_words", "neighbours_in"]

OFTEN = 0.55  # the most frequent words that make up so much of all words carry the grammar: they have no neighbours
FEWEST = 5  # times that a word must occur to be known by its company
MOST_WORDS = 10_000
MOST_CONTEXTS = 2_000
PLACES = (-2, -1, 1, 2)
DIMENSIONS = 100
BLOCK = 1_000  # words compared with all others at once
DIGITS = 6  # closer than that is equally close: no rounding of a library decides


@lru_cache(maxsize=4)
def neighbours_in(same: SameCorpus) -> Mapping[str, str]:
    """The neighbour of each content word, from the texts of all users; from all texts, where nobody is named."""
    texts = [text.tokens for text in same.corpus if text.user is not None] or [text.tokens for text in same.corpus]
    counts = Counter(word for text in texts for word in text)
    words = content_words(counts)
    if len(words) < 2:
        return {}
    contexts = [word for word, _ in _by_count(counts)][:MOST_CONTEXTS]
    vectors = _vectors(_weights(texts, words, contexts))
    met = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)
    if len(met) < 2:
        return {}
    vectors = vectors[met] / np.linalg.norm(vectors[met], axis=1, keepdims=True)
    nearest = _nearest(vectors)
    return {words[met[place]]: words[met[other]] for place, other in enumerate(nearest)}


def content_words(counts: Mapping[str, int]) -> list[str]:
    """Words that carry content, most frequent first: neither among the most frequent nor too rare; marks are no words.

    >>> content_words({"the": 30, "cat": 10, "dog": 10, "!": 9, "axolotl": 1})
    ['cat', 'dog']
    """
    ordered = _by_count({word: count for word, count in counts.items() if word[:1].isalpha()})
    most = OFTEN * sum(count for _, count in ordered)
    before = accumulate((count for _, count in ordered), initial=0)
    frequent = sum(1 for _ in takewhile(lambda sofar: sofar < most, before))
    return [word for word, count in ordered[frequent:] if count >= FEWEST][:MOST_WORDS]


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _weights(texts: Iterable[Sequence[str]], words: Sequence[str], contexts: Sequence[str]) -> Any:
    """Positive pointwise mutual information of words and what stands around them, as a sparse matrix."""
    from scipy.sparse import coo_matrix

    gap = ("",) * max(PLACES)  # so that no text is the company of another
    running = [word for text in texts for word in (*text, *gap)]
    rows, columns = _numbers(running, words), _numbers(running, contexts)
    pairs = []
    for slot, place in enumerate(PLACES):
        centre, beside = (rows[:-place], columns[place:]) if place > 0 else (rows[-place:], columns[:place])
        both = (centre >= 0) & (beside >= 0)
        pairs.append((centre[both], beside[both] + slot * len(contexts)))
    row, column = (np.concatenate(part) for part in zip(*pairs, strict=True))
    shape = (len(words), len(PLACES) * len(contexts))
    counted = coo_matrix((np.ones(len(row)), (row, column)), shape=shape).tocsr().tocoo()  # sums what is met twice
    by_row = np.asarray(counted.sum(axis=1)).ravel()
    by_column = np.asarray(counted.sum(axis=0)).ravel()
    expected = by_row[counted.row] * by_column[counted.col] / max(1.0, counted.data.sum())
    weights = np.maximum(0.0, np.log(counted.data / expected))
    return coo_matrix((weights, (counted.row, counted.col)), shape=shape).tocsr()


def _numbers(running: Sequence[str], named: Sequence[str]) -> npt.NDArray[np.int64]:
    number = {word: place for place, word in enumerate(named)}
    return np.array([number.get(word, -1) for word in running], dtype=np.int64)


def _vectors(weights: Any) -> npt.NDArray[np.float64]:
    from scipy.sparse.linalg import svds

    if not weights.nnz:
        return np.zeros((weights.shape[0], 1))
    least = min(weights.shape)
    left, strength, _ = svds(weights, k=min(DIMENSIONS, least - 1), v0=np.ones(least), solver="arpack")
    found: npt.NDArray[np.float64] = left * np.sqrt(np.maximum(strength, 0.0))
    return np.where(np.abs(found) < 10.0**-DIGITS, 0.0, found)


def _nearest(vectors: npt.NDArray[np.float64]) -> list[int]:
    """The nearest other row of each; of equally near ones the first, which is the more frequent word."""
    nearest: list[int] = []
    for start in range(0, len(vectors), BLOCK):
        close = np.round(vectors[start : start + BLOCK] @ vectors.T, DIGITS)
        close[np.arange(len(close)), start + np.arange(len(close))] = -np.inf
        nearest += close.argmax(axis=1).tolist()
    return nearest
