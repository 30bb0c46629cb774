"""The three verbs of an attack."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from divulge.access import Access
from divulge.adversary import Background, Knowledge
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint

__all__ = ["Attack"]


class Attack(Part):
    """Guesses secrets from hints, through the access it requires.

    Subclasses fill one form in their docstring: *Paper*, *Needs*, *Idea*, *Cost*, *Differs from the paper*.
    """

    requires: ClassVar[tuple[type[Access], ...]]
    hints: ClassVar[tuple[type[Hint], ...]]
    needs_practice: ClassVar[bool] = False
    # Of these levels any one will do, beside all that `requires` names: the same idea for labels and for tokens.
    requires_one_of: ClassVar[tuple[type[Access], ...]] = ()
    # Beside `revision`, of what is found where this level is all that is granted: what was found at others stands.
    revisions_at: ClassVar[Mapping[type[Access], int]] = {}
    asks_about_controls: ClassVar[bool] = False  # of the background, to calibrate a p-value on them
    # Options that learn in seconds on a small corpus: enough to try the attack, not to judge a model by.
    trial: ClassVar[Mapping[str, Any]] = {}

    # Of leaked rows, which it reads: one vector a token, one a text, or either (None).
    rows: ClassVar[Literal["unpooled", "pooled"] | None] = None

    @property
    def asks_practice(self) -> bool:
        """Whether, with these options, it asks online too: `knowledge.practice` then holds the adversary's models."""
        return False

    @property
    def learns_from_pool(self) -> bool:
        """Whether, with these options, it compares the adversary's own models of one pool of people with each other."""
        return False

    @property
    def asks_about_pool(self) -> bool:
        """Whether, with these options, it asks about people of the adversary's own models, as known to be out."""
        return False

    @property
    def needs_corpus(self) -> bool:
        """Whether, with these options, it needs public texts to prepare on."""
        return False

    @property
    def told_tokens(self) -> int:
        """How many true tokens of each private text it is told, and all their vocabulary, if any.

        No adversary has that. It is for published protocols that gave it away, so that they can be run again as they
        were; whatever such an attack finds says nothing about a leak.
        """
        return 0

    @property
    def fewest_controls(self) -> int:
        """How many secrets known to be out it needs to compare with, with these options."""
        return 0

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Learns offline what can be learnt before the target is asked; cached and shared by cells."""
        del background, rng
        return Artefact()

    @abstractmethod
    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Knowledge, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Answers, secret by secret, what an adversary would; `hints` is keyed by secret id."""

    def score(
        self, access: Grant, hint: Hint, completions: Sequence[tuple[str, ...]], knowledge: Knowledge
    ) -> FloatArray:
        """Says how strongly it believes each completion; larger is stronger. Optional: see `can_score`."""
        raise NotImplementedError(f"{self.name} does not score completions")

    @classmethod
    def can_score(cls) -> bool:
        """Whether this attack can score completions, and so be measured by rank and exposure."""
        return cls.score is not Attack.score

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:  # noqa: ARG003 - subclasses use them
        """Estimates the examples asked per secret, for `divulge check`; None = unknown."""
        return None

    @classmethod
    def cost_at(cls, options: Part.Options, hint: Hint, levels: Sequence[type[Access]]) -> int | None:  # noqa: ARG003
        """What `cost` says, for attacks that ask less, or more, where these levels are granted."""
        return cls.cost(options, hint)

    @classmethod
    def most_times(cls, options: Part.Options, hint: Hint, levels: Sequence[type[Access]]) -> int:  # noqa: ARG003
        """How many times what `cost` says may be asked at most, where no more than these levels is granted."""
        return 1
