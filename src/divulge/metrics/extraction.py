"""How much of a text with holes was recovered: closeness and success of the guesses, rank and exposure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from divulge.metrics.base import Metric, Scored
from divulge.metrics.exposure import expected_exposure, expected_rank, standing
from divulge.metrics.figures import MeanMetric, chance, clusters_of, figure
from divulge.metrics.intervals import Interval, median_interval
from divulge.metrics.questions import about_gaps, candidates, gaps, true_tokens
from divulge.records import Arm, Gaps, Measurement, Outcome, Record

__all__ = [
    "Exposure",
    "HammingDistance",
    "Rank",
    "Success",
    "chance_of_distance",
    "chance_of_success",
    "exact_match",
    "found_within",
    "hamming_per_token",
    "standing",
]


def exact_match(ranking: Sequence[tuple[str, ...]], truth: tuple[str, ...]) -> bool:
    """Whether the best guess is the whole truth."""
    return found_within(ranking, truth, 1)


def found_within(ranking: Sequence[tuple[str, ...]], truth: tuple[str, ...], k: int) -> bool:
    """Whether the whole truth is among the first `k` guesses."""
    return truth in ranking[:k]


def hamming_per_token(ranking: Sequence[tuple[str, ...]], truth: tuple[str, ...]) -> float:
    """The share of positions at which the best guess is wrong; a missing token, or guess, is wrong.

    >>> hamming_per_token([("one", "two", "nine", "four")], ("one", "two", "three", "four"))
    0.25
    """
    guess = ranking[0] if ranking else ()
    positions = max(len(truth), len(guess))
    if positions == 0:
        return 0.0
    right = sum(token == true for token, true in zip(guess, truth, strict=False))
    return 1 - right / positions


def chance_of_distance(hint: Gaps) -> float:
    """The mean distance per token of guessing every hole uniformly."""
    wrong = [1 - 1 / len(options) for options in hint.candidates]
    return sum(wrong) / len(wrong) if wrong else 0.0


def chance_of_success(hint: Gaps, k: int = 1) -> float:
    """How likely k different guesses, drawn uniformly, hold the truth."""
    return min(1.0, math.exp2(math.log2(k) - math.log2(hint.space)))


class HammingDistance(MeanMetric):
    """Hamming distance per token of the best guess."""

    name = "hdt"
    summary = "The share of missing tokens that the attack's best guess gets wrong."
    leaks_when: ClassVar[Literal["high", "low"]] = "low"

    def applies(self, scored: Scored) -> bool:
        """Whether there are holes to fill."""
        return about_gaps(scored)

    def outcome(self, scored: Scored, secret_id: str) -> float:
        """The distance of one guess; 1 where there is none."""
        return hamming_per_token(candidates(scored, secret_id), true_tokens(scored, secret_id))

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Guessing every hole uniformly."""
        return chance(self.name, [chance_of_distance(gaps(scored, secret_id)) for secret_id in scored.answers])


class Success(MeanMetric):
    """Success within the first k guesses, for several k."""

    name = "success"
    summary = "The share of secrets whose missing tokens, all of them, are among the attack's first k guesses."
    binary = True

    class Options(Record):
        """At which k to measure."""

        ks: tuple[int, ...] = (1, 10, 50, 100, 200)

    def applies(self, scored: Scored) -> bool:
        """Whether there are holes to fill, and more than one way to fill them."""
        return about_gaps(scored) and bool(self.depths(scored))

    def depths(self, scored: Scored) -> tuple[int, ...]:
        """The k at which guesses can fail, whatever was guessed: every arm must be measured at the same.

        Beyond the end of a ranking, success is success within what it names.
        """
        space = min((gaps(scored, secret_id).space for secret_id in scored.answers), default=0)
        return tuple(sorted(k for k in set(self.options.ks) if 0 < k < space))

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """Whether each secret was found at the largest k."""
        found = self._found(scored, self.depths(scored)[-1])
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=value)
            for secret_id, value in zip(scored.answers, found, strict=True)
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """One figure for each k."""
        del outcomes
        return tuple(self.mean(scored, self._found(scored, k), arm, rng, {"k": k}) for k in self.depths(scored))

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """As many different guesses, drawn uniformly."""
        return tuple(
            measurement
            for k in self.depths(scored)
            for measurement in chance(
                self.name, [chance_of_success(gaps(scored, secret_id), k) for secret_id in scored.answers], {"k": k}
            )
        )

    def _found(self, scored: Scored, k: int) -> list[float]:
        return [
            float(found_within(candidates(scored, secret_id), true_tokens(scored, secret_id), k))
            for secret_id in scored.answers
        ]


class Exposure(MeanMetric):
    """Mean exposure."""

    name = "exposure"
    summary = "How many bits of searching the attack's score saves on average: log2 of all completions over the rank."
    unit = "bits"

    def applies(self, scored: Scored) -> bool:
        """Whether true answers were scored among decoys."""
        return bool(scored.answers) and bool(scored.standings)

    def bounds(self, scored: Scored) -> tuple[float, float]:
        """From nothing to the largest space."""
        return 0.0, max(math.log2(place.space) for place in scored.standings.values())

    def outcome(self, scored: Scored, secret_id: str) -> float:
        """The exposure of one secret; 0 where it was not scored."""
        place = scored.standings.get(secret_id)
        return 0.0 if place is None else place.exposure

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Ranking all completions at random."""
        return chance(self.name, [expected_exposure(place.space) for place in scored.standings.values()])


class Rank(Metric):
    """Median rank."""

    name = "rank"
    summary = "The median place of the true answer when the attack orders it among decoys; 1 is first."
    leaks_when: ClassVar[Literal["high", "low"]] = "low"
    unit = "rank"

    def applies(self, scored: Scored) -> bool:
        """Whether true answers were scored among decoys."""
        return bool(scored.answers) and bool(scored.standings)

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """The rank of each secret; the last one where it was not scored."""
        last = _longest(scored)
        places = {secret_id: scored.standings.get(secret_id) for secret_id in scored.answers}
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(last if place is None else place.rank))
            for secret_id, place in places.items()
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The median, between two of the ordered ranks."""
        ranks = [outcome.value for outcome in outcomes]
        interval = median_interval(ranks, rng, clusters_of(scored), (1.0, float(_longest(scored))))
        return (figure(self.name, float(np.median(ranks)), interval, n=len(ranks), arm=arm),)

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Ordering at random."""
        value = float(np.median([expected_rank(place.among) for place in scored.standings.values()]))
        return (figure(self.name, value, Interval(value, value), n=len(scored.standings), arm="baseline"),)


def _longest(scored: Scored) -> int:
    return max(place.among for place in scored.standings.values())
