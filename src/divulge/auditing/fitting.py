"""Whether parts fit each other: each impossible combination has words of its own, naming both sides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from divulge.access import LEVELS, Access, LabelAccess
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.auditing.reading_people import not_comparable
from divulge.data.cases import Case
from divulge.defences.base import Defence
from divulge.errors import InputError
from divulge.grants import refusal
from divulge.parts import did_you_mean, load
from divulge.probes.base import Probe
from divulge.records import Gaps, Hint, LeakedRow, RecordText, Tokens, UserTexts
from divulge.spec import AdversarySpec, BackgroundSpec, SecretsSpec
from divulge.targets.base import Target

__all__ = [
    "HINTS",
    "access_problems",
    "admits",
    "attack_problems",
    "background_problems",
    "chosen_levels",
    "granted_levels",
    "level_problems",
    "practice_problems",
    "probe_problems",
    "serves",
    "taken_by",
    "target_problems",
    "unplanted_problems",
    "unread_problems",
]

HINTS: dict[str, type[Hint]] = {"canaries": Gaps, "users": UserTexts, "records": RecordText, "rows": LeakedRow}

Levels = tuple[type[Access], ...]


def granted_levels(target: Target, defences: Iterable[Defence]) -> Levels:
    """What the target grants once defences have taken away what they cannot protect."""
    levels = list(target.granted)
    for defence in (one for one in defences if not one.is_harmless):
        for place, level in enumerate(levels):
            protected = [kept for kept in defence.levels if issubclass(level, kept)]
            if protected:
                levels[place] = max(protected, key=lambda kept: len(kept.__mro__))
    return tuple(levels)


def taken_by(target: Target, defences: Iterable[Defence]) -> list[str]:
    """The defences that take some of what the target grants."""
    return [one.name for one in defences if granted_levels(target, (one,)) != target.granted]


def chosen_levels(adversary: AdversarySpec, granted: Levels) -> Levels:
    """What the adversary has of it: the levels it is given by name, or all."""
    return tuple(LEVELS[name] for name in adversary.access if name in LEVELS) if adversary.access else granted


def serves(levels: Sequence[type[Access]], requires: Sequence[type[Access]]) -> bool:
    """Whether each level required is served by a granted one, or a stronger."""
    return all(any(issubclass(given, wanted) for given in levels) for wanted in requires)


def admits(levels: Sequence[type[Access]], attack: type[Attack]) -> bool:
    """Whether an attack can be run at these levels."""
    either = attack.requires_one_of
    return serves(levels, attack.requires) and (not either or any(serves(levels, (one,)) for one in either))


def target_problems(secrets: SecretsSpec, target: Target, defences: Iterable[Defence]) -> list[str]:
    """Target against secrets; defences against target and secrets."""
    problems = []
    hint = HINTS[secrets.kind]
    if hint not in target.hints:
        fitting = ", ".join(kind for kind, made in HINTS.items() if made in target.hints)
        problems.append(f"target {target.name!r} cannot hold secrets of kind {secrets.kind!r}; it fits: {fitting}")
    labelled = target.labels_texts and any(issubclass(level, LabelAccess) for level in target.granted)
    unlabelled = [name for name, family in secrets.patterns.items() if family.label is None]
    if hint is Gaps and unlabelled and labelled and secrets.label_of is None:
        named = ", ".join(f"secrets.families.{name}.label" if name else "secrets.label" for name in unlabelled)
        problems.append(f"{named} is missing: canaries for a classifier or tagger need the label to plant them with")
    if not target.learns:
        problems += _finished_problems(secrets, target, defences := tuple(defences))
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
        elif defence.levels and not any(issubclass(g, level) for g in target.granted for level in defence.levels):
            problems.append(
                f"defence {defence.name!r} acts on {_either(defence.levels)}; "
                f"target {target.name!r} grants {_either(target.granted)}"
            )
    return problems


def _finished_problems(secrets: SecretsSpec, target: Target, defences: Sequence[Defence]) -> list[str]:
    """What cannot be done to a model that is read and not trained: nothing of its training can be changed any more."""
    who, problems = f"target {target.name!r} reads a finished model", []
    if secrets.patterns:
        problems.append(
            f"{who}: canaries can no longer be planted. Plant them before training, with divulge plant, and give "
            "secrets.file"
        )
    if secrets.kind in ("users", "records") and secrets.held_out is None:
        problems.append(
            f"{who}: say which {secrets.kind} it never saw: secrets.held_out names a split of the data that it was not "
            "trained on"
        )
    late = [defence.name for defence in defences if defence.changes_corpus or defence.recipe_fields]
    return problems + [f"{who}: defence {name!r} acts on training, and comes too late" for name in late]


def unplanted_problems(secrets: SecretsSpec, target: Target, labels: Collection[str]) -> list[str]:
    """Canaries of no copies whose label no text has: a model that is trained here would not know it."""
    strange = sorted(
        {family.label for family in secrets.patterns.values() if family.label and family.label not in labels}
    )
    if secrets.copies or not strange or not target.labels_texts:
        return []
    said = (
        f"secrets.copies is 0, so that nothing is planted, and no text of the data has the label {', '.join(strange)}"
    )
    return [f"{said}: the model would not know it. Plant at least one copy, or use a label of the data"]


def unread_problems(target: Target, case: Case) -> list[str]:
    """Canaries that the target would not read to their end: what is asked for may lie behind it."""
    texts = []
    for secret in (*case.secrets, *case.controls):
        if isinstance(secret.hint, Gaps) and isinstance(secret.answer, Tokens):
            # The longest filling too: a wrong guess that is cut would be compared with a right one that is not.
            longest = tuple(max(options, key=lambda word: len(word.encode())) for options in secret.hint.candidates)
            texts += [secret.hint.filled(secret.answer.tokens), secret.hint.filled(longest)]
    said = target.overlong(texts) if texts else None
    if said is None:
        return []
    told = (
        f"target {target.name!r} {said}, of the canaries as planted and as they may be filled: holes would be cut off"
    )
    return [f"{told}. Shorten the pattern, or raise target.recipe.max_tokens where the model takes more"]


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
            taken = serves(target.granted, (level,))
            by_whom = f"by target {target.name!r}" + (f" with {' and '.join(wrapping)}" if taken else "")
            problems.append(f"{said} {by_whom}")
    return problems


def attack_problems(
    secrets: SecretsSpec, attack: Attack, levels: Levels | None, taken_by: Sequence[str] = ()
) -> list[str]:
    """An attack against the secrets and the access it would have; `levels` is None where that is not known.

    `taken_by` names the defences that leave no more than these levels.
    """
    hint = HINTS[secrets.kind]
    if hint not in attack.hints:
        about = ", ".join(repr(kind) for kind, made in HINTS.items() if made in attack.hints)
        return [
            f"attack {attack.name!r} is about secrets of kind {about}, not {secrets.kind!r}. {_fitting(levels, hint)}"
        ]
    if levels is not None and not admits(levels, type(attack)):
        said = refusal(f"attack {attack.name!r}", attack.requires, levels)
        if attack.requires_one_of:
            said = said.replace("requires nothing", f"requires {_either(attack.requires_one_of)}")
        behind = f" behind {' and '.join(f'defence {name!r}' for name in taken_by)}" if taken_by else ""
        return [f"{said}{behind}. {_fitting(levels, hint)}"]
    return []


def background_problems(secrets: SecretsSpec, behind: BackgroundSpec, attack: Attack | None) -> list[str]:
    """What an attack, and the adversary's own models, need offline."""
    hint = HINTS[secrets.kind]
    lacking = _lacking(hint, behind, attack) if attack is not None and hint in attack.hints else None
    if lacking is not None and attack is not None:
        return [f"attack {attack.name!r}{lacking}"]
    if attack is not None and (why := not_comparable(secrets, behind, attack)) is not None:
        return [why]
    if behind.seed is not None and not secrets.patterns:
        return ["adversary.background.seed is for canaries that are made here: for all else leave it out"]
    alone = hint in (UserTexts, RecordText)
    if not alone and (behind.shadows or behind.references) and behind.corpus is None:
        return ["adversary.background.shadows and references need adversary.background.corpus to train on"]
    return []


