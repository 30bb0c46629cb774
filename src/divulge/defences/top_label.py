"""Shows the best label and its probability, and of the other labels nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import Access, TokenTuple, TopLabelAccess
from divulge.defences.base import Defence
from divulge.grants import ForwardTop
from divulge.records import Artefact, FloatArray, Record

__all__ = ["TopLabel"]


class TopLabel(Defence):
    """Grants the best label with its probability, rounded where asked, and neither the other labels' nor the weights.

    Paper: none of the four; a common output defence.
    Needs: TopLabelAccess.
    Idea: An attack that ranks words by the probability of one label sees that label's only where it is the best. A text
        that was learnt by heart mostly has it as its best: then it still sees what it needs.
    Cost: users no longer see which other labels were near.
    """

    name = "top-label"
    summary = "show the best label and its probability only"
    levels = (TopLabelAccess,)
    harmless: ClassVar[Mapping[str, Any]] = {"on": False}

    class Options(Record):
        """Whether other labels are hidden (false changes nothing), and how many decimals are shown (None = all)."""

        on: bool = True
        decimals: Annotated[int, Field(ge=0, le=15)] | None = None

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Leaves the best label and its probability."""
        del artefact
        if not self.options.on or not isinstance(access, TopLabelAccess):
            return access
        return _Top(access, self.options.decimals)


class _Top(ForwardTop):
    def __init__(self, inner: TopLabelAccess, decimals: int | None) -> None:
        super().__init__(inner)
        self._decimals = decimals

    def _top(self, texts: Sequence[TokenTuple]) -> tuple[npt.NDArray[np.int64], FloatArray]:
        numbers, shown = self.inner._top(texts)
        return numbers, shown if self._decimals is None else np.round(shown, self._decimals)
