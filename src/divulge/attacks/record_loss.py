"""Membership without other models: what a model was trained on, it knows better than most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.adversary import Knowledge
from divulge.attacks.record_attack import BoolArray, RecordAttack
from divulge.attacks.record_evidence import LOWEST, Evidence
from divulge.records import FloatArray, RecordText

__all__ = ["RecordLoss"]


class RecordLoss(RecordAttack):
    """Tells used records by how likely the model holds them, and nothing else.

    Paper: Yeom, Giacomelli, Fredrikson and Jha 2018, "Privacy Risk in Machine Learning", section 3.1 (the loss); for
        generators Shi et al. 2024, "Detecting Pretraining Data from Large Language Models" (Min-K% Prob).
    Needs: LabelLikelihoodAccess or TokenLikelihoodAccess; better with records known to be out; no models of its own.
    Idea: Classifiers and taggers: the log-odds of the record's label and tags. Generators: the mean log-likelihood of
        the least likely `share` of its tokens; a text that was never seen has some word that surprises. The default of
        a fifth is the one published as best; 1.0 is the plain loss.
    Cost: one query per record and control.
    Differs from the paper: a loss has no line of its own. It is drawn by records known to be out or, without any, at
        the median of those asked about, as if half of them had been used.
    """

    name = "record-loss"
    summary = "how likely the model holds a record; its least likely words where it generates text"

    class Options(RecordAttack.Options):
        """The share of a generator's tokens that count, from the least likely on; the line."""

        share: Annotated[float, Field(gt=0, le=1)] = 0.2

    def judge(self, found: Evidence, records: Sequence[RecordText], out: BoolArray, knowledge: Knowledge) -> FloatArray:
        """The log-odds, or the mean of the least likely tokens."""
        del records, out, knowledge
        if not found.pieces:
            return found.known
        return np.array([self._least(row) for row in found.pieces])

    def line(self, statistics: FloatArray) -> float:
        """The median of those asked about."""
        return float(np.median(statistics))

    def _least(self, row: FloatArray) -> float:
        if len(row) == 0:
            return LOWEST
        count = max(1, math.ceil(self.options.share * len(row) - 1e-9))
        return float(np.sort(row)[:count].mean())
