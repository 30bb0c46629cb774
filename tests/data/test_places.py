"""Where data lies, and whether it is the right data."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.places import DataFile, check_file, data_root, place_of

# SHA-256 of the three bytes "abc", the first example of the standard (FIPS 180-2, appendix B.1).
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with no settings in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DIVULGE_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


def test_the_cache_is_the_default(home: Path) -> None:
    """Without settings data lies in the user's cache."""
    assert data_root() == home / ".cache" / "divulge" / "data"


def test_the_setting_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DIVULGE_DATA wins over the cache, and may begin with a tilde; empty is as good as unset."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert data_root() == Path("/somewhere/divulge/data")
    monkeypatch.setenv("DIVULGE_DATA", "~/texts")
    assert data_root() == home / "texts"
    monkeypatch.setenv("DIVULGE_DATA", "")
    assert data_root() == Path("/somewhere/divulge/data")


def test_a_relative_cache_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The XDG specification calls relative paths invalid."""
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert data_root() == home / ".cache" / "divulge" / "data"


def test_a_file_is_compared_by_size_and_sum(tmp_path: Path) -> None:
    """The right file passes; another size, another sum and no file do not; without a sum there is no answer."""
    (tmp_path / "a").write_bytes(b"abc")
    right = check_file(tmp_path, DataFile(path="a", size=3, sha256=ABC))
    assert (right.present, right.size, right.sha256, right.as_expected, right.reason) == (True, 3, ABC, True, "")
    size = check_file(tmp_path, DataFile(path="a", size=4, sha256=ABC))
    assert (size.as_expected, size.reason) == (False, "has 3 bytes; expected 4")
    assert check_file(tmp_path, DataFile(path="a", size=2)).as_expected is False
    changed = check_file(tmp_path, DataFile(path="a", size=3, sha256="0" * 64))
    assert changed.as_expected is False
    assert "SHA-256" in changed.reason
    absent = check_file(tmp_path, DataFile(path="b", size=3, sha256=ABC))
    assert (absent.present, absent.size, absent.as_expected) == (False, None, False)
    assert check_file(tmp_path, DataFile(path="a")).as_expected is None


def test_a_file_may_belong_to_another_folder(tmp_path: Path) -> None:
    """It is found beside a folder that is not there, and beside one that is a link to elsewhere."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a").write_bytes(b"abc")
    expected = DataFile(path="../other/a", size=3, sha256=ABC)
    assert place_of(tmp_path / "none", expected) == tmp_path / "other" / "a"
    assert check_file(tmp_path / "none", expected).as_expected
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "er")
    assert check_file(tmp_path / "link", expected).as_expected
