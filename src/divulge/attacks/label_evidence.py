"""How strongly a classifier says one label of a text, from whatever it shows: all probabilities, the best, or none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.access import LabelAccess, LabelLikelihoodAccess, TokenTuple, TopLabelAccess
from divulge.attacks.record_evidence import FLOOR
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import FloatArray, Gaps

__all__ = ["LabelEvidence", "log_odds"]

# Log-odds where nothing is shown of other labels: rounded, the label itself may have less than 1.
CERTAIN = float(np.log(0.5) - np.log(FLOOR))
LEVELS: tuple[type[LabelAccess], ...] = (LabelLikelihoodAccess, TopLabelAccess, LabelAccess)  # the strongest first


class LabelEvidence:
    """The log-odds of one label, at the strongest level that is granted.

    Where only the best label and its probability are shown, another label's is taken for an even share of the rest.
    Where only the label is shown, evidence is 1 if it is the one asked about and 0 if not. `like` is other evidence to
    be compared with: what is granted beyond its level is not looked at.
    """

    def __init__(
        self, access: Grant, hint: Gaps, who: str, batch: int = 4096, like: LabelEvidence | None = None
    ) -> None:
        if hint.label is None:
            raise InputError(f"{who} needs the label of the text it completes; this hint has none")
        levels = LEVELS if like is None else LEVELS[LEVELS.index(like.level) :]
        self.level: type[LabelAccess] = next((level for level in levels if level in access), LabelAccess)
        self._access: LabelAccess = access[self.level]
        if not self._access.labels:
            raise InputError(f"{who} needs a model that gives labels to texts; this one gives tags to words")
        self._label, self._batch = self._access.label_index(hint.label), batch

    @property
    def is_graded(self) -> bool:
        """Whether there is more to see than a yes or a no."""
        return self.level is not LabelAccess

    def is_certain(self, found: FloatArray) -> npt.NDArray[np.bool_]:
        """Where there is nothing to see but the label: no other is said, or shown to have any probability; (texts,)."""
        return found >= (CERTAIN if self.is_graded else 1.0)

    def shares(self, found: FloatArray) -> FloatArray:
        """Evidence as numbers from 0 to 1: the label's probability, or whether it was said; (texts,)."""
        return np.asarray(1 / (1 + np.exp(-found)), dtype=np.float64) if self.is_graded else found

    def __call__(self, texts: Sequence[TokenTuple]) -> FloatArray:
        """Asks about texts; (texts,)."""
        parts = [self._asked(texts[start : start + self._batch]) for start in range(0, len(texts), self._batch)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _asked(self, texts: Sequence[TokenTuple]) -> FloatArray:
        access = self._access
        if isinstance(access, LabelLikelihoodAccess):
            rows = access.likelihoods(texts)
            # The others are summed, and not taken as 1 - p: what a sure model holds back is far behind the comma.
            return log_odds(rows[:, self._label], np.delete(rows, self._label, axis=1).sum(axis=1))
        if isinstance(access, TopLabelAccess):
            numbers, shown = access.top(texts)
            rest = np.maximum(1 - shown, 0.0)
            share = rest / max(1, len(access.labels) - 1)
            said = numbers == self._label
            return log_odds(np.where(said, shown, share), np.where(said, rest, 1 - share))
        return np.asarray(access.label(texts) == self._label, dtype=np.float64)


def log_odds(likely: FloatArray, otherwise: FloatArray) -> FloatArray:
    """The difference of two logarithms, each held above a floor."""
    return np.asarray(np.log(np.maximum(likely, FLOOR)) - np.log(np.maximum(otherwise, FLOOR)), dtype=np.float64)
