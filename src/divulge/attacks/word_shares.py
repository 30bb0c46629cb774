"""How common words are in texts that were split at white space: cut and cased as the candidates of a hole are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["cased_like", "word_shares"]

PIECE = re.compile(r"\w+|[^\w\s]")  # as BERT's tokenizers cut before they look words up: marks stand alone


def word_shares(texts: Iterable[Sequence[str]]) -> dict[str, float]:
    """Of each word its share of all words; a token with marks, such as "don't", has one beside those of its parts.

    >>> word_shares([("The", "game,"), ("game",)])
    {',': 0.25, 'The': 0.25, 'game': 0.5, 'game,': 0.25}
    """
    pieces: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for text in texts:
        for token in text:
            parts = PIECE.findall(token)
            pieces.update(parts)
            if parts != [token]:
                whole[token] += 1
    total = max(1, pieces.total())
    return {word: count / total for word, count in sorted({**whole, **pieces}.items())}


def cased_like(candidates: Iterable[str], shares: Mapping[str, float]) -> Mapping[str, float]:
    """The shares, of words in lower case where all candidates are: "The" is then one more "the"."""
    if any(word != word.lower() for word in candidates):
        return shares
    found: dict[str, float] = {}
    for word, share in shares.items():
        found[word.lower()] = found.get(word.lower(), 0.0) + share
    return found
