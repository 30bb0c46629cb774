"""An audit about one person: what it needs, how the person is named in it, and the figures it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data.cases import Case
from divulge.errors import InputError
from divulge.metrics.base import Scored
from divulge.metrics.one_person import fewest_known_out, person_figures, smallest_p_value
from divulge.parts import load
from divulge.records import Guess, Hint, Measurement, UserTexts
from divulge.spec import AdversarySpec, AuditSpec, SecretsSpec

__all__ = [
    "figures_of_person",
    "must_be_one_test",
    "named_by_id",
    "person_power",
    "person_problems",
    "told_of_person",
]

JUDGE = 2  # raised when the judge of texts alone looks at other traits


def person_problems(
    spec: SecretsSpec, adversary: AdversarySpec, attack: Attack | None, case: Case, others: Sequence[Hint]
) -> list[str]:
    """Why an audit about one person could not answer; `others` are known to be out."""
    if not case.of_person:
        return []
    if attack is None:
        return ["secrets.person is a question, and no attack is named that could answer it: name one in [[attacks]]"]
    if not (attack.asks_about_controls and UserTexts in attack.hints):
        known = ", ".join(_calibrated())
        return [f"secrets.person needs a p-value, which attack {attack.name!r} does not give. Attacks that do: {known}"]
    if not adversary.background.controls:
        least = f"{fewest_known_out(spec.alpha)} or more, for p-values down to {spec.alpha:g}"
        said = "secrets.person is compared with people known to be out: set adversary.background.controls to"
        return [f"{said} {least}"]
    # A budget that ends before all are asked about would make p-values of fewer people than they say.
    costs = [type(attack).cost(attack.options, hint) for hint in (case.secrets[0].hint, *others)]
    needed, limit = sum(cost for cost in costs if cost is not None), adversary.max_queries
    if limit is None or needed <= limit:
        return []
    takes = f"to ask about the person and {len(others)} people known to be out takes {needed}"
    return [f"adversary.max_queries is {limit}, and {takes}. Raise it, or set max_texts in the options of the attack"]


def must_be_one_test(specs: Sequence[AuditSpec]) -> list[str]:
    """Two attacks on one question are two chances to accuse somebody wrongly: then no p-value is what it says."""
    asked: dict[str, int] = {}
    for spec in specs:
        if spec.secrets.person is not None:
            alike = spec.model_copy(update={"attack": None}).hash
            asked[alike] = asked.get(alike, 0) + 1
    if all(number == 1 for number in asked.values()):
        return []
    chances = f"{max(asked.values())} attacks would each have a chance to accuse the person wrongly"
    return [f"secrets.person is one question, and {chances}. Name one of them in [[attacks]], before anything is run"]


def named_by_id(spec: AuditSpec, case: Case) -> AuditSpec:
    """The spec with an opaque id in place of the person's name: no result, key or log holds the name."""
    if not case.of_person:
        return spec
    secrets = spec.secrets.model_copy(update={"person": case.secrets[0].id})
    return spec.model_copy(update={"secrets": secrets})


def told_of_person(spec: AuditSpec) -> dict[str, Any] | None:
    """What measuring depends on beside guesses; None where no person is the question."""
    if spec.secrets.person is None:
        return None
    behind = spec.adversary.background
    return {"known_out": behind.controls, "alpha": spec.secrets.alpha, "judge": JUDGE}


def figures_of_person(asked: Scored, tried: Scored, told: Any) -> list[Measurement]:
    """The figures of one person, from the guesses about them and about controls, and from their texts alone."""
    controls, alike = list(tried.guesses.values()), told["likeness"]
    return person_figures(_only(asked), controls, alike, known_out=told["known_out"], alpha=told["alpha"])


def person_power(case: Case, spec: AuditSpec) -> list[str]:
    """What so many people known to be out can show about one."""
    number, alpha = spec.adversary.background.controls, spec.secrets.alpha
    least, tried = fewest_known_out(alpha), len(case.controls)
    lines = [f"the smallest p-value is {smallest_p_value(number):.2g} ({number} people known to be out)"]
    if number < least:
        lines.append(
            f"warning: that is above {alpha:g}, so that nothing can be shown: set adversary.background.controls to "
            f"{least} or more, better 99"
        )
    if tried < least:
        lines.append(
            "warning: whether the texts alone give the person away cannot be told, and without that nothing is shown: "
            f"set secrets.controls to {least} or more ({tried} now)"
        )
    return lines


def _only(scored: Scored) -> Guess | None:
    return next(iter(scored.guesses.values()), None)


def _calibrated() -> list[str]:
    names = []
    for name in sorted(ATTACKS):
        try:
            kind = load(ATTACKS, name, Attack, "attack")
        except InputError:
            continue  # its extra is not installed
        if UserTexts in kind.hints and kind.asks_about_controls:
            names.append(name)
    return names
