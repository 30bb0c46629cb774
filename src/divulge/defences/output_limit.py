"""Shows only the best few tokens of a generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.access import Access, RankedTokensAccess
from divulge.defences.base import Defence
from divulge.grants import ForwardRanks
from divulge.records import Artefact, Record

__all__ = ["OutputLimit"]


class OutputLimit(Defence):
    """Cuts the ranked output of a generator to its best tokens; likelihoods are no longer shown.

    Paper: song2019, table 3 (output 1, 5, 10, 50, 100, 500, 1000).
    Needs: RankedTokensAccess.
    Idea: A deployed generator shows a few suggestions, not the whole vocabulary in order.
    Cost: none to users who only read suggestions.
    """

    name = "output-limit"
    summary = "show only the best `tokens` tokens at each position"
    levels = (RankedTokensAccess,)
    harmless: ClassVar[Mapping[str, Any]] = {"tokens": None}

    class Options(Record):
        """How many tokens to show; None = all, which changes nothing."""

        tokens: Annotated[int, Field(ge=1)] | None = 100

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps ranked tokens."""
        del artefact
        if self.options.tokens is None or not isinstance(access, RankedTokensAccess):
            return access
        return _Limited(access, min(self.options.tokens, access.output_limit))


class _Limited(ForwardRanks):
    def __init__(self, inner: RankedTokensAccess, limit: int) -> None:
        super().__init__(inner)
        self._limit = limit

    @property
    def output_limit(self) -> int:
        return self._limit
