"""Word pieces: how tokenizers spell words, and how to read them again as words."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["SPECIAL_PIECES", "spoken", "words_of"]

SPECIAL_PIECES = frozenset({"[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "<|endoftext|>"})
WORD_STARTS = ("Ġ", "▁")  # how byte-pair and sentence-piece vocabularies mark the start of a word
CONTINUED = "##"  # how word-piece vocabularies mark what goes on


def spoken(pieces: Iterable[str]) -> str:
    """Joins word pieces, or words, into a line of text; special pieces are left out.

    >>> spoken(("[CLS]", "scan", "of", "ab", "##dom", "##en", "[SEP]"))
    'scan of abdomen'
    >>> spoken(("Ġscan", "Ġof", "Ġab", "domen"))
    'scan of abdomen'
    """
    text = ""
    shown = [piece for piece in pieces if piece not in SPECIAL_PIECES]
    marked = any(piece.startswith(WORD_STARTS) for piece in shown)
    for piece in shown:
        if piece.startswith(CONTINUED):
            text += piece[len(CONTINUED) :]
        elif marked and not piece.startswith(WORD_STARTS):
            text += piece
        else:
            text += " " + piece.lstrip("".join(WORD_STARTS))
    return text.strip()


def words_of(pieces: Iterable[str]) -> list[str]:
    """Joins word pieces into lower-case words without punctuation.

    >>> words_of(("[CLS]", "x", "-", "ray", "of", "the", "ab", "##dom", "##en"))
    ['x', 'ray', 'of', 'the', 'abdomen']
    """
    return re.findall(r"[^\W_]+", spoken(pieces).lower())
