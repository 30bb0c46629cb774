"""The share of sensitive words that were recovered, and how often one is named where it is not."""

from __future__ import annotations

from typing import Literal

import numpy as np

from divulge.metrics.base import Scored
from divulge.metrics.figures import clusters_of, figure
from divulge.metrics.intervals import is_clustered, mean_interval, rate_interval
from divulge.metrics.keywords import KeywordCount, plain, recovered
from divulge.metrics.questions import keywords
from divulge.records import Arm, Measurement, Outcome

__all__ = ["KeywordFound"]


class KeywordFound(KeywordCount):
    """Share of keywords recovered.

    Over every pair of a row and a keyword of it; with one keyword in `only`, over the rows that have it, as in figures
    3 and 6 of gu2023. With `among` = "without" it is the share of false alarms: for each row, of the keywords looked
    for that are not in it, how many are named all the same.
    """

    name = "keyword_found"
    summary = "The share of all sensitive words, counted once for each sentence they are in, that the attack recovers."
    unit = "share"

    class Options(KeywordCount.Options):
        """As for the count, and whether rows with the keywords are looked at, or rows without them."""

        among: Literal["with", "without"] = "with"

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """The share of each row's keywords that was recovered, or of other keywords that was named; 0 of none."""
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(np.mean(tried)) if tried else 0.0)
            for secret_id, tried in self._tried(scored).items()
        )

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The share of all pairs, rows being resampled whole; of false alarms the mean over rows."""
        tried = self._tried(scored)
        models = dict(zip(scored.answers, clusters_of(scored) or (), strict=False))
        shared = is_clustered(list(models.values()))
        if self.options.among == "without":
            asked = [outcome for outcome in outcomes if tried[outcome.secret_id]]
            values = [outcome.value for outcome in asked]
            behind = [models[outcome.secret_id] for outcome in asked] if shared else None
            one_each = all(len(found) <= 1 for found in tried.values())
            interval = (rate_interval if one_each else mean_interval)(values, rng, behind)
        else:
            values = [float(one) for found in tried.values() for one in found]
            behind = [models[name] if shared else name for name, found in tried.items() for _ in found]
            interval = rate_interval(values, rng, behind)
        value = float(np.mean(np.sort(values))) if values else None
        return (figure(self.name, value, interval, n=len(values), arm=arm),)

    def _tried(self, scored: Scored) -> dict[str, list[bool]]:
        """For each row and each keyword it is asked about, whether that was named."""
        if self.options.among == "with":
            asked = {name: self.wanted(scored, name) for name in scored.answers}
        else:
            asked = self._absent(scored)
        named = {name: set(recovered(words, self.kept(scored, name))) for name, words in asked.items()}
        return {name: [word in named[name] for word in words] for name, words in asked.items()}

    def _absent(self, scored: Scored) -> dict[str, tuple[str, ...]]:
        own = {name: {plain(word) for word in keywords(scored, name)} for name in scored.answers}
        looked_for = {plain(word) for word in self.options.only} or set().union(*own.values())
        return {name: tuple(sorted(looked_for - words)) for name, words in own.items()}
