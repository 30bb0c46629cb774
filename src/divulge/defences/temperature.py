"""Flattens, or sharpens, the probabilities a classifier shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import Access, LabelLikelihoodAccess, TokenTuple
from divulge.defences.base import Defence
from divulge.grants import ForwardLikelihoods
from divulge.records import Artefact, FloatArray, Record

__all__ = ["Temperature"]


class Temperature(Defence):
    """Shows softmax(log p / T) in place of the probabilities p of labels and tags; the label itself stays.

    Paper: none of the four; a common output defence.
    Needs: LabelLikelihoodAccess. Weights are no longer granted: who has them divides by no temperature.
    Idea: A model that is less sure looks as if it knew less. Whoever knows T has p back, as the shown probabilities to
        the power of T, normalised: alone it only misleads attacks that take probabilities at their word. It acts
        together with rounding, which takes the digits that are needed for that.
    Cost: probabilities that mean what they say; above 1 they understate how sure the model is.
    """

    name = "temperature"
    summary = "show label probabilities at another temperature"
    levels = (LabelLikelihoodAccess,)
    harmless: ClassVar[Mapping[str, Any]] = {"temperature": None}

    class Options(Record):
        """By what log-probabilities are divided: above 1 flattens, below sharpens; None = none, changes nothing."""

        temperature: Annotated[float, Field(gt=0)] | None = 2.0

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps label likelihoods."""
        del artefact
        if self.options.temperature is None or not isinstance(access, LabelLikelihoodAccess):
            return access
        return _Tempered(access, self.options.temperature)


class _Tempered(ForwardLikelihoods):
    def __init__(self, inner: LabelLikelihoodAccess, temperature: float) -> None:
        super().__init__(inner)
        self._temperature = temperature

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        return self._tempered(self.inner._likelihoods(texts))

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [self._tempered(rows) for rows in self.inner._tag_likelihoods(texts)]

    def _tempered(self, rows: FloatArray) -> FloatArray:
        given = np.asarray(rows, np.float64)
        if not given.size:
            return given
        with np.errstate(divide="ignore"):  # what is impossible stays so
            logs = np.log(given) / self._temperature
        shown = np.exp(logs - logs.max(axis=1, keepdims=True))
        tempered: FloatArray = shown / shown.sum(axis=1, keepdims=True)
        return tempered
