"""The smallest sound adapter of each level; tests break them in one place each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from divulge.access import (
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    Supervision,
    TokenLikelihoodAccess,
)
from divulge.records import FloatArray, Passage, Text
from divulge.testing.vectors import name_number, name_vector

LABELS = ("play", "pin", "rate", "stop")
WORDS = ("go", "on", "now", "please", "then", "there")
VOCABULARY = ("the", "a", "dog", "cat", "sat", "ran", "on", "mat")
WIDTH = 6
TEXTS = (("play", "go"), ("pin",), ("stop", "now", "on"))
PASSAGES = (Passage(tokens=("the", "dog", "sat")), Passage(context=("a",), tokens=("cat",)))


def labelled_texts(count: int = 80) -> list[Text]:
    """Texts whose first token is their label, with a few words that tell little, each text of its own."""
    texts = []
    for number in range(count):
        label = LABELS[number % len(LABELS)]
        words = [WORDS[(number * step) % len(WORDS)] for step in (1, 5)][: number % 3]
        texts.append(Text(tokens=(label, *words, f"take-{number}"), label=label))
    return texts


def sentences(count: int = 12) -> list[Text]:
    """Short sentences from the vocabulary, of three to five tokens."""
    return [
        Text(tokens=tuple(VOCABULARY[(number * 3 + place * (1 + number % 2)) % 8] for place in range(3 + number % 3)))
        for number in range(count)
    ]


class Labels(LabelAccess):
    """Says the first token; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    @property
    def labels(self) -> tuple[str, ...]:
        return LABELS

    def _label(self, texts: Sequence[tuple[str, ...]]) -> Any:
        self.asked.append(texts)
        return np.array([self.labels.index(text[0]) for text in texts], dtype=np.int64)


class Likelihoods(LabelLikelihoodAccess):
    """A softmax over what the tokens say; the label's own token says most."""

    @property
    def labels(self) -> tuple[str, ...]:
        return LABELS

    def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> Any:
        scores = np.array([[sum(self._says(token, label) for token in text) for label in LABELS] for text in texts])
        exponentials = np.exp(scores.reshape(len(texts), len(LABELS)))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    def _says(self, token: str, label: str) -> float:
        return 3.0 if token == label else (name_number(f"{token} {label}") % 100) / 100


class Gradients(Likelihoods, GradientAccess):
    """The same labels, with the loss of a small smooth network on input vectors."""

    dtype = torch.float64

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        rows = [name_vector(token, WIDTH) for token in tokens]
        return torch.tensor(np.array(rows).reshape(len(tokens), WIDTH), dtype=self.dtype)

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        weights = torch.tensor(np.stack([name_vector(f"weights of {label}", WIDTH) for label in LABELS]))
        logits = torch.tanh(inputs).mean(dim=1) @ weights.T.to(inputs)  # (B, labels)
        wanted = torch.tensor([self.labels.index(one.label or "") for one in labels])
        return {"intent": torch.nn.functional.cross_entropy(logits, wanted, reduction="none")}


class Tokens(TokenLikelihoodAccess):
    """A bigram model with random but fixed probabilities; remembers nothing."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return VOCABULARY

    def _rows(self, passage: Passage) -> list[FloatArray]:
        """One distribution per position, given the token before it."""
        before = ("|".join(passage.context), *passage.tokens)
        scores = [name_vector(f"after {token}", len(VOCABULARY)) for token in before[: len(passage.tokens)]]
        return [np.exp(row) / np.exp(row).sum() for row in scores]

    def _ranks(self, passages: Sequence[Passage]) -> Any:
        return [
            np.array(
                [int(np.sum(row > row[VOCABULARY.index(t)])) for row, t in zip(self._rows(p), p.tokens, strict=True)]
            )
            for p in passages
        ]

    def _best(self, passages: Sequence[Passage]) -> Any:
        return [tuple(VOCABULARY[int(row.argmax())] for row in self._rows(passage)) for passage in passages]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> Any:
        return [
            np.array([np.log(row[VOCABULARY.index(t)]) for row, t in zip(self._rows(p), p.tokens, strict=True)])
            for p in passages
        ]


def encoded(tokens: Sequence[str], scale: float = 1.0) -> FloatArray:
    """One vector per token, its own and a little of the one before; (tokens, d)."""
    rows = np.stack([name_vector(token, WIDTH) for token in tokens])
    return scale * (rows + 0.3 * np.roll(rows, 1, axis=0))


class Rows(EmbeddedRowsAccess):
    """Rows of given texts."""

    def __init__(self, texts: Sequence[Text], scale: float = 1.0) -> None:
        self.texts, self.scale = texts, scale

    @property
    def count(self) -> int:
        return len(self.texts)

    def _rows(self, numbers: Sequence[int]) -> Any:
        return [encoded(self.texts[number].tokens, self.scale) for number in numbers]


class Oracle(EmbeddingOracleAccess):
    """The encoder behind those rows."""

    scale = 1.0

    def _embed(self, texts: Sequence[tuple[str, ...]]) -> Any:
        return [encoded(text, self.scale) for text in texts]


def ask_everything(access: Access) -> None:
    """Every question that the access offers, once."""
    if isinstance(access, LabelAccess):
        access.label(TEXTS)
    if isinstance(access, LabelLikelihoodAccess):
        access.likelihoods(TEXTS[:2])
    if isinstance(access, GradientAccess):
        access.loss(access.vectors(TEXTS[2])[None], [Supervision("pin")])
    if isinstance(access, RankedTokensAccess):
        access.ranks(PASSAGES)
        access.best(PASSAGES[:1])
    if isinstance(access, TokenLikelihoodAccess):
        access.log_likelihoods(PASSAGES)
    if isinstance(access, EmbeddedRowsAccess):
        access.rows([0, 1, 0])
    if isinstance(access, EmbeddingOracleAccess):
        access.embed(TEXTS)
