"""Models whose answers are hand-written tables, and records to ask them about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from divulge.access import LabelLikelihoodAccess, TokenLikelihoodAccess
from divulge.adversary import Background, Knowledge, Practice
from divulge.attacks.base import Attack
from divulge.grants import Grant
from divulge.records import Passage, RecordText, Verdict

LABELS = ("no", "yes", "maybe")


class TableLabels(LabelLikelihoodAccess):
    """P(yes) of a text is its entry, "maybe" gets a tenth of the rest; P(X) of a word is its entry."""

    def __init__(
        self,
        table: Mapping[str, float],
        labels: Sequence[str] = LABELS,
        words: Mapping[str, float] | None = None,
        tags: Sequence[str] = ("O", "X"),
    ) -> None:
        self.table, self.words, self._named, self._tagged = table, words, tuple(labels), tuple(tags)
        self.batches: list[int] = []

    @property
    def labels(self) -> tuple[str, ...]:
        return self._named

    @property
    def tag_names(self) -> tuple[str, ...]:
        return () if self.words is None else self._tagged

    def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        self.batches.append(len(texts))
        yes = np.array([self.table[" ".join(text)] for text in texts])
        return np.stack([0.9 * (1 - yes), yes, 0.1 * (1 - yes)], axis=1)

    def _tags(self, texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        return [tuple(self._tagged[int(row.argmax())] for row in table) for table in self._tag_likelihoods(texts)]

    def _tag_likelihoods(self, texts: Sequence[tuple[str, ...]]) -> list[np.ndarray]:
        assert self.words is not None
        return [np.array([[1 - self.words[w], self.words[w]] for w in text]).reshape(-1, 2) for text in texts]


class TableTokens(TokenLikelihoodAccess):
    """A token is as likely as its entry, whatever stands before it, unless its context has an entry too."""

    def __init__(self, table: Mapping[str, float]) -> None:
        self.table = table
        self.asked: list[tuple[str, ...]] = []

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(self.table)

    def _ranks(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        return [np.zeros(len(passage.tokens), dtype=np.int64) for passage in passages]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [passage.tokens for passage in passages]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[np.ndarray]:
        self.asked += [passage.tokens for passage in passages]
        with np.errstate(divide="ignore"):
            return [np.log([self.table[" ".join((*p.context, token))] for token in p.tokens]) for p in passages]


def record(text: str, label: str | None = "yes", tags: str | None = None, context: str = "") -> RecordText:
    """A record from words with spaces between them."""
    told = None if tags is None else tuple(tags.split())
    return RecordText(tokens=tuple(text.split()), label=label, tags=told, context=tuple(context.split()))


def verdicts(
    attack: Attack,
    target: Any,
    records: Sequence[RecordText],
    references: Sequence[Any] = (),
    controls: Sequence[RecordText] = (),
    limit: int | None = None,
) -> list[Verdict]:
    """What an attack says of records, named by their number."""
    practice = tuple(Practice(Grant([model])) for model in references)
    background = Background(controls=tuple(controls), practice=practice)
    learnt = attack.prepare(background, np.random.default_rng(0))
    known = Knowledge(learnt.values, learnt.arrays, practice)
    hints = {str(number): one for number, one in enumerate(records)}
    return list(attack.guess(Grant([target], limit), hints, known, np.random.default_rng(0)))  # type: ignore[arg-type]


def statistics(*args: Any, **kwargs: Any) -> list[float]:
    """The statistics alone."""
    return [verdict.statistic for verdict in verdicts(*args, **kwargs)]
