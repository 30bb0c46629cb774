"""Table 5."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.planning import plan_study
from divulge.studies.song2019.obfuscation import TABLE5


def test_no_model_is_trained_for_texts_that_are_rewritten() -> None:
    """The model learnt from the originals: one target for all ways."""
    tasks = list(plan_study(TABLE5, "smoke").plan.graph)
    assert sum(task.kind == "train-target" for task in tasks) == 1
    ways = {cell.values["obfuscation"]: cell.files[0].secrets.obfuscation for cell in unfold(TABLE5, "quick")}
    assert ways == {"none": None, "apertium-es": "apertium-es", "words": "words"}
