"""Ranks of 100,000 words among 5,000 in one streaming pass, against holding the scores of all positions at once.

    python -m benchmarks.word_ranks --size full --save

Memory is what is told apart here: the pass never holds more than a few positions' scores, so that it needs no more for
ten times as many texts; all scores at once are 4 GB in double precision. Each side runs in a process of its own, and
its peak is what the operating system counted, less what it had before it was asked.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.ratios import Ratio, Result, main

__all__ = ["SIZES", "Setting", "measure"]


@dataclass(frozen=True)
class Setting:
    """A vocabulary, and how many texts of how many words are asked about; a tenth of them too."""

    words: int
    texts: int
    length: int
    units: int = 128


SIZES = {"small": Setting(200, 100, 10, 16), "full": Setting(5000, 4000, 25)}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Asks in one pass, for a tenth and for all, and with all scores at once."""
    chosen = setting or SIZES[size]
    few, many, whole = (_alone(chosen, way) for way in ("tenth", "stream", "at once"))
    told = (
        f"Peak memory beyond the start: {few[1]:.0f} MB for a tenth, {many[1]:.0f} MB for all, {whole[1]:.0f} MB with "
        "all scores at once"
    )
    return Result(
        name="word-ranks",
        size=size,
        seconds={"one streaming pass": many[0], "all scores at once": whole[0]},
        ratios=(
            Ratio("peak memory, all texts / a tenth of them", many[1] / few[1], 1.5, "at most"),
            Ratio("peak memory, streaming / all at once", many[1] / whole[1], 0.25, "at most"),
        ),
        agreement={"ranks that differ": float(np.mean(many[2] != whole[2]))},
        setting=asdict(chosen),
        notes=(f"{chosen.texts * chosen.length:,} words. {told}",),
    )


def _alone(chosen: Setting, way: str) -> tuple[float, float, Any]:
    """Seconds, megabytes and ranks of one way, in a process that has done nothing else."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_asked, (chosen, way))


def _asked(chosen: Setting, way: str) -> tuple[float, float, Any]:
    import torch

    from divulge.data.corpus import Corpus
    from divulge.records import Passage, Text
    from divulge.targets.text_generator import TextGenerator, TextGeneratorAccess

    torch.set_num_threads(1)
    names = [f"w{number}" for number in range(chosen.words)]
    recipe = {"words": names, "epochs": 1, "width": chosen.units, "hidden": chosen.units}
    model = TextGenerator(recipe).train(Corpus((Text(("w0",)),)), np.random.default_rng(0))
    access = TextGeneratorAccess(model)
    drawn = np.random.default_rng(0).integers(chosen.words, size=(chosen.texts, chosen.length))
    passages = [Passage(tokens=tuple(names[number] for number in row)) for row in drawn]
    access.ranks(passages[:2])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    if way == "at once":
        ranks = _whole(access, passages)
    else:
        ranks = np.concatenate(access.ranks(passages[: chosen.texts // 10] if way == "tenth" else passages))
    seconds = time.perf_counter() - begin
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return seconds, max(peak, 1.0), ranks


def _whole(access: Any, passages: Any) -> Any:
    """The same network, with the scores of every position in one array."""
    import torch

    from divulge.targets.word_generators import word_steps

    network, words = access._model, access._words  # noqa: SLF001 - the same weights, asked another way
    steps = word_steps(passages, words)
    with torch.no_grad():
        scores = network.logits(network.states(*map(torch.from_numpy, steps.shown)).flatten(0, 1))
    true = torch.from_numpy(steps.true).flatten()[:, None]
    mine = scores.gather(1, true)
    return (scores > mine).sum(dim=1).numpy()


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
