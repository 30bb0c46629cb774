"""Lays out the tasks of one spec: what to train, fit, prepare, attack, probe and measure."""

from __future__ import annotations

from typing import Any

from divulge.attacks.base import Attack
from divulge.auditing.blind import JUDGE
from divulge.auditing.fitting import HINTS
from divulge.auditing.naming import attack_named
from divulge.auditing.one_person import told_of_person
from divulge.auditing.resolving import Resolved, practice_count
from divulge.auditing.spelling import (
    all_spelt,
    defences_of,
    revisions_at,
    revisions_of,
    spelt,
    spelt_data,
    spelt_secrets,
    spelt_target,
)
from divulge.canonical import thaw
from divulge.data.public_texts import audited_places
from divulge.graph import Graph, Task
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.metrics.membership import FALSE_ALARMS
from divulge.parts import Part, load
from divulge.records import Gaps, LeakedRow, RecordText, UserTexts
from divulge.targets.base import Target

__all__ = ["Planner"]

# Raised when tasks do something else with the same parts and payload: cases, standings, handshakes, measuring.
REVISION = 4

# What a secrets spec says about measuring, not about training: it must not make a new model.
MEASURING_ONLY = {"asked", "decoys", "deleted", "obfuscation", "alpha", "ranked"}
# What it says about the target's training alone: the adversary's models are the same without it.
OF_THE_TARGET = {"unused_share"}
# What it says about people who are asked, among them those known to be out.
ABOUT_PEOPLE = {"obfuscation"}


