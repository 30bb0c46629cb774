"""Tokens whose vectors are masked, named from the vectors around them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.toy_oracles import PIECES, WIDTH, ToyOracle, texts_of

from divulge.attacks import hidden_pieces
from divulge.attacks.hidden_pieces import UNKNOWN, HiddenPieces, hidden_places


def masked(rows: list[np.ndarray], share: float, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.where(rng.random(len(row)) < share, 0.0, row.T).T.astype(np.float32) for row in rows]


def numbered(texts: list[tuple[str, ...]]) -> list[np.ndarray]:
    return [np.array([PIECES.index(token) for token in text]) for text in texts]


def learnt(oracle: ToyOracle, share: float = 0.3) -> HiddenPieces:
    texts = texts_of(600, 6, seed=1)
    return HiddenPieces.learnt(masked(oracle._embed(texts), share, 2), numbered(texts), 9, np.random.default_rng(3))


def rightly_named(found: HiddenPieces, oracle: ToyOracle, share: float) -> float:
    texts = texts_of(200, 6, seed=4)
    right = []
    for row, names in zip(masked(oracle._embed(texts), share, 5), numbered(texts), strict=True):
        guessed = np.argmax(found.scores(row, len(PIECES)), axis=1)
        right += list(guessed == names[hidden_places(row)])
    return float(np.mean(right))


def test_neighbours_name_what_is_hidden_if_they_were_told_of_it() -> None:
    """Vectors with the neighbours' mixed in give a hidden one away, the less the more is hidden; others nothing."""
    telling, silent = ToyOracle(blur=3.0), ToyOracle(blur=0.0)
    few, many = (rightly_named(learnt(telling), telling, share) for share in (0.2, 0.8))
    assert few > 0.5
    assert few > many > 1.3 / len(PIECES)
    assert rightly_named(learnt(silent), silent, 0.2) < 1.6 / len(PIECES)


def test_what_is_seen_around_a_position_is_what_looking_at_each_finds() -> None:
    """Both sides, what is behind a hidden one, the mean of all others and the place, against one loop."""
    row = np.arange(1.0, 13.0).reshape(6, 2)
    row[[1, 4]] = 0.0
    slow = []
    for place in range(6):
        at = {step: row[place + step] if 0 <= place + step < 6 else np.zeros(2) for step in (-2, -1, 1, 2)}
        hidden = {step: 0 <= place + step < 6 and not at[step].any() for step in (-1, 1)}
        shown = [other for other in range(6) if row[other].any() and other != place]
        slow.append(
            [
                *at[-1],
                *at[1],
                *(at[-2] if hidden[-1] else np.zeros(2)),
                *(at[2] if hidden[1] else np.zeros(2)),
                *np.mean([row[other] for other in shown], axis=0),
                place == 0,
                place == 5,  # six of at most nine: the text ends here
                not [other for other in shown if other < place],
                not [other for other in shown if other > place],
                place / 9,
            ]
        )
    np.testing.assert_allclose(hidden_pieces._seen_around(row, 9), np.array(slow, dtype=float))
    assert not hidden_pieces._seen_around(row, 6)[5, 11]  # of at most six: it may go on


def test_least_squares_are_those_of_the_textbook() -> None:
    """With all directions kept, the two factors are the solution of the normal equations."""
    rng = np.random.default_rng(0)
    features, wanted = rng.normal(size=(50, 4)), rng.normal(size=(50, 3))
    gram, cross = features.T @ features, features.T @ wanted
    around, to_pieces = hidden_pieces._reduced(gram, cross)
    level = hidden_pieces.RIDGE * np.trace(gram) / 4
    np.testing.assert_allclose(around @ to_pieces, np.linalg.inv(gram + level * np.eye(4)) @ cross, rtol=1e-4)


def test_tokens_that_no_text_shows_come_last() -> None:
    """Of a vocabulary with one more token, that one is never named before any other."""
    found = learnt(ToyOracle())
    row = masked(ToyOracle()._embed(texts_of(1, 6, seed=9)), 0.5, 0)[0]
    scores = found.scores(row, len(PIECES) + 1)
    assert scores.shape == (len(hidden_places(row)), len(PIECES) + 1)
    assert (scores[:, -1] == UNKNOWN).all()
    assert (scores[:, :-1] > UNKNOWN).all()


def test_wide_vectors_are_narrowed_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve dimensions more that hold nothing: cut to the eight that do, as many tokens are named."""
    wide = ToyOracle(blur=3.0, turn=np.eye(WIDTH, WIDTH + 12))
    plain = rightly_named(learnt(wide), wide, 0.2)
    monkeypatch.setattr(hidden_pieces, "WIDEST", WIDTH)
    found = learnt(wide)
    assert found.narrowed is not None
    assert found.narrowed.shape == (WIDTH + 12, WIDTH)
    assert rightly_named(found, wide, 0.2) == pytest.approx(plain, abs=0.02)
    again = HiddenPieces.from_arrays(found.arrays(), 9)
    assert again is not None
    assert rightly_named(again, wide, 0.2) == rightly_named(found, wide, 0.2)


def test_what_is_kept_serves_as_what_was_learnt() -> None:
    """Arrays and back; nothing learnt, nothing read."""
    found = learnt(ToyOracle())
    again = HiddenPieces.from_arrays(found.arrays(), 9)
    assert again is not None
    row = masked(ToyOracle()._embed(texts_of(1, 6, seed=9)), 0.5, 0)[0]
    np.testing.assert_array_equal(found.scores(row, 8), again.scores(row, 8))
    assert HiddenPieces.from_arrays({}, 9) is None


@pytest.mark.parametrize("row", [np.ones((3, 2)), np.zeros((0, 2))])
def test_where_nothing_is_hidden_nothing_is_named(row: np.ndarray) -> None:
    """No position, no scores."""
    assert hidden_places(row).size == 0
