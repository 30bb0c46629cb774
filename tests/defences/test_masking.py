"""Masks on rows: how many places, which, and drawn when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.adapters import WIDTH, Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.masking import Masking
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact, Text

TEXTS = [text.tokens for text in sentences()]
LONG = [Text(tokens=tuple(f"w{word}" for word in range(40)))]


class Pooled(Rows):
    """Rows of one vector each."""

    def _rows(self, numbers: Any) -> Any:
        return [row.mean(axis=0) for row in super()._rows(numbers)]


def masked(access: Any, key: int = 1, **options: Any) -> Any:
    return Masking(options).on_access(access, Artefact(values={"key": key}))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_share_of_vectors_is_zero_and_the_rest_as_it_was(share: float) -> None:
    """Of 40 vectors 4, 20 or 36: whole numbers need no rounding."""
    clear, shown = Rows(LONG).rows([0])[0], masked(Rows(LONG), share=share).rows([0])[0]
    gone = ~shown.any(axis=1)
    assert gone.sum() == round(40 * share)
    assert np.array_equal(shown[~gone], clear[~gone])


def test_shares_of_dimensions_are_the_same_in_all_vectors_of_a_row() -> None:
    """Of 6 dimensions 3 are zero in every vector, the others as they were."""
    clear, shown = Rows(LONG).rows([0])[0], masked(Rows(LONG), what="dimensions").rows([0])[0]
    gone = ~shown.any(axis=0)
    assert gone.sum() == WIDTH // 2
    assert np.array_equal(shown[:, ~gone], clear[:, ~gone])


@pytest.mark.parametrize("what", ["vectors", "dimensions"])
def test_of_pooled_rows_dimensions_are_masked(what: str) -> None:
    """A pooled row is one vector: 3 of its 6 numbers are zero."""
    rows = masked(Pooled(sentences()), what=what).rows(range(5))
    assert [int((row == 0).sum()) for row in rows] == [WIDTH // 2] * 5


def test_the_share_holds_on_average_where_it_is_no_whole_number() -> None:
    """A tenth of 3 vectors is 0.3 vectors: over 2,000 texts that many within 4 standard deviations of a toss."""
    texts = [Text(tokens=("a", "b", f"t{number}")) for number in range(2000)]
    gone = [int((~row.any(axis=1)).sum()) for row in masked(Rows(texts), share=0.1).rows(range(2000))]
    assert set(gone) == {0, 1}
    assert np.mean(gone) == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / 2000))


def test_every_place_is_masked_as_often() -> None:
    """Half of 4 vectors, over 2,000 texts: each place half the time, within 4 standard deviations."""
    texts = [Text(tokens=("a", "b", "c", f"t{number}")) for number in range(2000)]
    shown = np.stack(masked(Rows(texts)).rows(range(2000)))
    assert np.allclose(shown.any(axis=2).mean(axis=0), 0.5, atol=4 * np.sqrt(0.25 / 2000))


def test_the_same_question_gets_the_same_mask() -> None:
    """Alone or in a batch: asking again uncovers nothing; other questions are masked otherwise."""
    rows, oracle = masked(Rows(LONG * 2)), masked(Oracle())
    one, other, again = rows.rows([0, 1, 0])
    assert np.array_equal(one, again)
    assert np.array_equal(rows.rows([0])[0], one)
    assert not np.array_equal(one, other)
    assert np.array_equal(oracle.embed(TEXTS)[3], oracle.embed([TEXTS[3]])[0])
    assert not np.array_equal(oracle.embed([LONG[0].tokens])[0], one)


@pytest.mark.parametrize("change", [{"key": 2}, {"seed": 1}])
def test_masks_depend_on_the_seed_and_on_the_owners_key(change: dict[str, int]) -> None:
    """Whoever knows how it works does not know which places."""
    assert not np.array_equal(masked(Rows(LONG), **change).rows([0])[0], masked(Rows(LONG)).rows([0])[0])


def test_the_key_is_drawn_when_the_defence_is_fitted() -> None:
    """From the generator that is passed in."""
    fit = lambda seed: Masking().fit(Corpus(()), Grant([Oracle()]), np.random.default_rng(seed)).values["key"]  # noqa: E731
    assert fit(0) == fit(0) != fit(1)
    assert Masking.keeps_secret


def test_rows_without_tokens_and_other_accesses_stay() -> None:
    """Nothing to mask, no share, no vectors: no change. A share of 1 is refused."""

    class Empty(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [np.zeros((0, WIDTH)) for _ in numbers]

    rows, labels = Rows(sentences()), Labels()
    assert masked(Empty(sentences())).rows([0])[0].shape == (0, WIDTH)
    assert masked(rows, share=0.0) is rows
    assert masked(labels) is labels
    with pytest.raises(InputError, match="'share'"):
        Masking({"share": 1.0})


def test_a_mask_is_no_broken_adapter() -> None:
    """The encoder still answers alike, and rows need not match it."""
    sample = OwnerSample(texts=sentences(), row_texts={0: TEXTS[0]}, oracle=masked(Oracle()), blurred_rows=True)
    checks = [*masked(Oracle()).handshake(sample), *masked(Rows(sentences())).handshake(sample)]
    assert [check.passed for check in checks] == [True, True, None]
    assert Masking.blurs_rows
