"""Own code is asked each question once, in batches; what it answered survives its failures."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from divulge.cli.app import run
from divulge.errors import ExecutionError, OwnCodeError
from divulge.handshake import OwnerSample, checked, guarded
from divulge.records import Check
from divulge.targets.own.callables import CallableRecipe, Named, OwnCallable
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.spelled import one_each

Module = Callable[[str], str]
COUNTING = """
CALLS = []
BAD = set()

def lengths(texts):
    CALLS.append(list(texts))
    for text in texts:
        if text in BAD:
            raise ValueError(text)
    return [len(text) for text in texts]

def drifting(texts):
    CALLS.append(list(texts))
    return [len(CALLS) for text in texts]

def lazy(texts):
    return (len(text) for text in texts)

def short(texts):
    return [1]
"""


class Recipe(CallableRecipe):
    """Of something that gives one number per text."""

    predict: Named


def numbers(answer: Any, questions: Any, named: str) -> list[int]:
    """One number each."""
    return [int(one) for one in one_each(answer, len(questions), named)]


def asked(named: str, **settings: Any) -> OwnCallable[int]:
    """Asks numbers of a function."""
    recipe = Recipe.model_validate({"predict": named, **settings})
    pack, unpack = (lambda number: str(number).encode()), int
    return OwnCallable(recipe, "predict", ("predict",), read=numbers, pack=pack, unpack=unpack)


def calls(name: str) -> list[list[str]]:
    """How the function was called."""
    found: list[list[str]] = importlib.import_module(name).CALLS
    return found


def test_each_question_is_asked_once_and_in_batches(module: Module) -> None:
    """Answers are in the order of the questions; later only what is new is asked, also by another object."""
    name = module(COUNTING)
    mine = asked(f"{name}:lengths", batch=2)
    assert mine.ask(["a", "bb", "a", "ccc"]) == [1, 2, 1, 3]
    assert calls(name) == [["a", "bb"], ["ccc"]]
    assert asked(f"{name}:lengths", batch=5).ask(["ccc", "dddd"]) == [3, 4]
    assert calls(name)[2:] == [["dddd"]]
    assert mine.ask([]) == []


def test_without_keeping_another_object_asks_again(module: Module) -> None:
    """Within one object nothing is asked twice."""
    name = module(COUNTING)
    for _ in range(2):
        mine = asked(f"{name}:lengths", keep_answers=False)
        assert mine.ask(["a"]) == mine.ask(["a"]) == [1]
    assert calls(name) == [["a"], ["a"]]


def test_an_edited_module_is_asked_anew(module: Module, tmp_path: Path) -> None:
    """Its answers may be others: the source is part of what answers are kept by."""
    name = module(COUNTING)
    asked(f"{name}:lengths").ask(["a"])
    (tmp_path / f"{name}.py").write_text(COUNTING + "# edited\n")
    asked(f"{name}:lengths").ask(["a"])
    assert calls(name) == [["a"], ["a"]]


def test_the_example_that_raised_is_named_by_its_hash(module: Module) -> None:
    """Found one by one; those before it are kept; its text is in no message."""
    name = module(COUNTING)
    importlib.import_module(name).BAD.add("a secret")
    said = f"{name}:lengths raised ValueError at example {example_id('a secret')}"
    with pytest.raises(OwnCodeError, match=said) as caught:
        asked(f"{name}:lengths").ask(["a", "bb", "a secret", "ccc"])
    assert "a secret" not in str(caught.value)
    assert f"({name}.py, line 9)" in str(caught.value)
    assert calls(name) == [["a", "bb", "a secret", "ccc"], ["a"], ["bb"], ["a secret"]]
    importlib.import_module(name).BAD.clear()
    assert asked(f"{name}:lengths").ask(["a", "bb", "a secret", "ccc"]) == [1, 2, 8, 3]
    assert calls(name)[4:] == [["a secret", "ccc"]]


def test_a_batch_that_fails_only_as_a_batch_is_answered_one_by_one(module: Module) -> None:
    """As where it was too large, or the line was broken for a moment."""
    name = module("def ask(texts):\n    if len(texts) > 1:\n        raise MemoryError\n    return [7]\n")
    assert asked(f"{name}:ask").ask(["a", "b"]) == [7, 7]


def test_generators_and_wrong_counts(module: Module) -> None:
    """What can be listed is; what has another length than the questions is told."""
    name = module(COUNTING)
    assert asked(f"{name}:lazy").ask(["a", "bb"]) == [1, 2]
    with pytest.raises(ExecutionError, match=f"{name}:short must answer with one item for each of 2 texts. Got 1"):
        asked(f"{name}:short").ask(["a", "bb"])


@guarded("LabelAccess", "tried")
def trial(mine: OwnCallable[int], sample: OwnerSample) -> list[Check]:
    """What a handshake does: asks some texts, then some of them again."""
    del sample
    first, again = mine.ask(["a", "b", "c"]), mine.ask(["a"])
    return [checked("LabelAccess", "tried", first[:1] == again)]


@pytest.mark.parametrize("keep", [True, False])
def test_kept_answers_do_not_hide_a_model_that_drifts(module: Module, keep: bool) -> None:
    """In a handshake a question that comes again is asked again, also where the first answer was kept long ago."""
    name = module(COUNTING)
    for _ in range(2):
        assert [one.passed for one in trial(asked(f"{name}:drifting", keep_answers=keep), OwnerSample())] == [False]
        assert [one.passed for one in trial(asked(f"{name}:lengths", keep_answers=keep), OwnerSample())] == [True]
    mine = asked(f"{name}:drifting", keep_answers=keep)
    assert mine.ask(["z"]) == mine.ask(["z"])  # no handshake


def test_own_code_that_raises_in_a_handshake_stops_the_run(module: Module) -> None:
    """A check that failed would be kept with the results; nothing may be concluded from a line that was broken."""
    name = module(COUNTING)
    importlib.import_module(name).BAD.add("b")
    with pytest.raises(OwnCodeError, match=example_id("b")):
        trial(asked(f"{name}:lengths"), OwnerSample())


MODEL = """
from collections import Counter
from divulge.data.loading import load_corpus
from divulge.spec import DataSpec
from pathlib import Path

