"""Public texts with random tokens put in."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from divulge.attacks.vocabulary_texts import vocabulary_texts

PUBLIC = [("the", "cat", "sat"), ("a", "dog"), ("it",)]
PIECES = [f"piece-{number}" for number in range(40)]


@pytest.mark.parametrize("sightings", [1, 3])
def test_every_token_is_put_in_as_often_as_asked(sightings: int) -> None:
    """Each of the 40 tokens occurs exactly so often, and every text holds at least one of them."""
    made = vocabulary_texts(PUBLIC, PIECES, sightings, np.random.default_rng(0))
    found = Counter(token for text in made for token in text if token in PIECES)
    assert found == dict.fromkeys(PIECES, sightings)
    assert all(set(text) & set(PIECES) for text in made)


def test_what_is_not_replaced_is_a_public_text() -> None:
    """The length and the tokens that stayed are those of one of them, and about half stayed."""
    made = vocabulary_texts(PUBLIC, PIECES, 5, np.random.default_rng(0))
    kept = [[(place, token) for place, token in enumerate(text) if token not in PIECES] for text in made]
    for text, left in zip(made, kept, strict=True):
        assert any(len(one) == len(text) and all(one[place] == token for place, token in left) for one in PUBLIC)
    # texts left as they were are dropped: of 3 positions 1.71 are then replaced in the mean, of 2 1.33, of 1 all
    assert 0.25 < sum(len(left) for left in kept) / sum(len(text) for text in made) < 0.5


def test_how_a_text_goes_on_stays_behind_it() -> None:
    """No token is put into the rest, and each has the rest of the text it was made of."""
    rests = [("on", "mats"), ("barks",), ()]
    made = vocabulary_texts(PUBLIC, PIECES, 2, np.random.default_rng(0), rests)
    plain = vocabulary_texts(PUBLIC, PIECES, 2, np.random.default_rng(0))
    assert {len(text): rest for text, rest in zip(PUBLIC, rests, strict=True)} == {
        len(text): whole[len(text) :] for text, whole in zip(plain, made, strict=True)
    }


def test_none_are_made_of_nothing() -> None:
    """No sightings, no texts or empty ones: nothing to make, and no endless loop."""
    rng = np.random.default_rng(0)
    assert vocabulary_texts(PUBLIC, PIECES, 0, rng) == []
    assert vocabulary_texts([], PIECES, 2, rng) == []
    assert vocabulary_texts([()], PIECES, 2, rng) == []


def test_the_generator_decides() -> None:
    """Same seed, same texts; another seed, others."""
    first, again, other = (vocabulary_texts(PUBLIC, PIECES, 2, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
