"""Public sentences in numbers, and the nearest of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.adversary import Background, Practice
from divulge.attacks.public_sentences import PublicSentences, pooled_rows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import LeakedRow, RowContent, Secret
from divulge.testing.encoder import FakeRowsAccess


def known(rows: list[np.ndarray], texts: list[tuple[str, ...]]) -> Background:
    secrets = tuple(
        Secret(id=str(number), hint=LeakedRow(row=number), answer=RowContent(tokens=text))
        for number, text in enumerate(texts)
    )
    return Background(practice=(Practice(Grant([FakeRowsAccess(rows)]), secrets),))


def test_sentences_are_kept_once_and_come_back() -> None:
    """Doubles and empty texts are dropped; pieces are numbered in sorted order; what was kept is the same."""
    texts = [("b", "a"), ("b", "a"), (), ("c",)]
    rows = [np.full(2, float(number)) for number in range(4)]
    public = PublicSentences.known(known(rows, texts), "an attack")
    assert public.pieces == ["a", "b", "c"]
    assert public.texts == [(1, 0), (2,)]
    assert public.vectors.tolist() == [[0, 0], [3, 3]]
    assert public.longest == 2
    again = PublicSentences.kept(public.artefact())
    assert (again.pieces, again.texts) == (public.pieces, public.texts)
    assert np.array_equal(again.vectors, public.vectors)
    assert again.spelled(again.texts[0]) == ("b", "a")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_nearest_are_those_of_the_largest_cosine(seed: int, most: int) -> None:
    """The same as sorting all cosines, one by one."""
    rng = np.random.default_rng(seed)
    vectors, rows = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(4, 3))
    public = PublicSentences(["a"], [(0,)] * 5, vectors)
    for row, near in zip(rows, public.nearest(rows, most), strict=True):
        cosines = [-float(row @ v) / np.linalg.norm(row) / np.linalg.norm(v) for v in vectors.astype(float)]
        assert near == sorted(range(5), key=lambda n, c=cosines: c[n])[:most]


def test_what_is_not_pooled_or_too_little_is_refused() -> None:
    """Unpooled rows, in practice or leaked, rows of another width, and a single sentence."""
    with pytest.raises(InputError, match=r"needs pooled rows.*Got shape \(2, 3\)"):
        PublicSentences.known(known([np.zeros((2, 3))], [("a",)]), "an attack")
    with pytest.raises(InputError, match=r"needs pooled rows.*Got shape \(2, 3\)"):
        pooled_rows([np.zeros((2, 3))], 3, "an attack")
    with pytest.raises(InputError, match="learnt on vectors of 4 dimensions, and the leaked ones have 3"):
        pooled_rows([np.zeros(3)], 4, "an attack")
    with pytest.raises(InputError, match="at least two public sentences"):
        PublicSentences.known(known([np.zeros(3)], [("a",)]), "an attack")
    with pytest.raises(InputError, match=r"set adversary\.background\.corpus"):
        PublicSentences.known(Background(), "an attack")
