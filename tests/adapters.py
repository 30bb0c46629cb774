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
    TopLabelAccess,
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


class Tops(TopLabelAccess):
    """The best label of `Likelihoods`, and how likely it is."""

    @property
    def labels(self) -> tuple[str, ...]:
        return LABELS

    def _top(self, texts: Sequence[tuple[str, ...]]) -> Any:
        rows = Likelihoods()._likelihoods(texts)
        return rows.argmax(axis=1), rows.max(axis=1)


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
    if isinstance(access, TopLabelAccess):
        access.top(TEXTS[:1])
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


class Tagger(GradientAccess):
    """Tags words and labels no texts: a word that begins with a capital is a name, and the one after it too."""

    @property
    def labels(self) -> tuple[str, ...]:
        return ()

    @property
    def tag_names(self) -> tuple[str, ...]:
        return ("O", "B-PER", "I-PER")

    def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> Any:
        raise NotImplementedError

    def _tag_likelihoods(self, texts: Sequence[tuple[str, ...]]) -> Any:
        return [torch.tensor(self._scores(text)).softmax(dim=1).numpy() for text in texts]

    def _tags(self, texts: Sequence[tuple[str, ...]]) -> Any:
        return [tuple(self.tag_names[number] for number in self._scores(text).argmax(axis=1)) for text in texts]

    def _scores(self, text: tuple[str, ...]) -> FloatArray:
        scores = np.zeros((len(text), 3))
        for place, word in enumerate(text):
            scores[place, 0 if word.islower() else 1 if not place or text[place - 1].islower() else 2] = 4.0
            scores[place] += [(name_number(f"{word} {tag}") % 100) / 100 for tag in self.tag_names]
        return scores

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        return torch.tensor(np.stack([name_vector(token, WIDTH) for token in tokens]))

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        wanted = torch.tensor([[self.tag_names.index(tag) for tag in item.tags or ()] for item in labels])
        logits = inputs[..., :3] + inputs[..., 3:6]  # (B, T, tags)
        return {"tags": torch.nn.functional.cross_entropy(logits.transpose(1, 2), wanted, reduction="none").sum(dim=1)}


def tagged_texts(count: int = 60) -> list[Text]:
    """Texts with a name of one or two words in them."""
    texts = []
    for number in range(count):
        name = (f"Ada{number}", "Bo")[: 1 + number % 2]
        tokens = ("call", *name, "now", f"word{number}")
        texts.append(Text(tokens=tokens, tags=("O", *("B-PER", "I-PER")[: len(name)], "O", "O")))
    return texts


class Pieces(TokenLikelihoodAccess):
    """Reads words in pieces of two letters; a word's last piece has a mark. Likelier the more letters it repeats."""

    ALPHABET = "abcdefgh"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        letters = [first + second for first in self.ALPHABET for second in ("", *self.ALPHABET)]
        return (*letters, *(f"{piece}." for piece in letters))

    def pieces(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [tuple(piece for word in passage.tokens for piece in self._cut(word)) for passage in passages]

    def _cut(self, word: str) -> list[str]:
        cut = [word[place : place + 2] for place in range(0, len(word), 2)]
        return [*cut[:-1], f"{cut[-1]}."]

    def _table(self, passage: Passage) -> FloatArray:
        """Log-probabilities of the whole vocabulary at each piece, given the piece before; (pieces, V)."""
        (pieces,) = self.pieces([passage])
        before = ("".join(passage.context)[-1:] or "^", *pieces[:-1])
        scores = np.array(
            [[(name_number(f"{last} {piece}") % 1000) / 250 for piece in self.vocabulary] for last in before]
        )
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def _numbers(self, passage: Passage) -> list[int]:
        return [self.vocabulary.index(piece) for piece in self.pieces([passage])[0]]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> Any:
        return [self._table(one)[np.arange(len(self._numbers(one))), self._numbers(one)] for one in passages]

    def _ranks(self, passages: Sequence[Passage]) -> Any:
        tables = [np.argsort(np.argsort(-self._table(one), axis=1, kind="stable"), axis=1) for one in passages]
        return [table[np.arange(len(table)), self._numbers(one)] for table, one in zip(tables, passages, strict=True)]

    def _best(self, passages: Sequence[Passage]) -> Any:
        return [tuple(self.vocabulary[number] for number in self._table(one).argmax(axis=1)) for one in passages]


def piece_texts(count: int = 40) -> list[Text]:
    """Words of a few letters."""
    rng = np.random.default_rng(0)
    word = lambda: "".join(rng.choice(list(Pieces.ALPHABET), int(rng.integers(1, 6))))  # noqa: E731
    return [Text(tokens=tuple(word() for _ in range(5))) for _ in range(count)]
