"""Probabilities that a model gave, kept beside the store: attacks that ask the same of one model ask it once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from divulge.access import TokenTuple
from divulge.canonical import digest
from divulge.records import Artefact, FloatArray
from divulge.targets.own.answers_kept import KeptAnswers

__all__ = ["KeptLikelihoods", "answers_key"]

Asked = Callable[[Sequence[TokenTuple]], FloatArray]


class KeptLikelihoods:
    """Rows of probabilities by text, each asked for once."""

    def __init__(self, key: str, ask: Asked) -> None:
        self._kept, self._ask = KeptAnswers(key), ask

    def __call__(self, texts: Sequence[TokenTuple]) -> FloatArray:
        """The rows of texts, those kept and those asked for now; (texts, labels)."""
        spelt = ["\n".join(text) for text in texts]
        known = self._kept.get(list(dict.fromkeys(spelt)))
        new = {name: text for name, text in zip(spelt, texts, strict=True) if name not in known}
        if new:
            rows = np.ascontiguousarray(self._ask(list(new.values())), dtype="<f8")
            known |= (fresh := {name: row.tobytes() for name, row in zip(new, rows, strict=True)})
            self._kept.put(fresh)
        if not spelt:
            return self._ask([])
        return np.stack([np.frombuffer(known[name], dtype="<f8") for name in spelt])


def answers_key(artefact: Artefact, **about: object) -> str:
    """64 hex digits for all that an answer depends on: the weights, where they were trained here, and what is told."""
    weights = hashlib.sha256()
    for name in sorted(artefact.arrays):
        weights.update(name.encode() + b"\0")
        weights.update(np.ascontiguousarray(artefact.arrays[name]).data)
    return digest({"weights": weights.hexdigest(), "values": {"files": artefact.values.get("files"), **about}})
