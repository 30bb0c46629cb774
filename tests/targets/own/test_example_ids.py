"""Names of examples: stable on one store, and not to be undone by trying."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from divulge.targets.own import example_ids
from divulge.targets.own.example_ids import example_id


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "one"))


def test_the_same_text_has_the_same_name_on_one_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another process too; on another store it has another."""
    found = example_id("my pin is 1 2 3 4")
    example_ids._key.cache_clear()
    assert example_id("my pin is 1 2 3 4") == found != example_id("my pin is 1 2 3 5")
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "two"))
    assert example_id("my pin is 1 2 3 4") != found


def test_it_is_no_plain_hash_and_its_key_is_the_owners(tmp_path: Path) -> None:
    """Whoever reads a report cannot try texts one by one."""
    assert example_id("a") not in hashlib.sha256(b"a").hexdigest()
    (key,) = (tmp_path / "one" / "answers").glob("*.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32


def test_without_a_place_for_the_key_there_is_one_for_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is better than none."""
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "file"))
    assert example_id("a") == example_id("a")
