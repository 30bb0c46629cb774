"""How to read each metric of a report: what it is, and which way it leaks."""

from __future__ import annotations

from collections.abc import Iterable

from divulge.metrics import METRICS
from divulge.report.findings import POINTS, metric_called
from divulge.report.wording import way

__all__ = ["reading", "readings"]

OF_RECORDS = {  # in the words of metrics, members are people
    "accuracy": "The share of records about which the attack is right: trained on, or not.",
    "auc": "How likely the attack ranks a text that was trained on above one that was not; 0.5 is chance.",
    "precision": "Of the texts the attack says were trained on, the share that were.",
    "recall": "Of the texts that were trained on, the share that the attack says were.",
    "tpr_at_fpr_0.05": "The share of members that is found if 5 % of the others may be accused wrongly.",
    "tpr_at_fpr_0.01": "The share of members that is found if 1 % of the others may be accused wrongly.",
    "tpr_at_fpr_0.001": "The share of members that is found if 0.1 % of the others may be accused wrongly.",
}
OWN = {  # of figures that are no metrics of guesses
    "trace": "How likely a canary that was to be deleted stands better than a control, in what the attack believes of "
    "each among its decoys; 0.5 is no trace.",
}


def reading(metric: str, secrets_kind: str = "") -> str:
    """A metric in a sentence or two."""
    own = OF_RECORDS.get(metric) if secrets_kind == "records" else None
    side = "Higher" if way(metric) == "high" else "Lower"
    own = own or OWN.get(metric)
    return f"{own or metric_called(metric).summary} {side} means that more leaks."


def readings(metrics: Iterable[str], secrets_kind: str = "") -> list[tuple[str, str]]:
    """The metrics that have words, each with them; the points of a curve are read off the curve."""
    known = [name for name in dict.fromkeys(metrics) if name in {*METRICS, *OWN} and name != POINTS]
    return [(name, reading(name, secrets_kind)) for name in known]
