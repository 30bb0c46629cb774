"""Sentences that find their own rows, or do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import Oracle, Rows

from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics.intervals import wilson
from divulge.probes.row_retrieval import RowRetrieval
from divulge.records import Measurement, Text

TEXTS = tuple(Text(tokens=tuple(f"w{number * 5 + place}" for place in range(5))) for number in range(40))


def measured(rows: Rows, oracle: Any = None, texts: tuple[Text, ...] = TEXTS, **options: int) -> Measurement:
    grant = Grant([rows, oracle or Oracle()])
    (found,) = RowRetrieval(options).measure(grant, Corpus(texts), np.random.default_rng(0))
    assert (found.metric, found.arm) == ("recall_at_10", "utility")
    return found


def test_sentences_find_their_rows() -> None:
    """Sentences that share no word: four of five words point to the own row every time."""
    found = measured(Rows(TEXTS))
    assert (found.value, found.n) == (1.0, 40)
    assert (found.low, found.high) == wilson(40, 40)


def test_rows_of_other_sentences_are_not_found() -> None:
    """With rows moved on by one, only luck is left: ten of forty are among the nearest, here or there."""

    class Moved(Rows):
        def _rows(self, numbers: Any) -> Any:
            return super()._rows([(number + 1) % self.count for number in numbers])

    found = measured(Moved(TEXTS))
    assert found.value is not None
    assert found.value < 0.5


def test_an_encoder_that_says_nothing_finds_the_first_ten() -> None:
    """All rows alike: ties go to the first ten of forty, so that 10 of 40 are found."""

    class Same(Oracle):
        def _embed(self, texts: Any) -> Any:
            return [np.ones(6) for _ in texts]

    class SameRows(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [np.ones(6) for _ in numbers]

    assert measured(SameRows(TEXTS), Same()).value == 0.25


def test_length_of_vectors_does_not_matter() -> None:
    """Rows are compared by angle: a row a thousand times as long is no nearer."""

    class Uneven(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [
                row * (1000 if number == 0 else 1) for row, number in zip(super()._rows(numbers), numbers, strict=True)
            ]

    assert measured(Uneven(TEXTS)).value == 1.0


def test_options_bound_the_work() -> None:
    """So many rows are searched and so many sentences tried."""
    rows, oracle = Rows(TEXTS), Oracle()
    grant = Grant([rows, oracle])
    (found,) = RowRetrieval({"rows": 20, "queries": 7}).measure(grant, Corpus(TEXTS), np.random.default_rng(0))
    assert grant.meter.asked == {"EmbeddedRowsAccess": 20, "EmbeddingOracleAccess": 7}
    assert found.n == 7
    with pytest.raises(InputError, match="'rows'"):
        RowRetrieval({"rows": 10})


@pytest.mark.parametrize(
    "texts", [TEXTS[:10], tuple(Text(tokens=("w",)) for _ in range(20)), ()], ids=["few", "short", "none"]
)
def test_where_nothing_can_be_tried_there_is_no_figure(texts: tuple[Text, ...]) -> None:
    """Ten rows are all among the ten nearest, and a word taken from a single one leaves nothing."""
    found = measured(Rows(texts), texts=texts)
    assert (found.value, found.n) == (None, 0)


def test_rows_without_tokens_are_in_nobodys_way() -> None:
    """An empty text has an empty row, which is near to nothing and raises no warning; more rows than texts too."""

    class Empty(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row if number else row[:0] for row, number in zip(super()._rows(numbers), numbers, strict=True)]

    found = measured(Empty(TEXTS), texts=(Text(tokens=()), *TEXTS[1:30]))
    assert (found.value, found.n) == (1.0, 29)
