"""What other continuations tell of one that is not seen."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.toy_oracles import ToyOracle, texts_of

from divulge.attacks.row_continuations import Continuations, Unread, public_rests
from divulge.records import Text


def test_errors_along_the_directions_go_and_others_stay() -> None:
    """Continuations move the first number of both tokens: an error there is explained, one in the second is not."""
    alone = np.zeros((2, 2))
    unread = Unread.shown(alone, [np.array([[1.0, 0.0], [1.0, 0.0]])])
    explained = unread.without(np.array([[3.0, 0.0], [3.0, 0.0]]))
    assert np.abs(explained).max() < 0.1 * 3
    assert np.allclose(unread.without(np.array([[0.0, 2.0], [0.0, 0.0]])), [[0.0, 2.0], [0.0, 0.0]])
    # a token that is wrong moves one position alone: half of it looks like a continuation, half of it stays
    assert unread.without(np.array([[2.0, 0.0], [0.0, 0.0]]))[0, 0] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(("causal", "kept"), [(False, 3), (True, 0)])
def test_continuations_are_kept_where_they_change_rows(causal: bool, kept: int) -> None:
    """An encoder that reads from left to right shows nothing of them; rows of the greatest length may go on."""
    oracle, texts, rests = ToyOracle(causal=causal), texts_of(6, 4, seed=1), texts_of(6, 2, seed=2)
    rows = [row[:4] for row in oracle._embed([text + rest for text, rest in zip(texts, rests, strict=True)])]
    found = Continuations.known(texts, rests, rows, oracle, most=3, rng=np.random.default_rng(0))
    assert len(found.rests) == kept
    assert set(found.rests) <= set(rests)
    assert found.concern(rows[0]) is bool(kept)
    assert not found.concern(rows[0][:3])
    assert Continuations.from_values(found.values()) == found


def test_rests_are_those_of_the_texts_in_their_order() -> None:
    """Two texts that begin alike keep each its own rest; a text that is not in the corpus has none."""
    corpus = [Text(("a", "b"), rest=("c",)), Text(("x",)), Text(("a", "b"), rest=("d", "e"))]
    assert public_rests([("a", "b"), ("x",), ("a", "b"), ("z",)], corpus) == [("c",), (), ("d", "e"), ()]
