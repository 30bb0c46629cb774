"""Plans specs into a graph of tasks: what to train, fit, prepare, attack, probe and measure, each once.

A task's payload holds all that determines its result, as pure data; its key is their hash. Two cells that share
a model, a defence or an attack's knowledge share the task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.auditing.fitting import HINTS
from divulge.auditing.naming import attack_named, content_fingerprint, source_number
from divulge.auditing.resolving import Resolved, practice_count, resolve
from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.graph import Graph, Task
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.parts import Part, load
from divulge.records import Gaps, LeakedRow, UserTexts
from divulge.spec import AuditSpec, DataSpec
from divulge.targets.base import Target

__all__ = ["Plan", "Planned", "plan"]

# Raised when tasks do something else with the same parts and payload: cases, standings, handshakes, measuring.
REVISION = 2

# What a secrets spec says about measuring, not about training: it must not make a new model.
MEASURING_ONLY = {"decoys"}


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
    problems: list[str] = []
    for spec in specs:
        try:
            resolved.append(tuple(resolve(one) for one in spec.of_each_model()))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    graph = Graph()
    return Plan(graph, tuple(_planned(graph, spec, found) for spec, found in zip(specs, resolved, strict=True)))


def _planned(graph: Graph, spec: AuditSpec, members: tuple[Resolved, ...]) -> Planned:
    planners = [_Planner(graph, one) for one in members]
    parts = [planner.parts() for planner in planners]
    payloads = [planner.measured() for planner in planners]
    needs = parts[0]
    payload: dict[str, Any] = payloads[0]
    if len(members) > 1:
        needs = {f"{number} {role}": key for number, own in enumerate(parts) for role, key in own.items()}
        payload = {"models": payloads}
    return Planned(spec, members, planners[0].measure(payload, needs), parts[0].get("attack"))


class _Planner:
    """Lays out the tasks of one spec; the graph keeps only one of each key."""

    def __init__(self, graph: Graph, resolved: Resolved) -> None:
        self.graph, self.resolved, self.spec = graph, resolved, resolved.spec
        self.wrapping = [defence for defence in resolved.defences if defence.acts_on_access]
        self.changing = [defence for defence in resolved.defences if defence.changes_corpus]

    def parts(self) -> dict[str, str]:
        """Lays out all but the measuring: what is to be measured, by role."""
        target = self._target()
        needs = {"target": target, **self._fitted(target, None)}
        attack = self.spec.attack
        asking = {} if attack is None else {"attack": self._attack(attack.name, attack.options, needs)}
        # By number: one probe may look twice, with other options.
        parts = {f"probe {place}": self._probe(probe, needs) for place, probe in enumerate(self.resolved.probes)}
        baseline = None if attack is None else self._baseline(needs)
        return {**parts, **asking, **({} if baseline is None else {"baseline": baseline})}

    def measured(self) -> dict[str, Any]:
        """What measuring depends on beside the artefacts."""
        return {"seed": self.spec.seed, "data": self._data(), "secrets": self._secrets()}

    def measure(self, payload: dict[str, Any], needs: dict[str, str]) -> str:
        """Lays out the measuring, of this model or of several."""
        metrics = {name: load(METRICS, name, Metric, "metric").revision for name in sorted(METRICS)}
        return self._add("measure", self._name(), payload, needs, metrics)

    def _target(self) -> str:
        target = self.resolved.target
        payload = {**self._owners(), "changes": _all_spelt(self.changing)}
        return self._add("train-target", target.name, payload, {}, _revisions([target, *self.changing]))

    def _practice(self, index: int, *, planted: bool) -> str:
        target = self._practised()
        changing = self.changing if self.spec.adversary.knows_defence else []
        payload = {**self._training(target), "changes": _all_spelt(changing), **self._own(index, planted=planted)}
        word = "shadow" if planted else "reference"
        label = f"{word} {index} of {target.name}"
        return self._add("train-practice", label, payload, {}, _revisions([target, *changing]))

    def _own(self, index: int, *, planted: bool) -> dict[str, Any]:
        """What makes a practice model another than the target."""
        behind, kind = self.spec.adversary.background, HINTS[self.spec.secrets.kind]
        reserved = behind.controls if kind is UserTexts else 0
        return {"background": self._background(), "index": index, "planted": planted, "reserved": reserved}

    def _practised(self) -> Target:
        """What the adversary trains: the defended recipe if it knows the defence, the plain one if not."""
        return self.resolved.target if self.spec.adversary.knows_defence else self.resolved.plain_target

    def _training(self, target: Part) -> dict[str, Any]:
        """What determines a training, beside the texts that make it another than the target's."""
        recipe = target.options.model_dump(mode="json")
        files = content_fingerprint(recipe.get("path"))  # an existing model is what lies there, not the name of it
        return {
            "target": {"kind": self.spec.target.kind, "recipe": recipe, "files": files},
            "data": self._data(),
            "secrets": self._hidden(),
            "seed": self.spec.seed,
        }

    def _owners(self) -> dict[str, Any]:
        """The training of the target itself, on data in which found secrets are already."""
        training = self._training(self.resolved.target)
        return {**training, "secrets": None} if self.spec.secrets.file is not None else training

    def _secrets(self) -> dict[str, Any]:
        """All that is asked and measured depends on, of secrets."""
        secrets = self.spec.secrets
        return {"spec": secrets.model_dump(mode="json"), "file": content_fingerprint(secrets.file)}

    def _hidden(self) -> dict[str, Any]:
        """All that training depends on, of secrets: nothing where every row is embedded anyway."""
        if HINTS[self.spec.secrets.kind] is LeakedRow:
            return {"spec": {"kind": self.spec.secrets.kind}, "file": None}
        secrets = self._secrets()
        return {
            **secrets,
            "spec": {name: value for name, value in secrets["spec"].items() if name not in MEASURING_ONLY},
        }

    def _data(self) -> dict[str, Any]:
        return _data(self.spec.data, self.resolved.corpus, self.resolved.target)

    def _fitted(self, model: str, practice: dict[str, Any] | None) -> dict[str, str]:
        """One fit per wrapping defence, each seeing the access as the earlier ones left it.

        `practice` tells which of the adversary's models it is; such a defence is fitted on the adversary's texts.
        """
        fitted: dict[str, str] = {}
        for place, defence in enumerate(self.wrapping):
            acting = self.wrapping[: place + 1]
            payload = {
                **(self._owners() if practice is None else self._training(self.resolved.target)),
                "changes": _all_spelt(self.changing),
                "defences": _all_spelt(acting),
                "practice": practice,
            }
            revisions = _revisions([*self.changing, *acting])
            needs = {"target": model, **fitted}
            fitted[f"defence {place}"] = self._add("fit-defence", defence.name, payload, needs, revisions)
        return fitted

    def _prepare(self, name: str, options: Any, defended: dict[str, str]) -> str:
        attack = attack_named(name, options)
        shadows, references = practice_count(self.spec.secrets, self.spec.adversary)
        planted = [number < shadows for number in range(shadows + references)]
        needs = {f"practice {number}": self._practice(number, planted=own) for number, own in enumerate(planted)}
        knows = self.spec.adversary.knows_defence and bool(needs)
        if knows:
            for number, (role, model) in enumerate(list(needs.items())):
                own = self._own(number, planted=planted[number])
                worn = self._fitted(model, own) if self._keeps_secret() else _defences_of(defended)
                needs.update({f"{role} {place}": key for place, key in worn.items()})
        payload = {
            "attack": _spelt(attack),
            "background": self._background(),
            "controls": self._controls(),
            "defences": _all_spelt(self.wrapping) if knows else [],
            "practice": self._training(self._practised()) if planted else None,
            "own": [self._own(number, planted=own) for number, own in enumerate(planted)],
            "seed": self.spec.seed,
        }
        return self._add("prepare", name, payload, needs, _revisions([attack]))

    def _controls(self) -> dict[str, Any] | None:
        count = self.spec.adversary.background.controls
        return {**self._training(self.resolved.plain_target), "count": count} if count else None

    def _keeps_secret(self) -> bool:
        return any(defence.keeps_secret for defence in self.wrapping)

    def _attack(self, name: str, options: Any, needs: dict[str, str]) -> str:
        attack = attack_named(name, options)
        knowledge = self._prepare(name, options, needs)
        payload = {
            "attack": _spelt(attack),
            "target": self._training(self.resolved.target)["target"],
            "levels": [level.__name__ for level in self.resolved.levels],
            "max_queries": self.spec.adversary.max_queries,
            "data": self._data(),
            "secrets": self._secrets(),
            "defences": _all_spelt(self.wrapping),
            "seed": self.spec.seed,
        }
        inputs = {**needs, "knowledge": knowledge}
        label = f"{self.resolved.target.name} with {name}"
        return self._add("attack", label, payload, inputs, _revisions([attack, *self.wrapping]))

    def _baseline(self, needs: dict[str, str]) -> str | None:
        """The attack that never asks; gaps need none: chance there has a closed form."""
        kind = HINTS[self.spec.secrets.kind]
        if kind is Gaps:
            return None
        blind = kind is UserTexts and self.spec.adversary.background.shadows > 0
        name = "blind" if blind else "random"
        return None if self.spec.attack is not None and self.spec.attack.name == name else self._attack(name, {}, needs)

    def _probe(self, probe: Part, needs: dict[str, str]) -> str:
        payload = {
            **self._owners(),
            "probe": _spelt(probe),
            "changes": _all_spelt(self.changing),
            "defences": _all_spelt(self.wrapping),
        }
        revisions = _revisions([probe, *self.changing, *self.wrapping])
        return self._add("probe", probe.name, payload, needs, revisions)

    def _background(self) -> dict[str, Any] | None:
        corpus, loaded = self.spec.adversary.background.corpus, self.resolved.background
        return _data(corpus, loaded, self.resolved.target) if corpus is not None and loaded is not None else None

    def _add(
        self, kind: str, label: str, payload: dict[str, Any], needs: dict[str, str], revisions: dict[str, int]
    ) -> str:
        house = {"divulge.auditing": REVISION}
        task = Task(kind=kind, label=label, payload=payload, needs=needs, revisions={**revisions, **house})
        self.graph.add(task)
        return task.key

    def _name(self) -> str:
        return self.spec.attack.name if self.spec.attack else self.resolved.target.name


