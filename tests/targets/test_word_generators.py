"""What next-word models share: steps, losses and batches, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from divulge.data.corpus import Corpus
from divulge.records import Passage, Text
from divulge.targets import word_generators
from divulge.targets.word_generators import Followed, known_words, split_passages, word_steps
from divulge.targets.words import Words

WORDS = Words(["a", "b"])  # 0 padding, 1 unknown, 2 a, 3 b, and 4 is the mark
PASSAGES = (Passage(context=("a",), tokens=("b", "c")), Passage(tokens=("a",)), Passage(tokens=()))


class Even:
    """Finds all three words equally likely, and keeps what it was shown."""

    def states(self, shown: torch.Tensor) -> torch.Tensor:
        self.shown = shown
        return torch.zeros(*shown.shape, 1)

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(states), 3)


def test_steps_show_what_stands_before() -> None:
    """Context, mark, all but the last word; a true word's place is its number less one, for padding is never said."""
    steps = word_steps(PASSAGES, WORDS)
    assert steps.shown[0].tolist() == [[2, 4, 3], [4, 0, 0], [0, 0, 0]]
    assert steps.true.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    assert steps.scored.tolist() == [[False, True, True], [True, False, False], [False, False, False]]


def test_rows_are_no_wider_than_they_need() -> None:
    """Of short texts alone the padding for long ones goes."""
    short = word_steps(PASSAGES, WORDS).rows(np.array([1]))
    assert [array.tolist() for array in (short.shown[0], short.true, short.scored)] == [[[4]], [[1]], [[True]]]


def test_losses_weigh_words_alike() -> None:
    """Two words and one, ln 3 each, in units of a text of 1.5 words: their mean is ln 3, that of a word."""
    model, followed = Even(), Followed(word_steps(PASSAGES[:2], WORDS), np.array([3, 1]))
    found = followed.losses(model, np.array([1, 0])).tolist()
    assert found == pytest.approx([np.log(3) / 1.5, 2 * np.log(3) / 1.5])
    assert model.shown.tolist() == [[4, 0, 0], [2, 4, 3]]


def test_known_words_are_given_or_frequent() -> None:
    """Given ones sorted, each once; else the most frequent; never a mark."""
    texts = [("b", "b", "<unk>"), ("a", "c", "c")]
    assert known_words(("z", "a", "z", "<pad>"), texts, 1) == ["a", "z"]
    assert known_words((), texts, 2) == ["b", "c"]
    assert known_words((), texts, 9) == ["a", "b", "c"]


def test_split_passages_have_a_word() -> None:
    """Texts of another split, and of no words, are left out."""
    texts = (Text(tokens=("a",), context=("b",)), Text(tokens=()), Text(tokens=("c",), split="test"))
    assert split_passages(Corpus(texts), "train") == [Passage(context=("b",), tokens=("a",))]


def test_long_passages_are_read_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of lengths 1, 1, 2, 5, 9 at most three passages and eight steps, padded, at once; what is longer goes alone."""
    monkeypatch.setattr(word_generators, "AT_ONCE", 3)
    monkeypatch.setattr(word_generators, "MOST_STEPS", 8)
    passages = [Passage(tokens=("a",) * length) for length in (5, 1, 9, 2, 1)]
    found = [batch.tolist() for batch in word_generators._batches(passages)]
    assert found == [[1, 4, 3], [0], [2]]
