"""Tests of what a run tells while it runs."""

from __future__ import annotations

import io
import json
import platform
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from divulge.engine.progress import BarProgress, LineProgress, Progress, RunLog, progress_for
from divulge.errors import ExecutionError
from divulge.graph import Task

TRAIN = Task(kind="train-target", label="tagger [red]1[/red]", payload={"text": "the word is swordfish"})
ATTACK = Task(kind="attack", label="beam")
BARE = Task(kind="attack", payload={"x": 1})


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def story(progress: Progress) -> None:
    """Three tasks: one done, one that is tried twice and fails, one found in the store."""
    progress.begin(2, 4)
    progress.started(TRAIN)
    progress.ended(TRAIN, "done", 4.06)
    progress.resize(3)
    progress.started(ATTACK)
    progress.ended(ATTACK, "retry", 0.0, "signal 9")
    progress.started(ATTACK)
    progress.ended(ATTACK, "failed", 1.0, "no luck")
    progress.started(BARE)
    progress.ended(BARE, "cached", 0.0)
    progress.end()


def test_what_is_told_before_the_run():
    """A line of its own, on a terminal too; nothing from the silent one."""
    for kind in (LineProgress, BarProgress):
        stream = io.StringIO()
        kind(stream).told("1 of 2 cells are kept")
        assert stream.getvalue() == "1 of 2 cells are kept\n"
    Progress().told("nobody listens")


def test_plain_lines():
    """Elsewhere than on a terminal there is one line per event, counted up to the total."""
    stream = io.StringIO()
    story(LineProgress(stream))
    assert stream.getvalue().splitlines() == [
        "2 tasks to do, 4 already in the store",
        "[1/2] train-target: tagger [red]1[/red] (4.1 s)",
        "[1/3] attack: beam retry: signal 9",
        "[2/3] attack: beam failed: no luck",
        f"[3/3] attack: {BARE.key[:12]} (already in the store)",
    ]


def test_lines_go_to_stderr(capsys):
    """Standard output is left to the command's own answer."""
    LineProgress().begin(1, 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "1 task to do, 0 already in the store\n"


def test_the_bar_counts():
    """The bar ends with all tasks counted, cached and failed ones apart, and keeps failures and retries as lines."""
    stream = io.StringIO()
    story(BarProgress(stream))
    shown = stream.getvalue()
    assert "attack: beam retry: signal 9" in shown
    assert "attack: beam failed: no luck" in shown
    assert "3/3" in shown
    assert "(5 cached, 1 failed)" in shown


def test_the_bar_shows_what_runs_as_it_is_named(monkeypatch):
    """What runs is named, brackets and all; beyond two the others are counted."""
    monkeypatch.setenv("COLUMNS", "160")
    stream = Terminal()
    bar = BarProgress(stream)
    bar.begin(4, 0)
    for task in (TRAIN, ATTACK, BARE):
        bar.started(task)
    bar.end()
    shown = " ".join(stream.getvalue().split())
    assert "tagger [red]1[/red]" in shown
    assert "and 1 more" in shown


def test_in_a_narrow_terminal_words_are_cut_and_numbers_are_not(monkeypatch):
    """How far it is matters more than what it does."""
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    bar = BarProgress(stream)
    bar.begin(4000, 0)
    bar.started(ATTACK)
    bar.end()
    shown = stream.getvalue()
    assert "0/4000" in shown
    assert "0:00:00" in shown


def test_what_follows_from_a_failure_is_not_told_again():
    """One cause, one line; it still counts."""
    stream = io.StringIO()
    lines = LineProgress(stream)
    lines.begin(3, 0)
    lines.ended(TRAIN, "failed", 1.0, "the loss is nan")
    lines.ended(ATTACK, "failed", 0.0, "needs train-target: tagger, which failed: the loss is nan")
    lines.ended(BARE, "done", 1.0)
    said = stream.getvalue()
    assert said.count("the loss is nan") == 1
    assert "[3/3]" in said


def test_a_bar_that_never_began_ends_quietly():
    """A run that fails before it begins can still end its progress."""
    stream = io.StringIO()
    BarProgress(stream).end()
    assert stream.getvalue() == ""


def test_nobody_hears_the_quiet_one(capsys):
    """The base says nothing, for callers from Python."""
    story(Progress())
    assert capsys.readouterr() == ("", "")


def test_the_stream_decides(monkeypatch):
    """A terminal gets the bar; a pipe or a dumb terminal gets lines."""
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_for(Terminal()), BarProgress)
    assert isinstance(progress_for(io.StringIO()), LineProgress)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress_for(Terminal()), LineProgress)


def test_the_log_has_one_object_per_event(tmp_path):
    """Each event is a line with time, host and what identifies the task; the payload stays out; empty facts too."""
    path = tmp_path / "log.jsonl"
    begin = datetime.now(UTC)
    with RunLog(path) as log:
        log.write("start", TRAIN, worker="worker-1", reason="", need=None)
        on_disk = path.read_text()  # written as it happens
    [start] = [json.loads(line) for line in on_disk.splitlines()]
    assert begin <= datetime.fromisoformat(start.pop("time")) <= datetime.now(UTC)
    task = {"key": TRAIN.key, "kind": TRAIN.kind, "label": TRAIN.label}
    assert start == {"event": "start", "host": platform.node(), "worker": "worker-1", **task}
    assert "swordfish" not in path.read_text()


@pytest.mark.parametrize(
    ("error", "event"), [(None, "run-end"), (KeyboardInterrupt, "interrupted"), (ExecutionError, "run-failed")]
)
def test_the_log_tells_how_the_run_ended(tmp_path, error, event):
    """The last line says whether the run came to its end, was interrupted, or failed; a later run appends."""
    path = tmp_path / "log.jsonl"
    for _ in range(2):
        try:
            with RunLog(path):
                if error:
                    raise error("x")
        except (KeyboardInterrupt, ExecutionError):
            pass
    last = [json.loads(line) for line in path.read_text().splitlines()]
    assert [entry["event"] for entry in last] == [event, event]
    assert all(entry["seconds"] >= 0 for entry in last)


def test_half_a_line_does_not_spoil_the_next(tmp_path):
    """After a run that was killed while writing, new events start on a line of their own."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"event": "run-sta')
    with RunLog(path):
        pass
    assert json.loads(path.read_text().splitlines()[1])["event"] == "run-end"


def test_no_log_is_fine_and_an_impossible_one_is_not(tmp_path):
    """Without a path nothing is written; a path that cannot be opened is an error in words."""
    with RunLog(None) as log:
        log.write("start", TRAIN)
    with pytest.raises(ExecutionError, match="cannot be written"):
        RunLog(tmp_path / "nowhere" / "log.jsonl")


def test_rich_is_not_loaded_for_nothing():
    """Importing the engine loads neither rich nor torch nor scikit-learn."""
    code = "import sys, divulge.engine.running; print({'rich', 'torch', 'sklearn', 'scipy'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
