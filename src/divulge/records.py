"""What there is to find, what was guessed, what came of it: frozen, strict, JSON both ways.

No record holds a mutable value, a non-finite number or an unknown key. Secrets and guesses hold raw text and
stay in the store; outcomes and measurements (in `outcomes.py`, and to be had from here) hold none and may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.canonical import FrozenMapping, Record
from divulge.outcomes import Arm, Check, Failure, Measurement, Outcome, RunResults, SpecResult

__all__ = [
    "Answer",
    "Arm",
    "Artefact",
    "Check",
    "Failure",
    "FloatArray",
    "FrozenMapping",
    "Gaps",
    "Guess",
    "Hint",
    "Keywords",
    "LeakedRow",
    "Measurement",
    "Member",
    "Outcome",
    "Passage",
    "Planting",
    "Ranking",
    "Record",
    "RecordText",
    "Revealed",
    "RowContent",
    "RunResults",
    "Secret",
    "SpecResult",
    "Standing",
    "Telling",
    "Text",
    "Tokens",
    "UserTexts",
    "Verdict",
]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a corpus, in tokens, with whatever is known of it.

    `rest` are tokens behind those of the text that an encoder reads too: they show in its vectors, and nobody is asked
    for them. `planted` tells the owner, and fake targets, that the text was put there by an audit; a real target
    reads it only to delete planted texts, where its recipe unlearns.
    """

    tokens: tuple[str, ...]
    label: str | None = None
    tags: tuple[str, ...] | None = None
    user: str | None = None
    context: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    split: str = "train"
    planted: bool = False
    rest: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[str, ...]:
        """All that is read of it."""
        return self.tokens + self.rest


@dataclass(frozen=True)
class Artefact:
    """What a task leaves in the store: JSON values and named arrays, nothing that needs pickle."""

    values: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


# -- what the adversary is told ---------------------------------------------------------------------------


class Gaps(Record):
    """A text with holes (`None`), the label and tags it was trained with, and the candidates of each hole."""

    kind: Literal["gaps"] = "gaps"
    tokens: tuple[str | None, ...]
    label: str | None = None
    tags: tuple[str, ...] | None = None
    candidates: tuple[tuple[str, ...], ...]

    @property
    def holes(self) -> tuple[int, ...]:
        """The positions to fill, left to right."""
        return tuple(place for place, token in enumerate(self.tokens) if token is None)

    @property
    def space(self) -> int:
        """How many completions there are."""
        size = 1
        for options in self.candidates:
            size *= len(options)
        return size

    def filled(self, completion: tuple[str, ...]) -> tuple[str, ...]:
        """Puts one completion into the holes, left to right."""
        if len(completion) != len(self.holes):
            raise ValueError(f"{len(self.holes)} holes but {len(completion)} tokens to fill them")
        remaining = iter(completion)
        return tuple(next(remaining) if token is None else token for token in self.tokens)

    @model_validator(mode="after")
    def _consistent(self) -> Gaps:
        if len(self.candidates) != len(self.holes):
            raise ValueError(f"{len(self.holes)} holes but {len(self.candidates)} candidate sets")
        if any(not options for options in self.candidates):
            raise ValueError("a hole has an empty candidate set")
        if any(len(set(options)) != len(options) for options in self.candidates):
            raise ValueError("a candidate set names a token twice")
        if self.tags is not None and len(self.tags) != len(self.tokens):
            raise ValueError(f"{len(self.tokens)} tokens but {len(self.tags)} tags")
        return self


class Passage(Record):
    """A text and what stood before it: the source sentence, the utterance answered, or nothing."""

    context: tuple[str, ...] = ()
    tokens: tuple[str, ...]


class UserTexts(Record):
    """Texts of one person, whose use in training is the question."""

    kind: Literal["user"] = "user"
    examples: tuple[Passage, ...]


class RecordText(Record):
    """One record, whose use in training is the question: a text with the label or the tags it would be trained with."""

    kind: Literal["record"] = "record"
    tokens: tuple[str, ...]
    context: tuple[str, ...] = ()
    label: str | None = None
    tags: tuple[str, ...] | None = None


