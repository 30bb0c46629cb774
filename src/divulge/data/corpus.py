"""A corpus: texts with labels, tags, users and splits, and a fingerprint of exactly that content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from divulge.canonical import canonical_json
from divulge.pieces import words_of
from divulge.records import Planting, Text

__all__ = ["Corpus", "SameCorpus", "spelt_text"]

NAMES = tuple(field.name for field in fields(Text))  # `rest` is the last


@dataclass(frozen=True)
class Corpus:
    """An immutable sequence of texts."""

    texts: tuple[Text, ...]
    name: str = "unnamed"

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Text]:
        return iter(self.texts)

    @cached_property
    def content(self) -> bytes:
        """Every text in order, one a line: written once, since it is hashed again and again."""
        return b"".join(map(spelt_text, self.texts))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of every text in order: two corpora of the same fingerprint train the same model."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All labels, sorted."""
        return tuple(sorted({text.label for text in self.texts if text.label is not None}))

    @cached_property
    def users(self) -> tuple[str, ...]:
        """All users, sorted."""
        return tuple(sorted({text.user for text in self.texts if text.user is not None}))

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """All splits, sorted."""
        return tuple(sorted({text.split for text in self.texts}))

    @cached_property
    def leaked(self) -> Corpus:
        """The texts that leaked rows stand for: the training split, or everything if no text is of that split."""
        training = self.split("train")
        return training if len(training) else self

    def split(self, *names: str) -> Corpus:
        """The texts of these splits only."""
        return replace(self, texts=tuple(text for text in self.texts if text.split in names))

    def first_tokens(self, most: int | None) -> Corpus:
        """The beginnings of all texts, with the keywords whose words are all in them; None: the texts as they are."""
        if most is None:
            return self
        return replace(self, texts=tuple(_beginning(text, most) for text in self.texts))

    def recut(self, tokens: Sequence[tuple[str, ...]], most: int | None = None) -> Corpus:
        """The texts in other tokens, one tuple for each; keywords stay where all their words can still be read.

        What comes behind the first `most` tokens is kept as the rest of a text.
        """
        cuts = [(cut[:most], () if most is None else cut[most:]) for cut in tokens]
        return replace(self, texts=tuple(_in_pieces(text, *cut) for text, cut in zip(self.texts, cuts, strict=True)))

    def of_users(self, users: Iterable[str]) -> Corpus:
        """The texts of these users only."""
        wanted = set(users)
        return replace(self, texts=tuple(text for text in self.texts if text.user in wanted))

    def with_plantings(self, plantings: Iterable[Planting]) -> Corpus:
        """The corpus with each planting's copies added at the end; training shuffles anyway."""
        added = [
            Text(tokens=p.text, label=p.label, tags=p.tags, split=p.split, planted=True)
            for p in plantings
            for _ in range(p.copies)
        ]
        return replace(self, texts=(*self.texts, *added))


class SameCorpus:
    """A corpus by what it is, not by what is in it: for caches, where to compare 13,000 texts would take too long."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameCorpus) and self.corpus is other.corpus

    def __hash__(self) -> int:
        return id(self.corpus)


def spelt_text(text: Text) -> bytes:
    """A text as fingerprints read it: all its fields in a line; one without a rest is what it was before there were."""
    # What `dataclasses.astuple` gives, which copies every word.
    return canonical_json([getattr(text, name) for name in (NAMES if text.rest else NAMES[:-1])]).encode() + b"\n"


def _beginning(text: Text, most: int) -> Text:
    if len(text.tokens) <= most:
        return text
    kept = text.tokens[:most]
    tags = None if text.tags is None else text.tags[:most]
    return replace(text, tokens=kept, tags=tags, keywords=_legible(text.keywords, kept))


def _in_pieces(text: Text, pieces: tuple[str, ...], rest: tuple[str, ...]) -> Text:
    return replace(text, tokens=pieces, tags=None, keywords=_legible(text.keywords, pieces), rest=rest)


def _legible(keywords: tuple[str, ...], pieces: tuple[str, ...]) -> tuple[str, ...]:
    """The keywords all of whose words can be read in the pieces, whatever punctuation stands around them."""
    read = set(words_of(pieces))
    return tuple(word for word in keywords if words_of((word,)) and read.issuperset(words_of((word,))))
