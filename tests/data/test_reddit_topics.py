"""Reddit topics: a small copy of its file, and the real one where it is."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.reddit_topics import POSTS, RedditTopics
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(RedditTopics.missing()), reason="its file is not in the data folder")
FEW = {"valid_each": 1, "test_each": 1}


def small_copy(root: Path, *more: str) -> None:
    """Four posts of each subreddit."""
    rows = [
        {"text": f"Title {n}\n\nBody of {label}  with two spaces", "label": label}
        for n in range(4)
        for label in RedditTopics.known_labels
    ]
    (root / "reddit-topics").mkdir()
    with gzip.open(root / "reddit-topics" / POSTS, "wt", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in (*map(json.dumps, rows), *more)))


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """Title and body in words, the subreddit as label; words can be cut."""
    small_copy(tmp_path)
    corpus = RedditTopics(FEW).load(tmp_path)
    assert corpus.name == "reddit-topics"
    assert Counter(text.split for text in corpus) == {"train": 200, "valid": 100, "test": 100}
    assert all(text.tokens[2:] == ("Body", "of", text.label, "with", "two", "spaces") for text in corpus)
    cut = RedditTopics({**FEW, "words": 5, "classes": 3}).load(tmp_path)
    assert {len(text.tokens) for text in cut} == {5}
    assert len(cut.labels) == 3


def test_wrong_lines_are_told_by_number(tmp_path: Path) -> None:
    """No JSON, no label, a label of another set; none of their words."""
    small_copy(tmp_path, "nonsense", '{"text": "secretive"}', '{"text": "secretive", "label": "cats"}', "[1]")
    with pytest.raises(InputError) as refused:
        RedditTopics(FEW).load(tmp_path)
    lines = refused.value.problems
    assert [line.partition("line ")[2][:3] for line in lines] == ["401", "402", "403", "404"]
    assert "none of the set's" in lines[2]
    assert "secretive" not in str(refused.value)


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the file one is told where it comes from."""
    with pytest.raises(InputError, match="1 of 1 files.*umbrae"):
        RedditTopics().load(tmp_path)


@needs_files
def test_the_real_file_has_the_stated_counts() -> None:
    """A hundred subreddits; in the sizes of a study, five of them have half the training posts."""
    data = RedditTopics({"each": 20, "rare": 5, "rare_each": 10, "words": 24})
    corpus = data.load()
    # 95 x 20 + 5 x 10
    assert Counter(text.split for text in corpus) == {"train": 1950, "valid": 2000, "test": 2000}
    sizes = Counter(text.label for text in corpus.split("train"))
    assert {label for label, count in sizes.items() if count == 10} == set(data.rare_classes)
    assert max(len(text.tokens) for text in corpus) == 24
    assert len({text.tokens for text in corpus}) == len(corpus)


@needs_files
def test_the_real_file_is_the_one_meant() -> None:
    """Its sum matches."""
    assert [finding.as_expected for finding in verify("reddit-topics")] == [True]
