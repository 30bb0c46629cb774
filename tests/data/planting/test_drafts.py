"""Tests of divulge.data.planting.drafts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from divulge.data.planting.drafts import draft_of, place_problems
from divulge.errors import ExecutionError


def begun(out: Path, fault: BaseException, *, folder: bool) -> None:
    """Begins to write, and is stopped."""
    with draft_of(out) as draft:
        assert draft.name.endswith(f".{out.name}")
        if folder:
            (draft / "below").mkdir(parents=True)
        else:
            draft.write_text("half")
        raise fault


@pytest.mark.parametrize("folder", [True, False])
@pytest.mark.parametrize("fault", [KeyboardInterrupt(), ValueError("x")])
def test_what_was_not_moved_is_removed(tmp_path, fault, folder):
    """Files and folders, after a fault and after an interrupt."""
    with pytest.raises(type(fault)):
        begun(tmp_path / "a.jsonl", fault, folder=folder)
    assert list(tmp_path.iterdir()) == []


def test_what_was_moved_stays(tmp_path):
    """Under its name alone."""
    with draft_of(tmp_path / "a") as draft:
        draft.write_text("whole")
        draft.rename(tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_disk_that_fails_is_told_with_the_place(tmp_path):
    """As a failure, not as wrong input."""
    with pytest.raises(ExecutionError, match=r"a: cannot be made: .*No space left"), draft_of(tmp_path / "a"):
        raise OSError(28, "No space left on device", "disk")


def test_places_are_judged(tmp_path, monkeypatch):
    """Nothing is written over, no folder is made, and a closed one is refused."""
    (tmp_path / "there").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert place_problems(tmp_path / "free", "--out") == []
    assert "is there already" in place_problems(tmp_path / "there", "--out")[0]
    assert "is there already" in place_problems(tmp_path / "dangling", "--out")[0]
    assert "(--secrets). Make it first" in place_problems(tmp_path / "no" / "free", "--secrets")[0]
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "may not be written to" in place_problems(tmp_path / "free", "--out")[0]
