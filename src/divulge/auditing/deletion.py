"""Was a deletion done? Canaries that were to be deleted beside controls, in what an attack believes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data.cases import Case
from divulge.errors import InputError
from divulge.metrics.figures import chance, figure
from divulge.metrics.trace import SIGNIFICANT, least_p_value, least_significant, strata, trace
from divulge.parts import load
from divulge.records import Gaps, Measurement, Standing
from divulge.seeds import generator
from divulge.targets.base import Target

__all__ = ["deletion_power", "deletion_problems", "remaining_trace"]

Stood = tuple[Mapping[str, Standing], Mapping[str, Standing]]  # of one model: planted canaries and controls


def remaining_trace(models: Sequence[Stood], seed: int) -> list[Measurement]:
    """How likely a planted canary stands better than a control, and the p-value of there being no trace.

    Canaries are compared by how far each stands out from its own decoys. Without standings there is nothing to tell.
    """
    exposures = [
        ({key: one.exposure for key, one in planted.items()}, {key: one.exposure for key, one in held_out.items()})
        for planted, held_out in models
    ]
    found = trace(exposures, generator(seed, "measure", "trace"))
    if found is None:
        return []
    return [
        figure("trace", found.value, found.interval, n=found.n, arm="attack"),
        *chance("trace", [0.5] * found.n),
        figure("trace_p_value", found.p_value, None, n=found.n, arm="attack"),
    ]


def deletion_problems(case: Case, attack: Attack | None, target: Target, labels: Collection[str]) -> list[str]:
    """Why an audit of a deletion could not tell anything; `labels` are those of the data without canaries."""
    if not case.deleted:
        return []
    problems = []
    if not case.controls:
        problems.append(
            "secrets.deleted compares canaries with controls that were never planted, and there are none: set "
            "secrets.controls, or make the secrets file with divulge plant"
        )
    if attack is not None and not attack.can_score():
        problems.append(
            f"secrets.deleted compares how strongly an attack believes each canary, and {attack.name!r} does not score "
            f"them. Attacks that do: {', '.join(_scoring())}"
        )
    asked = {secret.hint.label for secret in (*case.secrets, *case.controls) if isinstance(secret.hint, Gaps)}
    strange = sorted(label for label in asked - set(labels) if label is not None)
    if strange and target.learns and target.labels_texts:
        problems.append(
            f"secrets.deleted: no text of the data but canaries has the label {', '.join(strange)}, so that a model "
            "trained without them does not know it and cannot be asked. Plant canaries in a class of the data"
        )
    return problems


def deletion_power(cases: Sequence[Case]) -> list[str]:
    """What trace so many canaries and controls can show, or that they can show none."""
    if not cases[0].deleted:
        return []
    asked = [({one.id: one for one in case.secrets}, {one.id: one for one in case.controls}) for case in cases]
    sizes = [(len(planted), len(controls)) for planted, controls in strata(asked)]
    planted, controls = (sum(arm) for arm in zip(*sizes, strict=True))
    least, seen = least_p_value(sizes), least_significant(sizes)
    among = f"{planted} planted canaries and {controls} controls"
    if seen is None:
        why = f"the smallest p-value that they can give is {least:.2g}, above {SIGNIFICANT:g}"
        return [f"warning: {among} cannot show a trace: {why}. Plant and hold out 4 or more each, better 20"]
    return [
        f"a trace of what was deleted shows from {seen:.2f} on (0.5 is none; {among}, p-value <= {SIGNIFICANT:g})",
        f"the smallest p-value that they can give is {least:.2g}",
    ]


def _scoring() -> list[str]:
    """The attacks on texts with holes that score completions."""
    names = []
    for name in sorted(ATTACKS):
        try:
            kind = load(ATTACKS, name, Attack, "attack")
        except InputError:
            continue  # its extra is not installed
        if Gaps in kind.hints and kind.can_score():
            names.append(name)
    return names
