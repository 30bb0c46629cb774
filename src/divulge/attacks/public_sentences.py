"""Public sentences with one vector each, in numbers: what attacks on pooled rows learn from and search in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.adversary import Background
from divulge.attacks.practice_rows import known_rows, own_encoder
from divulge.errors import InputError
from divulge.records import Artefact, FloatArray

__all__ = ["Floats", "Numbers", "PublicSentences", "pooled_rows"]

Floats = npt.NDArray[np.float32]
Numbers = tuple[int, ...]


@dataclass(frozen=True)
class PublicSentences:
    """Sentences as numbers of pieces, and their vectors (sentences, d)."""

    pieces: list[str]
    texts: list[Numbers]
    vectors: Floats

    @classmethod
    def known(cls, background: Background, name: str) -> PublicSentences:
        """Those of the adversary's own encoder, each sentence once, with the pieces they are made of."""
        found: dict[tuple[str, ...], FloatArray] = {}
        for row, content in known_rows(own_encoder(background, name)):
            _check_pooled(row, name)
            if content.tokens:
                found.setdefault(content.tokens, row)
        if len(found) < 2:
            raise InputError(f"{name} needs at least two public sentences. Got {len(found)}: set a larger corpus")
        pieces = sorted({piece for tokens in found for piece in tokens})
        numbers = {piece: number for number, piece in enumerate(pieces)}
        texts = [tuple(numbers[piece] for piece in tokens) for tokens in found]
        return cls(pieces, texts, np.stack(list(found.values())).astype(np.float32))

    @classmethod
    def kept(cls, knowledge: Artefact) -> PublicSentences:
        """The same again, from what was kept."""
        arrays = knowledge.arrays
        flat, ends = arrays["numbers"].tolist(), np.cumsum(arrays["lengths"]).tolist()
        texts = [tuple(flat[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
        return cls(list(knowledge.values["pieces"]), texts, arrays["vectors"])

    def artefact(self) -> Artefact:
        """Everything as plain values and arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "numbers": np.array([number for text in self.texts for number in text], dtype=np.int32),
            "lengths": np.array([len(text) for text in self.texts], dtype=np.int32),
            "vectors": self.vectors,
        }
        return Artefact(values={"pieces": self.pieces}, arrays=arrays)

    @property
    def longest(self) -> int:
        """The most pieces that a sentence has."""
        return max(len(text) for text in self.texts)

    def spelled(self, text: Iterable[int]) -> tuple[str, ...]:
        """A text's pieces."""
        return tuple(self.pieces[number] for number in text)

    def nearest(self, rows: FloatArray, most: int) -> list[list[int]]:
        """For each row (rows, d) the sentences of the most similar vectors (cosine), best first."""
        likeness = _directions(rows) @ self._directions.T  # (rows, sentences)
        return [np.argsort(-row, kind="stable")[:most].tolist() for row in likeness]

    @cached_property
    def _directions(self) -> FloatArray:
        return _directions(self.vectors)


def pooled_rows(rows: Sequence[FloatArray], width: int, name: str) -> FloatArray:
    """Leaked rows as one array (rows, d), if they are pooled and as wide as those that were learnt from."""
    for row in rows:
        _check_pooled(row, name)
        if len(row) != width:
            raise InputError(
                f"{name} learnt on vectors of {width} dimensions, and the leaked ones have {len(row)}: the adversary's "
                "encoder (adversary.background.target) must be of the same kind"
            )
    return np.stack(list(rows)).astype(np.float64)


def _check_pooled(row: FloatArray, name: str) -> None:
    if row.ndim != 1:
        raise InputError(
            f"{name} needs pooled rows, one vector of shape (d,) for each text. Got shape {row.shape}: set the "
            "target's pooling, or take an attack on unpooled rows, such as parallel-decoder"
        )


def _directions(vectors: npt.NDArray[Any]) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float64)