def _lacking(hint: type[Hint], behind: BackgroundSpec, attack: Attack) -> str | None:
    """What an attack that fits the secrets goes without, as the end of a sentence; None where it has all."""
    models, least = "adversary.background", f"to {attack.fewest_controls} or more"
    shadows = 2 if attack.learns_from_pool else 1
    found = (
        (
            attack.needs_practice and hint is UserTexts and behind.shadows < shadows,
            f" learns on shadow models: set {models}.shadows to {shadows} or more",
        ),
        (
            attack.needs_practice and hint is RecordText and not (behind.references or behind.paths),
            f" compares with models that never saw the record: set {models}.references or {models}.paths",
        ),
        (
            attack.asks_practice and hint is Gaps and not (behind.shadows or behind.references or behind.paths),
            f", with these options, compares with models of the adversary's own: set {models}.references, or "
            + " or ".join(f"{models}.{other}" for other in ("shadows", "paths")),
        ),
        (
            behind.controls < attack.fewest_controls,
            f" compares with secrets known to be out: set {models}.controls {least}",
        ),
        (
            attack.needs_practice and hint is LeakedRow and behind.corpus is None,
            f" learns on public sentences: set {models}.corpus",
        ),
        (
            attack.needs_corpus and behind.corpus is None,
            f", with these options, needs public texts: set {models}.corpus",
        ),
    )
    return next((said for lacks, said in found if lacks), None)