class Planner:
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
        if self.resolved.target.is_private:
            parts[f"probe {len(parts)}"] = self._add("accountant", "epsilon", {}, {"target": target}, {})
        if self.spec.secrets.obfuscation is not None:
            told = {"data": self._data(), "secrets": self._secrets(), "seed": self.spec.seed}
            parts[f"probe {len(parts)}"] = self._add("rewording", self.spec.secrets.obfuscation, told, {}, {})
        baseline = None if attack is None else self._baseline(needs)
        return {**parts, **asking, **({} if baseline is None else {"baseline": baseline})}

    def measured(self) -> dict[str, Any]:
        """What measuring depends on beside the artefacts."""
        claim = {"epsilon": self.spec.target.epsilon, "delta": self.spec.target.delta}
        found = {"seed": self.spec.seed, "data": self._data(), "secrets": self._secrets(), "claim": claim}
        told = told_of_person(self.spec)
        if told is None:
            return {**found, "judge": JUDGE} if self._read_alone() else found
        return {**found, "person": told}

    def measure(self, payload: dict[str, Any], needs: dict[str, str]) -> str:
        """Lays out the measuring, of this model or of several."""
        metrics = {name: load(METRICS, name, Metric, "metric").revision for name in sorted(METRICS)}
        if HINTS[self.spec.secrets.kind] is UserTexts:
            metrics[FALSE_ALARMS] = 1  # no metric, but measured too
        return self._add("measure", self._name(), payload, needs, metrics)

    def _target(self) -> str:
        target = self.resolved.target
        payload = {**self._owners(), "changes": all_spelt(self.changing)}
        return self._add("train-target", target.name, payload, {}, revisions_of([target, *self.changing]))

    def _practice(self, own: dict[str, Any]) -> str:
        """One model of the adversary's: trained, or, where `own` names a path, read."""
        changing = self.changing if self.spec.adversary.knows_defence else []
        target = self._opened_at(own)
        payload = {**self._trained_at(own), "changes": all_spelt(changing), **own}
        if own["shared"] is not None:
            payload["seed"] = own["shared"]
        word = "shadow" if own["planted"] else "reference"
        label = f"{word} {own['index']} of {target.name}"
        return self._add("train-practice", label, payload, {}, revisions_of([target, *changing]))

    def _own(self) -> list[dict[str, Any]]:
        """What makes each practice model another than the target: shadows first, then references, then those read."""
        behind, kind = self.spec.adversary.background, HINTS[self.spec.secrets.kind]
        reserved = behind.controls if kind is UserTexts else 0
        shadows, references = practice_count(self.spec.secrets, self.spec.adversary)
        trained = [(number < shadows, None) for number in range(shadows + references)]
        common = {"background": self._background(), "reserved": reserved, "shared": behind.seed}
        own: list[dict[str, Any]] = [
            {**common, "index": number, "planted": planted, "path": path}
            for number, (planted, path) in enumerate([*trained, *((False, path) for path in behind.paths)])
        ]
        if behind.recipes:
            own = [{**one, "recipe": thaw(behind.recipes[one["index"] % len(behind.recipes)])} for one in own]
        return own

    def _practised(self) -> Target:
        """What the adversary trains: the defended recipe if it knows the defence, the plain one if not."""
        other = self.resolved.practised
        if other is not None:
            return other
        return self.resolved.target if self.spec.adversary.knows_defence else self.resolved.plain_target

    def _practised_kind(self) -> str:
        other, own = self.spec.adversary.background.target, self.resolved.practised
        if other is not None:
            return other.kind
        return self.spec.target.kind if own is None else own.name

    def _trained_at(self, own: dict[str, Any]) -> dict[str, Any]:
        """What determines the training of one of the adversary's models."""
        training = self._training(self._opened_at(own), self._practised_kind())
        hidden = training["secrets"]
        spec = {name: value for name, value in hidden["spec"].items() if name not in OF_THE_TARGET}
        training["secrets"] = {**hidden, "spec": spec}
        public = self.resolved.background
        if own["path"] is not None or public is None or HINTS[self.spec.secrets.kind] is not LeakedRow:
            return training
        # Of the audited texts only those matter that are public too: other audits share the adversary's encoder.
        return {**training, "data": None, "left_out": list(audited_places(self.resolved.corpus, public))}

    def _opened_at(self, own: dict[str, Any]) -> Target:
        target = self._practised()
        changed = {**own.get("recipe", {}), **({} if own["path"] is None else {"path": own["path"]})}
        return type(target)({**target.options.model_dump(mode="json"), **changed}) if changed else target

    def _training(self, target: Target, kind: str | None = None) -> dict[str, Any]:
        """What determines a training, beside the texts that make it another than the target's."""
        return {
            "target": spelt_target(kind or self.spec.target.kind, target),
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
        return spelt_secrets(self.spec.secrets)

    def _hidden(self) -> dict[str, Any]:
        """All that training depends on, of secrets: nothing where every row is embedded anyway."""
        if HINTS[self.spec.secrets.kind] is LeakedRow:
            return {"spec": {"kind": self.spec.secrets.kind}, "file": None}
        return spelt_secrets(self.spec.secrets, without=MEASURING_ONLY)

    def _data(self) -> dict[str, Any]:
        return spelt_data(self.spec.data, self.resolved.corpus, self.resolved.target)

    def _fitted(self, model: str, practice: dict[str, Any] | None) -> dict[str, str]:
        """One fit per wrapping defence, each seeing the access as the earlier ones left it.

        `practice` tells which of the adversary's models it is; such a defence is fitted on the adversary's texts.
        """
        fitted: dict[str, str] = {}
        for place, defence in enumerate(self.wrapping):
            acting = self.wrapping[: place + 1]
            payload = {
                **(self._owners() if practice is None else self._trained_at(practice)),
                "changes": all_spelt(self.changing),
                "defences": all_spelt(acting),
                "practice": practice,
            }
            revisions = revisions_of([*self.changing, *acting])
            needs = {"target": model, **fitted}
            fitted[f"defence {place}"] = self._add("fit-defence", defence.name, payload, needs, revisions)
        return fitted

    def _prepare(self, attack: Attack, practice: dict[str, str]) -> str:
        payload = {
            "attack": spelt(attack),
            "background": self._background(),
            "controls": self._controls(),
            **self._practised_on(practice),
            "seed": self.spec.seed,
        }
        if attack.told_tokens:
            payload["told"] = self._data()
        return self._add("prepare", attack.name, payload, practice, revisions_of([attack]))

    def _practised_on(self, practice: dict[str, str]) -> dict[str, Any]:
        """What tells a task how to open the adversary's models that it needs."""
        knows = self.spec.adversary.knows_defence and bool(practice)
        return {
            "defences": all_spelt(self.wrapping) if knows else [],
            "practice": self._trained_at({"path": None}) if practice else None,
            "own": [{**own, "target": self._trained_at(own)["target"]} for own in self._own()],
        }

    def _practices(self, defended: dict[str, str]) -> dict[str, str]:
        """The adversary's models, by role, with the defences they wear if the adversary knows those."""
        every = self._own()
        needs = {f"practice {own['index']}": self._practice(own) for own in every}
        if self.spec.adversary.knows_defence:
            for own, (role, model) in zip(every, list(needs.items()), strict=True):
                worn = self._fitted(model, own) if self._keeps_secret() else defences_of(defended)
                needs.update({f"{role} {place}": key for place, key in worn.items()})
        return needs

    def _controls(self) -> dict[str, Any] | None:
        count = self.spec.adversary.background.controls
        if not count:
            return None
        asked = spelt_secrets(self.spec.secrets, without=(MEASURING_ONLY - ABOUT_PEOPLE) | OF_THE_TARGET)
        return {**self._training(self.resolved.plain_target), "secrets": asked, "count": count}

    def _keeps_secret(self) -> bool:
        return any(defence.keeps_secret for defence in self.wrapping)

    def _attack(self, name: str, options: Any, needs: dict[str, str]) -> str:
        attack = attack_named(name, options)
        practice = self._practices(needs)
        payload = {
            "attack": spelt(attack),
            "target": self._training(self.resolved.target)["target"],
            "levels": [level.__name__ for level in self.resolved.levels],
            "max_queries": self.spec.adversary.max_queries,
            "data": self._data(),
            "secrets": self._secrets(),
            "defences": all_spelt(self.wrapping),
            "practised": self._practised_on(practice) if attack.asks_practice else None,
            "seed": self.spec.seed,
            **({"outside": True} if self._read_alone() else {}),
        }
        if HINTS[self.spec.secrets.kind] is LeakedRow:
            payload["controls"] = "guessed once"  # before, the same rows were guessed again: results differ by chance
        inputs = {**needs, **(practice if attack.asks_practice else {}), "knowledge": self._prepare(attack, practice)}
        label = f"{self.resolved.target.name} with {name}"
        revisions = {**revisions_of([attack, *self.wrapping]), **revisions_at(attack, self.resolved.levels)}
        return self._add("attack", label, payload, inputs, revisions)

    def _baseline(self, needs: dict[str, str]) -> str | None:
        """The attack that never asks. Gaps need none: chance has a closed form; records are judged by their texts.

        So are people whom no chance parted: what the adversary's halves, drawn by chance, tell of them is nothing.
        """
        kind = HINTS[self.spec.secrets.kind]
        if kind in (Gaps, RecordText) or self._read_alone():
            return None
        blind = kind is UserTexts and self.spec.adversary.background.shadows > 0
        name = "blind" if blind else "random"
        return None if self.spec.attack is not None and self.spec.attack.name == name else self._attack(name, {}, needs)

    def _read_alone(self) -> bool:
        """Whether people are asked about whom the data parted, or one person: then their texts are compared."""
        secrets = self.spec.secrets
        return HINTS[secrets.kind] is UserTexts and (secrets.person is not None or secrets.held_out is not None)

    def _probe(self, probe: Part, needs: dict[str, str]) -> str:
        payload = {
            **self._owners(),
            "probe": spelt(probe),
            "changes": all_spelt(self.changing),
            "defences": all_spelt(self.wrapping),
        }
        revisions = revisions_of([probe, *self.changing, *self.wrapping])
        return self._add("probe", probe.name, payload, needs, revisions)

    def _background(self) -> dict[str, Any] | None:
        corpus, loaded = self.spec.adversary.background.corpus, self.resolved.background
        return spelt_data(corpus, loaded, self.resolved.target) if corpus is not None and loaded is not None else None

    def _add(
        self, kind: str, label: str, payload: dict[str, Any], needs: dict[str, str], revisions: dict[str, int]
    ) -> str:
        house = {"divulge.auditing": REVISION}
        task = Task.of_plain(kind, label, payload, needs, {**revisions, **house})
        self.graph.add(task)
        return task.key

    def _name(self) -> str:
        return self.spec.attack.name if self.spec.attack else self.resolved.target.name
