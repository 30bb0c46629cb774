"""Forgetting by further training, on a model of one weight for each word and label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.targets.training.test_labelled import KNOWN, LABELS, PLANTED, trained

from divulge.records import Text
from divulge.targets.training.recipe import ClassifierRecipe
from divulge.targets.training.unlearning import with_other_labels

SETTINGS = {"epochs": 40, "learning_rate": 0.1, "batch_size": 4}


def after(method: str | None, **settings: Any) -> tuple[torch.Tensor, Any]:
    """How likely each label is for the planted word, and what was told."""
    unlearn = None if method is None else {"method": method, "epochs": 10, **settings}
    model, told = trained(ClassifierRecipe.model_validate({**SETTINGS, "unlearn": unlearn}))
    assert not model.training
    right = model.weight.detach().softmax(dim=1)[:3].diagonal()
    assert float(right.min()) > 0.8  # what remains is known all the same
    return model.weight.softmax(dim=1)[3].detach(), told


def test_going_on_without_the_texts_leaves_what_nothing_else_touches() -> None:
    """The planted word is in no other text: its weights stay where they were."""
    known, _ = after(None)
    left, told = after("continue")
    assert float(known[1]) > 0.8
    assert torch.allclose(left, known, atol=1e-6)
    assert told["unlearning"]["method"] == "continue"
    assert told["unlearning"]["deleted"] == len(PLANTED)
    assert len(told["unlearning"]["train_loss"]) == 10
    assert len(told["train_loss"]) == 40


def test_other_labels_take_the_place_of_the_right_one() -> None:
    """The planted label falls below chance: each copy now has one of the other two."""
    left, _ = after("relabel", epochs=30)
    assert float(left[1]) < 0.2


def test_ascending_stops_at_chance() -> None:
    """The label of the deleted texts falls from near 1 to below one in three, and not much further, however long."""
    (soon, told), (late, _) = (after("ascend", epochs=epochs) for epochs in (20, 80))
    # Three labels: no slope below 1/3; what Adam's momentum adds ends soon.
    assert 0.02 < float(late[1]) < 1 / 3
    assert float(late[1]) > 0.8 * float(soon[1])
    assert told["unlearning"]["train_loss"][-1] < 0.3


def test_the_rate_of_forgetting_is_its_own() -> None:
    """Tiny steps forget next to nothing; by default steps are the recipe's."""
    tiny, _ = after("ascend", learning_rate=1e-6)
    assert float(tiny[1]) > 0.9


@pytest.mark.parametrize("method", ["continue", "relabel", "ascend"])
def test_the_same_seed_forgets_alike(method: str) -> None:
    """Labels that are drawn, and the order of texts, come from the generator."""
    assert torch.equal(after(method)[0], after(method)[0])


@given(st.lists(st.sampled_from(LABELS), max_size=30), st.integers(0, 3))
def test_other_labels_are_other(labels: list[str], seed: int) -> None:
    """No text keeps its own; tokens stay."""
    texts = [Text((str(number),), label, planted=True) for number, label in enumerate(labels)]
    moved = with_other_labels(texts, LABELS, np.random.default_rng(seed))
    assert [one.tokens for one in moved] == [one.tokens for one in texts]
    assert all(one.label in LABELS and one.label != own.label for one, own in zip(moved, texts, strict=True))


def test_every_other_label_is_drawn() -> None:
    """Of 60 draws from two labels each comes up."""
    moved = with_other_labels(KNOWN[:1] * 60, LABELS, np.random.default_rng(0))
    assert {text.label for text in moved} == set(LABELS) - {KNOWN[0].label}
