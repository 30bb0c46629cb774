"""Utterances to a voice assistant, with an intent and IOB slot tags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.synthetic.commands import FILLERS, INTENTS, SKEW
from divulge.data.synthetic.drawing import different, with_splits
from divulge.data.synthetic.grammar import Grammar
from divulge.records import Record, Text
from divulge.seeds import generator

__all__ = ["SyntheticUtterances"]


class SyntheticUtterances(DataSet):
    """Ten intents; slots share their words (names, titles, numbers, towns): only the context tells them apart."""

    name = "synthetic-utterances"
    summary = "Made voice-assistant utterances with ten intents and IOB slot tags."
    fields = ("label", "tags")
    splits = ("train", "valid", "test")
    source = "Made by a grammar of Divulge's own."
    licence = "Apache-2.0, as Divulge."
    shares: ClassVar[Mapping[str, float]] = {"valid": 0.1, "test": 0.1}

    class Options(Record):
        """How many utterances, from which seed."""

        size: Annotated[int, Field(ge=1, le=1_000_000)] = 3000
        seed: int = 0

    def load(self, root: Path | None = None) -> Corpus:
        """Makes the utterances, each of an intent drawn at random."""
        del root
        rng = generator(self.options.seed, self.name)
        grammar = Grammar({**INTENTS, **FILLERS}, SKEW)
        labels = list(INTENTS)

        def make() -> Text:
            label = labels[int(rng.random() * len(labels))]
            tokens, tags = grammar.expand(label, rng)
            return Text(tokens=tokens, tags=tags, label=label)

        size = self.options.size
        return Corpus(with_splits(different(make, size), size, self.shares), self.name)
