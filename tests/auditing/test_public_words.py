"""The vocabulary of a generator from public texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.auditing.naming import target_named
from divulge.auditing.public_words import with_public_words
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import DataSpec

ONE_SIDE, TWO_SIDES = ("words", "words_from", "most_words"), ("words", "source_words", "words_from", "most_words")
CORPUS = Corpus(
    (
        Text(("b", "a", "b"), user="in", context=("x", "y")),
        Text(("c", "b", "a"), user="out", context=("x", "b")),
    ),
    "public",
)


def loaded(spec: DataSpec) -> Corpus:
    """The public texts, whichever are named."""
    assert spec.name == "snips"
    return CORPUS


def test_the_most_frequent_words_of_everybody_are_taken() -> None:
    """B three times, a twice, c once; the two most frequent in the order of the alphabet."""
    recipe = {"words_from": "snips", "most_words": 2}
    assert with_public_words(recipe, ONE_SIDE, loaded) == {**recipe, "words": ["a", "b"]}


def test_what_is_read_has_words_of_its_own_unless_it_is_shared() -> None:
    """X twice, b and y once; together b four times, then a, x, and the others."""
    recipe: dict[str, Any] = {"words_from": "snips", "most_words": 2}
    assert with_public_words(recipe, TWO_SIDES, loaded)["source_words"] == ["b", "x"]
    shared = with_public_words({**recipe, "shared_vocabulary": True}, TWO_SIDES, loaded)
    assert (shared["words"], "source_words" in shared) == (["a", "b"], False)


def test_words_that_are_given_stay() -> None:
    """As in the recipe of a task, which has both."""
    recipe = {"words_from": "snips", "words": ["z"]}
    assert with_public_words(recipe, ONE_SIDE, loaded) is recipe


@pytest.mark.parametrize("recipe", [None, {}, {"words_from": None}, {"epochs": 3}])
def test_all_else_is_left_alone(recipe: Any) -> None:
    """A recipe that names no public texts, or none at all."""
    assert with_public_words(recipe, ONE_SIDE, loaded) is recipe


def test_a_target_without_such_a_setting_refuses_it_itself() -> None:
    """The name is not looked up for it."""
    recipe = {"words_from": "no such thing"}
    assert with_public_words(recipe, ("epochs",), loaded) is recipe


def test_a_file_has_a_word_a_line(tmp_path: Path) -> None:
    """In the order of the alphabet, each once."""
    file = tmp_path / "words.txt"
    file.write_text("b\na\nb\n", encoding="utf-8")
    assert with_public_words({"words_from": str(file)}, TWO_SIDES, loaded)["words"] == ["a", "b"]


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    """With the names that there are; and a file without words."""
    with pytest.raises(InputError, match="neither a data set nor a file"):
        with_public_words({"words_from": "snipz"}, ONE_SIDE, loaded)
    (tmp_path / "none.txt").write_text(" \n", encoding="utf-8")
    with pytest.raises(InputError, match="has no words"):
        with_public_words({"words_from": str(tmp_path / "none.txt")}, ONE_SIDE, loaded)


def test_targets_are_named_with_their_words() -> None:
    """So that the words are in the key of what is trained."""
    target = target_named("text-generator", {"words_from": "synthetic-users", "most_words": 50})
    words = target.options.model_dump()["words"]
    assert len(words) == 50
    assert "the" in words
