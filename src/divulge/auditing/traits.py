"""Traits of what a person wrote that need no model: how much, how long, how rare, about what.

Words are counted in the texts of other people who are known to be out: neither the person nor anybody the person is
compared with is among these, so that all are looked at alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from divulge.data.cases import Case
from divulge.metrics.likeness import Likeness, likeness
from divulge.records import Hint, UserTexts

__all__ = ["TRAITS", "likeness_of_person", "manner"]

OF_MANNER = ("number of texts", "number of words", "length of texts", "variety of words")
OF_WORDS = ("words that nobody else uses", "rare words", "topic")
OUTSIDE = "words unknown to the model"
TRAITS = (*OF_MANNER, *OF_WORDS, OUTSIDE)


def likeness_of_person(case: Case, known_out: Sequence[Hint], outside: Mapping[str, float]) -> Likeness | None:
    """The person of a case among its controls; `outside` tells of each the share of words that the model has not."""
    counted = _Counted([hint for hint in known_out if isinstance(hint, UserTexts)])
    everybody = (*case.secrets, *case.controls)
    rows = [
        (*manner(one.hint), *counted.traits(one.hint), outside.get(one.id, 0.0))
        for one in everybody
        if isinstance(one.hint, UserTexts)
    ]
    return likeness(rows[0], rows[1:], TRAITS) if rows else None


def manner(hint: UserTexts) -> tuple[float, ...]:
    """How much somebody wrote, in texts of which length, and in how many different words; sizes as logarithms."""
    words = [word for passage in hint.examples for word in passage.tokens]
    texts = len(hint.examples)
    variety = math.log((1 + len(set(words))) / (1 + len(words)))
    return math.log1p(texts), math.log1p(len(words)), math.log1p(len(words) / max(1, texts)), variety


class _Counted:
    """The words of some people: how often each stands there, and how many of them use it."""

    def __init__(self, people: Sequence[UserTexts]) -> None:
        each = [_words(one) for one in people]
        self._all = sum(each, Counter[str]())
        self._total = max(1, sum(self._all.values()))
        self._users = Counter(word for words in each for word in words)
        self._people = len(each)
        self._middle: Counter[str] = Counter()
        for words in each:
            self._middle.update(self._weighed(words))

    def traits(self, hint: UserTexts) -> tuple[float, float, float]:
        """The share of words that nobody of them uses; how frequent the others are; how like everybody's words."""
        words = _words(hint)
        total = max(1, sum(words.values()))
        known = {word: count for word, count in words.items() if word in self._all}
        frequent = sum(count * math.log(self._all[word] / self._total) for word, count in known.items())
        alike = _cosine(self._weighed(words), self._middle)
        return 1 - sum(known.values()) / total, frequent / max(1, sum(known.values())), alike

    def _weighed(self, words: Mapping[str, int]) -> dict[str, float]:
        """A word counts by how few people use it: what everybody says is no topic."""
        weights = {
            word: (1 + math.log(count)) * math.log((1 + self._people) / (1 + self._users[word]))
            for word, count in words.items()
        }
        size = math.sqrt(sum(value**2 for value in weights.values())) or 1.0
        return {word: value / size for word, value in weights.items()}


def _words(hint: UserTexts) -> Counter[str]:
    return Counter(word for passage in hint.examples for word in passage.tokens)


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    both = sum(value * other.get(word, 0.0) for word, value in one.items())
    sizes = math.sqrt(sum(v**2 for v in one.values()) * sum(v**2 for v in other.values()))
    return both / sizes if sizes else 0.0
