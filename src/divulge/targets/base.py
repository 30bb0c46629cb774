"""What a target is: something that can be trained on a corpus, kept, and asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from divulge.access import Access, TokenTuple
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, Hint
from divulge.targets.training.recipe import PrivateRecipe

__all__ = ["Target"]


class Target(Part):
    """A model under audit. Its `Options` are its recipe: pure data, so that the key sees every change."""

    grants: ClassVar[tuple[type[Access], ...]]
    hints: ClassVar[tuple[type[Hint], ...]]
    is_tagger: ClassVar[bool] = False  # gives tags to words: LabelAccess.tags has an answer
    labels_texts: ClassVar[bool] = True  # gives labels to texts, where it is a classifier or tagger at all
    # Learns from the corpus; False: reads a finished model, which knows what it knows whatever the corpus is.
    learns: bool = True  # some targets do either, by their recipe
    # A recipe that trains in seconds on a small corpus: enough to try the target, not to audit it.
    trial: ClassVar[Mapping[str, Any]] = {}

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """What it grants with these options: `grants`, or less."""
        return self.grants

    @property
    def is_private(self) -> bool:
        """Whether it is trained with differential privacy: then its artefact tells an epsilon."""
        return isinstance(self.options, PrivateRecipe) and self.options.noise is not None

    @property
    def reads(self) -> int | None:
        """How many tokens of a text it takes in at most; what is behind a row is judged by these. None: all."""
        return None

    @property
    def cuts_texts(self) -> bool:
        """Whether `as_read` gives more than beginnings: tokens of its own, or also what it reads behind them."""
        return False

    def as_read(self, corpus: Corpus) -> Corpus:
        """The texts in the tokens that it takes in: what its rows line up with, and secrets are judged by."""
        return corpus.first_tokens(self.reads)

    @property
    def practised(self) -> Target | None:
        """What an adversary practises on who is told no other, where that is not this kind of model. None: it is."""
        return None

    @property
    def width(self) -> int | None:
        """How many numbers a vector of its rows has, where that is known before anything runs."""
        return None

    @property
    def pools(self) -> bool | None:
        """Whether its rows are one vector a text, and not one a token; None where that is not known before."""
        return None

    @property
    def files(self) -> tuple[Path, ...]:
        """What it reads beside the corpus, whose content is in the key: a finished model, word vectors."""
        path = getattr(self.options, "path", None)
        return () if path is None else (Path(path),)

    @property
    def known_labels(self) -> tuple[str, ...]:
        """The labels that a finished model knows, where they are known before anything runs; else none."""
        return ()

    @property
    def known_tags(self) -> tuple[str, ...]:
        """The tags that a finished tagger knows, where they are known before anything runs; else none."""
        return ()

    @property
    def told_words(self) -> frozenset[str] | None:
        """All words that it will know, where that is told before it is trained; None where it is not."""
        return None

    def misfits(self, corpus: Corpus) -> list[str]:
        """Why it cannot be a model of this corpus, as far as that is seen before anything runs."""
        del corpus
        return []

    def overlong(self, texts: Sequence[TokenTuple]) -> str | None:
        """Tells, of texts that it does not read to their end, how many there are and what it reads; None: of none."""
        del texts
        return None

    def cautions(self, corpus: Corpus, words: Sequence[str], what: str) -> list[str]:
        """What an audit should know in which these words matter, as sentences without a full stop.

        `what` is what they are called there: words to look for, or words that the adversary is told.
        """
        del corpus, words, what
        return []

    @abstractmethod
    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the corpus (or reads an existing model) and returns all that is needed to open it again."""

    @abstractmethod
    def open(self, artefact: Artefact) -> Grant:
        """Grants the accesses of a trained model."""
