"""The defences, by name. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["DEFENCES"]

DEFENCES: dict[str, str] = {
    "character-embeddings": "divulge.defences.character_embeddings:CharacterEmbeddings",
    "deduplication": "divulge.defences.deduplication:Deduplication",
    "dimension-cut": "divulge.defences.dimension_cut:DimensionCut",
    "dp-fedavg": "divulge.defences.dp_fedavg:DpFedAvg",
    "dp-sgd": "divulge.defences.dp_sgd:DpSgd",
    "dropout": "divulge.defences.dropout:Dropout",
    "early-stopping": "divulge.defences.early_stopping:EarlyStopping",
    "gaussian-noise": "divulge.defences.gaussian_noise:GaussianNoise",
    "label-only": "divulge.defences.label_only:LabelOnly",
    "masking": "divulge.defences.masking:Masking",
    "output-limit": "divulge.defences.output_limit:OutputLimit",
    "pooled-rows": "divulge.defences.pooled_rows:PooledRows",
    "privacy-mapping": "divulge.defences.privacy_mapping:PrivacyMapping",
    "quantisation": "divulge.defences.quantisation:Quantisation",
    "rotation": "divulge.defences.rotation:Rotation",
    "rounding": "divulge.defences.rounding:Rounding",
    "temperature": "divulge.defences.temperature:Temperature",
    "top-label": "divulge.defences.top_label:TopLabel",
    "unlearning": "divulge.defences.unlearning:Unlearning",
}
