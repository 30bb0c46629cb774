"""Tasks, keyed by the hash of all that determines their results, and what of them is still to be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import AfterValidator, Field, PlainSerializer

from divulge.canonical import digest, freeze
from divulge.records import FrozenMapping, Record

__all__ = ["Graph", "Plan", "Task"]

Needs = Annotated[Mapping[str, str], AfterValidator(freeze), PlainSerializer(dict)]
Revisions = Annotated[Mapping[str, int], AfterValidator(freeze), PlainSerializer(dict)]


class Task(Record):
    """One piece of work: train-target, train-practice, fit-defence, prepare, attack, measure.

    Attributes:
        kind: What sort of work it is.
        label: The same in words, for people; it holds no secret and is not part of the key.
        payload: All that determines the result, beside what is needed.
        needs: Role to key of the tasks whose artefacts it reads.
        revisions: Part name to revision, of every part it uses: a mended bug changes the key.
    """

    kind: Annotated[str, Field(min_length=1)]
    label: str = ""
    payload: FrozenMapping = Field(default_factory=lambda: freeze({}))
    needs: Needs = Field(default_factory=lambda: freeze({}))
    revisions: Revisions = Field(default_factory=lambda: freeze({}))

    @classmethod
    def of_plain(
        cls, kind: str, label: str, payload: Mapping[str, Any], needs: Mapping[str, str], revisions: Mapping[str, int]
    ) -> Task:
        """A task of values known to be plain: a payload may hold vocabularies, which take long to look through.

        What has no spelling is refused all the same, as soon as the key is asked for.
        """
        told = {"payload": freeze(payload), "needs": freeze(needs), "revisions": freeze(revisions)}
        return cls.model_construct(kind=kind, label=label, **told)

    @cached_property
    def key(self) -> str:
        """What the task's artefact is stored under: 64 hex digits that depend on content alone."""
        return digest([self.kind, self.payload, self.needs, self.revisions])


class Plan(NamedTuple):
    """What a run finds before it begins: tasks that must be done, and keys of artefacts already there."""

    missing: tuple[Task, ...]
    cached: tuple[str, ...]


class Holder(Protocol):
    """Whatever can tell which artefacts are there; a store."""

    def has(self, key: str) -> bool:
        """Whether the artefact is there."""


class Graph:
    """A set of tasks in which everything needed was added before what needs it.

    So the order of adding is an order of working, and no cycle can be made.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._places: dict[str, int] = {}
        self._dependents: dict[str, list[str]] = {}
        self._wanted: set[str] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        """Goes through the tasks in an order of working."""
        return iter(self._tasks.values())

    def __contains__(self, key: str) -> bool:
        return key in self._tasks

    def __getitem__(self, key: str) -> Task:
        return self._tasks[key]

    def add(self, task: Task, *, final: bool = False) -> str:
        """Adds a task, unless an equal one is there; gives its key, for others to need.

        Args:
            task: The task; what it needs must have been added before.
            final: Its artefact is wanted in itself. A task that nobody needs is final anyway.
        """
        key = task.key
        if key not in self._tasks:
            unknown = sorted(role for role, need in task.needs.items() if need not in self._tasks)
            if unknown:
                raise ValueError(f"{task.kind} task {task.label!r} needs {', '.join(unknown)}: add those tasks first")
            self._places[key] = len(self._tasks)
            self._tasks[key] = task
            self._dependents[key] = []
            for need in sorted(set(task.needs.values())):
                self._dependents[need].append(key)
        if final:
            self._wanted.add(key)
        return key

    @property
    def finals(self) -> tuple[str, ...]:
        """The keys whose artefacts are wanted: those added as final, and those that nobody needs."""
        return tuple(key for key in self._tasks if key in self._wanted or not self._dependents[key])

    def dependents(self, key: str) -> tuple[str, ...]:
        """The tasks that need this one directly, in the order of adding."""
        return tuple(self._dependents[key])

    def place(self, key: str) -> int:
        """The task's place in the order of working."""
        return self._places[key]

    def plan(self, store: Holder, finals: Iterable[str] | None = None) -> Plan:
        """Sorts out what must be done for the final tasks, in an order of working.

        What only serves an artefact that is already there is not looked at: it need not run, even if its own
        artefact was cleared.
        """
        missing: list[str] = []
        cached: list[str] = []
        waiting = list(self.finals if finals is None else finals)
        seen = set(waiting)
        while waiting:
            key = waiting.pop()
            if store.has(key):
                cached.append(key)
                continue
            missing.append(key)
            needs = set(self._tasks[key].needs.values()) - seen
            seen |= needs
            waiting.extend(sorted(needs))
        missing.sort(key=self._places.__getitem__)
        cached.sort(key=self._places.__getitem__)
        return Plan(tuple(self._tasks[key] for key in missing), tuple(cached))

    def missing(self, store: Holder) -> tuple[Task, ...]:
        """The tasks that must run, in an order of working."""
        return self.plan(store).missing
