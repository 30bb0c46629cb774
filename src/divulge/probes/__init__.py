"""The probes, by name: the owner's view of a target."""

from __future__ import annotations

__all__ = ["PROBES"]

PROBES: dict[str, str] = {
    "label-accuracy": "divulge.probes.label_accuracy:LabelAccuracy",
    "row-retrieval": "divulge.probes.row_retrieval:RowRetrieval",
    "token-accuracy": "divulge.probes.token_accuracy:TokenAccuracy",
}
