"""How many sensitive words behind leaked rows were recovered (gu2023, sections 5 and 8.1).

All guesses about a row are poured into one list of words, the most frequent first; stop words are dropped and the
first `kept` words examined. A keyword counts as recovered if all its words are among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.metrics.base import Metric, Scored
from divulge.metrics.figures import clusters_of, figure
from divulge.metrics.intervals import Interval, bootstrap, hull, is_clustered, mean, wilson
from divulge.metrics.questions import about_keywords, candidates, keywords
from divulge.pieces import words_of
from divulge.records import Arm, FloatArray, Measurement, Outcome, Record

__all__ = ["STOP_WORDS", "KeywordCount", "UniqueKeywordCount", "kept_words", "plain", "recovered", "words_of"]

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing down during each few for from further had has have having he her here hers him his how
    i if in into is it its just me more most my no nor not now of off on once only or other our ours out over own s
    same she should so some such t than that the their theirs them then there these they this those through to too
    under until up very was we were what when where which while who whom why will with would you your yours
    """.split()  # noqa: SIM905 - a list literal would fill a hundred lines
)


def kept_words(guesses: Sequence[tuple[str, ...]], kept: int) -> frozenset[str]:
    """The most frequent words over all guesses, stop words left out; of equals those that came first."""
    counts = Counter(word for guess in guesses for word in words_of(guess) if word not in STOP_WORDS)
    return frozenset(word for word, _ in counts.most_common(kept))


def plain(keyword: str) -> str:
    """A keyword in lower-case words with one space between them: how two spellings are compared.

    >>> plain("X-Ray")
    'x ray'
    """
    return " ".join(words_of([keyword]))


def recovered(true_keywords: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    """The keywords all of whose words are there, sorted; stop words inside a keyword need not be."""
    found = []
    for keyword in sorted(set(true_keywords)):
        parts = words_of([keyword])
        needed = {part for part in parts if part not in STOP_WORDS}
        if needed and needed <= words:
            found.append(keyword)
    return tuple(found)


class KeywordCount(Metric):
    """Count of recovered keywords."""

    name = "count"
    summary = "How many sensitive words the attack recovers in all, counted once for each sentence they are in."
    unit = "count"

    class Options(Record):
        """How many of the most frequent guessed words are examined for each row, and which keywords are looked for.

        With no keywords named in `only`, all are; one that is named counts in lower case and without punctuation.
        """

        kept: Annotated[int, Field(ge=1)] = 20
        only: tuple[str, ...] = ()

    def applies(self, scored: Scored) -> bool:
        """Whether rows with keywords are the question."""
        return about_keywords(scored)

    def outcomes(self, scored: Scored) -> tuple[Outcome, ...]:
        """How many keywords of each row were recovered."""
        return tuple(
            Outcome(secret_id=secret_id, metric=self.name, value=float(len(self.found(scored, secret_id))))
            for secret_id in scored.answers
        )

    def found(self, scored: Scored, secret_id: str) -> tuple[str, ...]:
        """The keywords recovered from one row."""
        return recovered(self.wanted(scored, secret_id), self.kept(scored, secret_id))

    def wanted(self, scored: Scored, secret_id: str) -> tuple[str, ...]:
        """The keywords of one row that are looked for."""
        only = {plain(word) for word in self.options.only}
        return tuple(word for word in keywords(scored, secret_id) if not only or plain(word) in only)

    def kept(self, scored: Scored, secret_id: str) -> frozenset[str]:
        """The guessed words of one row that are examined."""
        return kept_words(candidates(scored, secret_id), self.options.kept)

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The sum over rows, with a bootstrap interval over rows."""
        values = [outcome.value for outcome in outcomes]
        total = float(sum(values))
        interval = _over_rows(values, mean, scored, rng)
        if interval is not None:
            # n times the mean rather than the sum itself: resampled models may differ in their number of rows.
            interval = Interval(interval.low * len(values), interval.high * len(values))
        most = sum(len(self.wanted(scored, secret_id)) for secret_id in scored.answers)
        return (figure(self.name, total, _within(interval, total, most), n=len(values), arm=arm),)


class UniqueKeywordCount(KeywordCount):
    """Count of different keywords recovered."""

    name = "unique"
    summary = "How many different sensitive words the attack recovers, each counted once over all sentences."

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The size of the pooled set, with the spread of a bootstrap over rows.

        A resample holds two thirds of the rows and so fewer different words: its spread is used, not its place.
        """
        rows = [self.found(scored, secret_id) for secret_id in scored.answers]
        numbers = {row: number for number, row in enumerate(sorted(set(rows)))}
        sets = [frozenset(row) for row in sorted(set(rows))]

        def different(drawn: FloatArray) -> float:
            return float(len(frozenset().union(*(sets[int(number)] for number in np.unique(drawn)))))

        value = float(len(frozenset().union(*sets)))
        interval = _over_rows([float(numbers[row]) for row in rows], different, scored, rng, centre=value)
        most = len({keyword for secret_id in scored.answers for keyword in self.wanted(scored, secret_id)})
        within = hull(_within(interval, value, most), _each_a_trial(value, most))
        return (figure(self.name, value, within, n=len(outcomes), arm=arm),)


def _over_rows(
    values: Sequence[float],
    statistic: Callable[[FloatArray], float],
    scored: Scored,
    rng: np.random.Generator,
    centre: float | None = None,
) -> Interval | None:
    interval = bootstrap(values, statistic, rng, centre=centre)
    clusters = clusters_of(scored)
    if is_clustered(clusters):
        return hull(interval, bootstrap(values, statistic, rng, clusters, centre=centre))
    return interval


def _within(interval: Interval | None, value: float, most: int) -> Interval | None:
    # Nothing or everything recovered leaves nothing to resample.
    if interval is None or interval.low == interval.high:
        return _each_a_trial(value, most)
    return Interval(max(interval.low, 0.0), min(interval.high, float(most)))


def _each_a_trial(value: float, most: int) -> Interval | None:
    """The interval if every keyword is a trial of its own: a handful of finds has a spread that no resample shows."""
    share = wilson(value, most)
    return None if share is None else Interval(share.low * most, share.high * most)
