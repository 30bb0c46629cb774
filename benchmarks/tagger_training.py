"""Ten trials of one cell of parikh2022 on two workers against ten runs of a plain PyTorch loop, one after another.

    python -m benchmarks.tagger_training --size full --save

Both train the same architecture on the same planted texts with the same word vectors, epochs, batch size and learning
rate. Divulge's side is its engine as a study uses it: two worker processes of one thread each, and in these seconds are
their start, reading the data, planting, and writing the models to a store. The plain loop is given its texts as numbers
and its vectors before its clock starts, and as many threads as torch takes by itself.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.plain_tagger import Example, PlainTagger, predicted, train
from benchmarks.ratios import Ratio, Result, main
from divulge.access import GradientAccess
from divulge.auditing.planning import plan
from divulge.auditing.resolving import Resolved
from divulge.engine.running import run
from divulge.errors import ExecutionError
from divulge.graph import Graph
from divulge.metrics.spans import span_counts, span_f1
from divulge.records import Artefact, Text
from divulge.spec import AuditSpec
from divulge.store import Store
from divulge.studies.parikh2022.setting import RECIPE, base
from divulge.targets.words import Words

__all__ = ["SIZES", "Setting", "measure"]

EXECUTE = "divulge.auditing.tasks:execute"
SMALL = {"width": 24, "hidden": 16, "layers": 1, "epochs": 8, "batch_size": 16, "learning_rate": 0.02}
TRIALS = 10  # that both sides are told in


@dataclass(frozen=True)
class Setting:
    """The cell, and how much of it is run; seconds are scaled to ten trials."""

    data: dict[str, Any]
    recipe: dict[str, Any]
    copies: int
    trials: int
    plain_runs: int
    workers: int = 2


SIZES = {
    "small": Setting(
        {"name": "synthetic-utterances", "options": {"size": 200}}, {**RECIPE, **SMALL}, 10, trials=2, plain_runs=1
    ),
    "full": Setting({"name": "snips"}, dict(RECIPE), 100, trials=10, plain_runs=2),
}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Trains on both sides, and asks what came of it."""
    chosen = setting or SIZES[size]
    ours, models, trials = _by_engine(chosen)
    theirs, plain = [], []
    for trial, model in list(zip(trials, models, strict=True))[: chosen.plain_runs]:
        took, utility = _by_plain_loop(trial, model)
        theirs.append(took)
        plain.append(utility)
    alone, _ = _by_plain_loop(trials[0], models[0], threads=1)
    house = [_utility_of_ours(*each) for each in zip(trials, models, strict=True)]
    seconds = {
        f"divulge, {chosen.workers} workers": ours * TRIALS / chosen.trials,
        "plain loop, one after another": statistics.mean(theirs) * TRIALS,
    }
    mine, other = seconds.values()
    seconds["plain loop on one thread"] = alone * TRIALS
    return Result(
        name="tagger-training",
        size=size,
        seconds=seconds,
        ratios=(Ratio("divulge / plain loop", mine / other, 0.7, "at most"),),
        agreement={
            f"{metric}, {side}": statistics.mean(found[place] for found in every)
            for place, metric in enumerate(("intent accuracy", "slot F1"))
            for side, every in (("divulge", house), ("plain loop", plain))
        },
        setting={**asdict(chosen), "seconds_of_plain_runs": theirs},
        notes=(
            f"seconds are those of {TRIALS} trials: divulge trained {chosen.trials}, the plain loop {chosen.plain_runs}"
            + ("" if chosen.trials == chosen.plain_runs == TRIALS else "; what is fewer was scaled up"),
            f"the plain loop ran on {torch.get_num_threads()} threads, and once on one thread for comparison",
            "intent accuracy and slot F1 are means over the models of each side, on the test split",
        ),
    )


def _by_engine(chosen: Setting) -> tuple[float, list[Artefact], list[Resolved]]:
    """Seconds, models and what they were made of, of trials that differ in their seeds."""
    cell = base(4) | {"data": chosen.data, "target": {"kind": "nlu-tagger", "recipe": chosen.recipe}}
    secrets = {**cell["secrets"], "copies": chosen.copies}
    told = {"target": cell["target"], "data": cell["data"], "secrets": secrets}
    planned = plan([AuditSpec.model_validate({**told, "seed": seed}) for seed in range(chosen.trials)])
    graph = Graph()
    keys = [graph.add(task) for task in planned.graph if task.kind == "train-target"]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        report = run(graph, store, chosen.workers, EXECUTE)
        if report.failures:
            raise ExecutionError(f"training failed: {next(iter(report.failures.values())).reason}")
        models = [store.get(key) for key in keys]
    return report.seconds, models, [one.resolved for one in planned.planned]


def _by_plain_loop(trial: Resolved, model: Artefact, threads: int | None = None) -> tuple[float, tuple[float, float]]:
    """Seconds and utility of one run on what a model of ours was trained on, with its vectors."""
    values: Any = model.values
    words = Words(values["words"])
    labels, tags = list(values["labels"]), list(values["tags"])
    recipe = trial.target.options.model_dump()
    corpus = trial.case.corpus
    examples = [
        Example(_numbers(words, text), labels.index(text.label or ""), torch.tensor([tags.index(t) for t in text.tags]))
        for text in corpus.split("train")
        if text.tokens and text.tags is not None
    ]
    vectors = torch.from_numpy(model.arrays["network.embedding.weight"].copy())
    seed = trial.spec.seed
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        plain = PlainTagger(vectors, len(labels), len(tags), recipe["hidden"], recipe["layers"])
        before = torch.get_num_threads()
        torch.set_num_threads(threads or before)
        begin = time.perf_counter()
        train(plain, examples, recipe, seed)
        seconds = time.perf_counter() - begin
        torch.set_num_threads(before)
    tests = _tests(trial)
    said, paths = predicted(plain, [_numbers(words, text) for text in tests])
    return seconds, _utility(tests, [labels[one] for one in said], [[tags[tag] for tag in path] for path in paths])


def _utility_of_ours(trial: Resolved, model: Artefact) -> tuple[float, float]:
    access = trial.target.open(model)[GradientAccess]
    tests = _tests(trial)
    tokens = [text.tokens for text in tests]
    return _utility(tests, [access.labels[int(one)] for one in access.label(tokens)], access.tags(tokens))


def _utility(tests: Sequence[Text], labels: Sequence[str], tags: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Intent accuracy and slot F1."""
    right = sum(text.label == label for text, label in zip(tests, labels, strict=True))
    counts = [span_counts(text.tags or (), found) for text, found in zip(tests, tags, strict=True)]
    return right / len(tests), span_f1(*(sum(column) for column in zip(*counts, strict=True)))


def _tests(trial: Resolved) -> list[Text]:
    return [text for text in trial.case.corpus.split("test") if text.tokens and text.tags is not None]


def _numbers(words: Words, text: Text) -> torch.Tensor:
    return torch.tensor([words.number(token) for token in text.tokens])


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
