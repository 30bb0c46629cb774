"""From a study to its cells: every combination of axis values, each as complete audit files, one per seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divulge.canonical import canonical_json, freeze, thaw
from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import AuditFile, Study, StudyScale, set_at
from divulge.studies.axes import combinations, joint_axes, scale_named, spelt
from divulge.studies.checking import study_problems

__all__ = ["Cell", "unfold"]


@dataclass(frozen=True)
class Cell:
    """One combination of axis values, and the audit file of each seed."""

    values: Mapping[str, Any]
    files: Mapping[int, AuditFile]

    @property
    def attacks(self) -> tuple[str | None, ...]:
        """The attacks of the cell, in order; one None if it only probes."""
        file = next(iter(self.files.values()))
        return tuple(attack.name for attack in file.attacks) or (None,)


def unfold(study: Study, scale: str) -> tuple[Cell, ...]:
    """Makes every cell of a study at one scale; all that is wrong with it in one InputError."""
    chosen = scale_named(study, scale)
    problems = study_problems(study)
    if problems:
        raise InputError(problems)
    cells = []
    for values in combinations(study, chosen):
        try:
            files = {seed: _file(study, chosen, values, seed) for seed in chosen.seeds or study.seeds}
            cells.append(Cell(freeze(values), files))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(dict.fromkeys(problems))
    return tuple(cells)


def _file(study: Study, scale: StudyScale, values: Mapping[str, Any], seed: int) -> AuditFile:
    wanted: list[tuple[str, Any]] = list(scale.settings.items())
    for axis, value in values.items():
        wanted += _settings_of(study, scale, axis, value)
    for key, axes in joint_axes(study).items():
        told: Any = scale.variants.get(key, study.variants[key])
        together = " ".join(spelt(values[axis]) for axis in axes)
        if together not in told:
            raise InputError(f"study {study.name!r} at scale {scale.name}: {key}: nothing tells what {together} does")
        wanted += told[together].items()
    wanted.append(("run.seed", seed))
    where = f"study {study.name!r} at scale {scale.name}, cell {canonical_json(values)}"
    content = thaw(study.base)
    # Short paths first: one axis may replace a list of which another adjusts an item.
    for path, value in sorted(wanted, key=lambda item: item[0].count(".")):
        set_at(content, path, thaw(value), f"{where}: {path}")
    file = validate(AuditFile, content, where)
    if file.run.models != 1:
        raise InputError(f"{where}: run.models must be 1; a study repeats an audit by its seeds. Got {file.run.models}")
    names = [attack.name for attack in file.attacks]
    if len(set(names)) < len(names):
        raise InputError(f"{where}: an attack is named twice, so that rows could not tell; make its options an axis")
    return file


def _settings_of(study: Study, scale: StudyScale, axis: str, value: Any) -> list[tuple[str, Any]]:
    if axis in study.variants:
        variants: Any = scale.variants.get(axis, study.variants[axis])
        return list(variants[spelt(value)].items())
    paths: Any = study.settings[axis]
    return [(path, value) for path in ((paths,) if isinstance(paths, str) else paths)]
