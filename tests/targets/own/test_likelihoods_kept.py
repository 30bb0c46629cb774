"""Probabilities that are asked for once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from divulge.records import Artefact, FloatArray
from divulge.targets.own.likelihoods_kept import KeptLikelihoods, answers_key

KEY = "0" * 64


class Model:
    """Tells of each text its length and that of its first word, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, texts: Sequence[tuple[str, ...]]) -> FloatArray:
        self.asked += texts
        return np.array([[len(text), len(text[0])] for text in texts], dtype=np.float64).reshape(-1, 2) / 7


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))


def test_a_text_is_asked_about_once_even_by_another_process() -> None:
    """What was kept is not asked again, copies within a batch neither; rows come in the order of the question."""
    model, again = Model(), Model()
    first = KeptLikelihoods(KEY, model)([("a", "b"), ("long",), ("a", "b")])
    assert first.tolist() == [[2 / 7, 1 / 7], [1 / 7, 4 / 7], [2 / 7, 1 / 7]]
    assert model.asked == [("a", "b"), ("long",)]
    second = KeptLikelihoods(KEY, again)([("new", "one"), ("long",)])
    assert second.tolist() == [[2 / 7, 3 / 7], [1 / 7, 4 / 7]]
    assert again.asked == [("new", "one")]
    assert KeptLikelihoods(KEY, again)([]).shape == (0, 2)


def test_another_model_and_another_cut_of_words_are_other_questions() -> None:
    """Neither the answers of other weights, nor those of a text whose words are parted elsewhere."""
    KeptLikelihoods(KEY, Model())([("a", "b")])
    for key, text in (("1" * 64, ("a", "b")), (KEY, ("a b",))):
        model = Model()
        KeptLikelihoods(key, model)([text])
        assert model.asked == [text]


def test_the_key_sees_weights_files_and_settings() -> None:
    """Each changes it; the same again does not."""
    weights = {"w": np.arange(3.0)}

    def key(arrays: dict[str, np.ndarray] = weights, files: str = "f", **about: object) -> str:
        return answers_key(Artefact(values={"files": {"model": files}}, arrays=arrays), **about)

    found = {key(), key({"w": np.arange(3.0) + 1}), key({"v": np.arange(3.0)}), key(files="g"), key(labels=["a"])}
    assert len(found) == 5
    assert key(labels=["a"]) == key(labels=["a"])
    assert len(key()) == 64
