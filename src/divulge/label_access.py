"""What may be asked of classifiers and taggers: labels and tags, their likelihoods, the weights.

    LabelAccess < TopLabelAccess < LabelLikelihoodAccess < GradientAccess

A classifier gives labels to texts, a tagger gives tags to words; a model may do both. One that gives no labels has an
empty tuple of them, and one that gives no tags an empty tuple of those.
"""

from __future__ import annotations

import difflib
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge import answers
from divulge.asking import Access, TokenTuple
from divulge.errors import InputError
from divulge.handshake import OwnerSample
from divulge.label_handshake import check_gradient, check_labels, check_likelihoods, check_top
from divulge.records import Check, FloatArray

if TYPE_CHECKING:
    import torch

__all__ = [
    "GradientAccess",
    "LabelAccess",
    "LabelLikelihoodAccess",
    "Supervision",
    "TopLabelAccess",
    "unknown_label",
]


class Supervision(NamedTuple):
    """What a text was trained towards: its label and, for taggers, one tag per token."""

    label: str | None
    tags: tuple[str, ...] | None = None


class LabelAccess(Access):
    """The predicted label of a text, and a tagger's tags: what any deployed classifier shows."""

    @property
    def answers_vary(self) -> bool:
        """Whether the same question may get another answer: the model drops units at random when it is asked."""
        return False

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels the model knows, in the order of its outputs; none: it only tags words."""

    def label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        """Asks for the index of each text's label; (B,)."""
        self._must_label()
        self._charge(LabelAccess, len(texts))
        return answers.label_numbers(self._label(texts), len(texts), len(self.labels), self._method("label"))

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The tags a tagger gives to single words; none: it is no tagger."""
        return ()

    def tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        """Asks for the tag of every word, where the model is a tagger."""
        self._must_tag()
        self._charge(LabelAccess, len(texts))
        return answers.word_tags(self._tags(texts), texts, self.tag_names, self._method("tags"))

    @abstractmethod
    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]: ...

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        raise NotImplementedError(f"{type(self).__name__} names tags, but has no _tags to give them")

    def _must_label(self) -> None:
        if not self.labels:
            raise InputError("this model gives tags to words, and no labels to texts")

    def _must_tag(self) -> None:
        if not self.tag_names:
            raise InputError("this model is no tagger: it gives labels to texts, and no tags to words")

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that accuracy is above chance."""
        return check_labels(self, sample)

    def label_index(self, label: str) -> int:
        """Finds the index of a label, or says which of the model's labels are near; all of them may be private."""
        try:
            return self.labels.index(label)
        except ValueError:
            raise InputError(unknown_label(label, self.labels)) from None


class TopLabelAccess(LabelAccess):
    """The best label of a text and its probability: what an interface shows that says how sure it is."""

    def top(self, texts: Sequence[TokenTuple]) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Asks for the index of each text's label, and how likely it is; each (B,)."""
        self._must_label()
        self._charge(TopLabelAccess, len(texts))
        numbers, shown = self._top(texts)
        method = self._method("top")
        return (
            answers.label_numbers(numbers, len(texts), len(self.labels), method),
            answers.top_probabilities(shown, len(texts), method),
        )

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that the probability shown is that of the best label."""
        return [*super().handshake(sample), *check_top(self, sample)]

    @abstractmethod
    def _top(self, texts: Sequence[TokenTuple]) -> tuple[npt.NDArray[np.int64], FloatArray]: ...

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        return self._top(texts)[0]


class LabelLikelihoodAccess(TopLabelAccess):
    """The probability of every label of a text."""

    def likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        """Asks for the probabilities of all labels; (B, labels), rows sum to 1."""
        self._must_label()
        self._charge(LabelLikelihoodAccess, len(texts))
        return answers.probabilities(
            self._likelihoods(texts), len(texts), len(self.labels), self._method("likelihoods")
        )

    def tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        """Asks a tagger for the probabilities of all tags of every word; each (words, tags), rows sum to 1."""
        self._must_tag()
        self._charge(LabelLikelihoodAccess, len(texts))
        found, method = self._tag_likelihoods(texts), self._method("tag_likelihoods")
        return answers.tag_probabilities(found, texts, len(self.tag_names), method)

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that probabilities normalise; the best label's is one of them, and needs no check of its own."""
        return [*check_labels(self, sample), *check_likelihoods(self, sample)]

    @abstractmethod
    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray: ...

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        del texts
        raise InputError(f"{type(self).__name__} does not tell how likely its tags are")

    def _top(self, texts: Sequence[TokenTuple]) -> tuple[npt.NDArray[np.int64], FloatArray]:
        rows = self._likelihoods(texts)
        return np.asarray(np.argmax(rows, axis=1), dtype=np.int64), np.asarray(np.max(rows, axis=1), dtype=np.float64)


class GradientAccess(LabelLikelihoodAccess):
    """The weights: input vectors of any token, and the training loss, differentiable in the input vectors."""

    @property
    def word_width(self) -> int | None:
        """How many leading numbers of an input vector are the word's own; the rest is read from its characters.

        None: all of them are.
        """
        return None

    @property
    def reads_single(self) -> bool:
        """Whether input vectors in single precision get an answer in single precision, and sooner."""
        return False

    def vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        """Looks up input vectors, whatever a token's vector is made of; (tokens, d). Free: no query."""
        return answers.input_vectors(self._vectors(tokens), len(tokens), self._method("vectors"))

    def loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        """Asks for the training loss of input vectors (B, T, d), by part; each (B,), differentiable."""
        if inputs.ndim != 3 or inputs.shape[0] != len(labels):
            raise InputError(
                f"loss needs inputs of shape (batch, tokens, d) and one label each. "
                f"Got {tuple(inputs.shape)} and {len(labels)} labels"
            )
        self._charge(GradientAccess, len(labels))
        return answers.losses(self._loss(inputs, labels), len(labels), self._method("loss"))

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that the gradient matches finite differences."""
        return [*super().handshake(sample), *check_gradient(self, sample)]

    @abstractmethod
    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor: ...

    @abstractmethod
    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]: ...


def unknown_label(label: str, labels: Sequence[str]) -> str:
    """Words for a label that a model does not have."""
    near = " or ".join(repr(one) for one in difflib.get_close_matches(label, labels))
    said = f"the model knows {len(labels)} labels, and {label!r} is none of them."
    return said + f" Did you mean {near}?" * bool(near)
