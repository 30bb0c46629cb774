"""What every benchmark says in the end: seconds of each version, the ratios demanded of them, and on which machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

__all__ = ["Ratio", "Result", "is_busy", "machine", "main", "save"]

BUSY = 0.5  # load, in processes that want to run: from there on, others take turns with what is measured
PLACE = Path(__file__).parent.parent / "results" / "benchmarks"


@dataclass(frozen=True)
class Ratio:
    """How long one version takes as a multiple of another, and what is demanded of that."""

    name: str
    value: float
    bound: float
    side: Literal["at most", "at least", "below"]

    @property
    def met(self) -> bool:
        """Whether the demand is met."""
        return {
            "at most": self.value <= self.bound,
            "at least": self.value >= self.bound,
            "below": self.value < self.bound,
        }[self.side]


@dataclass(frozen=True)
class Result:
    """One run of a benchmark.

    Attributes:
        name: The benchmark.
        size: "small" shows that all parts fit; the demands are about "full".
        seconds: What each version took, or would take where `notes` say that it was scaled up.
        ratios: What is demanded.
        agreement: How far the versions agree in their results.
        setting: What was run.
        notes: What a reader must know of the figures.
        timed: Whether the demands are about time, which other work on the machine would spoil.
    """

    name: str
    size: str
    seconds: Mapping[str, float]
    ratios: tuple[Ratio, ...]
    agreement: Mapping[str, float]
    setting: Mapping[str, Any]
    notes: tuple[str, ...]
    timed: bool = True


def machine() -> dict[str, Any]:
    """What the seconds, but hardly the ratios, hang on; and the load, which can spoil both."""
    import torch

    return {
        "cores": os.cpu_count(),
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "processor": platform.machine(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def is_busy(facts: Mapping[str, Any]) -> bool:
    """Whether the machine had other work: threads that wait for each other then take many times as long."""
    return bool(facts["load"][0] > BUSY)


def save(result: Result, facts: Mapping[str, Any], folder: Path = PLACE) -> Path:
    """Writes a result as JSON, one file for each benchmark and size."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.name}-{result.size}.json"
    ratios = [{**asdict(ratio), "met": ratio.met} for ratio in result.ratios]
    content = {**asdict(result), "ratios": ratios, "machine": dict(facts), "void": result.timed and is_busy(facts)}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def main(summary: str, measure: Callable[[str], Result], arguments: list[str] | None = None) -> int:
    """Runs a benchmark from the command line; exit 1 if at size full a demand is not met, or the machine was busy."""
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--size", choices=("small", "full"), default="small", help="small shows that all parts fit")
    parser.add_argument("--save", action="store_true", help="write results/benchmarks/NAME-SIZE.json")
    parser.add_argument("--to", type=Path, default=PLACE, help="the folder that --save writes to")
    chosen = parser.parse_args(arguments)
    before = machine()  # the load before the benchmark makes its own
    result = measure(chosen.size)
    console = Console()
    _show(result, console)
    busy = result.timed and is_busy(before)
    if busy:
        console.print(
            f"- void: the load was {before['load'][0]} before this began. Run it on an idle machine", soft_wrap=True
        )
    if chosen.save:
        console.print(f"saved: {save(result, before, chosen.to)}", soft_wrap=True)
    missed = [ratio for ratio in result.ratios if not ratio.met]
    return 1 if (missed or busy) and result.size == "full" else 0


def _show(result: Result, console: Console) -> None:
    times = Table("version", "seconds", title=f"{result.name}, {result.size}")
    for version, seconds in result.seconds.items():
        times.add_row(version, f"{seconds:.2f}")
    ratios = Table("ratio", "measured", "demanded", "")
    for ratio in result.ratios:
        verdict = "met" if ratio.met else "not met"
        ratios.add_row(ratio.name, f"{ratio.value:.3g}", f"{ratio.side} {ratio.bound:g}", verdict)
    agreement = Table("agreement", "")
    for what, value in result.agreement.items():
        agreement.add_row(what, f"{value:.3g}")
    for table in (times, ratios, agreement):
        console.print(table)
    small = ("size small shows that all parts fit; the demands are about size full",) if result.size == "small" else ()
    for note in (*small, *result.notes):
        console.print(f"- {note}", soft_wrap=True)
