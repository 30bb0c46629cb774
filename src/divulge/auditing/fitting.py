"""Whether parts fit each other: each impossible combination has words of its own, naming both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divulge.access import LEVELS, Access
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.defences.base import Defence
from divulge.errors import InputError
from divulge.grants import refusal
from divulge.parts import did_you_mean, load
from divulge.probes.base import Probe
from divulge.records import Gaps, Hint, LeakedRow, UserTexts
from divulge.spec import AdversarySpec, BackgroundSpec, SecretsSpec
from divulge.targets.base import Target

__all__ = [
    "HINTS",
    "access_problems",
    "attack_problems",
    "background_problems",
    "chosen_levels",
    "granted_levels",
    "level_problems",
    "probe_problems",
    "serves",
    "target_problems",
]

HINTS: dict[str, type[Hint]] = {"canaries": Gaps, "users": UserTexts, "rows": LeakedRow}

Levels = tuple[type[Access], ...]


def granted_levels(target: Target, defences: Iterable[Defence]) -> Levels:
    """What the target grants once defences have taken away what they cannot protect."""
    levels = list(target.grants)
    for defence in (one for one in defences if not one.is_harmless):
        for place, level in enumerate(levels):
            protected = [kept for kept in defence.levels if issubclass(level, kept)]
            if protected:
                levels[place] = max(protected, key=lambda kept: len(kept.__mro__))
    return tuple(levels)


def chosen_levels(adversary: AdversarySpec, granted: Levels) -> Levels:
    """What the adversary has of it: the levels it is given by name, or all."""
    return tuple(LEVELS[name] for name in adversary.access if name in LEVELS) if adversary.access else granted


def serves(levels: Sequence[type[Access]], requires: Sequence[type[Access]]) -> bool:
    """Whether each level required is served by a granted one, or a stronger."""
    return all(any(issubclass(given, wanted) for given in levels) for wanted in requires)


def target_problems(secrets: SecretsSpec, target: Target, defences: Iterable[Defence]) -> list[str]:
    """Target against secrets; defences against target and secrets."""
    problems = []
    hint = HINTS[secrets.kind]
    if hint not in target.hints:
        fitting = ", ".join(kind for kind, made in HINTS.items() if made in target.hints)
        problems.append(f"target {target.name!r} cannot hold secrets of kind {secrets.kind!r}; it fits: {fitting}")
    if hint is Gaps and secrets.pattern is not None and secrets.label is None:
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
            problems.append(
                f"defence {defence.name!r} acts on {_either(defence.levels)}; "
                f"target {target.name!r} grants {_either(target.grants)}"
            )
    return problems


def level_problems(adversary: AdversarySpec) -> list[str]:
    """Names of access levels that there are not."""
    unknown = [name for name in adversary.access if name not in LEVELS]
    return [f"adversary.access: unknown access {name!r}.{did_you_mean(name, LEVELS)}" for name in unknown]


def access_problems(adversary: AdversarySpec, target: Target, defences: Sequence[Defence]) -> list[str]:
    """What the adversary is said to have, against what there is to be had."""
    granted = granted_levels(target, defences)
    problems = []
    for level in (LEVELS[name] for name in adversary.access if name in LEVELS):
        if not serves(granted, (level,)):
            said = refusal("adversary.access", (level,), granted)
            wrapping = [defence.name for defence in defences if defence.levels]
            taken = serves(target.grants, (level,))
            by_whom = f"by target {target.name!r}" + (f" with {' and '.join(wrapping)}" if taken else "")
            problems.append(f"{said} {by_whom}")
    return problems


def attack_problems(secrets: SecretsSpec, attack: Attack, levels: Levels | None) -> list[str]:
    """An attack against the secrets and the access it would have; `levels` is None where that is not known."""
    hint = HINTS[secrets.kind]
    if hint not in attack.hints:
        about = ", ".join(repr(kind) for kind, made in HINTS.items() if made in attack.hints)
        return [
            f"attack {attack.name!r} is about secrets of kind {about}, not {secrets.kind!r}. {_fitting(levels, hint)}"
        ]
    if levels is not None and not serves(levels, attack.requires):
        said = refusal(f"attack {attack.name!r}", attack.requires, levels)
        return [f"{said}. {_fitting(levels, hint)}"]
    return []


def background_problems(secrets: SecretsSpec, behind: BackgroundSpec, attack: Attack | None) -> list[str]:
    """What an attack, and the adversary's own models, need offline."""
    hint = HINTS[secrets.kind]
    practised = attack is not None and attack.needs_practice and hint in attack.hints
    if practised and hint is UserTexts and behind.shadows == 0:
        assert attack is not None
        return [f"attack {attack.name!r} learns on shadow models: set adversary.background.shadows to 1 or more"]
    if practised and hint is LeakedRow and behind.corpus is None:
        assert attack is not None
        return [f"attack {attack.name!r} learns on public sentences: set adversary.background.corpus"]
    if attack is not None and hint in attack.hints and attack.needs_corpus and behind.corpus is None:
        return [f"attack {attack.name!r}, with these options, needs public texts: set adversary.background.corpus"]
    if hint is not UserTexts and (behind.shadows or behind.references) and behind.corpus is None:
        return ["adversary.background.shadows and references need adversary.background.corpus to train on"]
    return []


def probe_problems(probe: Probe, target: Target) -> list[str]:
    """A probe against what the target grants its honest users."""
    if serves(target.grants, probe.requires):
        return []
    return [refusal(f"probe {probe.name!r}", probe.requires, target.grants)]


def _fitting(levels: Levels | None, hint: type[Hint]) -> str:
    names = []
    for name in sorted(ATTACKS):
        try:
            kind = load(ATTACKS, name, Attack, "attack")
        except InputError:
            continue  # its extra is not installed
        if hint in kind.hints and (levels is None or serves(levels, kind.requires)):
            names.append(name)
    return f"Attacks that fit: {', '.join(names) or 'none'}"


def _either(levels: Sequence[type[Access]]) -> str:
    return " or ".join(level.__name__ for level in levels) or "nothing"
