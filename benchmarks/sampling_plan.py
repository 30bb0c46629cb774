"""How many users or rows to draw, and what interval that gives: a simulation behind the plan of docs/scaling.md.

    python -m benchmarks.sampling_plan --size full --save
    python -m benchmarks.sampling_plan tables

Three questions are put to draws from made-up populations whose rate is known. Do the intervals of Divulge hold it as
often as they say, at rates of 0, 0.01 and 0.5? Does it matter whether ten thousand, ten million or a billion are drawn
from? What if draws come in clusters (rows of one document, texts of one household), of which some leak and some do not?
And for users, of whom one asks who was in: does the interval of an area under the curve hold it?
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.ratios import PLACE, Ratio, Result, main
from divulge.metrics.intervals import Interval, rate_interval, wilson
from divulge.metrics.roc import auc, auc_interval

__all__ = [
    "SIZES",
    "Clustered",
    "Found",
    "Setting",
    "areas",
    "clustered",
    "coverages",
    "draws_for",
    "half_width",
    "measure",
    "plain",
]

KEPT = PLACE / "sampling-plan-full.json"
RATES = (0.0, 0.01, 0.5)
POPULATIONS = {"ten thousand": 10**4, "ten million": 10**7, "a billion": 10**9}
DRAWS = (100, 400, 1000, 4000, 10_000, 40_000)
FEWEST = 400  # that the plan advises: of fewer, an interval of a rare thing holds it less often than it says
LEAST = 0.93  # of 95 %: an interval of so many whole draws cannot hit it exactly, and a simulation wavers
MOST_DRAWS = 10**9


@dataclass(frozen=True)
class Setting:
    """How often each drawing is repeated, and of how many."""

    repeats: int
    clustered_repeats: int
    area_repeats: int
    draws: int = 1000


@dataclass(frozen=True)
class Found:
    """What intervals did: how often they held the rate, and half of their mean width."""

    coverage: float
    half: float


@dataclass(frozen=True)
class Clustered:
    """The same draws, once as if each stood alone, once with clusters regarded."""

    alone: Found
    regarded: Found


SIZES = {"small": Setting(300, 40, 20, 200), "full": Setting(20_000, 2000, 1000)}


def plain(population: int, rate: float, draws: int, repeats: int, rng: np.random.Generator) -> Found:
    """Draws without replacement from a population, again and again; Wilson's interval of each."""
    good = round(rate * population)
    hits: npt.NDArray[np.int64] = np.zeros(repeats, dtype=np.int64)
    if good:
        hits = rng.hypergeometric(good, population - good, min(draws, population), size=repeats)
    counts, times = np.unique(hits, return_counts=True)
    intervals = [wilson(int(count), draws) for count in counts]
    return _found(good / population, [one for one in intervals if one], times)


def clustered(
    rate: float, clusters: int, each: int, *, alike: float, repeats: int, rng: np.random.Generator
) -> Clustered:
    """Draws whole clusters whose own rates differ (beta-binomial); `alike` is the correlation within a cluster."""
    labels = np.repeat(np.arange(clusters), each).tolist()
    alone, regarded = [], []
    for _ in range(repeats):
        own = rng.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), size=clusters)
        values = (rng.random((clusters, each)) < own[:, None]).reshape(-1).astype(np.float64)
        first, both = wilson(float(values.sum()), len(values)), rate_interval(values, rng, labels)
        assert first is not None
        assert both is not None
        alone.append(first)
        regarded.append(both)
    return Clustered(_found(rate, alone), _found(rate, regarded))


def areas(area: float, each: int, repeats: int, rng: np.random.Generator) -> Found:
    """Scores of users who were in and of as many who were not, normal and apart so that the area is as told."""
    from scipy.special import ndtri

    apart = float(np.sqrt(2) * ndtri(area))
    intervals = []
    for _ in range(repeats):
        value = auc(rng.normal(apart, size=each), rng.normal(size=each))
        assert value is not None
        intervals.append(auc_interval(value, each, each))
    return _found(area, intervals)


def half_width(rate: float, draws: int) -> float:
    """Half of the width of Wilson's interval where the rate is found as it is."""
    found = wilson(rate * draws, draws)
    assert found is not None
    return (found.high - found.low) / 2


