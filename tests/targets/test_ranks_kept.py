"""Ranks that are kept beside the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from divulge.records import Passage
from divulge.targets.ranks_kept import KeptRanks, Ranks

KEY = "a" * 64


class Asked:
    """Answers with the length of each word, and remembers what it was asked."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []

    def __call__(self, passages: Sequence[Passage]) -> Ranks:
        """The ranks."""
        self.passages += passages
        return [np.array([len(word) for word in one.tokens], dtype=np.int64) for one in passages]


def passage(text: str, context: str = "") -> Passage:
    """Words of a text."""
    return Passage(context=tuple(context.split()), tokens=tuple(text.split()))


@pytest.mark.parametrize("key", [None, KEY])
def test_each_passage_is_asked_about_once(key: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever the order, and however often it is asked for."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))
    ask = Asked()
    kept = KeptRanks(key, ask)
    first, second = passage("one three"), passage("seven")
    assert [row.tolist() for row in kept([first, second, first])] == [[3, 5], [5], [3, 5]]
    assert [row.tolist() for row in kept([second, passage("a"), first])] == [[5], [1], [3, 5]]
    assert ask.passages == [first, second, passage("a")]
    assert kept([]) == []


def test_another_process_finds_them_and_another_model_does_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the key, which stands for the model."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))
    KeptRanks(KEY, Asked())([passage("one")])
    same, other = Asked(), Asked()
    KeptRanks(KEY, same)([passage("one")])
    KeptRanks("b" * 64, other)([passage("one")])
    assert (same.passages, other.passages) == ([], [passage("one")])


def test_context_and_text_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the context ends is part of the question."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))
    ask = Asked()
    KeptRanks(KEY, ask)([passage("two three", "one"), passage("three", "one two")])
    assert len(ask.passages) == 2
