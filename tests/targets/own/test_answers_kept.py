"""Kept answers are found again by other processes, hold no text, and can be cleared."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from divulge.errors import ExecutionError
from divulge.store import Store
from divulge.targets.own.answers_kept import KeptAnswers

KEY, OTHER = "ab" * 32, "cd" * 32
WRITER = """
import sys
from divulge.targets.own.answers_kept import KeptAnswers
kept = KeptAnswers("ab" * 32)
for number in range(25):
    kept.put({f"{sys.argv[1]} {number}": sys.argv[1].encode(), f"both {number}": b"the same"})
"""


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


def test_what_was_put_is_found_by_the_next() -> None:
    """By the same key, and by that alone; what was never asked is not there."""
    KeptAnswers(KEY).put({"a question": b"1", "another": b"2"})
    assert KeptAnswers(KEY).get(["another", "unasked", "a question"]) == {"a question": b"1", "another": b"2"}
    assert KeptAnswers(OTHER).get(["a question"]) == {}


def test_the_first_answer_stays() -> None:
    """On disk and in memory alike."""
    for key in (KEY, None):
        kept = KeptAnswers(key)
        kept.put({"a question": b"first"})
        kept.put({"a question": b"second", "more": b"x"})
        assert kept.get(["a question", "more"]) == {"a question": b"first", "more": b"x"}


def test_without_a_key_nothing_is_written(root: Path) -> None:
    """Answers are kept as long as the object is."""
    kept = KeptAnswers(None)
    kept.put({"a question": b"1"})
    assert kept.get(["a question"]) == {"a question": b"1"}
    assert KeptAnswers(None).get(["a question"]) == {}
    assert not root.exists()


def test_the_file_is_the_owners_and_holds_no_question(root: Path) -> None:
    """Mode 0600 in a folder of mode 0700, whatever the umask; questions are hashes."""
    before = os.umask(0)
    try:
        KeptAnswers(KEY).put({"my pin is 4711": b"1"})
    finally:
        os.umask(before)
    (file,) = (root / "answers").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert b"4711" not in file.read_bytes()


def test_many_questions_are_looked_up_at_once() -> None:
    """More than one statement takes."""
    questions = {f"question {number}": str(number).encode() for number in range(1203)}
    KeptAnswers(KEY).put(questions)
    assert KeptAnswers(KEY).get(list(questions)) == questions


def test_processes_may_write_at_once() -> None:
    """No answer is lost, and none of them fails."""
    running = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in ("one", "two", "three")]
    assert [process.wait() for process in running] == [0, 0, 0]
    asked = [f"{name} {number}" for name in ("one", "two", "three", "both") for number in range(25)]
    assert len(KeptAnswers(KEY).get(asked)) == 100


def test_they_are_listed_and_cleared_with_the_store(root: Path) -> None:
    """By their kind, or with everything; another kind leaves them."""
    store = Store(root)
    KeptAnswers(KEY).put({"a question": b"1"})
    assert [(entry.key, entry.kind) for entry in store.entries()] == [(KEY, "answers")]
    assert store.clear("measure") == ()
    assert KeptAnswers(KEY).get(["a question"]) == {"a question": b"1"}
    assert [entry.kind for entry in store.clear("answers")] == ["answers"]
    assert KeptAnswers(KEY).get(["a question"]) == {}
    KeptAnswers(KEY).put({"a question": b"1"})
    store.clear()
    assert list(store.entries()) == []


def test_a_damaged_file_is_told_with_what_to_do(root: Path) -> None:
    """It is not read as empty: answers may have cost money."""
    (root / "answers").mkdir(parents=True)
    (root / "answers" / f"{KEY}.sqlite").write_bytes(b"no database at all, but long enough to look like one" * 40)
    with pytest.raises(ExecutionError, match="divulge cache clear --kind answers"):
        KeptAnswers(KEY).get(["a question"])
    with pytest.raises(ExecutionError, match="divulge cache clear --kind answers"):
        KeptAnswers(KEY).put({"a question": b"1"})