def draws_for(wanted: Callable[[int], bool]) -> int:
    """The fewest draws that are enough; whoever has enough has enough with one more."""
    low, high = 0, 1
    while not wanted(high):
        low, high = high, 2 * high
        if high > MOST_DRAWS:
            raise ValueError("more than a billion draws would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wanted(middle) else (middle, high)
    return high


def measure(size: str, setting: Setting | None = None) -> Result:
    """Holds the intervals of the plan against rates that are known."""
    chosen, rng, begin = setting or SIZES[size], np.random.default_rng(0), time.perf_counter()
    agreement: dict[str, float] = {}
    least = 1.0
    for name, population in POPULATIONS.items():
        for rate in RATES:
            found = plain(population, rate, chosen.draws, chosen.repeats, rng)
            least = min(least, found.coverage)
            agreement[f"{chosen.draws} of {name}, rate {rate:g}: half-width"] = found.half
            agreement[f"{chosen.draws} of {name}, rate {rate:g}: coverage"] = found.coverage
    planned = 1.0
    for draws in (count for count in DRAWS if count != chosen.draws):
        for rate in RATES:
            found = plain(POPULATIONS["a billion"], rate, draws, chosen.repeats, rng)
            planned = min(planned, found.coverage) if draws >= FEWEST else planned
            agreement[f"{draws} of a billion, rate {rate:g}: coverage"] = found.coverage
    worst = 1.0
    for rate in RATES[1:]:
        for alike in (0.05, 0.3):
            both = clustered(rate, chosen.draws // 10, 10, alike=alike, repeats=chosen.clustered_repeats, rng=rng)
            worst = min(worst, both.regarded.coverage)
            what = f"clusters of 10, correlation {alike:g}, rate {rate:g}"
            agreement[f"{what}: coverage as if alone"] = both.alone.coverage
            agreement[f"{what}: coverage, clusters regarded"] = both.regarded.coverage
            agreement[f"{what}: half-width, clusters regarded"] = both.regarded.half
    # The hardest of them, a rare thing in clusters of one mind, with four times as many clusters.
    more = clustered(0.01, 4 * chosen.draws // 10, 10, alike=0.3, repeats=chosen.clustered_repeats, rng=rng).regarded
    agreement["four times as many clusters, correlation 0.3, rate 0.01: coverage, clusters regarded"] = more.coverage
    agreement["four times as many clusters, correlation 0.3, rate 0.01: half-width"] = more.half
    lowest = 1.0
    for area in (0.5, 0.6, 0.9):
        found = areas(area, chosen.draws // 2, chosen.area_repeats, rng)
        lowest = min(lowest, found.coverage)
        agreement[f"{chosen.draws // 2} in and as many out, area {area:g}: coverage"] = found.coverage
        agreement[f"{chosen.draws // 2} in and as many out, area {area:g}: half-width"] = found.half
    ratios = (
        Ratio("least coverage of a rate", least, LEAST, "at least"),
        Ratio(f"least coverage of a rate, from {FEWEST} draws on", planned, LEAST, "at least"),
        Ratio(f"coverage of a rate in {4 * chosen.draws // 10} clusters", more.coverage, LEAST, "at least"),
        Ratio("least coverage of an area", lowest, LEAST, "at least"),
    )
    notes = (
        "coverage is the share of repeated drawings whose 95 % interval holds the known rate",
        f"in {chosen.draws // 10} clusters, which the plan advises against, it is {worst:.3f} at least",
    )
    seconds = {"simulation": time.perf_counter() - begin}
    return Result("sampling-plan", size, seconds, ratios, agreement, asdict(chosen), notes, timed=False)


def tables() -> Iterator[str]:
    """The plan in Markdown: what so many draws give, and how many draws a wish takes."""
    yield "| draws | none found: at most | rate 0.01 | rate 0.5 | area 0.5, half in | area 0.9, half in |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: |"
    for draws in DRAWS:
        none = wilson(0, draws)
        assert none is not None
        rates = " | ".join(f"± {half_width(rate, draws):.4f}" for rate in RATES[1:])
        halves = [auc_interval(area, draws // 2, draws // 2) for area in (0.5, 0.9)]
        cells = " | ".join(f"± {(one.high - one.low) / 2:.3f}" for one in halves)
        yield f"| {draws:,} | {none.high:.5f} | {rates} | {cells} |"
    yield ""
    yield "| to tell | draws |"
    yield "| --- | ---: |"
    for bound in (0.01, 0.001, 0.0001):
        enough = draws_for(lambda count, bound=bound: _none(count) <= bound)  # type: ignore[misc]
        yield f"| that a rate is below {bound:g}, if none is found | {enough:,} |"
    for rate, half in ((0.01, 0.005), (0.01, 0.001), (0.5, 0.05), (0.5, 0.01)):
        enough = draws_for(lambda count, rate=rate, half=half: half_width(rate, count) <= half)  # type: ignore[misc]
        yield f"| a rate near {rate:g} to ± {half:g} | {enough:,} |"


def coverages(agreement: Mapping[str, float]) -> Iterator[str]:
    """How often intervals held the truth, in Markdown, from what a run at size full found."""
    yield "| drawn | as if each stood alone | clusters regarded |"
    yield "| --- | ---: | ---: |"
    for what, value in agreement.items():
        drawn, _, kind = what.partition(": coverage")
        if what.endswith(": coverage"):
            yield f"| {drawn} | {value:.3f} | |"
        elif kind == " as if alone":
            yield f"| 100 {drawn} | {value:.3f} | {agreement[f'{drawn}: coverage, clusters regarded']:.3f} |"
        elif drawn.startswith("four") and kind:
            yield f"| {drawn.replace('four times as many clusters', '400 clusters of 10')} | | {value:.3f} |"


def _none(count: int) -> float:
    found = wilson(0, count)
    return 1.0 if found is None else found.high


def _found(truth: float, intervals: list[Interval], times: npt.NDArray[np.int64] | None = None) -> Found:
    weights = np.ones(len(intervals)) if times is None else times
    held = [one.low <= truth <= one.high for one in intervals]
    widths = [one.high - one.low for one in intervals]
    return Found(float(np.average(held, weights=weights)), float(np.average(widths, weights=weights)) / 2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["tables"]:
        found = json.loads(KEPT.read_text(encoding="utf-8"))["agreement"]
        print("\n".join((*tables(), "", *coverages(found))))  # noqa: T201 - to be put into docs/scaling.md
    else:
        sys.exit(main(__doc__.partition("\n")[0], measure))
