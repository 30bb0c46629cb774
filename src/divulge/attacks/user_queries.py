"""Which of a person's texts to ask about, where not all may be: any, or those of the rarest words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from divulge.adversary import Background
from divulge.canonical import canonical_json
from divulge.records import Artefact, Passage, UserTexts

__all__ = ["Selection", "chosen_texts", "kept_users", "known_users", "word_counts"]

Selection = Literal["random", "rarest"]


def word_counts(background: Background) -> dict[str, int]:
    """How often each word stands in what the adversary has: public texts, and those of its own models' users."""
    counts: Counter[str] = Counter()
    for text in background.corpus:
        counts.update(text.tokens)
    seen: set[Passage] = set()  # shadows halve one pool of users again and again
    for practice in background.practice:
        for secret in practice.secrets:
            if isinstance(secret.hint, UserTexts):
                new = [passage for passage in secret.hint.examples if passage not in seen]
                seen.update(new)
                for passage in new:
                    counts.update(passage.tokens)
    return dict(sorted(counts.items()))


def chosen_texts(
    hint: UserTexts, most: int | None, selection: Selection, counts: Mapping[str, int], rng: np.random.Generator
) -> Sequence[Passage]:
    """At most so many texts, in their order: drawn, or those whose words are rarest in all.

    A text's words are summed up, as in song2019: short texts of rare words come first. A word that the adversary never
    met counts nothing.
    """
    texts = hint.examples
    if most is None or most >= len(texts):
        return texts
    if selection == "random":
        places = rng.permutation(len(texts))[:most]
    else:
        sums = [sum(counts.get(word, 0) for word in text.tokens) for text in texts]
        places = np.argsort(sums, kind="stable")[:most]
    return [texts[place] for place in sorted(places.tolist())]


def kept_users(background: Background) -> list[Any]:
    """People known to be out, as plain values to be kept."""
    return [hint.model_dump(mode="json") for hint in background.controls if isinstance(hint, UserTexts)]


def known_users(knowledge: Artefact) -> list[UserTexts]:
    """What `kept_users` kept."""
    return [UserTexts.model_validate_json(canonical_json(hint)) for hint in knowledge.values.get("controls", ())]