def practice_problems(adversary: AdversarySpec, target: Target, practised: Target | None, trained: int) -> list[str]:
    """The adversary's models against the target: they can be trained or read, and grant what the target grants."""
    who = practised or target
    problems = []
    if trained and not who.learns:
        problems.append(
            f"adversary.background: {who.name!r} reads a finished model, so that {trained} practice models cannot be "
            "trained. Say what the adversary trains in adversary.background.target, or name finished models in "
            "adversary.background.paths"
        )
    if adversary.background.paths and "path" not in type(who).Options.model_fields:
        problems.append(f"adversary.background.paths: {who.name!r} is trained here and reads no path")
    if practised is not None and not serves(practised.granted, target.granted):
        said = refusal("adversary.background.target: the audited model", target.granted, practised.granted)
        problems.append(said.replace("requires", "grants").replace("granted is", "practice would be on"))
    width = None if practised is None else target.width
    if practised is not None and width is not None and practised.width not in (None, width):
        problems.append(
            f"adversary.background.target: {practised.name!r} makes vectors of {practised.width} numbers, and those of "
            f"target {target.name!r} have {width}. Practice must be on the same kind of encoder"
        )
    return problems


def probe_problems(probe: Probe, target: Target) -> list[str]:
    """A probe against what the target grants its honest users."""
    if serves(target.granted, probe.requires):
        return []
    return [refusal(f"probe {probe.name!r}", probe.requires, target.granted)]


def _fitting(levels: Levels | None, hint: type[Hint]) -> str:
    names = []
    for name in sorted(ATTACKS):
        try:
            kind = load(ATTACKS, name, Attack, "attack")
        except InputError:
            continue  # its extra is not installed
        if hint in kind.hints and (levels is None or admits(levels, kind)):
            names.append(name)
    return f"Attacks that fit: {', '.join(names) or 'none'}"


def _either(levels: Sequence[type[Access]]) -> str:
    return " or ".join(level.__name__ for level in levels) or "nothing"
