"""What a target grants and what an attack gets: views of exactly the level asked for, on one shared meter.

A view never offers more than its level: an attack that requires labels cannot read gradients. Defences build
on the same forwarding classes and change single answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import numpy.typing as npt

from divulge.access import (
    LEVELS,
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    QueryMeter,
    RankedTokensAccess,
    Supervision,
    TokenLikelihoodAccess,
    TokenTuple,
    TopLabelAccess,
)
from divulge.errors import InputError
from divulge.records import FloatArray, Passage

if TYPE_CHECKING:
    import torch

__all__ = [
    "ForwardGradients",
    "ForwardLabels",
    "ForwardLikelihoods",
    "ForwardOracle",
    "ForwardRanks",
    "ForwardRows",
    "ForwardTokenLikelihoods",
    "ForwardTop",
    "Grant",
    "refusal",
]

A = TypeVar("A", bound=Access)


class ForwardLabels(LabelAccess):
    """Passes every question on; base of views and defences."""

    def __init__(self, inner: LabelAccess, meter: QueryMeter | None = None) -> None:
        self.inner, self.meter = inner, meter

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the access behind this one."""
        return self.inner.labels

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The tags of the access behind this one."""
        return self.inner.tag_names

    @property
    def answers_vary(self) -> bool:
        """The same of the access behind this one."""
        return self.inner.answers_vary

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        return self.inner._label(texts)

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        return self.inner._tags(texts)


class ForwardTop(ForwardLabels, TopLabelAccess):
    """Passes every question on; base of views and defences."""

    inner: TopLabelAccess

    def _top(self, texts: Sequence[TokenTuple]) -> tuple[npt.NDArray[np.int64], FloatArray]:
        return self.inner._top(texts)


class ForwardLikelihoods(ForwardLabels, LabelLikelihoodAccess):
    """Passes every question on; base of views and defences."""

    inner: LabelLikelihoodAccess

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        return self.inner._likelihoods(texts)

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return self.inner._tag_likelihoods(texts)


class ForwardGradients(ForwardLikelihoods, GradientAccess):
    """Passes every question on; base of views and defences."""

    inner: GradientAccess

    @property
    def word_width(self) -> int | None:
        """The same of the access behind this one."""
        return self.inner.word_width

    @property
    def reads_single(self) -> bool:
        """The same of the access behind this one."""
        return self.inner.reads_single

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        return self.inner._vectors(tokens)

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        return self.inner._loss(inputs, labels)


class ForwardRanks(RankedTokensAccess):
    """Passes every question on; base of views and defences."""

    def __init__(self, inner: RankedTokensAccess, meter: QueryMeter | None = None) -> None:
        self.inner, self.meter = inner, meter

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The vocabulary of the access behind this one."""
        return self.inner.vocabulary

    @property
    def output_limit(self) -> int:
        """The output limit of the access behind this one."""
        return self.inner.output_limit

    def pieces(self, passages: Sequence[Passage]) -> list[TokenTuple]:
        """The tokens in which the access behind this one reads."""
        return self.inner.pieces(passages)

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        return self.inner._ranks(passages)

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return self.inner._best(passages)


class ForwardTokenLikelihoods(ForwardRanks, TokenLikelihoodAccess):
    """Passes every question on; base of views and defences."""

    inner: TokenLikelihoodAccess

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        return self.inner._log_likelihoods(passages)


class ForwardRows(EmbeddedRowsAccess):
    """Passes every question on; base of views and defences."""

    def __init__(self, inner: EmbeddedRowsAccess, meter: QueryMeter | None = None) -> None:
        self.inner, self.meter = inner, meter

    @property
    def count(self) -> int:
        """The number of rows of the access behind this one."""
        return self.inner.count

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        return self.inner._rows(numbers)


class ForwardOracle(EmbeddingOracleAccess):
    """Passes every question on; base of views and defences."""

    def __init__(self, inner: EmbeddingOracleAccess, meter: QueryMeter | None = None) -> None:
        self.inner, self.meter = inner, meter

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """That of the access behind."""
        return self.inner.vocabulary

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return self.inner._embed(texts)


_VIEWS: dict[type[Access], Callable[[Access, QueryMeter], Access]] = {
    LabelAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardLabels),
    TopLabelAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardTop),
    LabelLikelihoodAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardLikelihoods),
    GradientAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardGradients),
    RankedTokensAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardRanks),
    TokenLikelihoodAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardTokenLikelihoods),
    EmbeddedRowsAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardRows),
    EmbeddingOracleAccess: cast("Callable[[Access, QueryMeter], Access]", ForwardOracle),
}


class Grant:
    """A set of accesses, as a target grants them, on one meter.

    `grant[LabelAccess]` is a view of exactly that level, served by the first access granted that can.
    """

    def __init__(self, accesses: Iterable[Access], max_queries: int | None = None) -> None:
        self.accesses = tuple(accesses)
        self.meter = QueryMeter(max_queries)
        for access in self.accesses:
            level_of(access)  # what is no access must not pass for one that was not granted

    @property
    def levels(self) -> tuple[type[Access], ...]:
        """The strongest level of each access, in the order granted."""
        return tuple(level_of(access) for access in self.accesses)

    def __contains__(self, level: type[Access]) -> bool:
        return any(isinstance(access, level) for access in self.accesses)

    def __getitem__(self, level: type[A]) -> A:
        if level not in _VIEWS:
            raise InputError(f"access is asked for by level, not as {level.__name__}. Levels: {', '.join(LEVELS)}")
        for access in self.accesses:
            if isinstance(access, level):
                return cast("A", _VIEWS[level](access, self.meter))
        raise InputError(refusal("this request", (level,), self.levels))

    def get(self, level: type[A]) -> A | None:
        """The view of that level, or None where it is not granted."""
        return self[level] if level in self else None  # noqa: SIM401 - this is that method

    def limited(self, levels: Iterable[type[Access]], max_queries: int | None) -> Grant:
        """What is left when the adversary may ask only at these levels, this often."""
        wanted = tuple(levels)
        return Grant((self[level] for level in wanted), max_queries)

    def changed(self, change: Callable[[Access], Access]) -> Grant:
        """The grant a defence leaves: each access passed through `change`."""
        return Grant((change(access) for access in self.accesses), self.meter.limit)


def level_of(access: Access) -> type[Access]:
    """The strongest level that an access has."""
    found = [level for level in LEVELS.values() if isinstance(access, level)]
    if not found:
        raise InputError(f"{type(access).__name__} must subclass one of {', '.join(LEVELS)}")
    strongest = found[-1]
    if not all(issubclass(strongest, level) for level in found):
        # One object would pass for either, and only one of its handshakes would be held.
        names = " and ".join(level.__name__ for level in found)
        raise InputError(f"{type(access).__name__} is {names} at once: grant one access for each")
    return strongest


def refusal(who: str, requires: Iterable[type[Access]], granted: Iterable[type[Access]]) -> str:
    """Words why `who` cannot run, naming both sides."""
    asked = " and ".join(level.__name__ for level in requires) or "nothing"
    given = ", ".join(level.__name__ for level in granted) or "nothing"
    return f"{who} requires {asked}; granted is {given}"
