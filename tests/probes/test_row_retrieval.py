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


def test_all_pieces_of_a_word_are_missing() -> None:
    """Two words of three pieces each: what is asked for is always one whole word."""
    texts = tuple(Text(tokens=(f"a{n}", f"##b{n}", f"##c{n}", f"d{n}", f"##e{n}", f"##f{n}")) for n in range(12))
    asked: list[tuple[str, ...]] = []

    class Listening(Oracle):
        def _embed(self, texts: Any) -> Any:
            asked.extend(texts)
            return super()._embed(texts)

    assert measured(Rows(texts), Listening(), texts).value == 1.0
    assert {tuple(piece.strip("#0123456789") for piece in text) for text in asked} == {tuple("abc"), tuple("def")}


def test_more_words_may_be_missing() -> None:
    """Four of five leave one, which still finds its row; of texts of five words, five cannot be missing."""
    lengths = []

    class Listening(Oracle):
        def _embed(self, texts: Any) -> Any:
            lengths.extend(map(len, texts))
            return super()._embed(texts)

    assert measured(Rows(TEXTS), Listening(), missing=4).n == 40
    assert set(lengths) == {1}
    assert measured(Rows(TEXTS), missing=5).value is None


def test_rows_and_sentences_are_seen_through_the_defence() -> None:
    """Turned alike by a secret rotation they find each other; where the rows alone were turned, they do not."""
    from divulge.defences.rotation import Rotation

    defence, grant = Rotation(), Grant([Rows(TEXTS), Oracle()])
    fitted = defence.fit(Corpus(TEXTS), grant, np.random.default_rng(1))
    rows: Any = defence.on_access(Rows(TEXTS), fitted)
    assert measured(rows, defence.on_access(Oracle(), fitted)).value == 1.0
    assert measured(rows).value < 0.6  # type: ignore[operator]


def test_pooled_rows_and_an_unpooled_encoder_can_be_compared() -> None:
    """Unpooled vectors count by their mean, on either side."""

    class Pooled(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row.mean(axis=0) for row in super()._rows(numbers)]

    assert measured(Pooled(TEXTS)).value == 1.0


def test_an_encoder_of_another_width_is_refused() -> None:
    """Both widths are told."""

    class Wide(Oracle):
        def _embed(self, texts: Any) -> Any:
            return [np.ones(9) for _ in texts]

    with pytest.raises(InputError, match=r"rows have 6 numbers, and the encoder's vectors 9"):
        measured(Rows(TEXTS), Wide())
