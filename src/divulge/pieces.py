"""Word pieces: how tokenizers spell words, and how to read them again as words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

__all__ = ["SPECIAL_PIECES", "piece_labels", "spoken", "word_places", "words_of"]

SPECIAL_PIECES = frozenset({"[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<|endoftext|>"})
WORD_STARTS = ("Ġ", "▁")  # how byte-pair and sentence-piece vocabularies mark the start of a word
CONTINUED = "##"  # how word-piece vocabularies mark what goes on
WORD = re.compile(r"[^\W_]+")


def spoken(pieces: Iterable[str]) -> str:
    """Joins word pieces, or words, into a line of text; special pieces are left out.

    >>> spoken(("[CLS]", "scan", "of", "ab", "##dom", "##en", "[SEP]"))
    'scan of abdomen'
    >>> spoken(("Ġscan", "Ġof", "Ġab", "domen"))
    'scan of abdomen'
    """
    return "".join(_added(pieces)).strip()


def words_of(pieces: Iterable[str]) -> list[str]:
    """Joins word pieces into lower-case words without punctuation.

    >>> words_of(("[CLS]", "x", "-", "ray", "of", "the", "ab", "##dom", "##en"))
    ['x', 'ray', 'of', 'the', 'abdomen']
    """
    return WORD.findall(spoken(pieces).lower())


def word_places(pieces: Sequence[str]) -> list[list[int]]:
    """The places of the pieces of each word, punctuation being words too; special pieces are in none.

    >>> word_places(("[CLS]", "scan", "of", "ab", "##dom", "##en"))
    [[1], [2], [3, 4, 5]]
    """
    found: list[list[int]] = []
    for place, added in enumerate(_added(pieces)):
        if not added:
            continue
        if added.startswith(" ") or not found:
            found.append([])
        found[-1].append(place)
    return found


def piece_labels(pieces: Sequence[str], keywords: Iterable[str]) -> tuple[int, ...]:
    """Says of each piece, or word, whether it belongs to a keyword of the text: 1, or else 0.

    A keyword is found where all its words stand one after the other, whatever their case and the punctuation between
    them, which then belongs to it too. Part of a longer word is no keyword.

    >>> piece_labels(("scan", "of", "ab", "##dom", "##en"), ("Abdomen",))
    (0, 0, 1, 1, 1)
    """
    added = [one.lower() for one in _added(pieces)]
    text, ends = "".join(added), list(accumulate(map(len, added)))
    words = [(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]
    inside = [False] * len(text)
    for keyword in keywords:
        wanted = words_of((keyword,))
        for first in range(len(words) - len(wanted) + 1 if wanted else 0):
            run = words[first : first + len(wanted)]
            if [word for word, _, _ in run] == wanted:
                inside[run[0][1] : run[-1][2]] = [True] * (run[-1][2] - run[0][1])
    # The space that a piece may begin with is its own and in no keyword of one word: some other character must be.
    return tuple(
        int(any(inside[place] and text[place] != " " for place in range(end - len(one), end)))
        for one, end in zip(added, ends, strict=True)
    )


def _added(pieces: Iterable[str]) -> list[str]:
    """What each piece adds to the line of text: a space in front where a word begins, nothing if it is special."""
    listed = list(pieces)
    marked = any(piece.startswith(WORD_STARTS) for piece in listed if piece not in SPECIAL_PIECES)
    found = []
    for piece in listed:
        if piece in SPECIAL_PIECES:
            found.append("")
        elif piece.startswith(CONTINUED):
            found.append(piece[len(CONTINUED) :])
        elif marked and not piece.startswith(WORD_STARTS):
            found.append(piece)
        else:
            found.append(" " + piece.lstrip("".join(WORD_STARTS)))
    return found
