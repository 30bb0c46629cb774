"""The robust attack of Zarifzadeh et al. (2024), offline: is the record's gain larger than those of other records?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.adversary import Knowledge
from divulge.attacks.record_attack import BoolArray, RecordAttack
from divulge.attacks.record_evidence import FLOOR, LOWEST, Evidence
from divulge.attacks.references import said_by_references
from divulge.records import FloatArray, RecordText

__all__ = ["RelativeRatio"]

STEP = 1e-3  # how much the mean log-ratio adds to a share: it parts ties, and changes no order


class RelativeRatio(RecordAttack):
    """Tells used records by the share of records known to be out that gained less from the training.

    Paper: Zarifzadeh, Liu and Shokri 2024, "Low-Cost High-Power Membership Inference Attacks", algorithm 1, offline,
        equations 2, 4 and 10.
    Needs: LabelLikelihoodAccess or TokenLikelihoodAccess; reference models, one is enough, asked about the same
        records; records known to be out.
    Idea: A record's gain is p(x | model) / p(x), where p(x) is what models in general say of x. The statistic is the
        share of records z known to be out with gain(x) / gain(z) of at least `gamma`. References never saw x, so that
        their mean is too low: p(x) = ((1 + a) mean + (1 - a)) / 2.
    Cost: one query per record and control; the adversary's own models are asked for free.
    Differs from the paper: gamma is 1, not 2, as small models gain less; likelihoods of taggers and generators are
        geometric means over words, so that a and gamma mean the same at any length; a thousandth of the mean log-ratio
        is added, because shares of few records tie. Every x is compared with the same z, so the order of records is
        that of their gains whatever gamma is.
    """

    name = "rmia"
    summary = "share of records known to be out that gained less against reference models (RMIA, offline)"
    needs_practice = True
    asks_practice = True

    class Options(RecordAttack.Options):
        """The ratio to reach, the offline correction a, and the line."""

        gamma: Annotated[float, Field(gt=0)] = 1.0
        a: Annotated[float, Field(ge=0, le=1)] = 0.3

    @property
    def fewest_controls(self) -> int:
        """Shares need records to be shares of."""
        return 1

    def judge(self, found: Evidence, records: Sequence[RecordText], out: BoolArray, knowledge: Knowledge) -> FloatArray:
        """For each record, the share of those known to be out that it beats, and a little of the mean log-ratio."""
        likely = said_by_references(knowledge, records, lambda evidence: evidence.likelihoods, self.name).mean(axis=0)
        usual = ((1 + self.options.a) * likely + (1 - self.options.a)) / 2
        mine = np.where(np.isnan(found.logs), LOWEST, found.logs)
        gains = mine - np.log(np.maximum(usual, FLOOR))  # (records,), natural logs
        ratios = gains[:, None] - gains[out][None, :]  # (records, known out)
        share = np.mean(ratios >= np.log(self.options.gamma) - 1e-12, axis=1)  # a record is no less than itself
        return np.asarray(share + STEP * ratios.mean(axis=1), dtype=np.float64)

    def line(self, statistics: FloatArray) -> float:
        """Never used: without records known to be out there is no share."""
        raise NotImplementedError(f"{self.name} draws its line by records known to be out")
