"""Sentences with entities in them: what leaked vectors may give away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.synthetic.drawing import different, with_splits
from divulge.data.synthetic.grammar import Grammar, spans
from divulge.data.synthetic.incidents import DOMAINS, ENTITIES, SKEW, WORDING
from divulge.records import Record, Text
from divulge.seeds import generator

__all__ = ["SyntheticSentences"]

Domain = Literal["clinic", "court", "flights", "parcels"]


class SyntheticSentences(DataSet):
    """Sentences of several trades; keywords are their entities, the label is the trade.

    `train` is the public part, `test` the private one. An entity may be of two words, with a space between them.
    """

    name = "synthetic-sentences"
    summary = "Made sentences of four trades with made-up towns, firms, drugs and persons as keywords."
    fields = ("label", "keywords")
    splits = ("train", "test")
    source = "Made by a grammar of Divulge's own."
    licence = "Apache-2.0, as Divulge."
    shares: ClassVar[Mapping[str, float]] = {"test": 0.2}

    class Options(Record):
        """How many sentences, of which domains, from which seed."""

        size: Annotated[int, Field(ge=1, le=1_000_000)] = 3000
        domains: Annotated[tuple[Domain, ...], Field(min_length=1)] = ("clinic", "court", "flights", "parcels")
        seed: int = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Makes the sentences, each of a domain drawn at random."""
        del root
        rng = generator(self.options.seed, self.name)
        grammar = Grammar({**DOMAINS, **ENTITIES, **WORDING}, SKEW)
        domains = sorted(set(self.options.domains))

        def make() -> Text:
            domain = domains[int(rng.random() * len(domains))]
            tokens, tags = grammar.expand(domain, rng)
            return Text(tokens=tokens, label=domain, keywords=spans(tokens, tags))

        size = self.options.size
        return Corpus(with_splits(different(make, size), size, self.shares), self.name)
