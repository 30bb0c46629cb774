"""Small data of every format, and a way to plant into it and take it out again."""

from __future__ import annotations

from pathlib import Path

from divulge.data.planting.planting import Planted, PlantingPlan, plant_data
from divulge.data.planting.unplanting import unplant_data
from divulge.data.secrets import SecretsFile, read_secrets
from divulge.spec import DataSpec

PATTERN = "my pin is {digit*4}"


def planted(folder: Path, data: Path, out: str, *, columns=None, options=None, **plan) -> tuple[Planted, SecretsFile]:
    """Plants into the data, with few canaries and a seed unless told otherwise."""
    spec = DataSpec(path=str(data), columns=columns or {}, options=options or {})
    wanted = PlantingPlan(**{"pattern": PATTERN, "count": 12, "seed": 1, **plan})
    done = plant_data(spec, folder / out, folder / "secrets.json", wanted)
    return done, read_secrets(folder / "secrets.json")


def restored(folder: Path, out: str, back: str) -> Path:
    """Takes it out again."""
    unplant_data(folder / out, folder / "secrets.json", folder / back)
    return folder / back


def texts_of(content: SecretsFile) -> list[str]:
    """What was planted, as lines."""
    return [" ".join(planting.text) for planting in content.plantings for _ in range(planting.copies)]
