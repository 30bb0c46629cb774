"""How common words are, cut and cased as candidates are."""

from __future__ import annotations

import pytest

from divulge.attacks.word_shares import cased_like, word_shares

TEXTS = (("The", "game,", "the", "GAME!"), ("don't", "I"))


def test_marks_stand_alone_and_tokens_with_marks_have_a_share_too() -> None:
    """Ten pieces: The game , the GAME ! don ' t I."""
    shares = word_shares(TEXTS)
    assert {word: round(share * 10) for word, share in shares.items()} == {
        **dict.fromkeys(("!", "'", ",", "GAME", "I", "The", "don", "game", "t", "the"), 1),
        **dict.fromkeys(("game,", "GAME!", "don't"), 1),
    }


def test_words_are_in_lower_case_where_all_candidates_are() -> None:
    """Then "The" is one more "the"; a single candidate with a capital keeps them apart."""
    shares = word_shares(TEXTS)
    lower = cased_like(("the", "game", "i"), shares)
    assert [lower[word] for word in ("the", "game", "i")] == pytest.approx([0.2, 0.2, 0.1])
    kept = cased_like(("the", "Game"), shares)
    assert kept["the"] == pytest.approx(0.1)


def test_nothing_has_no_shares() -> None:
    """No text, and texts of nothing."""
    assert word_shares([]) == word_shares([(), ()]) == {}
