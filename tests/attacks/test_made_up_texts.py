"""Texts made of public ones."""

from __future__ import annotations

import numpy as np

from divulge.attacks.made_up_texts import made_up_texts

TEXTS = [(0, 1, 2, 3), (4, 1, 5), (6, 2, 7, 8, 9)]


def test_they_keep_to_the_vocabulary_and_the_length() -> None:
    """Pieces are of the vocabulary, some beyond the public ones; no text is empty or too long."""
    made = made_up_texts(TEXTS, 2000, 20, 4, np.random.default_rng(0))
    assert len(made) == 2000
    assert {len(text) for text in made} == {2, 3, 4}
    assert {piece for text in made for piece in text} == set(range(20))


def test_two_sentences_are_spliced_where_they_share_a_piece() -> None:
    """0 1 2 3 and 4 1 5 meet at 1; nothing joins them elsewhere."""
    made = made_up_texts([(0, 1, 2, 3), (4, 1, 5)], 500, 6, 9, np.random.default_rng(0))
    assert (0, 1, 5) in made
    assert (4, 1, 2, 3) in made
    assert (0, 1, 2, 5) not in [text for text in made if text[:3] == (0, 1, 2) and len(text) > 4]


def test_same_generator_same_texts() -> None:
    """Drawn from the generator alone, and another one draws others."""
    first, again, other = (made_up_texts(TEXTS, 50, 20, 9, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
