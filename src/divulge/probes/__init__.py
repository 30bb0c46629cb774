"""The probes, by name: the owner's view of a target."""

from __future__ import annotations

__all__ = ["PROBES"]

PROBES: dict[str, str] = {
    "entity-recognition": "divulge.probes.entity_recognition:EntityRecognition",
    "label-accuracy": "divulge.probes.label_accuracy:LabelAccuracy",
    "row-retrieval": "divulge.probes.row_retrieval:RowRetrieval",
    "slot-tagging": "divulge.probes.slot_tagging:SlotTagging",
    "token-accuracy": "divulge.probes.token_accuracy:TokenAccuracy",
    "unit-ablation": "divulge.probes.unit_ablation:UnitAblation",
    "word-standing": "divulge.probes.word_standing:WordStanding",
}
