"""What next-word models share: steps, losses and batches, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from divulge.access import Ablatable
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Passage, Text
from divulge.targets import word_generators
from divulge.targets.word_generators import (
    Followed,
    Steps,
    WordGeneratorAccess,
    known_words,
    split_passages,
    word_steps,
)
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


class Sums(torch.nn.Module):
    """Three words from two units: the number shown, and twice it; word n scores the sum of the first n units."""

    def __init__(self) -> None:
        super().__init__()
        self.output = torch.nn.Linear(2, 3, bias=False)
        self.output.weight.data = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])

    def states(self, shown: torch.Tensor) -> torch.Tensor:
        return torch.stack([shown, 2 * shown], dim=2).double()

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.output(states)
        return found


class SumsAccess(WordGeneratorAccess):
    """Reads as a text generator does."""

    def _steps(self, passages: Sequence[Passage]) -> Steps:
        return word_steps(passages, self._words)


def ablated_scores(share: float, seed: int) -> list[int]:
    """The scores of both words after the mark, above that of the unknown word, which is nothing."""
    access = SumsAccess(Sums(), WORDS).ablated(share, np.random.default_rng(seed))
    passages = [Passage(tokens=(word,)) for word in ("a", "b", "?")]
    found = [float(row[0]) for row in access.log_likelihoods(passages)]
    return [round(one - found[2]) for one in found[:2]]


def test_ablated_units_say_nothing_to_the_output_layer() -> None:
    """The mark is 4, so that the units are 4 and 8: a scores 4, b 4 + 8; less what the unit at zero would give."""
    assert ablated_scores(0.0, 0) == [4, 12]
    assert {tuple(ablated_scores(0.5, seed)) for seed in range(20)} == {(0, 8), (4, 4)}
    assert ablated_scores(1.0, 0) == [0, 0]


def test_ablation_leaves_the_model_as_it_was() -> None:
    """What is switched off in one access is on in the other, and stays off in what is ablated again."""
    access, passages = SumsAccess(Sums(), WORDS), [Passage(tokens=("b", "a"))]
    before = access.log_likelihoods(passages)[0].tolist()
    none = access.ablated(1.0, np.random.default_rng(0))
    assert isinstance(none, Ablatable)
    assert none.best(passages) == [("<unk>", "<unk>")]
    assert none.ablated(0.0, np.random.default_rng(0)).best(passages) == [("<unk>", "<unk>")]
    assert access.log_likelihoods(passages)[0].tolist() == before
    assert access.best(passages) == [("b", "b")]


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_of_units_lies_between_none_and_all(share: float) -> None:
    """Anything else is the caller's mistake."""
    with pytest.raises(InputError, match="from 0 to 1"):
        SumsAccess(Sums(), WORDS).ablated(share, np.random.default_rng(0))


def test_ablated_answers_are_not_those_kept_of_the_whole_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that were kept are the whole model's: b ranks first there, and last of three ties without units."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))
    access, passages = SumsAccess(Sums(), WORDS).keeping("0" * 64), [Passage(tokens=("b",))]
    assert access.ranks(passages)[0].tolist() == [0]
    assert access.ablated(1.0, np.random.default_rng(0)).ranks(passages)[0].tolist() == [2]
    assert access.ranks(passages)[0].tolist() == [0]
