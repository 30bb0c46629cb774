"""ATIS: a small copy of its layout, and the real files where they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from divulge.data.atis import Atis
from divulge.data.loading import verify
from divulge.errors import InputError

needs_atis = pytest.mark.skipif(bool(Atis.missing()), reason="the ATIS files are not in the data folder")


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """The three splits are read from their folders, train first; joined intents are one label."""
    for split in ("train", "valid", "test"):
        folder = tmp_path / "atis" / split
        folder.mkdir(parents=True)
        (folder / "seq.in").write_text(f"fly to {split}\n")
        (folder / "seq.out").write_text("O O B-toloc.city_name\n")
        (folder / "label").write_text("atis_flight#atis_airfare\n")
    corpus = Atis().load(tmp_path)
    assert [text.split for text in corpus] == ["train", "valid", "test"]
    assert [text.tokens[2] for text in corpus] == ["train", "valid", "test"]
    assert corpus.labels == ("atis_flight#atis_airfare",)
    assert corpus.name == "atis"


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="9 of 9 files.*SlotGated-SLU"):
        Atis().load(tmp_path)


@needs_atis
def test_the_real_files_have_the_published_counts() -> None:
    """Questions, tokens, labels, slot types, spans and vocabulary are those of the data's description."""
    corpus = Atis().load()
    assert Counter(text.split for text in corpus) == {"train": 4478, "valid": 500, "test": 893}
    assert sum(len(text.tokens) for text in corpus) == 65364
    assert len({token for text in corpus for token in text.tokens}) == 950
    tags = Counter(tag for text in corpus for tag in text.tags or ())
    assert len(tags) == 127
    assert len({tag[2:] for tag in tags if tag != "O"}) == 83
    assert sum(times for tag, times in tags.items() if tag.startswith("B-")) == 19397
    assert Counter(text.label for text in corpus.split("train"))["atis_flight"] == 3309


@needs_atis
def test_the_known_flaws_are_there() -> None:
    """Five labels occur outside the train split alone; 52 valid and 13 test questions are in train word for word."""
    corpus = Atis().load()
    train = corpus.split("train")
    assert (len(corpus.labels), len(train.labels)) == (26, 21)
    assert set(corpus.labels) - set(train.labels) == {
        "atis_airfare#atis_flight",
        "atis_airfare#atis_flight_time",
        "atis_day_name",
        "atis_flight#atis_airline",
        "atis_flight_no#atis_airline",
    }
    seen = {text.tokens for text in train}
    assert len(train) - len(seen) == 289
    assert [sum(text.tokens in seen for text in corpus.split(split)) for split in ("valid", "test")] == [52, 13]


@needs_atis
def test_the_real_files_are_the_ones_meant() -> None:
    """All nine sums match."""
    findings = verify("atis")
    assert len(findings) == 9
    assert all(finding.as_expected for finding in findings)
