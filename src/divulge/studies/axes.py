"""The axes of a study: which values they take at a scale, and how those are combined."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.canonical import canonical_json
from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.spec import Study, StudyScale

__all__ = [
    "Choice",
    "axis_values",
    "choice_of",
    "combinations",
    "is_chosen",
    "joint_axes",
    "read_values",
    "scale_named",
    "setting_axes",
    "spelt",
]

Choice = Mapping[str, frozenset[str]]  # axis -> the values wanted, as they are spelt
ATTACK = "attack"  # no axis, and chosen by as if it were one


def scale_named(study: Study, name: str) -> StudyScale:
    """Finds a scale of a study by name."""
    known = [scale.name for scale in study.scales]
    for scale in study.scales:
        if scale.name == name:
            return scale
    raise InputError(f"study {study.name!r} has no scale {name!r}.{did_you_mean(name, known)}")


def setting_axes(study: Study) -> tuple[str, ...]:
    """The axes that make cells of their own; the others only read the same guesses in another way."""
    return tuple(axis for axis in study.axes if axis not in study.readings)


def joint_axes(study: Study) -> dict[str, tuple[str, ...]]:
    """What several axes decide together: each key of `variants` that names more than one, and the axes."""
    return {key: tuple(key.split()) for key in study.variants if len(key.split()) > 1}


def axis_values(study: Study, scale: StudyScale, axis: str) -> tuple[Any, ...]:
    """The values of an axis at a scale, in order."""
    values: Any = scale.axes.get(axis, study.axes[axis])
    return tuple(values)


def combinations(study: Study, scale: StudyScale) -> Iterator[dict[str, Any]]:
    """Combines the values of all axes that set something, grid by grid, each combination once."""
    axes = setting_axes(study)
    seen = set()
    grids: Any = scale.grids or study.grids or ({},)
    for grid in grids:
        allowed = [_narrowed(axis_values(study, scale, axis), grid.get(axis)) for axis in axes]
        for combination in itertools.product(*allowed):
            values = dict(zip(axes, combination, strict=True))
            spelling = canonical_json(values)
            if spelling not in seen:
                seen.add(spelling)
                yield values


def read_values(study: Study, scale: StudyScale, axis: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values at which a cell's guesses are read: those of the axis, as the grids that hold the cell narrow them."""
    grids: Any = scale.grids or study.grids or ({},)
    holding = [grid for grid in grids if all(_narrowed((value,), grid.get(name)) for name, value in values.items())]
    every = axis_values(study, scale, axis)
    return tuple(value for value in every if any(_narrowed((value,), grid.get(axis)) for grid in holding))


def choice_of(study: Study, scale: StudyScale, told: Sequence[str]) -> Choice:
    """Reads "AXIS=VALUE" texts: values of one axis add up, of several axes all must hold; all faults in one InputError.

    "attack=NAME" chooses among the attacks of a cell. Axes that only read guesses in another way choose no cells, since
    all their values come from the same ones.
    """
    found: dict[str, set[str]] = {}
    problems = []
    for text in told:
        axis, _, value = text.partition("=")
        known = (*setting_axes(study), ATTACK)
        values = [spelt(one) for one in _to_choose(study, scale, axis)] if axis in known else []
        if not values:
            problems.append(f"--only {text}: study {study.name!r} has no such axis.{did_you_mean(axis, known)}")
        elif value not in values:
            problems.append(f"--only {text}: axis {axis!r} has no such value.{did_you_mean(value, values)}")
        found.setdefault(axis, set()).add(value)
    if problems:
        raise InputError(problems)
    choice = {axis: frozenset(values) for axis, values in found.items()}
    if not any(is_chosen(values, choice) for values in combinations(study, scale)):
        raise InputError(f"no cell of study {study.name!r} at scale {scale.name} has all of --only {', '.join(told)}")
    return choice


def is_chosen(values: Mapping[str, Any], choice: Choice, attack: str | None = None) -> bool:
    """Whether a combination of axis values is among those wanted, with whatever attack unless one is named.

    Where nothing is chosen, all are.
    """
    here = {**values, **({} if attack is None else {ATTACK: attack})}
    return all(spelt(here[axis]) in wanted for axis, wanted in choice.items() if axis in here)


def _to_choose(study: Study, scale: StudyScale, axis: str) -> tuple[Any, ...]:
    return _attack_names(study, scale) if axis == ATTACK else axis_values(study, scale, axis)


def _attack_names(study: Study, scale: StudyScale) -> tuple[str, ...]:
    """All attacks that are named anywhere in the study: what an axis or a scale puts in their place too."""
    axes: list[Any] = [*study.variants.values(), *scale.variants.values()]
    told: list[Any] = [study.base, scale.settings, *(settings for axis in axes for settings in axis.values())]
    return tuple(dict.fromkeys(attack["name"] for one in told for attack in one.get("attacks", ())))


def spelt(value: Any) -> str:
    """How an axis value is spelt where it is a key: text as it is, all else as JSON.

    >>> spelt("call"), spelt(100), spelt(None)
    ('call', '100', 'null')
    """
    return value if isinstance(value, str) else canonical_json(value)


def _narrowed(values: tuple[Any, ...], grid: Any) -> tuple[Any, ...]:
    if grid is None:
        return values
    wanted = {spelt(value) for value in grid}  # by spelling: to Python, 1 and True are one
    return tuple(value for value in values if spelt(value) in wanted)
