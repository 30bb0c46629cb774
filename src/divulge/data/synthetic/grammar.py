"""A small grammar: rules with alternatives, expanded at random into tokens and slot tags.

The notation of an alternative: words stand for themselves; `<rule>` is an expansion of another rule; `{slot}` one of
the rule of that name, tagged as a slot, and `{slot:rule}` the same with another rule; `[...]` may be left out;
`(a|b)` is one or the other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.data.synthetic.drawing import cumulative, skewed

__all__ = ["Grammar", "spans"]

PIECE = re.compile(
    r"\{(?P<slot>[a-z_]+)(?::(?P<by>[a-z_]+))?\}|<(?P<rule>[a-z_]+)>|(?P<mark>[()\[\]|])|(?P<word>[^\s()\[\]|{}<>]+)|(?P<wrong>\S)"
)


@dataclass(frozen=True, slots=True)
class _Reference:
    rule: str
    slot: str | None


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[tuple[_Node, ...], ...]


_Node = str | _Reference | _Choice


class Grammar:
    """Rules from name to alternatives; within a rule earlier ones are likelier by its `skew` (0 = all alike)."""

    def __init__(self, rules: Mapping[str, Sequence[str]], skew: Mapping[str, float] | None = None) -> None:
        skew = skew or {}
        self._rules = {name: tuple(_parse(pattern) for pattern in patterns) for name, patterns in rules.items()}
        self.weights = {name: skewed(len(patterns), skew.get(name, 0.0)) for name, patterns in rules.items()}
        self._cumulative = {name: cumulative(weights) for name, weights in self.weights.items()}
        for name, alternatives in self._rules.items():
            for nodes in alternatives:
                self._check(nodes, name)

    def expand(
        self, rule: str, rng: np.random.Generator, habits: Mapping[str, Sequence[float]] | None = None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Draws one expansion: its tokens and their IOB tags.

        `habits` replaces, for the rules it names, the cumulative weights that alternatives are drawn by.
        """
        tagged = list(self._walk(self._draw(rule, rng, habits or {}), rng, habits or {}, None))
        return tuple(token for token, _ in tagged), tuple(tag for _, tag in tagged)

    def _draw(self, rule: str, rng: np.random.Generator, habits: Mapping[str, Sequence[float]]) -> tuple[_Node, ...]:
        by = habits.get(rule) or self._cumulative[rule]
        alternatives = self._rules[rule]
        return alternatives[min(bisect_right(by, rng.random()), len(alternatives) - 1)]

    def _walk(
        self,
        nodes: tuple[_Node, ...],
        rng: np.random.Generator,
        habits: Mapping[str, Sequence[float]],
        slot: str | None,
    ) -> Iterator[tuple[str, str]]:
        for node in nodes:
            if isinstance(node, str):
                yield node, "O" if slot is None else f"I-{slot}"
            elif isinstance(node, _Choice):
                yield from self._walk(node.options[int(rng.random() * len(node.options))], rng, habits, slot)
            else:
                inside = self._walk(self._draw(node.rule, rng, habits), rng, habits, node.slot or slot)
                for place, (token, tag) in enumerate(inside):
                    yield token, f"B-{node.slot}" if node.slot is not None and place == 0 else tag

    def _check(self, nodes: tuple[_Node, ...], name: str) -> None:
        for node in nodes:
            if isinstance(node, _Reference) and node.rule not in self._rules:
                raise ValueError(f"rule {name!r} refers to {node.rule!r}, which there is not")
            if isinstance(node, _Choice):
                for option in node.options:
                    self._check(option, name)


def spans(tokens: Sequence[str], tags: Sequence[str]) -> tuple[str, ...]:
    """The slot fillers of a tagged text, words joined by a space, in order of appearance, each once."""
    found: list[list[str]] = []
    for token, tag in zip(tokens, tags, strict=True):
        if tag.startswith("B-"):
            found.append([token])
        elif tag.startswith("I-"):
            found[-1].append(token)
    return tuple(dict.fromkeys(" ".join(words) for words in found))


def _parse(pattern: str) -> tuple[_Node, ...]:
    nodes, rest = _sequence(list(PIECE.finditer(pattern)), 0, pattern)
    if rest != len(list(PIECE.finditer(pattern))):
        raise ValueError(f"a bracket too many in {pattern!r}")
    return nodes


def _sequence(pieces: list[re.Match[str]], place: int, pattern: str) -> tuple[tuple[_Node, ...], int]:
    nodes: list[_Node] = []
    while place < len(pieces):
        piece = pieces[place]
        if piece["mark"] in ("(", "["):
            choice, place = _choice(pieces, place, pattern)
            nodes.append(choice)
            continue
        if piece["mark"]:
            break
        if piece["wrong"]:
            raise ValueError(f"{piece['wrong']!r} means nothing in {pattern!r}")
        if piece["word"]:
            nodes.append(piece["word"])
        else:
            nodes.append(_Reference(piece["rule"] or piece["by"] or piece["slot"], piece["slot"]))
        place += 1
    return tuple(nodes), place


def _choice(pieces: list[re.Match[str]], place: int, pattern: str) -> tuple[_Choice, int]:
    optional = pieces[place]["mark"] == "["
    close = "]" if optional else ")"
    options: list[tuple[_Node, ...]] = []
    while True:
        nodes, place = _sequence(pieces, place + 1, pattern)
        options.append(nodes)
        if place == len(pieces):
            raise ValueError(f"a bracket is never closed in {pattern!r}")
        if pieces[place]["mark"] == close:
            # As many empty options as there are others: an optional part is there half of the time.
            return _Choice((*options, *([()] * len(options) if optional else []))), place + 1
        if pieces[place]["mark"] != "|":
            raise ValueError(f"brackets do not match in {pattern!r}")
