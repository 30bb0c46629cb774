"""How much of a text an encoder reads, and how much of that is asked for: a row's vectors know what comes behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from divulge.access import TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError

__all__ = ["PUBLISHED", "Reading"]

PUBLISHED = 128  # word pieces that gu2023 hands to its encoders


@dataclass(frozen=True)
class Reading:
    """The first `tokens` of a text are those of its row, and the encoder reads its first `pieces` word pieces.

    What is counted in `tokens` are pieces, or words.
    """

    tokens: int
    pieces: int
    in_words: bool

    @classmethod
    def of(cls, tokens: int, context: int | None, *, pooled: bool, in_words: bool) -> Reading:
        """As a recipe says it.

        Raises:
            InputError: A pooled vector would be of more than what is asked for, or a row longer than what is read.
        """
        if pooled and context not in (None, tokens):
            raise InputError(
                f"recipe.context: a pooled vector is of all that is read, and the answer is the first {tokens} tokens "
                f"of it. Got {context}: leave it out, and set recipe.tokens to how many are pooled"
            )
        if not in_words and context is not None and context < tokens:
            raise InputError(f"recipe.context must be at least recipe.tokens ({tokens}). Got {context}")
        return cls(tokens, tokens if pooled else max(tokens, PUBLISHED if context is None else context), in_words)

    @property
    def goes_on(self) -> bool:
        """Whether more may be read than is asked for."""
        return self.pieces > self.tokens

    def corpus(self, tokenizer: Any, texts: Corpus, written: Sequence[str]) -> Corpus:
        """The texts as they are read; `written` holds each as one string."""
        from divulge.targets.networks.tokenizing import pieces_of

        if not self.in_words:
            return texts.recut(pieces_of(tokenizer, written, self.pieces), self.tokens)
        first, read = texts.first_tokens(self.tokens), self.cut(tokenizer, [text.tokens for text in texts])
        both = zip(first, read, strict=True)
        return replace(first, texts=tuple(replace(text, rest=whole[self.tokens :]) for text, whole in both))

    def cut(self, tokenizer: Any, texts: Sequence[TokenTuple], room: int | None = None) -> list[TokenTuple]:
        """What is read of texts that come in tokens, by an encoder with room for so many pieces.

        The tokens of the row itself are never cut: what has no room for them must say so.
        """
        most = self.pieces if room is None else min(self.pieces, room)
        if not self.in_words:
            return [text[: max(self.tokens, most)] for text in texts]
        if not self.goes_on:
            return [text[: self.tokens] for text in texts]
        from divulge.targets.networks.tokenizing import words_within

        counts = words_within(tokenizer, texts, most)
        return [text[: max(self.tokens, count)] for text, count in zip(texts, counts, strict=True)]
