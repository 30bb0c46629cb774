"""Snips: a small copy of its layout, and the real files where they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.snips import Snips
from divulge.errors import InputError

needs_snips = pytest.mark.skipif(bool(Snips.missing()), reason="the Snips files are not in the data folder")


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """The three splits are read from their folders, train first."""
    for split in ("train", "valid", "test"):
        folder = tmp_path / "snips" / split
        folder.mkdir(parents=True)
        (folder / "seq.in").write_text(f"play {split} \n")
        (folder / "seq.out").write_text("O B-artist \n")
        (folder / "label").write_text("PlayMusic\n")
    corpus = Snips().load(tmp_path)
    assert [text.split for text in corpus] == ["train", "valid", "test"]
    assert [text.tokens[1] for text in corpus] == ["train", "valid", "test"]
    assert corpus.name == "snips"


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="SlotGated-SLU"):
        Snips().load(tmp_path)


@needs_snips
def test_the_real_files_have_the_published_counts() -> None:
    """Utterances, tokens, intents, slot types and vocabulary are those of the data's description."""
    corpus = Snips().load()
    assert Counter(text.split for text in corpus) == {"train": 13084, "valid": 700, "test": 700}
    assert sum(len(text.tokens) for text in corpus) == 130438
    assert len({token for text in corpus for token in text.tokens}) == 12134
    tags = {tag for text in corpus for tag in text.tags or ()}
    assert len(tags) == 72
    assert len({tag[2:] for tag in tags - {"O"}}) == 39
    train = Counter(text.label for text in corpus.split("train"))
    assert train["PlayMusic"] == 1914
    assert len(train) == 7


@needs_snips
def test_the_real_files_are_the_ones_meant() -> None:
    """All nine sums match."""
    findings = verify("snips")
    assert len(findings) == 9
    assert all(finding.as_expected for finding in findings)
