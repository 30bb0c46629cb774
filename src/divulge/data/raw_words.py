"""From raw text to words, one way for all sets whose texts people wrote: lower case, marks as words of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["LOST", "pieces", "words_in"]

LOST = "\ufffd"  # stands where a file lost a character
PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"'})
RUN = re.compile(r"([^\w\s])\1+")
WORD = re.compile(
    r"(?:[cdjlmnst]|[a-z]*qu)'(?=[^\W_])"  # what French elides: l'affaire, jusqu'ici
    r"|\d+(?:[.,]\d+)+"
    r"|[^\W_]+(?:['-][^\W_]+)*"
    r"|[^\w\s]|_+"
)


def words_in(text: str) -> tuple[str, ...]:
    """The words of a text in lower case; each mark is a word, and so is a run of the same mark.

    A contraction or a compound is one word; in French, what is elided is a word of its own.

    >>> words_in("Don't pay $1,000 for a well-made one!!!")
    ("don't", 'pay', '$', '1,000', 'for', 'a', 'well-made', 'one', '!')
    >>> words_in("L’affaire d'aujourd'hui")
    ("l'", 'affaire', "d'", "aujourd'hui")
    """
    return tuple(WORD.findall(RUN.sub(r"\1", text.lower().translate(PLAIN))))


def pieces(words: tuple[str, ...], longest: int, shortest: int = 1) -> Iterator[tuple[str, ...]]:
    """Cuts words into pieces of `longest`, the last one what is left; pieces below `shortest` are dropped."""
    for start in range(0, len(words), longest):
        piece = words[start : start + longest]
        if len(piece) >= shortest:
            yield piece
