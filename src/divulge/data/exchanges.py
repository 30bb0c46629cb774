"""Exchanges of a conversation: somebody's words, and what another one answers."""

from __future__ import annotations

from collections.abc import Iterator

from divulge.data.raw_words import LOST, words_in
from divulge.records import Text

__all__ = ["answered"]


def answered(before: str, answer: str, longest: int, user: str | None = None) -> Iterator[Text]:
    """The answer with what it answers as its context; nothing if one has no word, or has lost a character.

    Of an answer the first `longest` words are kept, of what it answers the last, which are next to it.
    """
    if LOST in before or LOST in answer:
        return
    context, tokens = words_in(before), words_in(answer)
    if context and tokens:
        yield Text(tokens[:longest], context=context[-longest:], user=user)
