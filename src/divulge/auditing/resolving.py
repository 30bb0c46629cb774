"""From names to parts: every name of a spec looked up, every combination checked, all problems at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from divulge.access import Access
from divulge.attacks.base import Attack
from divulge.auditing.deletion import deletion_problems
from divulge.auditing.fitting import (
    HINTS,
    access_problems,
    attack_problems,
    background_problems,
    chosen_levels,
    granted_levels,
    level_problems,
    practice_problems,
    probe_problems,
    serves,
    taken_by,
    target_problems,
    unplanted_problems,
    unread_problems,
)
from divulge.auditing.name_fitting import unknown_name_problems, unpractised_names
from divulge.auditing.naming import attack_named, corpus_of, defence_named, probe_named, target_named
from divulge.auditing.one_person import named_by_id, person_problems
from divulge.auditing.reading_people import strange_people, unaffordable_people
from divulge.auditing.row_fitting import reading_problems, shape_problems
from divulge.data.cases import Case, known_out, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.patterns import parse_pattern
from divulge.defences.base import Defence
from divulge.errors import AuditError, InputError
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.records import LeakedRow
from divulge.spec import AdversarySpec, AuditSpec, DataSpec, PartSpec, SecretsSpec, TargetSpec
from divulge.targets.base import Target

__all__ = ["Draft", "Resolved", "draft_problems", "practice_count", "resolve", "resolve_models"]

T = TypeVar("T")


@dataclass(frozen=True)
class Resolved:
    """A spec whose every name was found and whose every part fits the others."""

    spec: AuditSpec
    target: Target  # with the recipe that the defences left
    plain_target: Target  # as a static adversary imagines it
    defences: tuple[Defence, ...]
    attack: Attack | None
    probes: tuple[Probe, ...]
    levels: tuple[type[Access], ...]  # what the adversary is granted
    corpus: Corpus
    background: Corpus | None
    case: Case
    practised: Target | None = None  # what the adversary trains, where that is another kind of model


@dataclass(frozen=True)
class Draft:
    """What of a spec is in shape: a table that is not, is None. What does not hang on it can still be checked.

    `defended` tells whether all defences are here: without one of them, what is granted cannot be told.
    """

    target: TargetSpec | None = None
    data: DataSpec | None = None
    secrets: SecretsSpec | None = None
    adversary: AdversarySpec | None = None
    attack: PartSpec | None = None
    probes: tuple[PartSpec, ...] = ()
    defences: tuple[PartSpec, ...] = ()
    defended: bool = True
    seed: int = 0


def practice_count(secrets: SecretsSpec, adversary: AdversarySpec) -> tuple[int, int]:
    """How many shadows and references the adversary trains; rows are practised on wherever there are public texts."""
    behind = adversary.background
    least = 1 if HINTS[secrets.kind] is LeakedRow and behind.corpus is not None else 0
    return max(behind.shadows, least), behind.references


def resolve(spec: AuditSpec) -> Resolved:
    """Looks up every part of a spec and checks that they fit; one InputError holds all that is wrong."""
    found = _Search(spec)
    if found.problems:
        raise InputError(dict.fromkeys(found.problems))
    assert found.target is not None
    assert found.corpus is not None
    assert found.case is not None
    defended = _defended(found.target, found.defences)
    levels = chosen_levels(spec.adversary, granted_levels(found.target, found.defences))
    probes = found.probes or _fitting_probes(found.target)
    parts = (found.defences, found.attack, probes)
    texts = found.corpus, found.background
    named = named_by_id(spec, found.case)
    return Resolved(named, defended, found.target, *parts, levels, *texts, found.case, found.practised)


def resolve_models(spec: AuditSpec) -> tuple[Resolved, ...]:
    """Resolves a spec for each of its models."""
    found = tuple(resolve(one) for one in spec.of_each_model())
    if len(found) > 1 and not found[0].target.learns:
        name = found[0].target.name
        raise InputError(f"run.models is {len(found)}, but target {name!r} reads a finished model, which is one")
    if len(found) > 1 and found[0].case.of_person:
        raise InputError(f"run.models is {len(found)}, but secrets.person asks about one model: set run.models to 1")
    if len(found) > 1 and found[0].case.coin:
        raise InputError(
            f"run.models is {len(found)}, but epsilon is bounded from one training run: set run.models to 1, or "
            "secrets.coin to false"
        )
    return found


def draft_problems(draft: Draft) -> list[str]:
    """All that can be said against what is in shape of a spec."""
    return list(dict.fromkeys(_Search(draft, defended=draft.defended).problems))


class _Search:
    """Looks for everything a spec names, and notes why something cannot be had or does not fit."""

    def __init__(self, spec: AuditSpec | Draft, *, defended: bool = True) -> None:
        self.problems: list[str] = []
        self._name_parts(spec)
        self.corpus = None if spec.data is None else self._tried(self._corpus, spec.data)
        public = None if spec.adversary is None else spec.adversary.background.corpus
        self.background = None if public is None else self._tried(self._corpus, public)
        self._check_fit(spec, defended=defended)
        self.case: Case | None = None
        if spec.secrets is not None and self.corpus is None:
            for family in spec.secrets.patterns.values():  # no need to wait for the texts
                self._tried(parse_pattern, family.pattern, family.candidates)
        if spec.secrets is not None and self.corpus is not None:
            self.case = self._tried(target_case, spec.secrets, self.corpus, spec.seed)
            if self.case is not None and not self.case.secrets:
                self.problems.append(f"{spec.secrets.file}: holds no secrets, so that there is nothing to look for")
            if self.case is not None and self.target is not None:
                self.problems += self.target.misfits(self.case.corpus)
                self.problems += unplanted_problems(spec.secrets, self.target, self.corpus.labels)
                self.problems += self._tried(unread_problems, self.target, self.case) or []
                self.problems += self._tried(unknown_name_problems, self.target, self.case) or []
                self.problems += deletion_problems(self.case, self.attack, self.target, self.corpus.labels)
            if spec.adversary is not None and HINTS[spec.secrets.kind] is LeakedRow:
                self._check_public(spec.adversary)
            if not self.problems and spec.adversary is not None:
                self._check_practice(spec.secrets, spec.adversary, self.corpus, spec.seed)

    def _tried(self, make: Callable[..., T], *arguments: Any) -> T | None:
        """Makes something, or notes why it cannot be made."""
        try:
            return make(*arguments)
        except InputError as error:
            self.problems += error.problems
        except AuditError as error:
            self.problems.append(str(error))
        return None

    def _corpus(self, data: DataSpec) -> Corpus:
        """Texts as far as the target reads them."""
        return corpus_of(data) if self.target is None else self.target.as_read(corpus_of(data))

    def _name_parts(self, spec: AuditSpec | Draft) -> None:
        wanted, attack = spec.target, spec.attack
        self.target = None if wanted is None else self._tried(target_named, wanted.kind, wanted.settings)
        defences = [self._tried(defence_named, part.name, part.options) for part in spec.defences]
        self.defences = tuple(defence for defence in defences if defence is not None)
        self.attack = None if attack is None else self._tried(attack_named, attack.name, attack.options)
        behind = None if spec.adversary is None else spec.adversary.background.target
        self.practised = None if self.target is None else self.target.practised
        if behind is not None:
            self.practised = self._tried(target_named, behind.kind, behind.settings)
        probes = [self._tried(probe_named, part.name, part.options) for part in spec.probes]
        self.probes = tuple(probe for probe in probes if probe is not None)

    def _check_fit(self, spec: AuditSpec | Draft, *, defended: bool) -> None:
        levels = None  # what the adversary has; not known while anything is wrong with it
        refused = [] if spec.adversary is None else level_problems(spec.adversary)
        if self.target is not None:
            self.problems += [problem for probe in self.probes for problem in probe_problems(probe, self.target)]
            if spec.secrets is not None:
                refused += target_problems(spec.secrets, self.target, self.defences)
            if spec.adversary is not None and defended and len(self.defences) == len(spec.defences):
                refused += access_problems(spec.adversary, self.target, self.defences)
                if not refused:
                    levels = chosen_levels(spec.adversary, granted_levels(self.target, self.defences))
            if not refused:
                self._tried(_defended, self.target, self.defences)
        self.problems += refused
        if spec.secrets is not None and self.attack is not None:
            takers = () if self.target is None else taken_by(self.target, self.defences)
            self.problems += attack_problems(spec.secrets, self.attack, levels, takers)
        if self.target is not None and spec.secrets is not None and HINTS[spec.secrets.kind] is LeakedRow:
            known = spec.adversary is not None and spec.adversary.knows_defence
            self.problems += shape_problems(self.target, self.defences, self.attack, known=known)
        if spec.secrets is not None and spec.adversary is not None:
            self.problems += background_problems(spec.secrets, spec.adversary.background, self.attack)
            if self.target is not None:
                trained = sum(practice_count(spec.secrets, spec.adversary))
                self.problems += practice_problems(spec.adversary, self.target, self.practised, trained)

    def _check_public(self, adversary: AdversarySpec) -> None:
        """Public texts against the encoder that the adversary embeds them with."""
        who, public = self.practised or self.target, adversary.background.corpus
        if self.target is None or who is None or not who.learns or public is None or self.background is None:
            return
        if who is not self.target:
            self.problems += self._tried(reading_problems, self.target, who, corpus_of(public)) or []
        found = self._tried(who.misfits, self.background) or []
        new = [problem for problem in found if problem not in self.problems]  # a pooling is wrong for all texts
        self.problems += [f"adversary.background.corpus: {problem}" for problem in new]

    def _check_practice(self, secrets: SecretsSpec, adversary: AdversarySpec, corpus: Corpus, seed: int) -> None:
        """The adversary's models are trained in tasks of their own; that they can be made must be known before."""
        shadows, references = practice_count(secrets, adversary)
        controls = adversary.background.controls
        others = (self._tried(known_out, secrets, corpus, seed, controls) or ()) if controls else ()
        if self.case is not None:
            self.problems += person_problems(secrets, adversary, self.attack, self.case, others)
            self.problems += unaffordable_people(adversary.max_queries, self.attack, self.case, others)
            self.problems += [] if self.target is None else strange_people(self.target, self.case, others)
        if shadows + references:
            reserved, shared = controls if secrets.kind == "users" else 0, adversary.background.seed
            make = partial(practice_case, planted=shadows > 0, reserved=reserved, shared=shared)
            learnt, who = self._tried(make, secrets, corpus, self.background, seed, 0), self.practised or self.target
            if learnt is not None and who is not None and secrets.kind != "rows":  # of rows, public texts were checked
                found = who.misfits(learnt.corpus)
                self.problems += [f"adversary.background: models of the adversary's own: {said}" for said in found]
                compared = self.attack is not None and self.attack.asks_practice and not adversary.background.paths
                if compared and self.case is not None:
                    self.problems += unpractised_names(who, self.case, learnt.corpus)


def _defended(target: Target, defences: tuple[Defence, ...]) -> Target:
    recipe: Any = target.options.model_dump(mode="json")
    for defence in defences:
        recipe = defence.on_recipe(recipe)
    return type(target)(recipe)


def _fitting_probes(target: Target) -> tuple[Probe, ...]:
    """Utility is always measured: every probe that the target's own grants serve, and that has something to say."""
    probes = (probe_named(name) for name in sorted(PROBES))
    served = (probe for probe in probes if not probe.on_request and serves(target.granted, probe.requires))
    fitting = (probe for probe in served if target.is_tagger or not probe.of_taggers)
    return tuple(probe for probe in fitting if target.labels_texts or not probe.of_labels)
