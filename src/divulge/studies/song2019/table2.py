"""Table 2: shadows that are other models than the target: GRU, ten sizes, momentum SGD.

Paper: song2019, section 4.3 and appendix B.2. Claims: the auditor need not know the target's hyper-parameters.
Departures: see `setting`; at scale quick two shadows, the other ones of 64 and 160 units and of 30 epochs (50).
Cost: at scale quick six models, each about twice that of the target.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import table2

__all__ = ["TABLE2"]

SIZES = tuple(range(64, 353, 32))
TWO = (64, 160)  # a smaller and a larger one than the target


def _sized(*sizes: int) -> list[dict[str, Any]]:
    return [{"width": size, "hidden": size} for size in sizes]


def _other(task: str, epochs: int, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Other shadows than the target, as many as sizes."""
    target = setting.TASKS[task]["target"]
    changed = {"cell": "gru", "optimizer": "sgd", "learning_rate": 0.01, "momentum": 0.9, "epochs": epochs}
    return {
        "adversary.background.target": {**target, "recipe": {**target["recipe"], **changed}},
        "adversary.background.recipes": _sized(*sizes),
        "adversary.background.shadows": len(sizes),
    }


def _shadows(epochs: int, sizes: tuple[int, ...]) -> dict[str, Any]:
    same = {f"{task} same": {"adversary.background.shadows": len(sizes)} for task in setting.TASKS}
    return same | {f"{task} other": _other(task, epochs, sizes) for task in setting.TASKS}


SMALL: dict[str, Any] = {
    "kind": "text-generator",
    "recipe": {
        **setting.MADE_UP["target"]["recipe"],
        "cell": "gru",
        "optimizer": "sgd",
        "learning_rate": 0.1,
        "momentum": 0.9,
    },
}

TABLE2 = setting.study(
    name="song2019/table2",
    title="Shadows of other kinds and sizes than the target",
    axes={"task": tuple(setting.TASKS), "shadows": ("same", "other")},
    settings={"shadows": ()},
    variants={"task": setting.tasks(), "task shadows": _shadows(50, SIZES)},
    published=table2(),
    scales=(
        setting.smoke(
            {"task": ("next-word",)},
            variants={
                "task shadows": {
                    "next-word same": {},
                    "next-word other": {
                        "adversary.background.target": SMALL,
                        "adversary.background.recipes": _sized(12, 20),
                    },
                }
            },
        ),
        setting.scale(
            "quick",
            variants={"task shadows": _shadows(30, TWO)},
            note=f"{setting.sized(epochs=(15, 20), shadows=(2,))}; other shadows are of 64 and 160 units and 30 epochs",
        ),
        setting.scale("paper"),
    ),
)
