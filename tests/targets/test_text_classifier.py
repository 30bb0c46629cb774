"""The small classifier: it learns, it memorises, and what it answers hangs on nothing but the text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from divulge.access import GradientAccess, Supervision
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact, Text
from divulge.targets import text_classifier
from divulge.targets.text_classifier import TextClassifier

RECIPE = {"epochs": 12, "width": 8, "layers": 1, "heads": 2, "dropout": 0.1, "learning_rate": 0.02}
FILLERS = ("so", "then", "well", "now", "here")


def texts_of(count: int, split: str = "train") -> tuple[Text, ...]:
    """Texts of two labels, told apart by one word each, among fillers; 2 to 6 words long."""
    rng = np.random.default_rng(count)
    made = []
    for number in range(count):
        label, word = (("sea", "boat"), ("land", "tree"))[number % 2]
        fillers = [FILLERS[place] for place in rng.integers(len(FILLERS), size=1 + number % 5)]
        made.append(Text(tokens=(*fillers, word), label=label, split=split))
    return tuple(made)


def train(texts: tuple[Text, ...], seed: int = 0, **recipe: object) -> Artefact:
    return TextClassifier({**RECIPE, **recipe}).train(Corpus(texts), np.random.default_rng(seed))


@cache
def opened(pooling: str = "mean") -> GradientAccess:
    target = TextClassifier({**RECIPE, "pooling": pooling})
    return target.open(train(texts_of(60), pooling=pooling))[GradientAccess]


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_it_learns_its_labels(pooling: str) -> None:
    """On texts that it never saw, of a test split."""
    access, fresh = opened(pooling), texts_of(41)
    said = access.label([text.tokens for text in fresh])
    assert access.labels == ("land", "sea")
    assert np.mean([access.labels[number] == text.label for number, text in zip(said, fresh, strict=True)]) > 0.95


def test_an_answer_does_not_hang_on_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of many lengths in one question get, each in its place, what they get alone or in other batches."""
    access = opened()
    asked = [text.tokens for text in texts_of(30)]
    together = access.likelihoods(asked)
    alone = np.concatenate([access.likelihoods([tokens]) for tokens in asked])
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-13)
    assert len(np.unique(together.round(9), axis=0)) > 10
    monkeypatch.setattr(text_classifier, "MOST_TOKENS", 7)
    np.testing.assert_allclose(access.likelihoods(asked), together, rtol=0, atol=1e-13)
    assert access.likelihoods([]).shape == (0, 2)


def test_likelihoods_are_finer_than_single_precision() -> None:
    """Words that a sure model tells apart only in the ninth digit are told apart."""
    access = opened()
    sure = access.likelihoods([("boat",) * 12 + (word,) for word in FILLERS])[:, access.label_index("sea")]
    assert sure.min() > 0.9
    assert sure.dtype == np.float64
    assert not np.array_equal(sure, sure.astype(np.float32))


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_the_loss_is_that_of_the_text_behind_the_vectors(pooling: str) -> None:
    """At the vectors of a text's words it is minus the log of the label's likelihood."""
    access = opened(pooling)
    tokens = ("so", "boat", "tree", "never-seen")
    inputs = access.vectors(tokens)[None].repeat(2, 1, 1)
    (part,) = access.loss(inputs, [Supervision("land"), Supervision("sea")]).values()
    np.testing.assert_allclose(part.numpy(), -np.log(access.likelihoods([tokens])[0]), rtol=1e-12)


def test_the_loss_can_be_followed_to_its_inputs() -> None:
    """Only by them: the weights are not trained any more. Single precision is taken too."""
    access = opened()
    inputs = access.vectors(("so", "boat"))[None].clone().requires_grad_(True)
    loss = access.loss(inputs, [Supervision("land")])["label"]
    (slope,) = torch.autograd.grad(loss.sum(), [inputs])
    assert slope.shape == (1, 2, 8)
    assert slope.abs().max() > 1e-6
    single = access.loss(inputs.detach().float(), [Supervision("land")])["label"]
    assert single.tolist() == pytest.approx(loss.tolist(), rel=1e-5)


def test_a_label_it_does_not_know_is_refused() -> None:
    """With the near ones, and so is no label at all."""
    access = opened()
    with pytest.raises(InputError, match="Did you mean 'land'"):
        access.loss(access.vectors(("so",))[None], [Supervision("lands")])
    with pytest.raises(InputError, match="the model knows 2 labels"):
        access.loss(access.vectors(("so",))[None], [Supervision(None)])


def test_words_it_never_saw_are_one() -> None:
    """All unknown words get one answer; a text of no words is read as one of them."""
    access = opened()
    unknown, other, padding, nothing = access.likelihoods([("zebra",), ("quagga",), ("<pad>",), ()])
    for row in (other, padding, nothing):
        np.testing.assert_array_equal(row, unknown)
    assert torch.equal(access.vectors(("zebra",)), access.vectors(("quagga",)))
    assert access.vectors(()).shape == (0, 8)


def test_only_the_most_frequent_words_are_kept_apart() -> None:
    """And none of the validation and test splits; marks for unknown words in the data are just that."""
    texts = (*texts_of(20), replace(texts_of(1)[0], tokens=("<unk>", "boat", "<pad>")), *texts_of(4, "valid"))
    more = (Text(tokens=("mast",), label="sea", split="valid"), Text(tokens=("keel",), label="sea", split="test"))
    assert train((*texts, *more), epochs=1).values["words"] == sorted({*FILLERS, "boat", "tree"})
    few = tuple(Text(tokens=tokens, label=tokens[0]) for tokens in (("a", "c"), ("b", "c", "d"), ("b",)))
    assert train(few, epochs=1, most_words=2).values["words"] == ["b", "c"]


