"""Two runs on one store at once: neither harms the other, and both end with everything."""

from __future__ import annotations

import json

from tests.engine.sample_tasks import EXECUTE, contents, executions, gated_graph, sample_graph, start_run, wait_until

from divulge.engine.running import run
from divulge.store import Store


def test_two_runs_on_one_store_end_with_the_same_artefacts(tmp_path):
    """Started together, as processes of their own: each has all of its tasks done or cached, none failed."""
    runs = [start_run("sample", tmp_path / "store", 1) for _ in range(2)]
    ended = [json.loads(one.communicate(timeout=120)[0]) for one in runs]
    assert [one.returncode for one in runs] == [0, 0]
    keys = {task.key for task in sample_graph()}
    for report in ended:
        assert report["failures"] == {}
        assert set(report["done"]) | set(report["cached"]) <= keys
        assert sample_graph().finals[0] in {*report["done"], *report["cached"]}
    assert {key for key, _ in executions()} == keys
    alone = Store(tmp_path / "alone")
    run(sample_graph(), alone, 0, EXECUTE)
    assert contents(Store(tmp_path / "store")) == contents(alone)


def test_the_end_of_one_run_is_not_the_end_of_the_other(tmp_path):
    """One is killed in the middle of a task that the other does as well: that one ends with everything."""
    runs = [start_run("gated", tmp_path / "store", 1) for _ in range(2)]
    try:
        late = gated_graph().finals[0]
        wait_until(lambda: [key for key, _ in executions()].count(late) == 2, "both to be at the gate")
        runs[0].kill()
        runs[0].communicate(timeout=120)
        (tmp_path / "late.open").touch()
        report = json.loads(runs[1].communicate(timeout=120)[0])
    finally:
        for one in runs:
            one.kill()
            one.wait()
    assert (runs[1].returncode, report["failures"]) == (0, {})
    assert late in report["done"]
    assert set(contents(Store(tmp_path / "store"))) == {task.key for task in gated_graph()}
