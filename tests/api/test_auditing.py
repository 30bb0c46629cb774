"""Audits from Python, from one end to the other."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.api.small_models import ByHeart, texts

import divulge
from divulge.api.result import AuditResult
from divulge.records import Text
from divulge.runs import read_results

RECORDS: dict[str, Any] = {"kind": "records", "held_out": "test", "count": 40, "controls": 40}
DATA = [*texts(60), *texts(60, "test", 60)]
SENTENCES = [
    f"the {word} {verb} {place}"
    for word in ("cat", "dog", "bird")
    for verb in ("sees", "finds")
    for place in ("home", "water", "food", "trees", "stones", "grass")
]


def fitted() -> ByHeart:
    """A classifier that has learnt the training texts by heart."""
    train = [text for text in DATA if text.split == "train"]
    return ByHeart().fit([" ".join(text.tokens) for text in train], [text.label or "" for text in train])


def auc(result: AuditResult) -> float:
    """The share of pairs that the attack told apart."""
    (row,) = [row for row in result.rows() if row["metric"] == "auc" and row["arm"] == "attack"]
    return float(row["value"])


def test_a_fitted_classifier() -> None:
    """One that is surer of what it has seen gives all of it away: every pair is told apart."""
    result = divulge.audit(fitted(), data=DATA, secrets=RECORDS)
    assert auc(result) == 1.0
    assert result.verdict == "The audit found a leak"
    (one,) = result.results
    spec: Any = one.spec
    assert (spec["target"]["kind"], spec["target"]["recipe"]["object"]) == ("live", "tests.ByHeart")
    assert spec["attack"]["name"] == "record-loss"
    assert any("an object handed over in Python" in note for note in one.notes)


def test_a_function_of_texts() -> None:
    """A model that never looks at the training texts gives nothing of them away."""

    def by_first_word(asked: list[str]) -> list[list[float]]:
        return [[0.8, 0.2] if text.startswith("a") else [0.2, 0.8] for text in asked]

    result = divulge.audit(by_first_word, labels=["a", "b"], data=DATA, secrets=RECORDS, attacks="record-loss")
    assert auc(result) == 0.5
    assert result.verdict != "The audit found a leak"


def test_a_classifier_that_is_trained_here() -> None:
    """Canaries are planted for it; the object itself stays as it was."""
    target = ByHeart()
    canary = {"pattern": "{digit*2} a-word", "label": "a", "count": 1, "controls": 1, "decoys": 50}
    result = divulge.audit(target, data=DATA, secrets=canary, models=12)
    rows = {row["arm"]: row["value"] for row in result.rows() if row["metric"] == "accuracy" and row["group_k"] is None}
    assert rows["attack"] == 1.0
    assert rows["control"] < 0.5
    assert not hasattr(target, "classes_")


def test_an_encoder() -> None:
    """One vector for each word, each word its own: all words come back."""
    words = sorted({word for sentence in SENTENCES for word in sentence.split()})

    def embed(asked: list[str]) -> list[np.ndarray]:
        return [np.eye(len(words))[[words.index(word) for word in text.split()]] for text in asked]

    own = [number for number in range(36) if (number + number // 6) % 3 == 0]  # every word is in other sentences, too
    result = divulge.audit(
        embed,
        data=[SENTENCES[number] for number in own],
        secrets={"kind": "rows", "count": 12},
        adversary={"background": {"corpus": [text for number, text in enumerate(SENTENCES) if number not in own]}},
    )
    assert {one.spec["attack"]["name"] for one in result.results} == {"parallel-decoder"}  # type: ignore[index,call-overload]
    found = [row for row in result.rows() if row["metric"] == "token_f1" and row["arm"] == "attack"]
    assert {row["value"] for row in found} == {1.0}


def test_a_target_by_its_kind_is_kept_in_the_store(store: Path, tmp_path: Path) -> None:
    """Asked again with the same texts in memory, nothing is computed anew; the run directory is the command line's."""
    given: dict[str, Any] = {
        "data": [*texts(20), *texts(10, "test", 20)],
        "secrets": {"pattern": "pin {digit*3}", "label": "a", "count": 3, "controls": 3},
        "attacks": ["random"],
        "workers": 0,
    }
    result = divulge.audit("fake-classifier", **given, out=tmp_path / "run")
    assert read_results(tmp_path / "run") == result.run
    assert (tmp_path / "run" / "report.html").is_file()
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()}
    assert before
    again = divulge.audit("fake-classifier", **given)
    assert again == result
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()} == before
    assert all(task.cached == task.tasks for task in divulge.check("fake-classifier", **_checked(given)).tasks)


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != "workers"}


