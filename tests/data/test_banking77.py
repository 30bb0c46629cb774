"""Banking77: a small copy of its files, and the real ones where they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from divulge.data.banking77 import FILES, Banking77
from divulge.data.loading import verify
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(Banking77.missing()), reason="its files are not in the data folder")


def small_copy(root: Path, more: str = "") -> None:
    """Five questions of each intent to train on, two to test; one of the latter is among the former."""
    (root / "banking77").mkdir()
    for split, numbers in (("train", range(5)), ("test", (4, 5))):
        rows = [f'"Where, {label}, {n}?",{label}\n' for n in numbers for label in Banking77.known_labels]
        (root / "banking77" / FILES[split]).write_text("text,category\n" + "".join(rows) + more)


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """The published test set is test; what it has in common with the training set is not trained on."""
    small_copy(tmp_path)
    corpus = Banking77({"valid_each": 1}).load(tmp_path)
    assert corpus.name == "banking77"
    # of 5 questions 1 is in the test set, 1 becomes valid
    assert Counter(text.split for text in corpus) == {"train": 77 * 3, "valid": 77, "test": 77 * 2}
    assert all(text.tokens == ("Where,", f"{text.label},", text.tokens[2]) for text in corpus)
    assert {text.tokens[2] for text in corpus.split("test")} == {"4?", "5?"}
    assert {text.tokens[2] for text in corpus.split("train", "valid")} == {"0?", "1?", "2?", "3?"}
    one = Banking77({"valid_each": 1, "test_each": 1}).load(tmp_path)
    assert len(one.split("test")) == 77
    assert len(one.split("train")) == 77 * 3


def test_strange_categories_are_told(tmp_path: Path) -> None:
    """By row of the file, without the words of it."""
    small_copy(tmp_path, "secretive,cats\n")
    with pytest.raises(InputError, match="row 386 has a category") as refused:
        Banking77().load(tmp_path)
    assert "secretive" not in str(refused.value)


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="2 of 2 files.*PolyAI"):
        Banking77().load(tmp_path)


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """77 intents, 10 of each for validation."""
    corpus = Banking77().load()
    assert Counter(text.split for text in corpus) == {"train": 9177, "valid": 770, "test": 3076}
    assert len(corpus) == 13023
    assert corpus.labels == tuple(sorted(Banking77.known_labels))


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """Their sums match."""
    assert [finding.as_expected for finding in verify("banking77")] == [True, True]
