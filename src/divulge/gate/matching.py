"""Which results of two runs ask the same: same kind of model, attack, defences, secrets and access."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from divulge.canonical import canonical_json
from divulge.gate.questions import part_of
from divulge.records import SpecResult

__all__ = ["differing", "matched"]

Pairs = list[tuple[SpecResult, SpecResult]]


def matched(
    first: Sequence[SpecResult], second: Sequence[SpecResult]
) -> tuple[Pairs, list[SpecResult], list[SpecResult]]:
    """Pairs the results of two runs; returns also what only the first and only the second has.

    Of several that ask the same, equal specs belong together, then those that differ in their seeds alone; what is
    left is paired only if there is one on each side: a pair drawn by chance would compare two different things.
    """
    pairs: Pairs = []
    left_first, left_second = list(first), list(second)
    for key in (_whole, _but_for_seed, _question):
        pairs += _paired(left_first, left_second, key)
        left_first = [one for one in left_first if not any(one is old for old, _ in pairs)]
        left_second = [one for one in left_second if not any(one is new for _, new in pairs)]
    order = {id(new): place for place, new in enumerate(second)}
    return sorted(pairs, key=lambda pair: order[id(pair[1])]), left_first, left_second


def differing(first: SpecResult, second: SpecResult) -> list[str]:
    """Where two matched results differ beside the question: paths of the spec, never values, which may hold secrets."""
    ours, theirs = dict(_leaves(first.spec)), dict(_leaves(second.spec))
    paths = [path for path in {**ours, **theirs} if ours.get(path) != theirs.get(path)]
    if first.data_fingerprint != second.data_fingerprint and not any(path.startswith("data.") for path in paths):
        paths.append("the texts of the data")
    return paths


def _paired(first: Sequence[SpecResult], second: Sequence[SpecResult], key: Callable[[SpecResult], Hashable]) -> Pairs:
    pairs = []
    for question in dict.fromkeys(key(one) for one in second):
        olds = [one for one in first if key(one) == question]
        news = [one for one in second if key(one) == question]
        if len(olds) == len(news) == 1:
            pairs.append((olds[0], news[0]))
    return pairs


def _whole(result: SpecResult) -> str:
    return canonical_json(result.spec)


def _but_for_seed(result: SpecResult) -> str:
    return canonical_json({key: value for key, value in result.spec.items() if key != "seed"})


def _question(result: SpecResult) -> str:
    adversary = part_of(result, "adversary")
    return canonical_json(
        [
            part_of(result, "target").get("kind"),
            part_of(result, "attack"),
            result.spec.get("defences") or (),
            part_of(result, "secrets").get("kind"),
            adversary.get("access"),
        ]
    )


def _leaves(value: Mapping[str, Any], path: str = "") -> list[tuple[str, Any]]:
    found = []
    for key, one in value.items():
        here = f"{path}.{key}" if path else key
        found += _leaves(one, here) if isinstance(one, Mapping) and one else [(here, one)]
    return found
