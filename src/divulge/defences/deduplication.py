"""Keeps at most so many copies of one training text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.records import Record, Text

__all__ = ["Deduplication"]


class Deduplication(Defence):
    """Drops copies of a text beyond the first few, in every split.

    Paper: none of the four; the usual first measure against memorisation of repeated texts.
    Needs: the training corpus.
    Idea: A text that occurs R times is memorised far better than one that occurs once. Texts are alike if tokens,
        context and label are: copies of a canary are. What differs in one word or in its label is no copy, so that
        near-duplicates stay, and with them texts that lead to a canary (as supporting canaries in other classes do).
    Cost: one pass over the corpus.
    """

    name = "deduplication"
    summary = "keep at most `copies` of one training text"
    changes_corpus = True
    harmless: ClassVar[Mapping[str, Any]] = {"copies": None}

    class Options(Record):
        """How many copies stay; None = all, which changes nothing."""

        copies: Annotated[int, Field(ge=1)] | None = 1

    def on_corpus(self, corpus: Corpus) -> Corpus:
        """Drops what exceeds the number of copies, in order of appearance."""
        if self.options.copies is None:
            return corpus
        seen: Counter[object] = Counter()
        kept: list[Text] = []
        for text in corpus:
            alike = (text.tokens, text.context, text.label, text.split)
            seen[alike] += 1
            if seen[alike] <= self.options.copies:
                kept.append(text)
        return replace(corpus, texts=tuple(kept))