class LeakedRow(Record):
    """The number of one leaked row of vectors.

    `told` are the first true tokens of its text: empty, but for an attack that is run as it was published.
    """

    kind: Literal["row"] = "row"
    row: int
    told: tuple[str, ...] = ()


Hint = Gaps | UserTexts | RecordText | LeakedRow

# -- what the runner keeps to itself ----------------------------------------------------------------------


class Tokens(Record):
    """The tokens that fill the holes, or the sentence behind a row."""

    kind: Literal["tokens"] = "tokens"
    tokens: tuple[str, ...]


class Keywords(Record):
    """The sensitive words of a text, as a set in sorted order."""

    kind: Literal["keywords"] = "keywords"
    words: tuple[str, ...]


class Member(Record):
    """Whether the person's texts, or the record, were used; where it is not `known`, that is the question itself."""

    kind: Literal["member"] = "member"
    used: bool
    known: bool = True


class RowContent(Record):
    """Both the sentence behind a row and its keywords."""

    kind: Literal["content"] = "content"
    tokens: tuple[str, ...]
    words: tuple[str, ...] = ()


Answer = Tokens | Keywords | Member | RowContent


class Secret(Record):
    """Something a model might give away. The runner splits it: the adversary only ever sees the hint."""

    id: str
    hint: Annotated[Hint, Field(discriminator="kind", repr=False)]
    answer: Annotated[Answer, Field(discriminator="kind", repr=False)]


class Planting(Record):
    """Copies of one text put into the training data for a secret's sake."""

    secret_id: str
    text: Annotated[tuple[str, ...], Field(repr=False)]
    label: str | None = None
    tags: tuple[str, ...] | None = None
    copies: Annotated[int, Field(ge=0)] = 1
    split: str = "train"


# -- what the adversary answers ---------------------------------------------------------------------------


class Ranking(Record):
    """Candidate answers, best first, with the scores they were ranked by."""

    kind: Literal["ranking"] = "ranking"
    secret_id: str
    candidates: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Ranking:
        if self.scores and len(self.scores) != len(self.candidates):
            raise ValueError(f"{len(self.candidates)} candidates but {len(self.scores)} scores")
        if any(worse > better for better, worse in zip(self.scores, self.scores[1:], strict=False)):
            raise ValueError("candidates are not best first")
        return self


class Telling(Record):
    """One word that speaks for use, by its place alone: numbers of text and word, from 0, and two guesses.

    By rank, the model's guess number `found` was right here, where `expected` is usual; by chance, one in so many.
    """

    text: Annotated[int, Field(ge=0)]
    word: Annotated[int, Field(ge=0)]
    expected: Annotated[float, Field(ge=1)]
    found: Annotated[float, Field(ge=1)]
    by: Literal["rank", "chance"] = "rank"


class Verdict(Record):
    """How strongly the adversary believes that a person's texts, or a record, were used; larger is stronger.

    `telling` are the words that speak most for it, where one person is the question; none of their text.
    """

    kind: Literal["verdict"] = "verdict"
    secret_id: str
    statistic: float
    p_value: Annotated[float, Field(ge=0, le=1)] | None = None
    telling: tuple[Telling, ...] = ()


Guess = Ranking | Verdict


class Standing(Record):
    """Where the true answer stood among completions of the same pattern; ties count against the attack.

    `tied` completions scored exactly as the true one did: its rank could as well be better by so many.
    """

    secret_id: str
    rank: Annotated[int, Field(ge=1)]
    among: Annotated[int, Field(ge=1)]
    space: Annotated[int, Field(ge=1)]
    exposure: float
    extrapolated: bool = False
    tied: Annotated[int, Field(ge=0)] = 0


class Revealed(Record):
    """One secret in plain words, for an owner who asked to see it: shown on request alone, and never kept."""

    secret_id: str
    arm: Literal["attack", "control"]
    asked: Annotated[str, Field(repr=False)]
    answer: Annotated[str, Field(repr=False)]
    guess: Annotated[str | None, Field(repr=False)] = None
    right: bool | None = None
