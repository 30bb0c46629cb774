"""Tests of doing tasks in this process, and of stopping them."""

from __future__ import annotations

import signal
import threading

import pytest
from tests.engine.sample_tasks import EXECUTE, executions

from divulge.engine.inline import Inline, terminable
from divulge.graph import Task
from divulge.store import Store

TASK = Task(kind="attack", payload={"seed": 1})
GATED = Task(kind="attack", payload={"gate": "never"})


@pytest.fixture
def inline(tmp_path):
    """Does tasks here."""
    made = Inline(EXECUTE, Store(tmp_path / "store"), debug=False)
    yield made
    made.close()


def test_a_task_is_done_when_it_is_waited_for(inline):
    """Not before; one at a time."""
    assert inline.free() == 1
    assert inline.submit(TASK) == "inline"
    assert inline.free() == 0
    assert executions() == []
    [answer] = inline.wait()
    assert (answer.key, answer.state, answer.worker) == (TASK.key, "done", "inline")
    assert inline.free() == 1


def test_a_task_that_takes_too_long_is_broken_off(inline, folder):
    """It leaves no answer and no alarm; who had the signal before has it again; the task is still to be done."""
    before = signal.getsignal(signal.SIGALRM)
    inline.submit(GATED)
    assert inline.wait(0.2) == []
    assert (folder / "never.begun").exists()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert inline.free() == 0
    (folder / "never.open").touch()
    assert [answer.state for answer in inline.wait(60.0)] == ["done"]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_elsewhere_than_in_the_main_thread_nothing_is_broken_off(inline):
    """No other thread may set an alarm: the task is done."""
    inline.submit(TASK)
    found = []
    thread = threading.Thread(target=lambda: found.extend(inline.wait(1e-9)))
    thread.start()
    thread.join()
    assert [answer.state for answer in found] == ["done"]


def test_the_end_of_the_process_is_an_interruption():
    """SIGTERM raises as Ctrl-C does, for as long as it is asked for."""
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), terminable():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
