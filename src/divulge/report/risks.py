"""Which records an attack singles out most, by opaque id: what a mean over all records hides."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.report.entries import Entry
from divulge.report.findings import POINTS
from divulge.report.wording import number_words

__all__ = ["MOST_SHOWN", "Risk", "Risks", "risks"]

MOST_SHOWN = 10
STRIKING = 0.99


@dataclass(frozen=True)
class Risk:
    """One record that was trained on, and the share of those never trained on that rank below it."""

    secret_id: str
    share: float

    @property
    def words(self) -> str:
        """The share in words."""
        return number_words(self.share, POINTS)


@dataclass(frozen=True)
class Risks:
    """The records most at risk under one attack, the highest first, and how many stand out by far.

    `tied` are those that are left out although they rank as high as the last one shown.
    """

    entry: Entry
    shown: tuple[Risk, ...]
    striking: int
    tied: int = 0

    @property
    def meaning(self) -> str:
        """What the shares mean."""
        are = "record is" if self.striking == 1 else "records are"
        tied = f"{self.tied} more rank as high as the last one here: the attack cannot tell them apart. " * bool(
            self.tied
        )
        return (
            f"The share is that of texts never trained on that {self.entry.attack} ranks below the record. At 99 %, "
            "whoever accuses this record and all that rank as high wrongly accuses one in a hundred others. "
            f"{self.striking or 'No'} {are} at 99 % or above. {tied}Single places are noisy, and another attack may "
            "single out other records."
        )


def risks(entry: Entry) -> Risks | None:
    """The records most at risk; None where no risk was measured, or no figure of the result means anything."""
    found = [Risk(one.secret_id, one.value) for one in entry.result.outcomes if one.metric == POINTS and one.value > 0]
    if not found or entry.void or not entry.asked:
        return None
    ordered = sorted(found, key=lambda one: (-one.share, one.secret_id))
    shown, left_out = tuple(ordered[:MOST_SHOWN]), ordered[MOST_SHOWN:]
    tied = sum(one.share == shown[-1].share for one in left_out)
    return Risks(entry, shown, sum(one.share >= STRIKING for one in ordered), tied)
