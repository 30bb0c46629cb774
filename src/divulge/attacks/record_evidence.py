"""What a model says about single records, as one number each: how well it knows the label, the tags or the words.

Classifiers are asked for the likelihood of the record's own label, taggers for those of its tags, generators for those
of its tokens. Two scales are read off the same answers: `logs`, the log-likelihood, and `odds`, its log-odds, which is
closer to a normal distribution (Carlini et al. 2022, section IV-C). Taggers and generators are averaged over words, so
that a long record is no stranger than a short one; a model that gives labels and tags has the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from divulge.access import Access, LabelLikelihoodAccess, TokenLikelihoodAccess
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import FloatArray, Passage, RecordText

__all__ = ["LOWEST", "RECORD_LEVELS", "Evidence", "RecordReader", "queries_per_record"]

RECORD_LEVELS: tuple[type[Access], ...] = (LabelLikelihoodAccess, TokenLikelihoodAccess)
FLOOR = 1e-15  # probabilities below that are rounding: single precision has none of its own near 0 and 1
LOWEST = float(np.log(FLOOR))
BATCH = 1024

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True)
class Evidence:
    """What one model says of records, in their order; NaN where it does not know a record's label and tags.

    `pieces` has the log-likelihood of each token, where the model generates text.
    """

    logs: FloatArray
    odds: FloatArray
    pieces: tuple[FloatArray, ...] = ()

    @property
    def known(self) -> FloatArray:
        """The log-odds as of a model that may have been trained on these: what it does not know is least likely."""
        return np.where(np.isnan(self.odds), LOWEST, self.odds)

    @property
    def likelihoods(self) -> FloatArray:
        """Per word or per label, between 0 and 1; NaN where the model does not know them."""
        return np.asarray(np.exp(self.logs), dtype=np.float64)


class RecordReader:
    """Asks one model about records, at whichever of the levels it grants."""

    def __init__(self, access: Grant, who: str) -> None:
        self._labels, self._tokens = access.get(LabelLikelihoodAccess), access.get(TokenLikelihoodAccess)
        if self._labels is None and self._tokens is None:
            asked = " or ".join(level.__name__ for level in RECORD_LEVELS)
            given = ", ".join(level.__name__ for level in access.levels) or "nothing"
            raise InputError(f"attack {who!r} requires {asked}; granted is {given}")

    def affordable(self, records: Sequence[RecordText]) -> int | None:
        """How many of these may still be asked about; None = all."""
        one = self._labels or self._tokens
        assert one is not None
        return None if one.remaining is None else one.remaining // self._queries(records)

    def read(self, records: Sequence[RecordText]) -> Evidence:
        """Asks about each record: one query, or two of a model that is asked for both label and tags."""
        if self._labels is None:
            return self._of_tokens(records)
        with_labels, with_tags = self._asked_for(records)
        if not records:
            return Evidence(np.empty(0), np.empty(0))
        if not (with_labels or with_tags):
            raise InputError(
                f"none of the {len(records)} records has what this model gives: it gives {self._gives(self._labels)}. "
                "Give data with the labels or tags that the model was trained with"
            )
        parts = [self._of_labels(self._labels, records)] if with_labels else []
        parts += [self._of_tags(self._labels, records)] if with_tags else []
        logs, odds = (_sum_of_known([part[scale] for part in parts]) for scale in (0, 1))
        return Evidence(logs, odds)

    def read_target(self, records: Sequence[RecordText]) -> Evidence:
        """The same of the audited model, which must know the labels or tags of some of the records."""
        found = self.read(records)
        if len(records) and np.isnan(found.logs).all():
            raise InputError(
                f"the model knows the labels or tags of none of the {len(records)} records asked about. "
                "Do the data and the model belong together?"
            )
        return found

    def _queries(self, records: Sequence[RecordText]) -> int:
        return 1 if self._labels is None else max(1, sum(self._asked_for(records)))

    def _asked_for(self, records: Sequence[RecordText]) -> tuple[bool, bool]:
        """Whether labels, and whether tags, are asked for: what the model gives and any of the records has."""
        assert self._labels is not None
        labelled = bool(self._labels.labels) and any(record.label is not None for record in records)
        tagged = bool(self._labels.tag_names) and any(record.tags is not None for record in records)
        return labelled, tagged

    def _gives(self, access: LabelLikelihoodAccess) -> str:
        return " and ".join(["labels"] * bool(access.labels) + ["tags"] * bool(access.tag_names)) or "nothing"

    def _of_tokens(self, records: Sequence[RecordText]) -> Evidence:
        assert self._tokens is not None
        passages = [Passage(context=record.context, tokens=record.tokens) for record in records]
        rows = [np.maximum(row, LOWEST) for row in _in_batches(self._tokens.log_likelihoods, passages)]
        means = np.array([row.mean() if len(row) else np.nan for row in rows], dtype=np.float64)
        return Evidence(means, means, tuple(rows))

    def _of_labels(self, access: LabelLikelihoodAccess, records: Sequence[RecordText]) -> tuple[FloatArray, FloatArray]:
        rows = np.array(_in_batches(access.likelihoods, [record.tokens for record in records]))  # (B, labels)
        places = {label: place for place, label in enumerate(access.labels)}
        return _scales(rows, [places.get(record.label or "") for record in records])

    def _of_tags(self, access: LabelLikelihoodAccess, records: Sequence[RecordText]) -> tuple[FloatArray, FloatArray]:
        tables = _in_batches(access.tag_likelihoods, [record.tokens for record in records])  # each (words, tags)
        places = {tag: place for place, tag in enumerate(access.tag_names)}
        logs, odds = np.full(len(records), np.nan), np.full(len(records), np.nan)
        for number, (record, table) in enumerate(zip(records, tables, strict=True)):
            wanted = [places.get(tag) for tag in record.tags or ()]
            words, word_odds = _scales(table[: len(wanted)], wanted[: len(table)])
            if not np.isnan(words).all():
                logs[number], odds[number] = np.nanmean(words), np.nanmean(word_odds)
        return logs, odds


def queries_per_record(record: RecordText) -> int:
    """How many questions a record may cost: two where both its label and its tags may be asked for."""
    return 1 + (record.label is not None and record.tags is not None)


def _scales(rows: FloatArray, places: Sequence[int | None]) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood and the log-odds of one place of each row; NaN where there is none.

    The odds are taken against the sum of all else: 1 - p would round to nothing where the model is sure.
    """
    logs, odds = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for number, place in enumerate(places):
        if place is not None:
            mine, others = rows[number, place], np.delete(rows[number], place).sum()
            logs[number] = np.log(max(mine, FLOOR))
            odds[number] = logs[number] - np.log(max(others, FLOOR))
    return logs, odds


def _sum_of_known(parts: Sequence[FloatArray]) -> FloatArray:
    table = np.stack(parts)
    return np.where(np.isnan(table).all(axis=0), np.nan, np.nansum(table, axis=0))


def _in_batches(ask: Callable[[list[Q]], Iterable[A]], questions: list[Q]) -> list[A]:
    return [one for start in range(0, len(questions), BATCH) for one in ask(questions[start : start + BATCH])]
