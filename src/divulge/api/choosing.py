"""Which attacks are run when the caller names none: by what is looked for, the strongest that the access allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.attacks.base import Attack
from divulge.auditing.fitting import attack_problems, background_problems, chosen_levels, granted_levels
from divulge.auditing.naming import attack_named, defence_named, target_named
from divulge.errors import InputError
from divulge.spec import AdversarySpec, PartSpec, SecretsSpec, TargetSpec

__all__ = ["DEFAULTS", "default_attacks"]

# For each kind of secrets, attacks in the order of their strength. Of each line the first that fits is run: a line is
# one way to ask, so that a report shows what each way finds.
DEFAULTS: Mapping[str, Sequence[Sequence[str]]] = {
    "canaries": (("discrete-search", "text-likelihood", "label-likelihood", "label-match"),),
    "users": (("rank-histogram",),),
    "records": (("rmia", "lira"), ("record-loss", "label-match")),
    "rows": (("parallel-decoder",),),
}


def default_attacks(
    target: TargetSpec, secrets: SecretsSpec, adversary: AdversarySpec, defences: Sequence[PartSpec]
) -> tuple[PartSpec, ...]:
    """Chooses attacks for an audit; says why none fits if none does."""
    made = target_named(target.kind, target.settings)
    wrapped = [defence_named(part.name, part.options) for part in defences]
    levels = chosen_levels(adversary, granted_levels(made, wrapped))
    found, reasons = [], []
    for line in DEFAULTS[secrets.kind]:
        for name in line:
            attack: Attack = attack_named(name)
            problems = attack_problems(secrets, attack, levels)
            problems += background_problems(secrets, adversary.background, attack)
            if not problems:
                found.append(PartSpec(name=name))
                break
            reasons += problems
    if not found:
        raise InputError(["attacks: none is named, and none of those run by default fits", *dict.fromkeys(reasons)])
    return tuple(found)
