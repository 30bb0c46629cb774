"""From names to parts: every name of a spec looked up, every combination checked, all problems at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, TypeVar

from divulge.access import LEVELS, Access
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data.cases import Case, target_case
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.errors import AuditError, InputError
from divulge.grants import refusal
from divulge.parts import did_you_mean, load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.records import Gaps, Hint, LeakedRow, UserTexts
from divulge.spec import AuditSpec, DataSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target

__all__ = ["HINTS", "Resolved", "attack_named", "corpus_of", "defence_named", "probe_named", "resolve", "target_named"]

HINTS: dict[str, type[Hint]] = {"canaries": Gaps, "users": UserTexts, "rows": LeakedRow}
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


@dataclass
class _Problems:
    found: list[str] = field(default_factory=list)

    def collect(self, make: Callable[[], T]) -> T | None:
        """Makes something, or notes why it cannot be made."""
        try:
            return make()
        except InputError as error:
            self.found.extend(error.problems)
        except AuditError as error:
            self.found.append(str(error))
        return None


def target_named(kind: str, recipe: Any = None) -> Target:
    """A target by kind, with its recipe."""
    return load(TARGETS, kind, Target, "target")(recipe)


def attack_named(name: str, options: Any = None) -> Attack:
    """An attack by name, with its options."""
    return load(ATTACKS, name, Attack, "attack")(options)


def defence_named(name: str, options: Any = None) -> Defence:
    """A defence by name, with its options."""
    return load(DEFENCES, name, Defence, "defence")(options)


def probe_named(name: str, options: Any = None) -> Probe:
    """A probe by name, with its options."""
    return load(PROBES, name, Probe, "probe")(options)


@lru_cache(maxsize=8)
def corpus_of(spec: DataSpec) -> Corpus:
    """Loads a corpus once per process: tasks of one run mostly share it."""
    return load_corpus(spec)


def resolve(spec: AuditSpec) -> Resolved:
    """Looks up every part of a spec and checks that they fit; one InputError holds all that is wrong."""
    problems = _Problems()
    target = problems.collect(lambda: target_named(spec.target.kind, spec.target.recipe))
    found = [problems.collect(partial(defence_named, part.name, part.options)) for part in spec.defences]
    defences = tuple(defence for defence in found if defence is not None)
    wanted = spec.attack
    attack = problems.collect(lambda: attack_named(wanted.name, wanted.options)) if wanted else None
    chosen = [problems.collect(partial(probe_named, part.name, part.options)) for part in spec.probes]
    corpus = problems.collect(lambda: corpus_of(spec.data))
    behind = spec.adversary.background
    background = problems.collect(lambda: corpus_of(behind.corpus)) if behind.corpus else None
    case = problems.collect(lambda: target_case(spec.secrets, corpus, spec.seed)) if corpus is not None else None
    levels: tuple[type[Access], ...] = ()
    defended = None
    if target is not None:
        problems.found += _target_problems(spec, target, defences)
        if not problems.found:
            defended = problems.collect(lambda: _defended(target, defences))
        levels = _granted_levels(target, defences)
        problems.found += _access_problems(spec, levels)
        if spec.adversary.access:
            levels = tuple(LEVELS[name] for name in spec.adversary.access if name in LEVELS)
    if attack is not None:
        problems.found += _attack_problems(spec, attack, levels if target is not None else None)
    if problems.found:
        raise InputError(dict.fromkeys(problems.found))
    assert target is not None
    assert defended is not None
    assert corpus is not None
    assert case is not None
    probes = tuple(probe for probe in chosen if probe is not None) or _fitting_probes(target)
    return Resolved(spec, defended, target, defences, attack, probes, levels, corpus, background, case)


def _defended(target: Target, defences: tuple[Defence, ...]) -> Target:
    recipe: Any = target.options.model_dump(mode="json")
    for defence in defences:
        recipe = defence.on_recipe(recipe)
    return type(target)(recipe)


def _granted_levels(target: Target, defences: tuple[Defence, ...]) -> tuple[type[Access], ...]:
    """What the target grants once defences have taken away what they cannot protect."""
    levels = list(target.grants)
    for defence in defences:
        for place, level in enumerate(levels):
            kept = [protected for protected in defence.levels if issubclass(level, protected)]
            if kept:
                levels[place] = kept[0]
    return tuple(levels)


def _target_problems(spec: AuditSpec, target: Target, defences: tuple[Defence, ...]) -> list[str]:
    problems = []
    hint = HINTS[spec.secrets.kind]
    if hint not in target.hints:
        fitting = ", ".join(kind for kind, made in HINTS.items() if made in target.hints)
        problems.append(f"target {target.name!r} cannot hold secrets of kind {spec.secrets.kind!r}; it fits: {fitting}")
    if hint is Gaps and spec.secrets.pattern is not None and spec.secrets.label is None:
        problems.append(
            "secrets.label is missing: canaries for a classifier or tagger need the label to plant them with"
        )
    fields = type(target).Options.model_fields
    for defence in defences:
        missing = [name for name in defence.recipe_fields if name not in fields]
        if missing:
            problems.append(
                f"defence {defence.name!r} sets {', '.join(missing)}, which the recipe of target {target.name!r} "
                f"does not have. It has: {', '.join(sorted(fields)) or 'nothing'}"
            )
        elif defence.changes_corpus and hint is LeakedRow:
            problems.append(
                f"defence {defence.name!r} drops texts: the rows that leaked would no longer be those asked for"
            )
        elif defence.levels and not any(issubclass(g, level) for g in target.grants for level in defence.levels):
            problems.append(refusal(f"defence {defence.name!r}", defence.levels, target.grants))
    return problems


def _access_problems(spec: AuditSpec, granted: tuple[type[Access], ...]) -> list[str]:
    problems = []
    for name in spec.adversary.access:
        level = LEVELS.get(name)
        if level is None:
            problems.append(f"adversary.access: unknown access {name!r}.{did_you_mean(name, LEVELS)}")
        elif not any(issubclass(given, level) for given in granted):
            problems.append(refusal(f"adversary.access {name!r}", (level,), granted))
    return problems


def _attack_problems(spec: AuditSpec, attack: Attack, levels: tuple[type[Access], ...] | None) -> list[str]:
    problems, hint, behind = [], HINTS[spec.secrets.kind], spec.adversary.background
    if hint not in attack.hints:
        problems.append(
            f"attack {attack.name!r} is not about secrets of kind {spec.secrets.kind!r}. {_fitting(levels or (), hint)}"
        )
    elif levels is not None and not _serves(levels, attack.requires):
        said = refusal(f"attack {attack.name!r}", attack.requires, levels)
        problems.append(f"{said}. {_fitting(levels, hint)}")
    if attack.needs_practice and hint is UserTexts and behind.shadows == 0:
        problems.append(
            f"attack {attack.name!r} learns on shadow models: set adversary.background.shadows to 1 or more"
        )
    if attack.needs_practice and hint is LeakedRow and behind.corpus is None:
        problems.append(f"attack {attack.name!r} learns on public sentences: set adversary.background.corpus")
    if hint is Gaps and (behind.shadows or behind.references) and behind.corpus is None:
        problems.append("adversary.background.shadows and references need adversary.background.corpus to train on")
    return problems


def _serves(levels: tuple[type[Access], ...], requires: tuple[type[Access], ...]) -> bool:
    return all(any(issubclass(given, wanted) for given in levels) for wanted in requires)


def _fitting(levels: tuple[type[Access], ...], hint: type[Hint]) -> str:
    names = []
    for name in sorted(ATTACKS):
        try:
            kind = load(ATTACKS, name, Attack, "attack")
        except InputError:
            continue  # its extra is not installed
        if hint in kind.hints and _serves(levels, kind.requires):
            names.append(name)
    return f"Attacks that fit: {', '.join(names) or 'none'}"


def _fitting_probes(target: Target) -> tuple[Probe, ...]:
    """Utility is always measured: every probe that the target's own grants serve."""
    probes = (probe_named(name) for name in sorted(PROBES))
    return tuple(probe for probe in probes if _serves(target.grants, probe.requires))
