"""Words by number."""

from divulge.targets.words import PADDING, UNKNOWN, Words, frequent_words


def test_the_most_frequent_words_are_kept() -> None:
    """B comes three times, a and c twice: of equally frequent ones the first in the alphabet."""
    texts = [("b", "a", "b"), ("c", "b"), ("a", "c", "d")]
    assert frequent_words(texts) == ["a", "b", "c", "d"]
    assert frequent_words(texts, 2) == ["a", "b"]


def test_numbers_are_padded_and_unknown_words_are_one() -> None:
    """0 is padding, 1 unknown; words count from 2."""
    words = Words(["go", "on"])
    assert words.words == (PADDING, UNKNOWN, "go", "on")
    assert len(words) == 4
    assert words.numbers([("on", "there", "go"), ("go",), ()]).tolist() == [[3, 1, 2], [2, 0, 0], [0, 0, 0]]


def test_a_word_that_is_spelt_like_padding_is_unknown() -> None:
    """A text cannot pretend to end early."""
    assert Words(["go"]).number(PADDING) == 1
