"""From names to parts: every name of a spec looked up, every combination checked, all problems at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from divulge.access import Access
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.audit.fitting import (
    HINTS,
    access_problems,
    attack_problems,
    background_problems,
    chosen_levels,
    granted_levels,
    probe_problems,
    serves,
    target_problems,
)
from divulge.data.cases import Case, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.loading import data_root, load_corpus
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.errors import AuditError, InputError
from divulge.parts import Part, load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.records import LeakedRow
from divulge.spec import AdversarySpec, AuditSpec, DataSpec, PartSpec, SecretsSpec, TargetSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target

__all__ = [
    "Draft",
    "Resolved",
    "attack_named",
    "corpus_of",
    "defence_named",
    "draft_problems",
    "practice_count",
    "probe_named",
    "resolve",
    "target_named",
]

T = TypeVar("T")
P = TypeVar("P", bound=Part)


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


@dataclass(frozen=True)
class Draft:
    """What of a spec is in shape: a table that is not, is None. What does not hang on it can still be checked."""

    target: TargetSpec | None = None
    data: DataSpec | None = None
    secrets: SecretsSpec | None = None
    adversary: AdversarySpec | None = None
    attack: PartSpec | None = None
    probes: tuple[PartSpec, ...] = ()
    defences: tuple[PartSpec, ...] | None = None
    seed: int = 0


def target_named(kind: str, recipe: Any = None) -> Target:
    """A target by kind, with its recipe."""
    return _usable(load(TARGETS, kind, Target, "target"), "target", "grants", "hints")(recipe)


def attack_named(name: str, options: Any = None) -> Attack:
    """An attack by name, with its options."""
    return _usable(load(ATTACKS, name, Attack, "attack"), "attack", "requires", "hints")(options)


def defence_named(name: str, options: Any = None) -> Defence:
    """A defence by name, with its options."""
    return _usable(load(DEFENCES, name, Defence, "defence"), "defence")(options)


def probe_named(name: str, options: Any = None) -> Probe:
    """A probe by name, with its options."""
    return _usable(load(PROBES, name, Probe, "probe"), "probe", "requires")(options)


def corpus_of(spec: DataSpec) -> Corpus:
    """Loads a corpus once per process: tasks of one run mostly share it. A file that changed is read again."""
    return _corpus(spec, _state(spec))


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
    return Resolved(spec, defended, found.target, *parts, levels, found.corpus, found.background, found.case)


def draft_problems(draft: Draft) -> list[str]:
    """All that can be said against what is in shape of a spec."""
    return list(dict.fromkeys(_Search(draft).problems))


class _Search:
    """Looks for everything a spec names, and notes why something cannot be had or does not fit."""

    def __init__(self, spec: AuditSpec | Draft) -> None:
        self.problems: list[str] = []
        self.target = self._tried(target_named, spec.target and (spec.target.kind, spec.target.recipe))
        found = [self._tried(defence_named, (part.name, part.options)) for part in spec.defences or ()]
        self.defences = tuple(defence for defence in found if defence is not None)
        self.attack = self._tried(attack_named, spec.attack and (spec.attack.name, spec.attack.options))
        chosen = [self._tried(probe_named, (part.name, part.options)) for part in spec.probes]
        self.probes = tuple(probe for probe in chosen if probe is not None)
        self.corpus = self._tried(corpus_of, spec.data and (spec.data,))
        behind = spec.adversary.background if spec.adversary else None
        self.background = self._tried(corpus_of, behind and behind.corpus and (behind.corpus,))
        self._check_parts(spec)
        self.case = self._tried(
            target_case, spec.secrets and self.corpus and (spec.secrets, self.corpus, spec.seed)
        )
        if not self.problems and spec.secrets and spec.adversary:
            self._check_practice(spec.secrets, spec.adversary, spec.seed)

    def _tried(self, make: Callable[..., T], arguments: Any) -> T | None:
        """Makes something, or notes why it cannot be made; nothing without its arguments."""
        if not arguments:
            return None
        try:
            return make(*arguments)
        except InputError as error:
            self.problems += error.problems
        except AuditError as error:
            self.problems.append(str(error))
        return None

    def _check_parts(self, spec: AuditSpec | Draft) -> None:
        target, levels = self.target, None
        if target is not None:
            self.problems += [problem for probe in self.probes for problem in probe_problems(probe, target)]
            if spec.secrets is not None:
                self.problems += target_problems(spec.secrets, target, self.defences)
            if spec.adversary is not None and spec.defences is not None:
                self.problems += access_problems(spec.adversary, target, self.defences)
                levels = chosen_levels(spec.adversary, granted_levels(target, self.defences))
            if not self.problems:
                self._tried(_defended, (target, self.defences))
        if spec.secrets is not None and self.attack is not None:
            self.problems += attack_problems(spec.secrets, self.attack, levels)
        if spec.secrets is not None and spec.adversary is not None:
            self.problems += background_problems(spec.secrets, spec.adversary.background, self.attack)

    def _check_practice(self, secrets: SecretsSpec, adversary: AdversarySpec, seed: int) -> None:
        """The adversary's models are made as late as in a task; that they can be made must be known before."""
        shadows, references = practice_count(secrets, adversary)
        if self.corpus is not None and shadows + references:
            make = partial(practice_case, planted=shadows > 0)
            self._tried(make, (secrets, self.corpus, self.background, seed, 0))


def _usable(kind: type[P], role: str, *facts: str) -> type[P]:
    """Somebody's own class may have been left half written."""
    missing = [fact for fact in ("name", *facts) if not hasattr(kind, fact)]
    if missing:
        raise InputError(
            f"{role} {kind.__module__}:{kind.__qualname__} must say its {', '.join(missing)} as class attributes"
        )
    return kind


def _defended(target: Target, defences: tuple[Defence, ...]) -> Target:
    recipe: Any = target.options.model_dump(mode="json")
    for defence in defences:
        recipe = defence.on_recipe(recipe)
    return type(target)(recipe)


def _fitting_probes(target: Target) -> tuple[Probe, ...]:
    """Utility is always measured: every probe that the target's own grants serve."""
    probes = (probe_named(name) for name in sorted(PROBES))
    return tuple(probe for probe in probes if serves(target.grants, probe.requires))


@lru_cache(maxsize=8)
def _corpus(spec: DataSpec, state: tuple[object, ...]) -> Corpus:
    del state
    return load_corpus(spec)


def _state(spec: DataSpec) -> tuple[object, ...]:
    """What a corpus depends on beside its spec: which file it is, and since when; or where all data sets are."""
    if spec.path is None:
        return (data_root(),)
    try:
        facts = Path(spec.path).stat()
    except OSError:
        return ()
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size
