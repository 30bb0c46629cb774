"""The figures of one cell, pooled over its seeds: each attack by each metric in each arm, then what probes found."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from divulge.auditing.deletion import remaining_trace
from divulge.auditing.planning import Planned
from divulge.auditing.pooling import Attacked, attacked, mean_over_models, measured, pooled, probed, repeated
from divulge.canonical import canonical_json, freeze, thaw
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.metrics.figures import figure
from divulge.metrics.membership import false_alarms
from divulge.parts import load
from divulge.records import Arm, Measurement
from divulge.seeds import generator
from divulge.store import MissingArtefactError, Store
from divulge.studies.axes import read_values, spelt
from divulge.studies.notes import accountant_note, attack_note, models_words, probe_note
from divulge.studies.planning import PlannedCell, StudyPlan
from divulge.studies.rows import MissingCell
from divulge.studies.verdicts import TRACES

__all__ = ["CellDrafts", "Draft"]

ARMS: tuple[Arm, ...] = ("attack", "baseline", "control")
NOT_COMPUTED = "not computed yet"


class Draft(NamedTuple):
    """A row before it is compared with others and with the print."""

    cell: dict[str, Any]
    attack: str | None
    figure: Measurement
    note: str


class CellDrafts:
    """Makes the drafts of one cell; `failures` then tells what was missing, `attacked` what each attack said.

    `reasons` tells, by the key of a task, why it came to nothing.
    """

    def __init__(self, planned: StudyPlan, cell: PlannedCell, store: Store, reasons: Mapping[str, str]) -> None:
        self._study, self._scale, self._plan = planned.study, planned.scale, planned.plan
        self._cell, self._store, self._reasons = cell, store, reasons
        self.failures: list[MissingCell] = []
        self.attacked: dict[str, list[Attacked]] = {}

    def drafts(self) -> list[Draft]:
        """All drafts, in the order of the study's attacks, metrics and axis values."""
        names = [name for name in self._cell.specs if name is not None]
        return [*(draft for name in names for draft in self._of_attack(name)), *self._of_probes()]

    def _of_attack(self, attack: str) -> Iterator[Draft]:
        parts = self.attacked[attack] = list(self._attacked(attack))
        for name in (name for name in self._study.metrics if name in METRICS and parts):
            for labels, options in self._ways(name):
                metric = load(METRICS, name, Metric, "metric")(options)
                for arm in ARMS:
                    names = (self._study.name, canonical_json(self._cell.cell.values), attack, name, arm)
                    for found in measured(metric, parts, arm, generator(0, "study", *names)):
                        if labels and not found.n:
                            continue  # a reading that no secret of this cell bears, such as another set's keyword
                        cell = self._placed(found, labels)
                        if cell is not None:
                            yield Draft(cell, attack, found, self._attack_note(metric, parts, arm))
        for found, note in (*self._traces(parts), *self._queries(parts), *self._alarms(attack, parts)):
            cell = self._placed(found, {}) if found.metric in self._study.metrics else None
            if cell is not None:
                yield Draft(cell, attack, found, note)

    def _traces(self, parts: list[Attacked]) -> Iterator[tuple[Measurement, str]]:
        """Whether planted canaries still stand better than controls, over all models."""
        both = [part.arms for part in parts if "control" in part.arms]
        if both and TRACES.keys() & set(self._study.metrics):
            stood = [(arms["attack"].standings, arms["control"].standings) for arms in both]
            note = f"planted canaries and controls of {len({part.model for part in parts})} models, compared in each"
            for found in remaining_trace(stood, next(iter(self._cell.cell.files))):
                yield found, note

    def _queries(self, parts: list[Attacked]) -> Iterator[tuple[Measurement, str]]:
        """How many questions the attack asked about one secret, on average."""
        secrets = sum(len(part.arms["attack"].answers) for part in parts)
        if secrets:
            mean = sum(part.queries for part in parts) / secrets
            yield (
                figure("queries", mean, None, n=secrets, arm="attack"),
                "questions per secret",
            )

    def _alarms(self, attack: str, parts: list[Attacked]) -> Iterator[tuple[Measurement, str]]:
        """Whom the attack accuses of all who were not used, at the line it drew itself."""
        together = pooled(parts, "attack")
        if together is not None:
            names = (self._study.name, canonical_json(self._cell.cell.values), attack, "false alarms")
            for found in false_alarms(together, generator(0, "study", *names)):
                yield found, f"n = users not used, of {models_words(len({part.model for part in parts}))}"

    def _attacked(self, attack: str) -> Iterator[Attacked]:
        for seed, one in self._cell.specs[attack].items():
            try:
                found = attacked(seed, one, self._plan, self._store)
            except MissingArtefactError as error:
                self._missing(attack, seed, self._reasons.get(error.key, NOT_COMPUTED))
                continue
            if found.failed_checks:  # it was not asked: that nothing was found says nothing
                self._missing(attack, seed, f"the handshake failed: {', '.join(found.failed_checks)}")
            else:
                yield found

    def _of_probes(self) -> Iterator[Draft]:
        """Probes look at the target, not at the attack: those of the first attack's specs stand for all."""
        specs: dict[int, Planned] = next(iter(self._cell.specs.values()))
        by_seed = {seed: probed(one, self._plan, self._store) for seed, one in specs.items()}
        wanted = [one for found in by_seed.values() for one in found if one.metric in self._study.metrics]
        figures = mean_over_models(wanted, generator(0, "study", self._study.name, "probes"))
        note = probe_note(sum(map(bool, by_seed.values())), len(by_seed))
        place = self._study.metrics.index
        for one in sorted(figures, key=lambda one: place(one.metric)):  # groups in the order of the probe
            claim = accountant_note(one)
            told = one if claim is None else one.model_copy(update={"group": freeze({})})
            cell = self._placed(told, {})
            if cell is not None:
                yield Draft(cell, None, told, claim or note)
        if None in self._cell.specs:  # nobody else would tell
            for seed in (seed for seed, found in by_seed.items() if not found):
                needs = self._plan.graph[specs[seed].measure].needs.values()
                reasons = [self._reasons[key] for key in sorted(needs) if key in self._reasons]
                self._missing(None, seed, next(iter(reasons), NOT_COMPUTED))

    def _ways(self, metric: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """The options to measure a metric with: one set for each combination of values of the axes that read it."""
        readings: Any = self._study.readings
        axes = [axis for axis, told in readings.items() if any(metric in one for one in told.values())]
        for values in itertools.product(*map(self._read_values, axes)):
            labels = dict(zip(axes, values, strict=True))
            options: dict[str, Any] = {}
            for axis, value in labels.items():
                options |= thaw(readings[axis][spelt(value)].get(metric, {}))
            yield labels, options

    def _read_values(self, axis: str) -> tuple[Any, ...]:
        return read_values(self._study, self._scale, axis, self._cell.cell.values)

    def _placed(self, figure: Measurement, labels: Mapping[str, Any]) -> dict[str, Any] | None:
        """The cell of a figure: axes set, axes read, and what else its group says; None if it is not asked for."""
        group = dict(figure.group)
        values = thaw(self._cell.cell.values)
        if any(spelt(group.pop(axis)) != spelt(value) for axis, value in values.items() if axis in group):
            return None  # a figure at another value than this cell's would stand in another cell's place
        read: dict[str, Any] = {}
        for axis, told in self._study.readings.items():
            if axis in labels:
                allowed = (labels[axis],)
            elif not told and figure.arm in ARMS:
                # The metric itself tells the values apart; what it leaves untold is the first one.
                allowed = self._read_values(axis)
            else:
                continue
            read[axis] = group.pop(axis, allowed[0])
            if read[axis] not in allowed:
                return None
        return {**values, **read, **group}

    def _attack_note(self, metric: Metric, parts: list[Attacked], arm: Arm) -> str:
        files = self._cell.cell.files
        return attack_note(
            arm,
            next(iter(files.values())).secrets.kind,
            models=len({part.model for part in parts}),
            planned=len(files),
            averaged=metric.unit == "count",
            repeated=repeated(parts, arm if any(arm in part.arms for part in parts) else "attack"),
            closed_form=all("baseline" not in part.arms for part in parts),
            failed_checks=[check for part in parts for check in part.failed_checks],
        )

    def _missing(self, attack: str | None, seed: int, reason: str) -> None:
        self.failures.append(MissingCell(cell=thaw(self._cell.cell.values), attack=attack, seed=seed, reason=reason))