def _spelt(part: Part) -> dict[str, Any]:
    """A part as pure data: where its class is, and every option, defaults included."""
    kind = type(part)
    return {"class": f"{kind.__module__}:{kind.__qualname__}", "options": part.options.model_dump(mode="json")}


def _all_spelt(parts: Sequence[Part]) -> list[dict[str, Any]]:
    return [_spelt(part) for part in parts]


def _defences_of(needs: Mapping[str, str]) -> dict[str, str]:
    return {role: key for role, key in needs.items() if role.startswith("defence ")}


def _revisions(parts: Sequence[Part]) -> dict[str, int]:
    """Each part's revision and, of a part from outside the package, its source: nobody raises numbers while trying."""
    revisions = {}
    for part in parts:
        kind = type(part)
        revisions[f"{kind.__module__}:{kind.__qualname__}"] = part.revision
        if kind.__module__.partition(".")[0] != "divulge":
            revisions[f"{kind.__module__} source"] = source_number(kind)
    return revisions


def _data(spec: DataSpec, read: Corpus, target: Target) -> dict[str, Any]:
    revision = load(DATA, spec.name, DataSet, "data").revision if spec.name else 0
    whole = spec.model_dump(mode="json")
    return {"spec": whole, "fingerprint": read.fingerprint, "revision": revision, "tokens": target.reads}
