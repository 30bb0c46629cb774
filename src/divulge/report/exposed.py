"""Which secrets stand out most, by opaque id: the exposure of each, beside that of most secrets nobody planted."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.report.entries import Entry

__all__ = ["EXPOSURE", "MOST_EXPOSED", "Exposed", "exposed"]

EXPOSURE = "exposure"
MOST_EXPOSED = 10


@dataclass(frozen=True)
class Exposed:
    """The most exposed secrets under one attack, the highest first, in bits; `of` is how many there are in all."""

    entry: Entry
    shown: tuple[tuple[str, str], ...]
    of: int

    @property
    def meaning(self) -> str:
        """What the bits mean."""
        return (
            f"Exposure is how far ahead of chance {self.entry.attack} ranks a secret among others of its pattern, in "
            "bits: at 10 bits, one in a thousand others ranks as high. A secret that the model never saw exceeds b "
            f"bits with a chance of 1 in 2^b, so that among {self.of} such secrets the highest would lie about "
            f"{_bits(self.of)} bits up."
        )


def exposed(entry: Entry) -> Exposed | None:
    """The most exposed secrets; None where no exposure was measured, or no figure of the result means anything."""
    found = [(one.secret_id, one.value) for one in entry.result.outcomes if one.metric == EXPOSURE]
    if not found or entry.void or not entry.asked:
        return None
    ordered = sorted(found, key=lambda one: (-one[1], one[0]))[:MOST_EXPOSED]
    return Exposed(entry, tuple((name, f"{bits:.1f} bits") for name, bits in ordered), len(found))


def _bits(count: int) -> int:
    return max(0, (count - 1).bit_length())  # of 1,000 uniform ranks the best is about one in 1,000: 10 bits
