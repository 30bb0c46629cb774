"""SATED and WIT3: small copies of their files, and the real ones where they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.sated_en_fr import TALKS, SatedEnFr, untokenised
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(SatedEnFr.missing()), reason="its files are not in the data folder")
LINES = {
    "dev.en": "let &apos;s go .\n",
    "dev.fr": "c&apos; est l&apos; heure .\n",
    "test.en": "we &apos;re here .\n",
    "test.fr": "nous sommes là .\n",
}


def segments(*texts: str, talk: str = "7") -> str:
    """A talk in the markup of WIT3."""
    told = "".join(f'<seg id="{place}"> {text} </seg>\n' for place, text in enumerate(texts, 1))
    return f'<mteval>\n<doc docid="{talk}" genre="lectures">\n<title>Who: What</title>\n{told}</doc>\n</mteval>\n'


def small_copies(root: Path, last: str) -> None:
    """Four pairs, one of them in both sets."""
    talks = [segments("Let's go.", "A &amp; B."), segments("C'est l'heure.", "A et B."), segments("Yes."), last]
    names = [name for pair in TALKS for name in pair]
    (root / "sated-en-fr" / "wit3-iwslt17").mkdir(parents=True)
    for name, content in {**LINES, **dict(zip(names, talks, strict=True))}.items():
        (root / "sated-en-fr" / name).write_text(content, encoding="utf-8")


def test_small_copies_load(tmp_path: Path) -> None:
    """Both sets in the same words, paired by talk and segment; what is in both counts once."""
    small_copies(tmp_path, segments("Oui."))
    corpus = SatedEnFr({"pairs": 2}).load(tmp_path)
    assert {(" ".join(text.context), " ".join(text.tokens)) for text in corpus} == {
        ("let's go .", "c' est l' heure ."),
        ("we're here .", "nous sommes là ."),
        ("a & b .", "a et b ."),
        ("yes .", "oui ."),
    }
    assert Counter(text.user for text in corpus) == {"user-0": 2, "user-1": 2}


def test_talks_that_do_not_match_are_told(tmp_path: Path) -> None:
    """The same segment of another talk is no translation; nor is a file without segments."""
    small_copies(tmp_path, segments("Oui.", talk="8"))
    with pytest.raises(InputError, match="tst2017.fr-en.fr.xml: has other segments than"):
        SatedEnFr().load(tmp_path)
    (tmp_path / "none").mkdir()
    small_copies(tmp_path / "none", "<mteval>\n")
    with pytest.raises(InputError, match="tst2017.fr-en.fr.xml: has no segments"):
        SatedEnFr().load(tmp_path / "none")


def test_only_contractions_are_joined() -> None:
    """A quote that is closed stays apart."""
    assert untokenised("don &apos;t say &apos; so &apos; to students &apos; &quot; &#91;") == (
        "don't say ' so ' to students ' \" ["
    )


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="8 of 8 files.*seq2seq-meminf"):
        SatedEnFr().load(tmp_path)


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """Enough for 322 users of 30 pairs; no escape is left."""
    corpus = SatedEnFr().load()
    counts = Counter(text.user for text in corpus)
    assert len(counts) == 322
    assert set(counts.values()) == {30}
    assert not any(token in {"apos", "quot"} for text in corpus for token in (*text.context, *text.tokens))


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """All sums match."""
    assert [finding.as_expected for finding in verify("sated-en-fr")] == [True] * 8
