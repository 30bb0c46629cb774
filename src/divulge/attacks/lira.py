"""The likelihood-ratio attack of Carlini et al. (2022), offline: how far is the model from those that never saw it?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.adversary import Knowledge
from divulge.attacks.record_attack import BoolArray, RecordAttack
from divulge.attacks.record_evidence import Evidence
from divulge.attacks.references import said_by_references
from divulge.records import FloatArray, RecordText

__all__ = ["LikelihoodRatio"]


class LikelihoodRatio(RecordAttack):
    """Tells used records by how much better the model knows them than models that never saw them.

    Paper: Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, "Membership Inference Attacks From First Principles",
        section VI-B (offline).
    Needs: LabelLikelihoodAccess or TokenLikelihoodAccess; reference models, asked about the same records; better with
        records known to be out.
    Idea: The log-odds of a record's label under models that never saw it are about normal. The statistic is how many
        standard deviations the audited model is above their mean. Few references cannot tell a deviation for each
        record: below `pooled_below` of them all records share one.
    Cost: one query per record and control; the adversary's own models are asked for free.
    Differs from the paper: taggers have the mean log-odds of their tags (with a label, the sum of both), generators the
        mean log-likelihood of their tokens; no augmented copies are asked; the line between "used" and not is drawn by
        records known to be out, or, without any, by the normal distribution. With one reference there is no deviation:
        the statistic is the difference.
    """

    name = "lira"
    summary = "standard deviations above what reference models say of the same record (LiRA, offline)"
    needs_practice = True
    asks_practice = True

    class Options(RecordAttack.Options):
        """From how many references on each record has a deviation of its own; the line."""

        pooled_below: Annotated[int, Field(ge=2)] = 64

    def judge(self, found: Evidence, records: Sequence[RecordText], out: BoolArray, knowledge: Knowledge) -> FloatArray:
        """The z-score of each record among the references."""
        del out
        table = said_by_references(knowledge, records, lambda evidence: evidence.odds, self.name)  # (models, records)
        return np.asarray((found.known - table.mean(axis=0)) / self._deviations(table), dtype=np.float64)

    def line(self, statistics: FloatArray) -> float:
        """The z-score that so few exceed by chance."""
        del statistics
        return NormalDist().inv_cdf(1 - self.options.false_alarms)

    def _deviations(self, table: FloatArray) -> FloatArray:
        models, records = table.shape
        if models == 1:
            return np.ones(records)
        variances = table.var(axis=0, ddof=1)
        pooled = float(np.sqrt(variances.mean()))
        pooled = pooled if pooled > 1e-9 else 1.0  # models of one mind: the difference is all there is
        if models < self.options.pooled_below:
            return np.full(records, pooled)
        own = np.sqrt(variances)
        return np.where(own > 1e-9, own, pooled)
