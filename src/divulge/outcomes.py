"""What came of an audit: records without any text, which may be shown, and are what results.json holds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from divulge.canonical import FrozenMapping, Record, freeze

__all__ = [
    "Arm",
    "Check",
    "Failure",
    "Measurement",
    "Outcome",
    "PersonFacts",
    "RunResults",
    "SpecResult",
    "TellingWord",
]

Arm = Literal["attack", "baseline", "control", "utility", "probe"]
SCHEMA_VERSION = 1


class Outcome(Record):
    """One secret, one metric, one value; no text."""

    secret_id: str
    metric: str
    value: float


class Measurement(Record):
    """A figure with its two-sided 95 % interval, its n and the arm it belongs to.

    A one-sided bound has `high` (or `low`) None; so has a figure that could not be measured.
    """

    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: Annotated[int, Field(ge=0)]
    arm: Arm
    group: FrozenMapping = Field(default_factory=lambda: freeze({}))


class Check(Record):
    """One line of a handshake: what was tried on the access and whether it held; None = could not be tried."""

    access: str
    name: str
    passed: bool | None
    detail: str = ""


class SpecResult(Record):
    """Everything one spec led to."""

    spec: FrozenMapping
    spec_hash: str
    measurements: tuple[Measurement, ...]
    outcomes: tuple[Outcome, ...] = ()
    queries: FrozenMapping = Field(default_factory=lambda: freeze({}))
    seconds: float
    versions: FrozenMapping
    data_fingerprint: str | None = None
    handshake: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()


class Failure(Record):
    """A spec that did not come to a result, and why."""

    spec_hash: str
    reason: str


class TellingWord(Record):
    """A word that speaks for use, without the word: numbers of text and word from 1, how long it is, two guesses.

    By rank, the model's guess number `found` was the word, where `expected` is usual for models that never saw the
    person; by chance, the model gave it one chance in `found`, where one in `expected` is usual.
    """

    text: Annotated[int, Field(ge=1)]
    word: Annotated[int, Field(ge=1)]
    letters: Annotated[int, Field(ge=0)]
    expected: Annotated[float, Field(ge=1)]
    found: Annotated[float, Field(ge=1)]
    by: Literal["rank", "chance"]


class PersonFacts(Record):
    """What evidence about one person rests on beside figures; no text. `used` is None where nobody knows.

    `usual_words` are the fewest, the median and the most words of the people who are known to be out. `control_queries`
    is what was asked to try the test on other people, by access level: no part of the queries of the result.
    """

    person: str
    texts: Annotated[int, Field(ge=1)]
    words: Annotated[int, Field(ge=1)]
    usual_words: tuple[int, int, int]
    used: bool | None = None
    control_queries: FrozenMapping = Field(default_factory=lambda: freeze({}))
    telling: tuple[TellingWord, ...] = ()


class RunResults(Record):
    """The content of results.json."""

    schema_version: Literal[1] = SCHEMA_VERSION  # type: ignore[assignment]
    results: tuple[SpecResult, ...]
    failures: tuple[Failure, ...] = ()
