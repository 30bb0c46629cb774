"""Ten shadows of song2019 on two workers against ten runs of a plain PyTorch loop, one after another.

    python -m benchmarks.shadow_training --size full --save

Both train the same architecture on the same people's texts with the same vocabulary, epochs, batch size and learning
rate. Divulge's side is its engine as an audit uses it: two worker processes of one thread each, and in these seconds
are their start, reading the data, and writing the models to a store. The plain loop is given its texts as numbers
before its clock starts, and as many threads as torch takes by itself.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.plain_generator import PlainGenerator, perplexity, train
from benchmarks.ratios import Ratio, Result, main
from divulge.access import TokenLikelihoodAccess
from divulge.auditing.planning import plan
from divulge.auditing.unpacking import practice_case_of
from divulge.engine.running import run
from divulge.errors import ExecutionError
from divulge.graph import Graph, Task
from divulge.records import Artefact, Passage, Text
from divulge.spec import AuditSpec
from divulge.store import Store
from divulge.studies.song2019.setting import TASKS
from divulge.targets.text_generator import TextGenerator
from divulge.targets.words import Words

__all__ = ["SIZES", "Setting", "measure"]

EXECUTE = "divulge.auditing.tasks:execute"
SMALL = {"width": 16, "hidden": 16, "epochs": 4, "learning_rate": 0.01, "words_from": "synthetic-users"}
SHADOWS = 10  # that both sides are told in


@dataclass(frozen=True)
class Setting:
    """The people, the recipe and how many are trained; seconds are scaled to ten shadows."""

    data: dict[str, Any]
    recipe: dict[str, Any]
    members: int
    shadows: int
    plain_runs: int
    workers: int = 2


SIZES = {
    "small": Setting(
        {"name": "synthetic-users", "options": {"users": 40, "texts": 8}}, SMALL, members=6, shadows=2, plain_runs=1
    ),
    "full": Setting(
        {"name": "blog-authorship", "options": {"users": 400}},
        {**TASKS["next-word"]["target"]["recipe"], "epochs": 4},
        members=100,
        shadows=10,
        plain_runs=2,
    ),
}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Trains on both sides, and asks what came of it."""
    chosen = setting or SIZES[size]
    ours, tasks, models = _by_engine(chosen)
    known = [_perplexity_of_ours(*each) for each in zip(tasks, models, strict=True)]
    plain = [_by_plain_loop(*each) for each in list(zip(tasks, models, strict=True))[: chosen.plain_runs]]
    seconds = {
        f"divulge, {chosen.workers} workers": ours * SHADOWS / chosen.shadows,
        "plain loop, one after another": statistics.mean(took for took, _ in plain) * SHADOWS,
    }
    mine, other = seconds.values()
    return Result(
        name="shadow-training",
        size=size,
        seconds=seconds,
        ratios=(Ratio("divulge / plain loop", mine / other, 0.7, "at most"),),
        agreement={
            "train perplexity, divulge": statistics.mean(known),
            "train perplexity, plain loop": statistics.mean(found for _, found in plain),
        },
        setting=asdict(chosen),
        notes=(
            f"seconds of {SHADOWS} shadows; trained were {chosen.shadows} and, by the plain loop, {chosen.plain_runs}",
            f"the plain loop ran on {torch.get_num_threads()} threads",
        ),
    )


def _by_engine(chosen: Setting) -> tuple[float, list[Task], list[Artefact]]:
    told = {
        "target": {"kind": "text-generator", "recipe": chosen.recipe},
        "data": chosen.data,
        "secrets": {"kind": "users", "count": chosen.members, "controls": chosen.members},
        "adversary": {"background": {"shadows": chosen.shadows}},
        "attack": {"name": "rank-histogram"},
    }
    planned = plan([AuditSpec.model_validate(told)])
    graph = Graph()
    tasks = [task for task in planned.graph if task.kind == "train-practice"]
    keys = [graph.add(task) for task in tasks]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        report = run(graph, store, chosen.workers, EXECUTE)
        if report.failures:
            raise ExecutionError(f"training failed: {next(iter(report.failures.values())).reason}")
        return report.seconds, tasks, [store.get(key) for key in keys]


def _by_plain_loop(task: Task, model: Artefact) -> tuple[float, float]:
    """Seconds of one run on what a shadow of ours was trained on, and its perplexity there."""
    values: Any = model.values
    payload: Any = task.payload
    recipe = payload["target"]["recipe"]
    words = Words(values["words"])
    mark = len(words)
    texts = [torch.tensor([mark, *(words.number(token) for token in text.tokens)]) for text in _texts(task)]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        plain = PlainGenerator(mark + 1, recipe["width"], recipe["hidden"], recipe["dropout"])
        begin = time.perf_counter()
        train(plain, texts, recipe, 0)
        seconds = time.perf_counter() - begin
    return seconds, perplexity(plain, texts)


def _perplexity_of_ours(task: Task, model: Artefact) -> float:
    access = TextGenerator().open(model)[TokenLikelihoodAccess]
    asked = [Passage(context=text.context, tokens=text.tokens) for text in _texts(task)]
    return float(np.exp(-np.concatenate(access.log_likelihoods(asked)).mean()))


def _texts(task: Task) -> list[Text]:
    payload: Any = task.payload
    return [text for text in practice_case_of(payload, payload).corpus.split("train") if text.tokens]


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
