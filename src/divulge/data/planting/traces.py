"""What a planting leaves in the secrets file, so that it can be taken back: hashes, and where something was put."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from divulge.records import FrozenMapping, Record

__all__ = ["PlantedData", "PlantedFile", "Stretch"]

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Stretch = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]]


class PlantedFile(Record):
    """One file of the data, as it was and as it is now.

    `name` is empty where the data is one file, or one table. Of text, hashes and stretches (where, how long) count the
    bytes of the planted text, unpacked if it is gzipped; of tables they count rows.
    """

    name: str
    unit: Literal["bytes", "rows"] = "bytes"
    original_sha256: Sha256
    planted_sha256: Sha256
    inserted: tuple[Stretch, ...] = ()


class PlantedData(Record):
    """How the planted data is read, which of its splits was planted into, and every file of it."""

    columns: FrozenMapping
    options: FrozenMapping
    split: str
    files: tuple[PlantedFile, ...]
