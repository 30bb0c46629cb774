"""What models that never saw a record say of it: the adversary's own, asked about the very records in question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from divulge.adversary import Knowledge
from divulge.attacks.record_evidence import Evidence, RecordReader
from divulge.errors import InputError
from divulge.records import FloatArray, RecordText

__all__ = ["said_by_references"]


def said_by_references(
    knowledge: Knowledge, records: Sequence[RecordText], scale: Callable[[Evidence], FloatArray], who: str
) -> FloatArray:
    """One row per model, one column per record; a model that does not know a record's label says the usual.

    That is the mean of the models that know it or, where none does, the mean over all records.
    """
    if not knowledge.practice:
        raise InputError(
            f"attack {who!r} compares with models that never saw the records: "
            "set adversary.background.references to 1 or more, or name finished ones in adversary.background.paths"
        )
    table = np.stack([scale(RecordReader(model.access, who).read(records)) for model in knowledge.practice])
    known = ~np.isnan(table)
    if not known.any():
        raise InputError(
            f"the adversary's {len(table)} models know the labels or tags of none of the {len(records)} records. "
            "Train them on texts with the same labels (adversary.background)"
        )
    sums, counts = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
    usual = np.where(counts > 0, sums / np.maximum(counts, 1), sums.sum() / counts.sum())  # (records,)
    return np.where(known, table, usual)
