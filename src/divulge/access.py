"""The one seam: what an adversary may ask of a model.

Stronger classes subclass weaker ones, so a strong grant serves a weak request:

    LabelAccess < TopLabelAccess < LabelLikelihoodAccess < GradientAccess    classifiers, taggers (label_access.py)
    RankedTokensAccess < TokenLikelihoodAccess                               generators
    EmbeddedRowsAccess, EmbeddingOracleAccess                                encoders; granted separately

Every question is batched. The public method checks and counts; the underscore method, which an adapter
writes, answers. The same question must get the same answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from divulge import answers
from divulge.asking import Access, TokenTuple
from divulge.errors import InputError
from divulge.handshake import OwnerSample, check_oracle, check_rows
from divulge.label_access import GradientAccess, LabelAccess, LabelLikelihoodAccess, Supervision, TopLabelAccess
from divulge.metering import QueryMeter
from divulge.records import Check, FloatArray, Passage
from divulge.token_handshake import check_ranks, check_token_likelihoods

__all__ = [
    "LEVELS",
    "Ablatable",
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
    "TopLabelAccess",
]


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

    def pieces(self, passages: Sequence[Passage]) -> list[TokenTuple]:
        """The tokens that the model reads each passage in, without its context: its words, unless a tokenizer cuts
        them smaller. Ranks and likelihoods are given for these. Free: no query.
        """
        return [passage.tokens for passage in passages]

    def ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        """Asks for the rank, from 0, of each true token; `output_limit` = not among those shown."""
        self._charge(RankedTokensAccess, len(passages))
        shown = answers.token_ranks(self._ranks(passages), self.pieces(passages), self._method("ranks"))
        return [np.minimum(ranks, self.output_limit) for ranks in shown]

    def best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        """Asks for the best token at each position, given the true tokens before it."""
        self._charge(RankedTokensAccess, len(passages))
        return answers.token_texts(self._best(passages), self.pieces(passages), self._method("best"))

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
        found, method = self._log_likelihoods(passages), self._method("log_likelihoods")
        return answers.token_numbers(found, self.pieces(passages), method)

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks that probabilities normalise."""
        return [*super().handshake(sample), *check_token_likelihoods(self, sample)]

    @abstractmethod
    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]: ...


@runtime_checkable
class Ablatable(Protocol):
    """A generator whose hidden units its owner can switch off. No level: nobody is granted it, and no view has it."""

    def ablated(self, share: float, rng: np.random.Generator) -> RankedTokensAccess:
        """The same model with this share of its hidden units, drawn at random, at zero; 0 to 1."""


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

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens that texts can be made of, where the encoder has a list of them; special ones left out."""
        return ()

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
        TopLabelAccess,
        LabelLikelihoodAccess,
        GradientAccess,
        RankedTokensAccess,
        TokenLikelihoodAccess,
        EmbeddedRowsAccess,
        EmbeddingOracleAccess,
    )
}