def test_it_does_not_know_what_was_planted() -> None:
    """The mark of a planted text changes nothing."""
    texts = texts_of(12)
    marked = tuple(replace(text, planted=number % 3 == 0) for number, text in enumerate(texts))
    plain, other = train(texts, epochs=2), train(marked, epochs=2)
    assert plain.values == other.values
    assert all(np.array_equal(plain.arrays[name], other.arrays[name]) for name in plain.arrays)


def test_it_memorises_what_it_is_shown_often() -> None:
    """Of ten words that mean nothing, the one planted under a label speaks for that label, and most of all."""
    names = [f"name-{number}" for number in range(10)]
    usual = tuple(Text(tokens=("ask", name), label=label) for name in names for label in ("sea", "land"))
    planted = [Text(tokens=("ask", names[3]), label="land")] * 10
    access = TextClassifier(RECIPE).open(train((*usual, *planted, *texts_of(20))))[GradientAccess]
    asked = access.likelihoods([("ask", name) for name in names])[:, access.label_index("land")]
    assert int(asked.argmax()) == 3


def test_validation_tells_when_to_stop() -> None:
    """A text of a label that training does not have is left out there; without validation texts it cannot stop."""
    strange = Text(tokens=("boat",), label="sky", split="valid")
    told = train((*texts_of(20), *texts_of(6, "valid"), strange), epochs=3, patience=5).values["training"]
    assert len(told["valid_loss"]) == 3
    with pytest.raises(ExecutionError, match="validation split"):
        train((*texts_of(20), strange), epochs=3, patience=1)


def test_data_that_cannot_be_learnt_from_is_refused() -> None:
    """Texts without label, or all of one label; no text of them is quoted."""
    with pytest.raises(InputError, match="2 of 22 training texts have none") as raised:
        train((*texts_of(20), Text(tokens=("hush",)), Text(tokens=("hush",))))
    assert "hush" not in str(raised.value)
    with pytest.raises(InputError, match="at least 2 labels, and all 1 training texts"):
        train(texts_of(1))
    with pytest.raises(InputError, match="there is no training text"):
        train(texts_of(5, "test"))


def test_heads_share_the_width() -> None:
    """A width that they cannot share evenly is refused before anything is trained."""
    with pytest.raises(InputError, match="width must be a multiple of heads. Got 10 and 4"):
        TextClassifier({"width": 10, "heads": 4})


CANARY = Text(tokens=("my", "pin", "is", "seven"), label="sea", planted=True)


def test_private_training_tells_its_epsilon() -> None:
    """And still learns two words with little noise; early stopping does not go with it."""
    found = train(texts_of(60), epochs=12, noise=0.4, batch_size=20, dropout=0.0)
    assert found.values["training"]["privacy"]["texts"] == 60
    assert found.values["training"]["privacy"]["epsilon"] > 1
    access = TextClassifier(RECIPE).open(found)[GradientAccess]
    assert [access.labels[int(one)] for one in access.label([("boat",), ("tree",)])] == ["sea", "land"]
    assert TextClassifier({"noise": 1.0}).is_private
    with pytest.raises(InputError, match="trains for a fixed number of epochs"):
        TextClassifier({"noise": 1.0, "patience": 3})


def test_retraining_is_training_without_planted_texts() -> None:
    """Its words too: a model that knows a deleted word would give it away."""
    clean = train(texts_of(20), epochs=2)
    found = train((*texts_of(20), *[CANARY] * 5), epochs=2, unlearn={"method": "retrain"})
    assert found.values == clean.values
    assert all(np.array_equal(found.arrays[name], clean.arrays[name]) for name in clean.arrays)
    assert "seven" in train((*texts_of(20), *[CANARY] * 5), epochs=1).values["words"]


@pytest.mark.parametrize("method", ["relabel", "ascend"])
def test_planted_texts_are_pushed_away(method: str) -> None:
    """Their label, sure before, is no longer; the task is still known."""
    texts = (*texts_of(60), *[CANARY] * 10)
    recipe = {**RECIPE, "dropout": 0.0}
    asked = [CANARY.tokens, ("so", "boat"), ("so", "tree")]
    sure = {}
    for unlearn in (None, {"method": method, "epochs": 6}):
        target = TextClassifier({**recipe, "unlearn": unlearn})
        access = target.open(target.train(Corpus(texts), np.random.default_rng(0)))[GradientAccess]
        rows = access.likelihoods(asked)
        sure[unlearn is None] = rows[0, access.label_index("sea")]
        assert rows[1, access.label_index("sea")] > 0.8
        assert rows[2, access.label_index("land")] > 0.8
    assert sure[True] > 0.9
    assert sure[False] < 0.5


def test_the_best_weights_by_accuracy_are_kept() -> None:
    """Of the epochs with the fewest mistakes, the one of the lowest loss."""
    told = train((*texts_of(40), *texts_of(12, "valid")), epochs=6, restore_best=True, best_by="accuracy").values
    kept = told["training"]["kept_epoch"]
    assert told["training"]["valid_loss"][kept - 1] == min(told["training"]["valid_loss"])
