"""The obfuscators by name, and the texts of people rewritten by one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.obfuscation.apertium import Apertium
from divulge.data.obfuscation.paraphrase import Paraphraser
from divulge.errors import InputError
from divulge.records import Secret, UserTexts

__all__ = ["OBFUSCATORS", "Obfuscator", "obfuscated", "obfuscator_named"]

Words = tuple[str, ...]


class Obfuscator(Protocol):
    """Says the same in other words, always the same ones: a case is made several times in a run."""

    def version(self) -> str:
        """All that a rewriting depends on but texts, corpus and seed, as a hash or a number.

        Raises:
            InputError: What it needs is not installed.
        """

    def rewrite(self, texts: Sequence[Words], corpus: Corpus, seed: int) -> list[Words]:
        """Each text in other words, none of them empty; `corpus` is the whole data set that they come from."""


# By the first word of the name; what follows the hyphen is the language.
OBFUSCATORS: dict[str, Callable[[str], Obfuscator]] = {"apertium": Apertium, "words": Paraphraser}
SHAPE = re.compile(r"words|apertium-[a-z]{2,3}")
ALLOWED = (
    "'words', or 'apertium-LANG' with the code of a language that Apertium translates English into, as in 'apertium-es'"
)


def obfuscator_named(name: str) -> Obfuscator:
    """The obfuscator of this name.

    Raises:
        InputError: There is none.
    """
    kind, _, language = name.partition("-")
    if SHAPE.fullmatch(name) is None:
        raise InputError(f"secrets.obfuscation: {name!r} is none. Allowed: {ALLOWED}")
    return OBFUSCATORS[kind](language)


def obfuscated(secrets: Sequence[Secret], name: str | None, corpus: Corpus, seed: int) -> tuple[Secret, ...]:
    """Secrets about people with their texts rewritten, as many as before; without a name, the secrets as they are.

    What stood before a text was written by others, or is the source of a translation: it stays.
    """
    if name is None:
        return tuple(secrets)
    texts = tuple(passage.tokens for secret in secrets for passage in _hint(secret).examples)
    new = iter(_rewritten(name, texts, SameCorpus(corpus), seed))
    return tuple(secret.model_copy(update={"hint": _reworded(_hint(secret), new)}) for secret in secrets)


# A run makes a case several times, and asks about people known to be out beside it.
@lru_cache(maxsize=4)
def _rewritten(name: str, texts: tuple[Words, ...], same: SameCorpus, seed: int) -> tuple[Words, ...]:
    found = obfuscator_named(name).rewrite(texts, same.corpus, seed)
    return tuple(new or old for new, old in zip(found, texts, strict=True))


def _reworded(hint: UserTexts, new: Iterator[Words]) -> UserTexts:
    """The hint with the next rewritten texts in the place of its own."""
    passages = (passage.model_copy(update={"tokens": next(new)}) for passage in hint.examples)
    return UserTexts(examples=tuple(passages))


def _hint(secret: Secret) -> UserTexts:
    assert isinstance(secret.hint, UserTexts)
    return secret.hint
