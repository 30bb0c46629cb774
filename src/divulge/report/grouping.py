"""Which results of a run belong to one audit, and what may be said about the whole run.

An audit is all results that share target, data, secrets and adversary; attacks, defences, what the adversary knows of
them, and seeds differ within it. Undefended results come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from divulge.canonical import canonical_json
from divulge.records import RunResults, SpecResult
from divulge.report.findings import FindingKind, finding
from divulge.report.sections import Audit, Entry, Setting
from divulge.report.wording import counted, pairs

__all__ = ["audits", "identity", "verdict"]

NOT_TOLD = {
    ".secrets.pattern",
    ".secrets.candidates",
    ".secrets.label",
    ".secrets.person",
    ".adversary.access",
    ".adversary.knows_defence",
}
NOT_TOLD |= {".attack", ".defences", ".probes", ".seed", ".target.kind"}
OF_PERSON: dict[FindingKind, str] = {
    "leak": "There is evidence that this person’s texts were used",
    "none found": "That this person’s texts were used is not shown, which does not show that they were not",
    "inconclusive": "Whether this person’s texts were used cannot be told from this audit",
}
OF_DELETION: dict[FindingKind, str] = {
    "leak": "A trace is left of what was to be deleted",
    "none found": "No trace was found of what was to be deleted, which does not show that none is left",
}


def audits(results: RunResults) -> tuple[Audit, ...]:
    """Gathers the results of a run into audits, in the order of the run."""
    found: dict[str, list[Entry]] = {}
    for result in results.results:
        found.setdefault(identity(result), []).append(Entry(result, finding(result)))
    made = [Audit(number, _settings(entries)) for number, entries in enumerate(found.values(), 1)]
    return tuple(
        replace(audit, distinction=_distinction(audit, [one for one in made if one.title == audit.title]))
        for audit in made
    )


def verdict(results: RunResults) -> str:
    """The whole run in one sentence."""
    found = audits(results)
    kinds = [audit.kind for audit in found]
    failed = f"{counted(len(results.failures), 'part')} of the run failed" if results.failures else ""
    if not kinds:
        return f"No result: {failed}" if failed else "Nothing was audited"
    said = _one(kinds[0], found[0]) if len(kinds) == 1 else _several(kinds)
    refuted = sum(bool(audit.refuted) for audit in found)
    if refuted:
        own = "its" if len(found) == 1 else "a"
        claims = f"{own} privacy claim is" if refuted == 1 else f"{refuted} privacy claims are"
        said = f"{claims[0].upper()}{claims[1:]} refuted; {said[0].lower()}{said[1:]}"
    return f"{said}; {failed}" if failed else said


def identity(result: SpecResult, *, access: bool = True) -> str:
    """What a result shares with the others of its audit; without `access`, also with those at other access levels."""
    spec: Any = result.spec
    left_out = {"knows_defence"} if access else {"knows_defence", "access"}
    adversary = {key: value for key, value in spec["adversary"].items() if key not in left_out}
    return canonical_json([spec["target"], spec["data"], spec["secrets"], adversary, spec.get("models", 1)])


def _one(kind: FindingKind, audit: Audit) -> str:
    if audit.deleted and kind in OF_DELETION:
        return OF_DELETION[kind]
    if audit.of_person and kind in OF_PERSON:
        return OF_PERSON[kind]
    return {
        "leak": "The audit found a leak",
        "none found": "The audit found no leak, which does not show that there is none",
        "inconclusive": "The audit is inconclusive",
        "not attacked": "The model was measured, but not attacked",
    }[kind]


def _several(kinds: Sequence[FindingKind]) -> str:
    leaks, doubts = kinds.count("leak"), kinds.count("inconclusive")
    said = f"{leaks or 'None'} of {'the ' * (not leaks)}{len(kinds)} audits found a leak"
    if not leaks and not doubts:
        return f"{said}, which does not show that there is none"
    return f"{said}; {doubts} {'is' if doubts == 1 else 'are'} inconclusive" if doubts else said


def _distinction(audit: Audit, alike: Sequence[Audit]) -> str:
    """What tells an audit from others that ask the same; nothing that may hold words of secrets."""
    own, *others = [dict(_leaves(one.spec)) for one in [audit, *alike]]
    different = [key for key in own if any(other.get(key) != own[key] for other in others)]
    return ", ".join(f"{key.rpartition('.')[2]} {own[key]}" for key in different)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    parts = {key: one for key, one in value.items() if f"{path}.{key}" not in NOT_TOLD}
    for key, one in parts.items():
        if isinstance(one, Mapping):
            yield from _leaves(one, f"{path}.{key}")
        else:
            yield f"{path}.{key}", one


def _settings(entries: Sequence[Entry]) -> tuple[Setting, ...]:
    seeds = {entry.result.spec["seed"] for entry in entries}
    found: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: bool(entry.result.spec["defences"])):
        found.setdefault(_label(entry.result.spec, several_seeds=len(seeds) > 1), []).append(entry)
    return tuple(Setting(label, bool(ones[0].result.spec["defences"]), tuple(ones)) for label, ones in found.items())


def _label(spec: Any, *, several_seeds: bool) -> str:
    names = [f"{one['name']} ({pairs(one['options'])})" if one["options"] else one["name"] for one in spec["defences"]]
    label = " + ".join(names) or "no defence"
    if names and spec["adversary"]["knows_defence"]:
        label += ", known to the adversary"
    return f"{label}, seed {spec['seed']}" if several_seeds else label
