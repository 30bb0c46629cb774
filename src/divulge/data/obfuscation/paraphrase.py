"""A paraphraser of our own: other words, contractions written out or made, now and then another order.

It stands in where no translator is installed, and is rougher than one: half of the content words become the word that
stands in the most similar company in the same data set, whatever it means. Rare words, those that name things and
people, stay, as a translator leaves what it does not know. So it tells whether a model knows more than the very words,
and not how well a good translator hides somebody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.obfuscation.neighbours import neighbours_in
from divulge.seeds import generator

__all__ = ["Paraphraser", "reworded"]

REPLACED = 0.5  # of the content words that have a neighbour
SWAPPED = 0.05  # of two words side by side
REVISION = 1

NEGATED = ("are", "could", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "would")
WRITTEN_OUT: dict[str, tuple[str, ...]] = {
    **{f"{verb}n't": (verb, "not") for verb in NEGATED},
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "i'm": ("i", "am"),
    "let's": ("let", "us"),
    **{f"{who}'re": (who, "are") for who in ("they", "we", "you")},
    **{f"{who}'ve": (who, "have") for who in ("i", "they", "we", "you")},
    **{f"{who}'ll": (who, "will") for who in ("he", "i", "it", "she", "they", "we", "you")},
    **{f"{who}'s": (who, "is") for who in ("he", "it", "she", "that", "there", "what", "who")},
}
CONTRACTED = {written: word for word, written in WRITTEN_OUT.items()}


@dataclass(frozen=True)
class Paraphraser:
    """Rewrites texts word by word; each text for itself, by chance that depends on the seed and the text alone."""

    language: str = ""  # any: there is nothing to choose

    def version(self) -> str:
        """The number of what is above."""
        return f"words {REVISION}"

    def rewrite(self, texts: Sequence[tuple[str, ...]], corpus: Corpus, seed: int) -> list[tuple[str, ...]]:
        """Each text in the words of its data set."""
        neighbours = neighbours_in(SameCorpus(corpus))
        return [reworded(text, neighbours, generator(seed, "obfuscation", *text)) for text in texts]


def reworded(text: tuple[str, ...], neighbours: Mapping[str, str], rng: np.random.Generator) -> tuple[str, ...]:
    """Changes contractions, then each word with a neighbour by a coin, then the order of few words side by side."""
    words = _other_contractions(text)
    coins = rng.random(len(words))
    changes = [coin < REPLACED and word not in WRITTEN_OUT for word, coin in zip(words, coins, strict=True)]
    words = [neighbours.get(word, word) if change else word for word, change in zip(words, changes, strict=True)]
    coins, place = rng.random(len(words)), 0
    while place < len(words) - 1:
        if coins[place] < SWAPPED and words[place][:1].isalpha() and words[place + 1][:1].isalpha():
            words[place : place + 2] = words[place + 1], words[place]
            place += 1  # a word is moved once
        place += 1
    return tuple(words)


def _other_contractions(text: tuple[str, ...]) -> list[str]:
    words: list[str] = []
    place = 0
    while place < len(text):
        both = text[place : place + 2]
        if both in CONTRACTED:
            words.append(CONTRACTED[both])
            place += 1
        else:
            words += WRITTEN_OUT.get(text[place], (text[place],))
        place += 1
    return words
