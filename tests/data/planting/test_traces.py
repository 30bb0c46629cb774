"""Tests of divulge.data.planting.traces."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from divulge.data.planting.traces import PlantedData, PlantedFile

SHA = "0" * 64


def test_traces_survive_json():
    """They are kept in the secrets file."""
    file = PlantedFile(name="train.jsonl", original_sha256=SHA, planted_sha256="f" * 64, inserted=((3, 10), (40, 7)))
    data = PlantedData(columns={"text": "t"}, options={"lower": True}, split="train", files=(file,))
    assert PlantedData.model_validate_json(data.model_dump_json()) == data


@pytest.mark.parametrize("wrong", [{"original_sha256": "0"}, {"inserted": ((1, 0),)}, {"inserted": ((-1, 4),)}])
def test_wrong_traces_are_refused(wrong):
    """A hash has 64 digits, a stretch begins in the file and holds something."""
    with pytest.raises(ValidationError):
        PlantedFile(**{"name": "", "original_sha256": SHA, "planted_sha256": SHA, **wrong})
