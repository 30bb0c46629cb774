"""The one seam: what an adversary may ask of a model.

Stronger classes subclass weaker ones, so a strong grant serves a weak request:

    LabelAccess < LabelLikelihoodAccess < GradientAccess        classifiers and taggers
    RankedTokensAccess < TokenLikelihoodAccess                  generators
    EmbeddedRowsAccess, EmbeddingOracleAccess                   encoders; granted separately

Every question is batched. The public method checks and counts; the underscore method, which an adapter
writes, answers. The same question must get the same answer.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge import answers
from divulge.errors import InputError
from divulge.handshake import (
    OwnerSample,
    check_gradient,
    check_labels,
    check_likelihoods,
    check_oracle,
    check_ranks,
    check_rows,
    check_token_likelihoods,
)
from divulge.metering import QueryMeter
from divulge.records import Check, FloatArray, Passage

if TYPE_CHECKING:
    import torch

__all__ = [
    "LEVELS",
    "Access",
    "EmbeddedRowsAccess",
    "EmbeddingOracleAccess",
    "GradientAccess",
    "LabelAccess",
    "LabelLikelihoodAccess",
    "QueryMeter",
    "RankedTokensAccess",
    "Supervision",
    "TokenLikelihoodAccess",
    "TokenTuple",
]

TokenTuple = tuple[str, ...]


class Supervision(NamedTuple):
    """What a text was trained towards: its label and, for taggers, one tag per token."""

    label: str | None
    tags: tuple[str, ...] | None = None


class Access(ABC):
    """Something an adversary may ask. Subclass one of the levels below, never this."""

    meter: QueryMeter | None = None

    @property
    def remaining(self) -> int | None:
        """How many examples may still be asked; None = as many as you like."""
        return None if self.meter is None else self.meter.remaining

    @abstractmethod
    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Tries the access on what its owner knows; run before any attack, outside the query count."""

    def _charge(self, level: type[Access], examples: int) -> None:
        if self.meter is None:
            self.meter = QueryMeter()
        self.meter.charge(level, examples)

    def _method(self, question: str) -> str:
        return f"{type(self).__name__}._{question}"


class LabelAccess(Access):
    """The predicted label of a text, and a tagger's tags: what any deployed classifier shows."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels the model knows, in the order of its outputs."""

    def label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        """Asks for the index of each text's label; (B,)."""
        self._charge(LabelAccess, len(texts))
        return answers.label_numbers(self._label(texts), len(texts), len(self.labels), self._method("label"))

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The tags a tagger gives to single words; none: it is no tagger."""
        return ()

    def tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        """Asks for the tag of every word, where the model is a tagger."""
        if not self.tag_names:
            raise InputError("this model is no tagger: it gives labels to texts, and no tags to words")
        self._charge(LabelAccess, len(texts))
        return answers.word_tags(self._tags(texts), texts, self.tag_names, self._method("tags"))

    @abstractmethod
    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]: ...

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        raise NotImplementedError(f"{type(self).__name__} names tags, but has no _tags to give them")

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that accuracy is above chance."""
        return check_labels(self, sample)

    def label_index(self, label: str) -> int:
        """Finds the index of a label, or says which of the model's labels are near; all of them may be private."""
        try:
            return self.labels.index(label)
        except ValueError:
            near = " or ".join(repr(one) for one in difflib.get_close_matches(label, self.labels))
            said = f"the model knows {len(self.labels)} labels, and {label!r} is none of them."
            raise InputError(said + f" Did you mean {near}?" * bool(near)) from None


class LabelLikelihoodAccess(LabelAccess):
    """The probability of every label of a text."""

    def likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        """Asks for the probabilities of all labels; (B, labels), rows sum to 1."""
        self._charge(LabelLikelihoodAccess, len(texts))
        return answers.probabilities(
            self._likelihoods(texts), len(texts), len(self.labels), self._method("likelihoods")
        )

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that probabilities normalise."""
        return [*super().handshake(sample), *check_likelihoods(self, sample)]

    @abstractmethod
    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray: ...

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        return np.asarray(np.argmax(self._likelihoods(texts), axis=1), dtype=np.int64)


class GradientAccess(LabelLikelihoodAccess):
    """The weights: input vectors of any token, and the training loss, differentiable in the input vectors."""

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


class RankedTokensAccess(Access):
    """The best tokens at every position of a text, in order, often only the first few."""

    @property
    @abstractmethod
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens the model can put out."""

    @property
    def output_limit(self) -> int:
        """How many of the best tokens are shown at each position."""
        return len(self.vocabulary)

    def ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        """Asks for the rank, from 0, of each true token; `output_limit` = not among those shown."""
        self._charge(RankedTokensAccess, len(passages))
        shown = answers.token_ranks(self._ranks(passages), passages, self._method("ranks"))
        return [np.minimum(ranks, self.output_limit) for ranks in shown]

    def best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        """Asks for the best token at each position, given the true tokens before it."""
        self._charge(RankedTokensAccess, len(passages))
        return answers.token_texts(self._best(passages), passages, self._method("best"))

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that the greedy token ranks first."""
        return check_ranks(self, sample)

    @abstractmethod
    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]: ...

    @abstractmethod
    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]: ...


class TokenLikelihoodAccess(RankedTokensAccess):
    """The log-likelihood of each token of a text."""

    def log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        """Asks for the natural log-likelihood of each true token, given those before it."""
        self._charge(TokenLikelihoodAccess, len(passages))
        return answers.token_numbers(self._log_likelihoods(passages), passages, self._method("log_likelihoods"))

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that probabilities normalise."""
        return [*super().handshake(sample), *check_token_likelihoods(self, sample)]

    @abstractmethod
    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]: ...


class EmbeddedRowsAccess(Access):
    """Leaked rows of vectors: (d,) pooled, or (tokens, d) unpooled."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many rows leaked."""

    def rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        """Reads rows by number."""
        wrong = [int(number) for number in numbers if not 0 <= number < self.count]
        if wrong:
            known = f"rows run from 0 to {self.count - 1}" if self.count else "there are no rows"
            raise InputError(f"{known}. Got {wrong[:5]}")
        self._charge(EmbeddedRowsAccess, len(numbers))
        return answers.vector_rows(self._rows(numbers), len(numbers), self._method("rows"))

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that leaked rows match the oracle."""
        return check_rows(self, sample)

    @abstractmethod
    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]: ...


class EmbeddingOracleAccess(Access):
    """The encoder itself: embed any text the adversary owns."""

    def embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        """Asks for the vectors of texts, of the same shape as leaked rows."""
        self._charge(EmbeddingOracleAccess, len(texts))
        return answers.vector_rows(self._embed(texts), len(texts), self._method("embed"))

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that the same text gives the same vector."""
        return check_oracle(self, sample)

    @abstractmethod
    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]: ...


LEVELS: Mapping[str, type[Access]] = {
    level.__name__: level
    for level in (
        LabelAccess,
        LabelLikelihoodAccess,
        GradientAccess,
        RankedTokensAccess,
        TokenLikelihoodAccess,
        EmbeddedRowsAccess,
        EmbeddingOracleAccess,
    )
}
