"""Shows the label, and not how likely it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from divulge.access import Access, LabelAccess
from divulge.defences.base import Defence
from divulge.grants import ForwardLabels
from divulge.records import Artefact, Record

__all__ = ["LabelOnly"]


class LabelOnly(Defence):
    """Grants labels, and tags of words, without any probability.

    Paper: none of the four; the strictest common output defence.
    Needs: LabelAccess.
    Idea: Words that speak for a label by more or by less all look alike, as long as the label is the same. Whoever asks
        again with other words beside the text sees which of them hold it best: that takes more questions and more
        guesses, and stops nobody for good.
    Cost: users no longer see how sure the model is.
    """

    name = "label-only"
    summary = "show the label only, without probabilities"
    levels = (LabelAccess,)
    harmless: ClassVar[Mapping[str, Any]] = {"on": False}

    class Options(Record):
        """Whether probabilities are hidden; false changes nothing."""

        on: bool = True

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Leaves the label."""
        del artefact
        return ForwardLabels(access) if self.options.on and isinstance(access, LabelAccess) else access
