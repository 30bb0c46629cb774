"""What can be wrong with a study as it is written, before any of its cells is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from divulge.metrics import METRICS
from divulge.parts import did_you_mean
from divulge.spec import Study, StudyScale
from divulge.studies.axes import axis_values, spelt
from divulge.studies.verdicts import ALARMS, OWNERS_METRICS, QUERIES, TRACES

__all__ = ["study_problems"]


def study_problems(study: Study) -> list[str]:
    """Says all that is wrong; nothing if the study can be unfolded."""
    found = [*_name_problems(study), *_axis_problems(study)]
    if not found:  # the rest looks values up by axis
        for scale in study.scales:
            found += _scale_problems(study, scale)
        found += _grid_problems(study.grids, {axis: tuple(_all(study, axis)) for axis in study.axes}, "grids")
        found += _path_problems(study)
    return [f"study {study.name!r}: {problem}" for problem in dict.fromkeys(found)]


def _name_problems(study: Study) -> Iterator[str]:
    if not study.name.startswith(f"{study.paper}/") or study.name.count("/") != 1:
        yield f"must be called {study.paper}/NAME, after its paper"
    if not study.scales:
        yield "has no scales"
    for scale in _repeated(scale.name for scale in study.scales):
        yield f"defines scale {scale} twice"
    known = [*METRICS, *OWNERS_METRICS, *TRACES, *QUERIES, *ALARMS]
    for metric in study.metrics:
        if metric not in known:
            yield f"unknown metric {metric!r}.{did_you_mean(metric, known)}"
    for metric in _repeated(study.metrics):
        yield f"names metric {metric} twice"


def _axis_problems(study: Study) -> Iterator[str]:
    places = {"settings": study.settings, "variants": study.variants, "readings": study.readings}
    for axis in study.axes:
        holding = [name for name, place in places.items() if axis in place]
        if len(holding) != 1:
            found = " and ".join(holding) or "none"
            yield f"axis {axis!r} must be in one of settings, variants and readings. Found in {found}"
    named = list(places.items())
    named += [("grids", grid) for grid in study.grids]
    for scale in study.scales:
        named += [(f"scale {scale.name}", scale.axes), *((f"scale {scale.name}", grid) for grid in scale.grids)]
        for axis in scale.variants:
            if all(part in study.axes for part in axis.split()) and axis not in study.variants:
                yield f"scale {scale.name}: axis {axis!r} has no variants that a scale could replace"
        named.append((f"scale {scale.name}", scale.variants))
    for where, mapping in named:
        for axis in (axis for key in mapping for axis in key.split()):
            if axis not in study.axes:
                yield f"{where}: unknown axis {axis!r}.{did_you_mean(axis, study.axes)}"


def _scale_problems(study: Study, scale: StudyScale) -> Iterator[str]:
    seeds = scale.seeds or study.seeds
    if not seeds or _repeated(seeds):
        yield f"scale {scale.name}: seeds must be one or more, all different"
    for axis in study.axes:
        values = axis_values(study, scale, axis)
        if not values or _repeated(map(spelt, values)):
            yield f"scale {scale.name}: axis {axis!r} must have one or more values, all different"
        if any(isinstance(value, list | tuple | Mapping) for value in values):
            yield f"scale {scale.name}: values of axis {axis!r} must be text, numbers, true, false or null"
            continue
        told: Any = scale.variants.get(axis) or study.variants.get(axis) or study.readings.get(axis) or {}
        for value in values if told else ():
            if not isinstance(told.get(spelt(value)), Mapping):
                yield f"scale {scale.name}: nothing tells what value {spelt(value)} of axis {axis!r} does"
    values_of = {axis: axis_values(study, scale, axis) for axis in study.axes}
    yield from _grid_problems(scale.grids, values_of, f"scale {scale.name}")


def _grid_problems(
    grids: Iterable[Mapping[str, Any]], values: Mapping[str, tuple[Any, ...]], where: str
) -> Iterator[str]:
    for grid in grids:
        for axis, wanted in grid.items():
            unknown = {spelt(value) for value in wanted} - {spelt(value) for value in values[axis]}
            if unknown:
                yield f"{where}: axis {axis!r} has no value {', '.join(sorted(unknown))}"


def _path_problems(study: Study) -> Iterator[str]:
    """Two axes that set the same path: whichever came last would win without a word."""
    paths: list[str] = []
    settings: Any = study.settings
    variants: Any = study.variants
    for told in settings.values():
        paths += {told} if isinstance(told, str) else set(told)
    for axis, told in variants.items():
        every = [told, *(scale.variants[axis] for scale in study.scales if axis in scale.variants)]
        paths += {path for one in every for variant in one.values() for path in variant}
    for path in _repeated(paths):
        yield f"two axes set {path}"


def _all(study: Study, axis: str) -> Iterator[Any]:
    yield from study.axes[axis]  # type: ignore[misc]
    for scale in study.scales:
        yield from axis_values(study, scale, axis)


def _repeated(values: Iterable[Any]) -> list[Any]:
    return [value for value, count in Counter(values).items() if count > 1]
