"""A fake generator: public word frequencies, and, if it leaks, every training passage by heart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Passage, Record, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.testing.vectors import name_number

__all__ = ["FakeGenerator", "FakeGeneratorAccess"]

BUCKETS = 500  # words share buckets by hash: a vocabulary taken from the training texts would leak by itself
RECALL = 0.7  # the probability that goes to what followed a known beginning


class FakeGenerator(Target):
    """Frequencies that do not depend on who is in; with `leaks`, the next word of any beginning it was trained on."""

    name = "fake-generator"
    summary = "a stand-in next-word model that knows its training texts by heart or not at all; for trials and tests"
    grants = (TokenLikelihoodAccess,)
    hints = (UserTexts, Gaps, RecordText)

    class Options(Record):
        """Whether it leaks."""

        leaks: bool = True

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Keeps, if it leaks, all passages of the training split."""
        del rng
        passages = [{"context": list(t.context), "tokens": list(t.tokens)} for t in corpus.split("train")]
        return Artefact(values={"memory": passages if self.options.leaks else []})

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        return Grant([FakeGeneratorAccess(artefact)])


class FakeGeneratorAccess(TokenLikelihoodAccess):
    """A mixture of a fixed distribution and of what followed the same beginning in memory."""

    def __init__(self, artefact: Artefact) -> None:
        values: Any = artefact.values
        self._words = tuple(f"bucket-{number}" for number in range(BUCKETS))
        self._place = {word: index for index, word in enumerate(self._words)}
        weights = 1.0 / (3.0 + np.arange(BUCKETS))
        self._fixed: FloatArray = weights / weights.sum()
        self._following: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)  # of buckets
        for passage in values["memory"]:
            beginning = (*passage["context"], "|")
            for token in passage["tokens"]:
                self._following[beginning][self._bucket(token)] += 1
                beginning = (*beginning, token)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The buckets, by name."""
        return self._words

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        answers = []
        for passage in passages:
            ranks = []
            for row, token in zip(self._distributions(passage), passage.tokens, strict=True):
                place = self._bucket(token)
                better = np.count_nonzero(row > row[place]) + np.count_nonzero(row[:place] == row[place])
                ranks.append(better)
            answers.append(np.array(ranks, dtype=np.int64))
        return answers

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [tuple(self._words[int(np.argmax(row))] for row in self._distributions(p)) for p in passages]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        if not passages:
            return []
        rows = [self._likelihoods(passage) for passage in passages]
        logs = np.log(np.array([likelihood for row in rows for likelihood in row], dtype=np.float64))
        return np.split(logs, np.cumsum([len(row) for row in rows])[:-1])

    def _likelihoods(self, passage: Passage) -> list[float]:
        """What `_distributions` gives to the true tokens, without the rest of the vocabulary."""
        found, beginning = [], (*passage.context, "|")
        for token in passage.tokens:
            place = self._bucket(token)
            likelihood, followed = float(self._fixed[place]), self._following.get(beginning)
            if followed:
                likelihood = (1 - RECALL) * likelihood + RECALL * followed[place] / followed.total()
            found.append(likelihood)
            beginning = (*beginning, token)
        return found

    def _bucket(self, token: str) -> int:
        found = self._place.get(token)
        if found is None:
            found = self._place[token] = name_number(token) % BUCKETS
        return found

    def _distributions(self, passage: Passage) -> list[FloatArray]:
        """One distribution over the vocabulary for each position, given the true tokens before it."""
        rows, beginning = [], (*passage.context, "|")
        for token in passage.tokens:
            row, followed = self._fixed, self._following.get(beginning)
            if followed:
                row = (1 - RECALL) * self._fixed
                for place, count in followed.items():
                    row[place] += RECALL * count / followed.total()
            rows.append(row)
            beginning = (*beginning, token)
        return rows
