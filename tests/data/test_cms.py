"""CMS: a small copy of its file, and the real one where it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from divulge.data.cms import ROWS, Cms
from divulge.data.loading import verify
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(Cms.missing()), reason="its file is not in the data folder")


def small_copy(root: Path) -> None:
    """Ten texts with a keyword each."""
    (root / "cms").mkdir()
    lines = "".join(f"{i},removal of part{i},,part{i}\n" for i in range(10))
    (root / "cms" / ROWS).write_text("index,text,label,spacy_label\n" + lines)


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """Eight texts are public and two private, each with its keyword; options change the share."""
    small_copy(tmp_path)
    corpus = Cms().load(tmp_path)
    assert corpus.name == "cms"
    assert Counter(text.split for text in corpus) == {"train": 8, "test": 2}
    assert all(text.keywords == (text.tokens[-1],) for text in corpus)
    half = Cms({"private": 0.5, "seed": 3, "near": 1.0}).load(tmp_path)
    assert Counter(text.split for text in half) == {"train": 5, "test": 5}


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the file one is told where it comes from."""
    with pytest.raises(InputError, match="1 of 1 files.*Adv_decoder"):
        Cms().load(tmp_path)


@needs_files
def test_the_real_file_has_the_stated_counts() -> None:
    """Texts, private texts, texts with keywords, distinct keywords and their occurrences."""
    corpus = Cms().load()
    assert Counter(text.split for text in corpus) == {"train": 4453, "test": 1113}
    assert sum(bool(text.keywords) for text in corpus) == 4261
    found = Counter(word for text in corpus for word in text.keywords)
    assert (len(found), sum(found.values())) == (1208, 8767)


@needs_files
def test_near_copies_can_be_left_out() -> None:
    """At a Jaccard similarity of 0.8 so many private texts are left."""
    assert len(Cms({"near": 0.8}).load().split("test")) == 911


@needs_files
def test_the_real_file_is_the_one_meant() -> None:
    """Its sum matches."""
    assert [finding.as_expected for finding in verify("cms")] == [True]
