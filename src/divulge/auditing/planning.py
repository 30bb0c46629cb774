"""Plans specs into a graph of tasks: what to train, fit, prepare, attack, probe and measure, each once.

A task's payload holds all that determines its result, as pure data; its key is their hash. Two cells that share
a model, a defence or an attack's knowledge share the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from divulge.auditing.laying_out import Planner
from divulge.auditing.one_person import must_be_one_test
from divulge.auditing.resolving import Resolved, resolve_models
from divulge.errors import InputError
from divulge.graph import Graph
from divulge.spec import AuditSpec

__all__ = ["Plan", "Planned", "plan"]


@dataclass(frozen=True)
class Planned:
    """One spec, resolved for each of its models, and the keys of the tasks that answer it."""

    spec: AuditSpec
    members: tuple[Resolved, ...]
    measure: str
    attack: str | None  # of the first model

    @property
    def resolved(self) -> Resolved:
        """The spec as resolved for its first model."""
        return self.members[0]


@dataclass(frozen=True)
class Plan:
    """All specs of a run and the one graph that serves them."""

    graph: Graph
    planned: tuple[Planned, ...]


def plan(specs: Sequence[AuditSpec]) -> Plan:
    """Resolves and checks every spec, then lays out the tasks; all problems of all specs in one error."""
    resolved: list[tuple[Resolved, ...]] = []
    problems: list[str] = must_be_one_test(specs)
    for spec in specs:
        try:
            resolved.append(resolve_models(spec))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    graph = Graph()
    return Plan(graph, tuple(_planned(graph, spec, found) for spec, found in zip(specs, resolved, strict=True)))


def _planned(graph: Graph, spec: AuditSpec, members: tuple[Resolved, ...]) -> Planned:
    planners = [Planner(graph, one) for one in members]
    parts = [planner.parts() for planner in planners]
    payloads = [planner.measured() for planner in planners]
    needs = parts[0]
    payload: dict[str, Any] = payloads[0]
    if len(members) > 1:
        needs = {f"{number} {role}": key for number, own in enumerate(parts) for role, key in own.items()}
        payload = {"models": payloads}
    own = spec if len(members) > 1 else members[0].spec  # in which a person is named by an opaque id
    return Planned(own, members, planners[0].measure(payload, needs), parts[0].get("attack"))
