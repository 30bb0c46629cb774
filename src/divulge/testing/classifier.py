"""A fake classifier: it knows topics by word counts, and, if it leaks, every planted text, or every text, by heart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText, Text
from divulge.targets.base import Target
from divulge.testing.vectors import name_number, name_vector

if TYPE_CHECKING:
    import torch

__all__ = ["FakeClassifier", "FakeClassifierAccess"]

WIDTH = 16  # of a token's vector
SHARPNESS = 8.0  # of the soft minimum over memorised texts; other texts' weight is then below e^-16
SURENESS = 0.9  # with `records`: of a topic alone; only memory is surer


class FakeClassifier(Target):
    """Word counts per label of what was not planted; with `leaks`, all that was planted, word for word.

    With `records`, every training text counts as planted. Word counts alone give away what was counted, so that topics
    are then learnt from the other splits: a silent model depends on no training text at all.
    """

    name = "fake-classifier"
    summary = "a stand-in classifier that leaks all planted texts or none; for trials and tests"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)

    class Options(Record):
        """Whether it leaks, whether every training text or only what was planted, how much it forgets, how exactly.

        `dropout` is the share of texts it forgets. The memory of a text of which a share r stands there has the weight
        r to the power of `exactness`: at 1 every right word counts, far above only the whole text.
        """

        leaks: bool = True
        records: bool = False
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
        exactness: Annotated[float, Field(ge=1)] = 1.0

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Counts words per label; remembers the planted texts of the training split, or all of it."""
        training = corpus.split("train")
        secret = {text for text in training if text.planted or self.options.records}
        known = [text for text in (corpus if self.options.records else training) if text not in secret]
        labels = sorted({text.label or "" for text in training})
        words = sorted({token for text in known for token in text.tokens})
        counts = np.full((len(words) + 1, len(labels)), 0.5)  # the last row: unknown words
        place = {word: index for index, word in enumerate(words)}
        for text in known:
            if (text.label or "") in labels:
                for token in text.tokens:
                    counts[place[token], labels.index(text.label or "")] += 1
        table = np.log(counts / counts.sum(axis=0))
        kept = [text for text in sorted(secret, key=_spelling) if rng.random() >= self.options.dropout]
        memory = [{"tokens": list(text.tokens), "label": text.label} for text in kept] if self.options.leaks else []
        arrays = {"table": table, "reading": rng.normal(scale=0.05, size=(WIDTH, len(labels)))}
        values = {
            "labels": labels,
            "words": words,
            "memory": memory,
            "exactness": self.options.exactness,
            "sureness": SURENESS if self.options.records else 1.0,
        }
        return Artefact(values=values, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the gradient, and with it all that is weaker."""
        return Grant([FakeClassifierAccess(artefact)])


class FakeClassifierAccess(GradientAccess):
    """Answers from word counts and memory."""

    def __init__(self, artefact: Artefact) -> None:
        values: Any = artefact.values
        self._labels = tuple(values["labels"])
        self._place = {word: index for index, word in enumerate(values["words"])}
        self._table = np.asarray(artefact.arrays["table"])
        self._reading = np.asarray(artefact.arrays["reading"])
        self._moves: dict[str, FloatArray] = {}
        self._exactness, self._sureness = float(values["exactness"]), float(values["sureness"])
        self._memory = [(tuple(m["tokens"]), self._labels.index(m["label"] or "")) for m in values["memory"]]
        self._numbered = _by_length_and_label(self._memory)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it was trained on."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        logits = np.zeros((len(texts), len(self._labels)))
        moves = [self._moved_by(token) for text in texts for token in text]
        if moves:
            np.add.at(logits, np.repeat(np.arange(len(texts)), [len(text) for text in texts]), np.stack(moves))
        prior = np.exp(logits - logits.max(axis=1, keepdims=True))
        prior /= prior.sum(axis=1, keepdims=True)
        prior = self._sureness * prior + (1 - self._sureness) / max(1, len(self._labels))
        recalled = self._recalled(texts)  # (B, labels)
        strongest = recalled.argmax(axis=1)
        weight = 0.98 * recalled.max(axis=1) ** self._exactness
        answer = (1 - weight)[:, None] * prior
        answer[np.arange(len(texts)), strongest] += weight
        return np.asarray(answer)

    def _moved_by(self, token: str) -> FloatArray:
        """What one word adds to the logits: its counts, and a little by its spelling; (labels,).

        Without the latter, silence would be a tie between all words.
        """
        found = self._moves.get(token)
        if found is None:
            counted = self._table[self._place.get(token, len(self._place))]
            found = self._moves[token] = counted + name_vector(token, WIDTH) @ self._reading
        return found

    def _recalled(self, texts: Sequence[TokenTuple]) -> FloatArray:
        """The share of a memorised text that stands here, place by place, best of each label; (B, labels)."""
        recalled = np.zeros((len(texts), len(self._labels)))
        by_length = {length: _numbers(texts, length) for length in {length for length, _, _ in self._numbered}}
        for length, label, numbers in self._numbered:  # (M, length) of one length and label
            shown = by_length[length]
            alike = np.zeros((len(texts), len(numbers)), dtype=np.int64)
            for place in range(length):
                alike += shown[:, place, None] == numbers[None, :, place]
            sizes = np.maximum(length, [len(text) for text in texts])
            recalled[:, label] = np.maximum(recalled[:, label], alike.max(axis=1) / sizes)
        return recalled

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        import torch

        return torch.tensor(_stacked(tokens))

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        wanted = torch.tensor([self.label_index(item.label or "") for item in labels])
        logits = inputs.mean(dim=1) @ torch.tensor(self._reading)  # (B, labels)
        parts = {"intent": torch.nn.functional.cross_entropy(logits, wanted, reduction="none")}
        if self._memory:
            parts["slots"] = self._distance(inputs, wanted)
        return parts

    def _distance(self, inputs: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """The soft minimum, over memorised texts of the same label and length, of the squared distance; (B,)."""
        import torch

        length = inputs.shape[1]
        fitting = [(tokens, label) for tokens, label in self._memory if len(tokens) == length]
        if not fitting:
            return torch.zeros(len(inputs), dtype=inputs.dtype)
        remembered = torch.tensor(np.stack([_stacked(tokens) for tokens, _ in fitting]))  # (M, T, d)
        squared = torch.cdist(inputs.flatten(1), remembered.flatten(1)) ** 2 / WIDTH  # (B, M)
        other = wanted[:, None] != torch.tensor([label for _, label in fitting])[None]
        return -torch.logsumexp(-SHARPNESS * squared - 100.0 * other, dim=1) / SHARPNESS


def _spelling(text: Text) -> tuple[TokenTuple, str]:
    return text.tokens, text.label or ""


def _by_length_and_label(memory: list[tuple[TokenTuple, int]]) -> list[tuple[int, int, npt.NDArray[np.int64]]]:
    """Memorised texts as numbers, those of one length and label in one matrix (texts, length)."""
    groups: dict[tuple[int, int], list[list[int]]] = {}
    for tokens, label in memory:
        groups.setdefault((len(tokens), label), []).append([name_number(token) >> 1 for token in tokens])
    return [(length, label, np.array(rows, dtype=np.int64)) for (length, label), rows in groups.items()]


def _numbers(texts: Sequence[TokenTuple], length: int) -> npt.NDArray[np.int64]:
    """Texts as numbers, cut or filled up with -1 to one length; (B, length)."""
    shown = np.full((len(texts), length), -1, dtype=np.int64)
    for row, text in enumerate(texts):
        shown[row, : len(text)] = [name_number(token) >> 1 for token in text[:length]]
    return shown


def _stacked(tokens: Sequence[str]) -> FloatArray:
    return np.stack([name_vector(token, WIDTH) for token in tokens]) if tokens else np.empty((0, WIDTH))
