"""What attacks on single records have in common: they ask once about all, and draw a line by records known to be out.

Those who were never used tell where the line lies above which an attack says "used", and give each record a p-value:
the share of them, and of the record itself, that reach its statistic.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.adversary import Background, Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.record_evidence import RECORD_LEVELS, Evidence, RecordReader, queries_per_record
from divulge.canonical import canonical_json
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, Record, RecordText, Verdict

__all__ = ["RecordAttack", "kept_controls", "known_controls", "line_through", "p_value", "within_budget"]

BoolArray = npt.NDArray[np.bool_]


class RecordAttack(Attack):
    """Judges single records by what the model says of them; subclasses say how strange that is.

    Controls, records known to be out, are asked too. Of a budget they get at most half, unless more is left over.
    """

    requires = ()
    requires_one_of = RECORD_LEVELS
    hints = (RecordText,)
    asks_about_controls = True

    class Options(Record):
        """How many of the records known to be out may be accused: that draws the line at zero."""

        false_alarms: Annotated[float, Field(gt=0, lt=1)] = 0.05

    @abstractmethod
    def judge(self, found: Evidence, records: Sequence[RecordText], out: BoolArray, knowledge: Knowledge) -> FloatArray:
        """One statistic per record, larger for "used"; `out` marks those known to be out."""

    @abstractmethod
    def line(self, statistics: FloatArray) -> float:
        """What to exceed where no record is known to be out."""

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps the records known to be out; nothing else can be learnt before records are named."""
        del rng
        return Artefact(values={"controls": kept_controls(background)})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Knowledge, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one verdict per record; above zero it says "used"."""
        del rng
        reader = RecordReader(access, self.name)
        named = [(secret_id, hint) for secret_id, hint in hints.items() if isinstance(hint, RecordText)]
        controls = known_controls(knowledge)
        if len(controls) < self.fewest_controls:
            raise InputError(
                f"attack {self.name!r} compares with records known to be out: "
                f"set adversary.background.controls to {self.fewest_controls} or more"
            )
        records = [hint for _, hint in named]
        left = reader.affordable([*records, *controls])
        asked, kept = within_budget(left, len(records), len(controls), self.fewest_controls)
        if asked == 0:
            return  # the budget is spent
        chosen = [*records[:asked], *controls[:kept]]
        out = np.arange(len(chosen)) >= asked
        statistics = self.judge(reader.read_target(chosen), chosen, out, knowledge)
        null = statistics[out]
        line = line_through(null, self.options.false_alarms) if kept else self.line(statistics)
        for (secret_id, _), found in zip(named[:asked], statistics[:asked], strict=True):
            yield Verdict(secret_id=secret_id, statistic=float(found - line), p_value=p_value(float(found), null))

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One query, or two where both label and tags may be asked for; controls come on top."""
        del options
        assert isinstance(hint, RecordText)
        return queries_per_record(hint)


def kept_controls(background: Background) -> list[Any]:
    """The records known to be out, as plain values to be kept."""
    return [hint.model_dump(mode="json") for hint in background.controls if isinstance(hint, RecordText)]


def known_controls(knowledge: Artefact) -> list[RecordText]:
    """What `kept_controls` kept."""
    return [RecordText.model_validate_json(canonical_json(hint)) for hint in knowledge.values.get("controls", ())]


def within_budget(left: int | None, records: int, controls: int, fewest: int = 0) -> tuple[int, int]:
    """How many records and how many controls to ask about, if so many of them may be; no record without `fewest`.

    >>> within_budget(10, 8, 20), within_budget(10, 2, 20), within_budget(1, 8, 20), within_budget(1, 8, 20, fewest=1)
    ((5, 5), (2, 8), (1, 0), (0, 0))
    """
    if left is None:
        return records, controls
    kept = min(controls, max(left // 2, left - records, 0))
    asked = min(records, left - kept)
    return (asked, kept) if kept >= min(fewest, controls) and asked else (0, 0)


def p_value(statistic: float, null: FloatArray) -> float | None:
    """The share of records known to be out, and of the one in question, that reach its statistic; None without any."""
    return float(1 + np.sum(null >= statistic)) / (1 + len(null)) if len(null) else None


def line_through(null: FloatArray, false_alarms: float) -> float:
    """What a statistic must exceed to have a p-value of at most `false_alarms`; with too few, the highest of them."""
    allowed = math.floor(false_alarms * (len(null) + 1) + 1e-9)
    return float(np.sort(null)[::-1][max(0, allowed - 1)])
