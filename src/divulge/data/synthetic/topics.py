"""Topical texts: a topic is a mixture of fields of meaning that other topics draw on too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.synthetic.clauses import CLAUSES, CONTENT
from divulge.data.synthetic.drawing import cumulative, different, skewed, with_splits
from divulge.data.synthetic.grammar import Grammar
from divulge.data.synthetic.lexicon import FIELDS
from divulge.records import FloatArray, Record, Text
from divulge.seeds import generator

__all__ = ["SyntheticTopics"]

# Every field serves several topics, and neighbours in this list share most: any first few are hard to tell apart.
TOPICS: Mapping[str, Mapping[str, int]] = {
    "gardening": {"plants": 4, "weather": 2, "tools": 2, "home": 1},
    "farming": {"plants": 3, "animals": 3, "weather": 2, "tools": 1},
    "cooking": {"food": 4, "home": 2, "plants": 2, "money": 1},
    "dining": {"food": 4, "city": 3, "money": 2},
    "sailing": {"water": 4, "weather": 3, "journey": 2, "tools": 1},
    "travel": {"journey": 4, "city": 3, "weather": 1, "water": 2},
    "wildlife": {"animals": 4, "plants": 2, "water": 2, "weather": 1},
    "building": {"tools": 4, "home": 3, "money": 1, "city": 1},
    "fitness": {"body": 4, "sport": 3, "food": 1, "journey": 1},
    "football": {"sport": 4, "body": 3, "city": 1, "money": 1},
    "medicine": {"health": 4, "body": 3, "science": 2, "food": 1},
    "nursing": {"health": 4, "home": 2, "body": 2, "science": 1},
    "banking": {"money": 4, "law": 2, "office": 2, "computers": 1},
    "justice": {"law": 4, "office": 2, "history": 1, "money": 1},
    "computing": {"computers": 4, "office": 3, "science": 2},
    "research": {"science": 4, "school": 3, "computers": 1, "books": 1},
    "schooling": {"school": 4, "books": 3, "sport": 1, "science": 1},
    "literature": {"books": 4, "history": 3, "media": 1, "school": 1},
    "cinema": {"media": 4, "music": 2, "books": 1, "history": 1},
    "concerts": {"music": 4, "media": 2, "city": 2, "journey": 1},
}
STRAY = 0.15  # the share of any field at all
FOCUS = 20.0  # how close one text's mixture is to its topic's
SHORTEST, LONGEST = 12, 25


class SyntheticTopics(DataSet):
    """Texts of 12 to 25 words about one of several topics that share their vocabulary."""

    name = "synthetic-topics"
    summary = "Made texts of 12 to 25 words on up to 20 topics that share their words."
    fields = ("label",)
    splits = ("train", "valid", "test")
    source = "Made by a grammar of Divulge's own."
    licence = "Apache-2.0, as Divulge."
    shares: ClassVar[Mapping[str, float]] = {"valid": 0.1, "test": 0.1}

    class Options(Record):
        """How many texts and topics, from which seed."""

        size: Annotated[int, Field(ge=1, le=1_000_000)] = 3000
        topics: Annotated[int, Field(ge=2, le=len(TOPICS))] = 10
        seed: int = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Makes the texts, each of a topic drawn at random."""
        del root
        rng = generator(self.options.seed, self.name)
        grammar = Grammar({**CLAUSES, **CONTENT})
        words = {kind: _words_by_field(kind) for kind in ("noun", "verb", "adjective")}
        labels = list(TOPICS)[: self.options.topics]
        mixtures = {label: _mixture(label) for label in labels}

        def make() -> Text:
            label = labels[int(rng.random() * len(labels))]
            fields = rng.dirichlet(FOCUS * mixtures[label])
            habits = {kind: cumulative(fields @ matrix) for kind, matrix in words.items()}
            return Text(tokens=_tokens(grammar, rng, habits), label=label)

        size = self.options.size
        return Corpus(with_splits(different(make, size), size, self.shares), self.name)


def _tokens(grammar: Grammar, rng: np.random.Generator, habits: Mapping[str, list[float]]) -> tuple[str, ...]:
    """Links clauses until the text is long enough; one that got too long is begun anew."""
    while True:
        tokens, _ = grammar.expand("clause", rng, habits)
        while len(tokens) < SHORTEST:
            link, _ = grammar.expand("link", rng)
            clause, _ = grammar.expand("clause", rng, habits)
            tokens += link + clause
        if len(tokens) <= LONGEST:
            return tokens


def _mixture(label: str) -> FloatArray:
    shares = np.array([TOPICS[label].get(field, 0) for field in FIELDS], dtype=np.float64)
    return np.asarray((1 - STRAY) * shares / shares.sum() + STRAY / len(FIELDS), dtype=np.float64)


def _words_by_field(kind: str) -> FloatArray:
    """How likely each word of this kind is, given the field: a row a field."""
    rows = [getattr(field, f"{kind}s") for field in FIELDS.values()]
    matrix = np.zeros((len(rows), sum(map(len, rows))))
    start = 0
    for place, row in enumerate(rows):
        matrix[place, start : start + len(row)] = skewed(len(row), 0.5)
        start += len(row)
    return matrix
