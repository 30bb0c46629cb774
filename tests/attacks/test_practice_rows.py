"""Rows with known sentences, leaked rows within a budget."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess
from divulge.adversary import Background, Practice
from divulge.attacks.practice_rows import AT_ONCE, affordable_rows, keyword_names, known_rows, own_encoder, pooled
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import LeakedRow, RowContent, Secret, Tokens
from divulge.testing.encoder import FakeRowsAccess


def practice(count: int) -> Practice:
    """Row n holds the number n and has the sentence "n"; the first is known by its tokens alone."""
    secrets = [Secret(id="s0", hint=LeakedRow(row=0), answer=Tokens(tokens=("0",)))]
    secrets += [Secret(id=f"s{n}", hint=LeakedRow(row=n), answer=RowContent(tokens=(str(n),))) for n in range(1, count)]
    return Practice(Grant([FakeRowsAccess([np.full((1, 2), float(n)) for n in range(count)])]), tuple(secrets))


def test_every_row_comes_with_its_own_sentence() -> None:
    """More rows than are read at once, all there and in order; or those that are chosen."""
    own = practice(AT_ONCE + 3)
    assert [(row[0, 0], answer.tokens) for row, answer in known_rows(own)] == [
        (float(n), (str(n),)) for n in range(AT_ONCE + 3)
    ]
    assert [answer.tokens for _, answer in known_rows(own, [5, 2])] == [("5",), ("2",)]


def test_without_practice_the_error_says_what_to_set() -> None:
    """There is nothing to learn from."""
    with pytest.raises(InputError, match="knn needs practice rows.*adversary.background.corpus"):
        own_encoder(Background(), "knn")


@pytest.mark.parametrize(("budget", "read"), [(None, AT_ONCE + 3), (0, 0), (5, 5), (AT_ONCE + 1, AT_ONCE + 1)])
def test_rows_are_read_as_far_as_the_budget_goes(budget: int | None, read: int) -> None:
    """Each with its name, no question more."""
    own = practice(AT_ONCE + 3)
    grant = Grant(own.access.accesses, budget)
    hints = {secret.id: secret.hint for secret in own.secrets}
    got = [
        one
        for names, rows in affordable_rows(grant[EmbeddedRowsAccess], hints)
        for one in zip(names, rows, strict=True)
    ]
    assert [(name, row[0, 0]) for name, row in got] == [(f"s{n}", float(n)) for n in range(read)]
    assert grant.meter.total == read


def test_a_row_is_pooled_by_its_mean() -> None:
    """(1 + 3) / 2 = 2 and (2 + 6) / 2 = 4; pooled rows stay, an empty one is nothing."""
    assert pooled(np.array([[1.0, 2.0], [3.0, 6.0]])).tolist() == [2.0, 4.0]
    assert pooled(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert pooled(np.empty((0, 2))).tolist() == [0.0, 0.0]


def test_spellings_of_a_keyword_are_one() -> None:
    """Case and punctuation do not make two classes; what has no letters is none."""
    answer = RowContent(tokens=("x",), words=("Hong Kong", "X-ray", "hong kong", "-"))
    assert keyword_names(answer) == ["hong kong", "x ray"]
