"""Which of a person's texts to ask about, where not all may be: any, or those of the rarest words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from divulge.access import RankedTokensAccess, TokenTuple
from divulge.adversary import Background
from divulge.canonical import canonical_json
from divulge.records import Artefact, Passage, UserTexts

__all__ = [
    "UNKNOWN",
    "Selection",
    "chosen_texts",
    "even_texts",
    "kept_users",
    "known_users",
    "own_texts",
    "unknown_as_one",
    "word_counts",
]

Selection = Literal["random", "rarest"]
UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # what all words outside of a vocabulary are counted as


def own_texts(background: Background) -> Iterator[Passage]:
    """What the adversary has: public texts, and those of its own models' users, each passage of theirs once."""
    yield from (Passage(tokens=text.tokens) for text in background.corpus)
    seen: set[Passage] = set()  # shadows halve one pool of users again and again
    for practice in background.practice:
        for secret in practice.secrets:
            if isinstance(secret.hint, UserTexts):
                new = [passage for passage in secret.hint.examples if passage not in seen]
                seen.update(new)
                yield from new


def word_counts(background: Background) -> dict[str, int]:
    """How often each word stands in what the adversary has, as its first model reads it: unknown ones are one word."""
    counts: Counter[str] = Counter()
    model = next((one.access[RankedTokensAccess] for one in background.practice), None)
    texts = list(own_texts(background))
    for tokens in (text.tokens for text in texts) if model is None else unknown_as_one(model, texts):
        counts.update(tokens)
    return dict(sorted(counts.items()))


def unknown_as_one(access: RankedTokensAccess, texts: Sequence[Passage]) -> list[TokenTuple]:
    """The tokens of each text as the model reads them; song2019 replaces those outside of its vocabulary by one."""
    known = _known(access.vocabulary)
    return [tuple(token if token in known else UNKNOWN for token in pieces) for pieces in access.pieces(texts)]


def chosen_texts(
    hint: UserTexts,
    most: int | None,
    access: RankedTokensAccess,
    rng: np.random.Generator,
    *,
    selection: Selection,
    counts: Mapping[str, int],
) -> Sequence[Passage]:
    """At most so many texts, in their order: drawn, or those whose words are rarest in all.

    A text's words are summed up, as in song2019: short texts of rare words come first. A word that the model knows and
    the adversary never met counts nothing.
    """
    texts = hint.examples
    if most is None or most >= len(texts):
        return texts
    if selection == "random":
        places = rng.permutation(len(texts))[:most]
    else:
        sums = [sum(counts.get(word, 0) for word in tokens) for tokens in unknown_as_one(access, texts)]
        places = np.argsort(sums, kind="stable")[:most]
    return [texts[place] for place in sorted(places.tolist())]


def even_texts(remaining: int | None, people: int, others: int) -> tuple[int | None, int]:
    """How many texts of each person may be asked about, and how many of the others, if nobody is to go without.

    Others are people known to be out, who only draw the line: where not all can be asked about, they come last.

    >>> even_texts(None, 3, 9), even_texts(30, 5, 5), even_texts(14, 5, 12), even_texts(4, 5, 12)
    ((None, 9), (3, 5), (1, 9), (1, 0))
    """
    if remaining is None:
        return None, others
    each = remaining // max(1, people + others)
    return (each, others) if each else (1, max(0, remaining - people))


def kept_users(background: Background) -> list[Any]:
    """People known to be out, as plain values to be kept."""
    return [hint.model_dump(mode="json") for hint in background.controls if isinstance(hint, UserTexts)]


def known_users(knowledge: Artefact) -> list[UserTexts]:
    """What `kept_users` kept."""
    return [UserTexts.model_validate_json(canonical_json(hint)) for hint in knowledge.values.get("controls", ())]


@lru_cache(maxsize=8)
def _known(vocabulary: tuple[str, ...]) -> frozenset[str]:
    return frozenset(vocabulary)
