"""Training of classifiers, on a model of one weight for each word and label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.training.labelled import (
    LabelledTexts,
    ToLearn,
    fit_classifier,
    label_problems,
    remaining,
    wrong_share,
)
from divulge.targets.training.recipe import ClassifierRecipe, Unlearning

LABELS = ("a", "b", "c")
WORDS = ("x", "y", "z", "secret")


class Counted(LabelledTexts):
    """Texts of one word each."""

    def __init__(self, texts: Sequence[Text]) -> None:
        super().__init__(texts, [1] * len(texts), LABELS)
        self.words = torch.tensor([WORDS.index(text.tokens[0]) for text in texts])

    def logits(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """A row of the table for each word."""
        found: torch.Tensor = model(self.words[torch.from_numpy(numbers)])
        return found


def table() -> torch.nn.Embedding:
    """All labels equally likely for each word."""
    made = torch.nn.Embedding(len(WORDS), len(LABELS))
    torch.nn.init.zeros_(made.weight)
    return made


KNOWN = [Text((word,), label) for word, label in zip(WORDS, LABELS, strict=False)] * 4
PLANTED = [Text(("secret",), "b", planted=True)] * 6


def trained(recipe: ClassifierRecipe, valid: Sequence[Text] = (), planted: Sequence[Text] = PLANTED) -> tuple[Any, Any]:
    """The table after training, and what was told."""
    model = table()
    learnt = ToLearn([*KNOWN, *planted], valid, LABELS, Counted)
    return model, fit_classifier(model, learnt, recipe, np.random.default_rng(0))


def test_losses_are_cross_entropies() -> None:
    """With logits 0, 0 and log 2 the probabilities are 1/4, 1/4 and 1/2."""
    model = table()
    with torch.no_grad():
        model.weight[1, 2] = float(np.log(2))
    examples = Counted([Text(("y",), "c"), Text(("y",), "a")])
    found = examples.losses(model, np.array([0, 1]))
    assert found.tolist() == pytest.approx([np.log(2), np.log(4)])
    assert examples.losses(model, np.array([1])).tolist() == pytest.approx([np.log(4)])


def test_wrong_labels_are_counted() -> None:
    """Of four texts, the model is right about two."""
    model = table()
    with torch.no_grad():
        model.weight[:, 1] = 1.0
    texts = [Text(("x",), "b"), Text(("y",), "a"), Text(("z",), "b"), Text(("z",), "c")]
    assert wrong_share(model, Counted(texts), 3) == 0.5


def test_it_learns_what_it_is_shown() -> None:
    """Without a deletion planted texts are texts as all others."""
    model, told = trained(ClassifierRecipe(epochs=40, learning_rate=0.1, batch_size=4))
    assert model.weight.argmax(dim=1).tolist() == [0, 1, 2, 1]
    assert told["train_loss"][-1] < 0.1
    assert "unlearning" not in told


def test_the_best_weights_by_accuracy_may_be_others_than_by_loss() -> None:
    """By loss the first epoch is best, since a mistake gets ever surer; by accuracy one that turns a label right."""
    valid = [Text(("x",), "a"), *[Text(("z",), "a")] * 6]  # training says that z is of label c
    kept = {}
    for by in ("loss", "accuracy"):
        model = table()
        with torch.no_grad():
            model.weight[0, 0] = -2.0  # so that x is of label a after a while only
        settings = {"epochs": 20, "learning_rate": 0.1, "batch_size": 4, "restore_best": True, "best_by": by}
        learnt = ToLearn(KNOWN, valid, LABELS, Counted)
        told = fit_classifier(model, learnt, ClassifierRecipe.model_validate(settings), np.random.default_rng(0))
        kept[by] = told["kept_epoch"], int(model.weight[0].argmax())
    assert kept["loss"][0] == 1
    assert kept["loss"][1] != 0
    assert kept["accuracy"][0] > 1
    assert kept["accuracy"][1] == 0


def test_retraining_leaves_planted_texts_out() -> None:
    """Of all splits; for every other way they stay for the time being, as they do without a deletion."""
    corpus = Corpus((*KNOWN, *PLANTED, Text(("secret",), "b", split="valid", planted=True)))
    assert remaining(corpus, ClassifierRecipe()) is corpus
    assert remaining(corpus, ClassifierRecipe(unlearn=Unlearning(method="ascend"))) is corpus
    left = remaining(corpus, ClassifierRecipe(unlearn=Unlearning(method="retrain")))
    assert left.texts == tuple(KNOWN)
    with pytest.raises(InputError, match="none remains once they are deleted"):
        remaining(Corpus(tuple(PLANTED)), ClassifierRecipe(unlearn=Unlearning(method="continue")))


def test_a_deletion_without_planted_texts_does_nothing() -> None:
    """A model without canaries, as a reference is, is the same with and without."""
    settings: dict[str, Any] = {"epochs": 3, "learning_rate": 0.1, "batch_size": 4}
    plain, _ = trained(ClassifierRecipe(**settings), planted=())
    asked, told = trained(ClassifierRecipe(**settings, unlearn=Unlearning(method="ascend")), planted=())
    assert torch.equal(plain.weight, asked.weight)
    assert "unlearning" not in told


def test_texts_that_teach_no_labels_are_told_of_before() -> None:
    """One label, one that only deleted texts have, texts without one where none is left out; a planted class counts."""
    one, bare = [Text((word,), "a") for word in WORDS], Text(("x",))

    def said(texts: Sequence[Text], *, skips: bool = True, **recipe: Any) -> list[str]:
        return label_problems(Corpus(tuple(texts), "mine"), ClassifierRecipe(**recipe), skips=skips)

    (few,) = said(one)
    assert few.startswith("mine: a classifier learns from texts of at least 2 labels, and all 4 training texts have")
    assert said([*one, Text(("y",), "b", split="valid")]) == [few]
    assert said([*one, *PLANTED]) == said([*one, *PLANTED, bare]) == []
    assert said([*one, *PLANTED], unlearn=Unlearning(method="retrain")) == [few]
    assert "none remains" in said(PLANTED, unlearn=Unlearning(method="retrain"))[0]
    (lacking,) = said([*one, *PLANTED, bare], skips=False)
    assert "1 of 11 training texts have none: name their column" in lacking