def test_a_name_lets_results_of_an_object_be_kept(store: Path) -> None:
    """The second time another object of that name is not even asked: its owner vouched for it."""
    first = divulge.audit(fitted(), data=DATA, secrets=RECORDS, name="v1")
    assert any(store.iterdir())

    class Never(ByHeart):
        def predict_proba(self, asked: list[str]) -> np.ndarray:
            raise AssertionError

    never = Never().fit(["x", "y"], ["a", "b"])
    forecast = divulge.check(fitted(), data=DATA, secrets=RECORDS, name="v1")
    assert all(task.cached == task.tasks for task in forecast.tasks)
    del never
    assert divulge.audit(fitted(), data=DATA, secrets=RECORDS, name="v1") == first


def test_without_a_name_nothing_stays(store: Path) -> None:
    """The store of the command line is not touched."""
    divulge.audit(fitted(), data=DATA, secrets=RECORDS)
    assert not store.exists()


def test_secrets_can_be_shown_afterwards(tmp_path: Path) -> None:
    """Made again from what the call was given; the file is its owner's alone, and the plain report has none of it."""
    result = divulge.audit(fitted(), data=DATA, secrets=RECORDS, out=tmp_path / "run")
    shown = result.report(tmp_path / "shown.html", show_secrets=True)
    assert "castle" in shown.read_text(encoding="utf-8")
    assert shown.stat().st_mode & 0o077 == 0
    for path in (tmp_path / "run").iterdir():
        assert "castle" not in path.read_text(encoding="utf-8")
    assert "castle" not in result.summary() + result._repr_html_() + repr(result)
    loaded = AuditResult.load(tmp_path / "run")
    with pytest.raises(divulge.ExecutionError, match="hand it over again"):
        loaded.report(tmp_path / "again.html", show_secrets=True)


def test_a_model_that_raises_costs_all_that_needs_it() -> None:
    """Nothing came of it: the reason names the example by its id."""

    def raising(asked: list[str]) -> Any:
        raise RuntimeError(asked[0])

    with pytest.raises(divulge.ExecutionError, match="raised RuntimeError at example [0-9a-f]{12}") as raised:
        divulge.audit(raising, labels=["a", "b"], data=DATA, secrets=RECORDS)
    assert "castle" not in str(raised.value)


def test_a_finished_model_cannot_be_planted_in() -> None:
    """What can be done instead is told."""
    with pytest.raises(divulge.InputError, match="Plant them before training, with divulge plant"):
        divulge.audit(fitted(), data=DATA, secrets={"pattern": "pin {digit*3}", "label": "a"})


def test_a_plan_is_told_without_asking_the_model() -> None:
    """Tasks, queries and what so many records can show."""

    def never(asked: list[str]) -> Any:
        raise AssertionError

    forecast = divulge.check(never, labels=["a", "b"], data=DATA, secrets=RECORDS)
    (spec,) = forecast.specs
    assert (spec.target, spec.attack, spec.secrets) == ("live", "record-loss", 80)
    assert all(task.cached == 0 for task in forecast.tasks)


def test_errors_are_those_of_the_command_line() -> None:
    """Kinds of failure with exit codes, and all problems at once."""
    with pytest.raises(divulge.InputError) as raised:
        divulge.audit("fake-classifier", data="none.csv", secrets={"kind": "users"}, attacks="rank-histogramm")
    assert "none.csv: there is no such file" in str(raised.value)
    assert "Did you mean 'rank-histogram'" in str(raised.value)
    assert raised.value.exit_code == 2
    with pytest.raises(divulge.InputError, match="workers is 2"):
        divulge.audit(fitted(), data=DATA, secrets=RECORDS, workers=2)


def test_a_run_at_a_prompt_needs_no_guard(tmp_path: Path) -> None:
    """A script without `if __name__ == "__main__"` may use worker processes, and progress goes to stderr."""
    script = tmp_path / "script.py"
    script.write_text(
        "import divulge\n"
        "result = divulge.audit('fake-classifier', data='synthetic-utterances', workers=1, attacks='random',\n"
        "    secrets={'pattern': 'pin {digit*3}', 'label': 'PinIntent', 'count': 3, 'controls': 3}, progress=True)\n"
        "print(len(result.results))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert re.search("attack", done.stderr)


def test_texts_in_memory_leave_no_trace(store: Path, tmp_path: Path) -> None:
    """Not in the store's folder of handed texts, nor in the log of the run."""
    data = [Text(("zanzibar", text.tokens[1]), label=text.label, split=text.split) for text in DATA]
    divulge.audit(
        "fake-classifier",
        data=data,
        secrets={"pattern": "pin {digit*3}", "label": "a", "count": 3, "controls": 3},
        attacks="random",
        workers=0,
        out=tmp_path / "run",
    )
    assert list((store / "handed").iterdir()) == []
    events = (tmp_path / "run" / "log.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line)["event"] for line in events.splitlines()]
    assert "zanzibar" not in events