CORPUS = load_corpus(DataSpec(name="synthetic-topics", options={"size": 150})).split("train")
LABELS = CORPUS.labels
COUNTS = {label: Counter(w for t in CORPUS if t.label == label for w in t.tokens) for label in LABELS}
ANSWERED = Counter()
BAD = []

def predict(texts):
    rows = []
    for text in texts:
        if text in BAD:
            raise ConnectionError(text)
        scores = [1.0 + sum(COUNTS[label][word] / (1 + sum(COUNTS[label].values())) for word in text.split())
                  for label in LABELS]
        rows.append([score / sum(scores) for score in scores])
    ANSWERED.update(texts)
    return rows
"""
AUDIT = """
[target]
kind = "own-classifier"
[target.recipe]
predict = "{name}:predict"
labels = {labels}
[data]
name = "synthetic-topics"
options = {{ size = 150 }}
[secrets]
kind = "records"
held_out = "test"
count = 10
controls = 10
[[attacks]]
name = "record-loss"
"""


@contextmanager
def elsewhere(folder: Path) -> Iterator[Path]:
    """A folder with a store of its own."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVULGE_STORE", str(folder / "store"))
        patch.chdir(folder)
        yield folder


def figures(folder: Path) -> Any:
    """What a run found."""
    found = json.loads((folder / "runs" / "audit" / "results.json").read_text())
    assert found["results"]
    return [{**one, "seconds": None} for one in found["results"]], found["failures"]


def test_a_run_that_was_broken_off_asks_only_what_is_missing(module: Module, tmp_path: Path, capsys: Any) -> None:
    """In all, it is asked what an undisturbed run is asked, no more and no less, and finds the same."""
    name = module(MODEL)
    own = importlib.import_module(name)
    text = AUDIT.format(name=name, labels=json.dumps(own.LABELS))
    with elsewhere(tmp_path / "whole") as whole:
        (whole / "audit.toml").write_text(text)
        assert run(["audit", "audit.toml", "--workers", "0"]) == 0
        undisturbed = Counter(own.ANSWERED)
    own.ANSWERED.clear()
    with elsewhere(tmp_path / "broken") as broken:
        (broken / "audit.toml").write_text(text)
        own.BAD.append(list(undisturbed)[49])
        capsys.readouterr()
        assert run(["audit", "audit.toml", "--workers", "0"]) == 1
        said = capsys.readouterr()
        assert f"raised ConnectionError at example {example_id(own.BAD[0])}" in said.err
        assert own.BAD[0] not in said.err + said.out
        assert 0 < len(own.ANSWERED) < len(undisturbed)
        own.BAD.clear()
        assert run(["audit", "audit.toml", "--workers", "0"]) == 0
    assert undisturbed == own.ANSWERED
    assert sum(undisturbed.values()) <= len(undisturbed) + 32  # those that the handshake asked again
    assert figures(broken) == figures(whole)
