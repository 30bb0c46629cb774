"""A public and a private part of one set of texts: what an adversary trains on, and what it attacks.

gu2023 calls the attack on the private part after training on the public part of the same set "white box". The public
part is the split "train", the private part the split "test".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.pieces import words_of
from divulge.records import Record, Text
from divulge.seeds import generator
from divulge.vocabularies import pieces_by

__all__ = ["PrivatePart", "distinct", "near_copies", "with_private_part"]


BEGINNING = 15  # words or pieces; encoders are audited on so many


class PrivatePart(Record):
    """The share of texts that are private, the seed of the draw, and how near a private text may come to a public one.

    With `near`, private texts whose set of words has at least that Jaccard similarity to the words of some public text
    are left out of the corpus; so are those of which that is true of the first 15 words. An encoder is asked for the
    first 15 word pieces, which are fewer words: `near_pieces` names its tokenizer (a model that comes in a package, or
    a folder), and the sets of those pieces are compared too.
    """

    private: Annotated[float, Field(gt=0, lt=1)] = 0.2
    seed: int = 0
    near: Annotated[float, Field(gt=0, le=1)] | None = None
    near_pieces: str | None = None


def distinct(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Each text once, in the order of first appearance; texts without words are dropped."""
    found: dict[tuple[str, ...], Text] = {}
    for text in texts:
        if text.tokens:
            found.setdefault(text.tokens, text)
    return tuple(found.values())


def with_private_part(texts: Sequence[Text], options: PrivatePart, name: str) -> tuple[Text, ...]:
    """Gives each text its split at random, public texts first; the order is otherwise kept.

    Texts that are equal up to case and punctuation come to the same side, so one may be over or under the share.
    """
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        alike[tuple(words_of(text.tokens)) or text.tokens].append(place)
    groups = list(alike.values())
    wanted = min(max(1, round(options.private * len(texts))), len(texts) - 1)
    private: set[int] = set()
    for group in generator(options.seed, "private part", name).permutation(len(groups))[: len(groups) - 1]:
        if len(private) >= wanted:
            break
        private.update(groups[group])
    public = [replace(text, split="train") for place, text in enumerate(texts) if place not in private]
    hidden = [replace(texts[place], split="test") for place in sorted(private)]
    if options.near is not None:
        copies = near_copies(hidden, public, options.near, options.near_pieces)
        hidden = [text for text, copy in zip(hidden, copies, strict=True) if not copy]
    return (*public, *hidden)


def near_copies(texts: Sequence[Text], others: Sequence[Text], near: float, tokenizer: str | None = None) -> list[bool]:
    """Whether each text has one among the others whose set of lower-case words is as similar as `near`, or more.

    Whole texts are compared, their first words, and their first pieces where a tokenizer is named.
    """
    ways: list[Callable[[Sequence[Text]], list[set[str]]]] = [_whole, _beginnings]
    if tokenizer is not None:
        ways.append(partial(_first_pieces, tokenizer))
    found = [_near(way(texts), way(others), near) for way in ways]
    return [any(one) for one in zip(*found, strict=True)]


def _whole(texts: Sequence[Text]) -> list[set[str]]:
    return [set(words_of(text.tokens)) for text in texts]


def _beginnings(texts: Sequence[Text]) -> list[set[str]]:
    return [set(words_of(text.tokens[:BEGINNING])) for text in texts]


def _first_pieces(tokenizer: str, texts: Sequence[Text]) -> list[set[str]]:
    return [set(cut) for cut in pieces_by(tokenizer, [" ".join(text.tokens) for text in texts], BEGINNING)]


def _near(texts: Sequence[set[str]], others: Sequence[set[str]], near: float) -> list[bool]:
    sizes = np.array([len(words) for words in others])
    listed: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(others):
        for word in words:
            listed[word].append(place)
    places = {word: np.array(found) for word, found in listed.items()}
    found = []
    for words in texts:
        shared = np.zeros(len(others))
        for word in words & places.keys():
            shared[places[word]] += 1
        # The Jaccard similarity is shared / (sizes + len(words) - shared); without a division two empty sets differ.
        found.append(bool(np.any((shared > 0) & (shared >= near * (sizes + len(words) - shared)))))
    return found
