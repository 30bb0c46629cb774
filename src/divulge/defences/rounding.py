"""Rounds the probabilities a classifier shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import Access, LabelLikelihoodAccess, TokenTuple
from divulge.defences.base import Defence
from divulge.grants import ForwardLikelihoods
from divulge.records import Artefact, FloatArray, Record

__all__ = ["Rounding"]


class Rounding(Defence):
    """Shows probabilities of labels and tags with few decimals; the label itself stays.

    Paper: none of the four; a common output defence.
    Needs: LabelLikelihoodAccess. Weights are no longer granted: rounding what a file of weights shows is moot.
    Idea: What cannot be told apart in the output cannot be ranked by it.
    Cost: probabilities lose precision, and where there are many labels their sum is no longer 1.
    """

    name = "rounding"
    summary = "show label probabilities with `decimals` decimals"
    levels = (LabelLikelihoodAccess,)
    revision = 2  # calibrated-likelihood tells apart what is rounded to 1
    harmless: ClassVar[Mapping[str, Any]] = {"decimals": None}

    class Options(Record):
        """How many decimals to show; None = all, which changes nothing."""

        decimals: Annotated[int, Field(ge=0, le=15)] | None = 2

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps label likelihoods."""
        del artefact
        if self.options.decimals is None or not isinstance(access, LabelLikelihoodAccess):
            return access
        return _Rounded(access, self.options.decimals)


class _Rounded(ForwardLikelihoods):
    def __init__(self, inner: LabelLikelihoodAccess, decimals: int) -> None:
        super().__init__(inner)
        self._decimals = decimals

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        return np.round(self.inner._likelihoods(texts), self._decimals)

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [np.round(row, self._decimals) for row in self.inner._tag_likelihoods(texts)]
