"""Ubuntu dialogs: a small copy of its file, and the real one where it is."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.ubuntu_dialogs import HEADER, MESSAGES, UbuntuDialogs
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(UbuntuDialogs.missing()), reason="its file is not in the data folder")
SAID = [
    ("ada", "d1", "does it work?"),
    ("ben", "", "not told where"),
    ("cleo", "d2", "Other matter"),
    ("ben", "d1", "it does"),
    ("ben", "d1", "for me"),
    ("ubottu", "d1", "see the manual"),
    ("ada", "d1", "thanks"),
    ("ben", "d2", "what is it?"),
]


def small_copy(root: Path, *more: str) -> None:
    """Two conversations."""
    (root / "ubuntu-dialogs").mkdir()
    rows = ["\t".join(HEADER), *("\t".join(("train", "f", "0", "05:01", *row)) for row in SAID), *more]
    content = "".join(f"{row}\n" for row in rows).encode()
    (root / "ubuntu-dialogs" / MESSAGES).write_bytes(gzip.compress(content))


def test_a_small_copy_loads(tmp_path: Path) -> None:
    """Messages of others in the same conversation make an exchange; the bot is not heard."""
    small_copy(tmp_path)
    corpus = UbuntuDialogs({"exchanges": 1}).load(tmp_path)
    assert {(" ".join(text.context), " ".join(text.tokens)) for text in corpus} == {
        ("does it work ?", "it does"),
        ("for me", "thanks"),
        ("other matter", "what is it ?"),
    }
    assert corpus.users == ("user-0", "user-1", "user-2")


def test_wrong_lines_and_requests_are_told(tmp_path: Path) -> None:
    """Lines by number, without their words; more users than there are exchanges for."""
    small_copy(tmp_path, "secretive")
    with pytest.raises(InputError, match="line 10: is not a row of the columns split") as refused:
        UbuntuDialogs().load(tmp_path)
    assert "secretive" not in str(refused.value)
    (tmp_path / "more").mkdir()
    small_copy(tmp_path / "more")
    with pytest.raises(InputError, match="2 artificial users.*The 3 texts.*enough for 1"):
        UbuntuDialogs({"users": 2, "exchanges": 2}).load(tmp_path / "more")


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the file one is told where it comes from."""
    with pytest.raises(InputError, match="1 of 1 files.*jkkummerfeld"):
        UbuntuDialogs().load(tmp_path)


@needs_files
def test_the_real_file_has_the_stated_counts() -> None:
    """Enough for 929 users of 40 exchanges."""
    corpus = UbuntuDialogs().load()
    counts = Counter(text.user for text in corpus)
    assert len(counts) == 929
    assert set(counts.values()) == {40}


@needs_files
def test_the_real_file_is_the_one_meant() -> None:
    """Its sum matches."""
    assert [finding.as_expected for finding in verify("ubuntu-dialogs")] == [True]
