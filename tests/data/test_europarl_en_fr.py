"""Europarl: small copies of its files, and the real ones where they are."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.europarl_en_fr import EuroparlEnFr
from divulge.data.loading import verify
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(EuroparlEnFr.missing()), reason="its files are not in the data folder")
ROWS = {
    "other-original": [
        ("35", "It is playing for time.", "Il joue la montre !"),
        ("35", "Thank you.", "Merci."),
        ("35", "And so on.", "Et ainsi de suite."),
        ("71", "Thank You.", "merci."),
        ("71", "This is a matter of great concern to all of us.", "C'est une affaire."),
        ("71", "No.", "Non."),
        ("71", "Yes.", "Oui."),
    ],
    "en-original": [("9", "A week ago.", "Il y a une semaine."), ("9", "Two.", "Deux.")],
}


def small_copies(root: Path) -> None:
    """Two speakers of other languages, one of English."""
    (root / "europarl-en-fr").mkdir()
    for stem, rows in ROWS.items():
        for side, lines in zip(("usr", "en", "fr"), zip(*rows, strict=True), strict=True):
            content = "".join(f"{line}\n" for line in lines).encode()
            (root / "europarl-en-fr" / f"{stem}.{side}.gz").write_bytes(gzip.compress(content))


def test_small_copies_load(tmp_path: Path) -> None:
    """English is the context, French is predicted; shared and long pairs are dropped before users are cut."""
    small_copies(tmp_path)
    corpus = EuroparlEnFr({"pairs": 2, "longest": 8}).load(tmp_path)
    assert [(text.user, text.context[0], text.tokens[0]) for text in corpus] == [
        ("35", "it", "il"),
        ("35", "and", "et"),
        ("71", "no", "non"),
        ("71", "yes", "oui"),
    ]


def test_the_language_spoken_chooses_the_speakers(tmp_path: Path) -> None:
    """Speakers of English alone, or with the others."""
    small_copies(tmp_path)
    assert EuroparlEnFr({"pairs": 2, "original": "english"}).load(tmp_path).users == ("9",)
    assert EuroparlEnFr({"pairs": 2, "original": "both"}).load(tmp_path).users == ("35", "71", "9")
    with pytest.raises(InputError, match="original"):
        EuroparlEnFr({"original": "french"})


def test_files_that_do_not_match_are_told(tmp_path: Path) -> None:
    """One line less on one side."""
    small_copies(tmp_path)
    (tmp_path / "europarl-en-fr" / "other-original.usr.gz").write_bytes(gzip.compress(b"35\n"))
    with pytest.raises(InputError, match="usr.gz: ends after 1 lines"):
        EuroparlEnFr().load(tmp_path)


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="6 of 6 files.*UDS-SFB"):
        EuroparlEnFr().load(tmp_path)


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """838 of the 840 speakers have 30 pairs of at most 50 words; no pair is two speakers'."""
    corpus = EuroparlEnFr().load()
    assert set(Counter(text.user for text in corpus).values()) == {30}
    assert len(corpus.users) == 838
    assert len({(text.context, text.tokens) for text in corpus}) == len(corpus)


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """All sums match."""
    assert [finding.as_expected for finding in verify("europarl-en-fr")] == [True] * 6
