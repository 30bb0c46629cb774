"""The defences, by name. Adding one is a file, a line here and a test file."""

from __future__ import annotations

__all__ = ["DEFENCES"]

DEFENCES: dict[str, str] = {
    "deduplication": "divulge.defences.deduplication:Deduplication",
    "dropout": "divulge.defences.dropout:Dropout",
    "gaussian-noise": "divulge.defences.gaussian_noise:GaussianNoise",
    "output-limit": "divulge.defences.output_limit:OutputLimit",
    "rotation": "divulge.defences.rotation:Rotation",
    "rounding": "divulge.defences.rounding:Rounding",
}
