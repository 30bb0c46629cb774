"""How useful unpooled vectors still are: can a tagger find the entities of a text in them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import bootstrap, mean_interval
from divulge.metrics.spans import span_f1
from divulge.pieces import piece_labels
from divulge.probes.base import Probe
from divulge.records import Arm, FloatArray, Measurement, Record, Text

__all__ = ["EntityRecognition"]

Labels = npt.NDArray[np.int64]
NOTHING = [Measurement(metric="entity_f1", value=None, n=0, arm="utility")]


class EntityRecognition(Probe):
    """entity_f1: a tagger is trained on four fifths of the rows; does it find the keywords' tokens in the others?

    As gu2023 (section 10.4) measures what a defence costs: a single-layer recurrent network with 300 states labels
    each vector 1 if its token belongs to a keyword of its text, else 0; F1 counts tokens labelled 1. It learns from the
    rows as the defence shows them. Not printed, and chosen here: Adam, epochs, batches, the split of rows by chance.
    Two figures beside it use no vector at all: `constant_entity_f1` calls every token an entity,
    `table_entity_f1` those tokens that mostly are one in the training part. Texts, not tokens, are resampled for
    intervals. Pooled rows have no vector of a token, and no figure.
    """

    name = "entity-recognition"
    summary = "F1 of a recurrent tagger that looks for the keywords' tokens in unpooled rows"
    requires = (EmbeddedRowsAccess,)
    of_tokens = True

    class Options(Record):
        """How many rows at most, the share to test on, and how the tagger is trained."""

        rows: Annotated[int, Field(ge=10)] = 2000
        tested: Annotated[float, Field(gt=0, lt=1)] = 0.2
        hidden: Annotated[int, Field(ge=1)] = 300
        epochs: Annotated[int, Field(ge=1)] = 10
        batch_size: Annotated[int, Field(ge=1)] = 16
        learning_rate: Annotated[float, Field(gt=0)] = 1e-3

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures entity_f1 and, beside it, what is reached without vectors."""
        examples = self._examples(access[EmbeddedRowsAccess], corpus, rng)
        tested = round(self.options.tested * len(examples))
        there, learnt = examples[:tested], examples[tested:]
        if not there or not any(one.labels.any() for one in there) or not any(one.labels.any() for one in learnt):
            return NOTHING
        said = {
            "entity_f1": self._tagged(learnt, there, rng),
            "constant_entity_f1": [np.ones_like(one.labels) for one in there],
            "table_entity_f1": _looked_up(learnt, there),
        }
        return [_measured(metric, there, labels, rng) for metric, labels in said.items()]

    def _examples(self, leaked: EmbeddedRowsAccess, corpus: Corpus, rng: np.random.Generator) -> list[_Example]:
        """Rows in random order with a label for each vector; none if they are pooled."""
        numbered = _rows_and_texts(corpus, leaked.count)
        drawn = [numbered[place] for place in rng.permutation(len(numbered))[: self.options.rows]]
        rows = leaked.rows([number for number, _ in drawn])
        if any(row.ndim == 1 for row in rows):
            return []
        found = []
        for row, (_, text) in zip(rows, drawn, strict=True):
            length = min(len(row), len(text.tokens))  # an encoder may read less than the whole text
            labels = np.array(piece_labels(text.tokens, text.keywords)[:length], dtype=np.int64)
            if length:
                found.append(_Example(row[:length], text.tokens[:length], labels))
        return found

    def _tagged(self, learnt: list[_Example], there: list[_Example], rng: np.random.Generator) -> list[Labels]:
        from divulge.probes.networks.entity_tagger import Training, tagged

        names = ("hidden", "epochs", "batch_size", "learning_rate")
        training = Training(**{name: getattr(self.options, name) for name in names})
        rows, labels = [one.row for one in learnt], [one.labels for one in learnt]
        return tagged(rows, labels, [one.row for one in there], training, rng)


class _Example(NamedTuple):
    row: FloatArray  # (tokens, d)
    tokens: tuple[str, ...]
    labels: Labels  # (tokens,)


def _rows_and_texts(corpus: Corpus, count: int) -> list[tuple[int, Text]]:
    """Each leaked row's number and text: the training texts, or all where there is no such split."""
    if count == len(corpus):
        numbered = list(enumerate(corpus))
        return [one for one in numbered if one[1].split == "train"] or numbered
    return list(enumerate(corpus.split("train").texts or corpus.texts))[:count]


def _looked_up(learnt: Sequence[_Example], there: Sequence[_Example]) -> list[Labels]:
    """Labels by token alone: 1 where more than half of its occurrences are; new tokens are no entities."""
    balance: Counter[str] = Counter()
    for one in learnt:
        for token, label in zip(one.tokens, one.labels, strict=True):
            balance[token] += 1 if label else -1
    return [np.array([int(balance[token] > 0) for token in one.tokens], dtype=np.int64) for one in there]


def _measured(metric: str, there: Sequence[_Example], said: Sequence[Labels], rng: np.random.Generator) -> Measurement:
    counts = np.array(
        [
            (np.sum(one.labels & labels), labels.sum(), one.labels.sum())
            for one, labels in zip(there, said, strict=True)
        ],
        dtype=np.float64,
    )
    value = _f1(counts)
    low, high = bootstrap(counts, _f1, rng) or (None, None)
    if low is not None and low == high and value in (0, 1):
        # Texts that all came out alike cannot be resampled, and are no proof that the next one does too.
        low, high = mean_interval(np.full(len(there), value), rng) or (low, high)
    arm: Arm = "utility" if metric == "entity_f1" else "probe"
    return Measurement(metric=metric, value=value, low=low, high=high, n=len(there), arm=arm)


def _f1(counts: FloatArray) -> float:
    return span_f1(*(float(total) for total in counts.sum(axis=0)))
