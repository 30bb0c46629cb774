"""What was asked in an audit, in words: who the adversary is, what they must find, what they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from divulge.report.sections import Audit
from divulge.report.wording import adversary_words, counted, listed, pairs

__all__ = ["asked", "stand_in_words"]

TASKS = {
    "canaries": "they know the text around each secret and its possible words, and must fill the gaps",
    "users": "they hold texts that a person may have contributed, and must tell whether the model was trained on them",
    "records": "they hold single texts, and must tell for each whether the model was trained on it",
    "rows": "they hold vectors and must say which sentences were turned into them",
}


def asked(audit: Audit) -> Iterator[tuple[str, str]]:
    """Everything that was asked: term and words."""
    spec = audit.spec
    adversary, secrets = spec["adversary"], spec["secrets"]
    recipe = {key: one for key, one in spec["target"]["recipe"].items() if isinstance(one, str | int | float)}
    made = f" ({pairs(recipe)})" if recipe else ""
    yield "Model", f"{audit.target}{made}, on the data {spec['data']['name'] or spec['data']['path']}"
    if spec["target"].get("epsilon") is not None:
        yield "Privacy claimed", _claimed(spec["target"])
    models = int(spec.get("models", 1))
    if models > 1:
        yield (
            "Models",
            f"{models}, trained alike, each with secrets of its own; figures pool secrets, intervals count models",
        )
    broken = all(entry.void for entry in audit.entries)
    who = f"{adversary_words(audit.levels)} ({', '.join(audit.levels) or 'no access'})"
    yield "Adversary", "the access was found broken, so that nothing was asked" if broken and not audit.levels else who
    yield "Their task", TASKS.get(secrets["kind"], "they must guess what they are not told")
    each = "for each model " if models > 1 else ""
    made = "made-up secrets of a secrets file, for each of which a coin decided whether it is planted"
    yield "Secrets", made if audit.has_planted_file else each + _secrets(secrets)
    if audit.deleted:
        yield "Deletion", "the planted secrets were to be deleted; controls show what a model without them would do"
    yield "Controls", each * bool(secrets["controls"]) + _controls(secrets)
    yield "Known beforehand", _background(adversary["background"])
    limit = adversary["max_queries"]
    yield "Questions allowed", "no limit" if limit is None else each + counted(limit, "example")
    yield "Attacks", listed(audit.attacks) or "none: the model was only measured as its owner sees it"
    yield "Defences tried", "; ".join(one.label for one in audit.settings if one.defended) or "none"


def stand_in_words(audit: Audit) -> str:
    """A warning where the target is no model at all; else empty."""
    if not audit.stand_in:
        return ""
    return (
        f"{audit.target} is a stand-in, made to leak everything or nothing. This audit shows that Divulge works; "
        "it says nothing about any real model."
    )


def _secrets(secrets: Any) -> str:
    count, copies = secrets["count"], secrets["copies"]
    if secrets["kind"] == "users":
        one = secrets.get("person") is not None
        return "the texts of one person: were they used?" if one else f"{_people(count)} whose texts were used"
    if secrets["kind"] == "records":
        drawn = f"of the split {secrets['held_out']}" if secrets.get("held_out") else "drawn like them and kept out"
        return f"{counted(count, 'text')} that the model was trained on, among {secrets['controls']} {drawn}"
    if secrets["kind"] == "rows":
        return counted(count, "leaked row")
    if secrets["file"]:
        return "those of a secrets file"
    if secrets.get("coin"):
        every = count + secrets["controls"]
        times = "" if copies == 1 else f", {copies} times each"
        made = f"{counted(every, 'made-up secret')}{_of_families(secrets)}"
        return f"{made}; a coin each decides whether it is planted{times}{_supported(secrets)}"
    times = "once" if copies == 1 else f"{copies} times"
    made = f"{counted(count, 'made-up secret')}{_of_families(secrets)}"
    return f"{made}, each planted {times} into the training texts{_supported(secrets)}"


def _supported(secrets: Any) -> str:
    """Texts with other words in the holes, planted in other classes so that the right words matter."""
    number = secrets.get("supporting")
    if not number:
        return ""
    where = "one in every other class" if number == "all" else f"{counted(number, 'time')} in one other class"
    return f"; with texts like it, other words in its gaps, planted elsewhere: {where}"


def _each(secrets: Any) -> str:
    return " (of each kind)" if secrets.get("families") and not secrets.get("asked") else ""


def _of_families(secrets: Any) -> str:
    """Where several kinds are planted together: how many, and which one is looked for."""
    families, asked = secrets.get("families"), secrets.get("asked")
    if not families:
        return ""
    among = f"; only those of {asked!r} are looked for" if asked else ""
    return f" of each of {counted(len(families), 'kind')}{among}"


def _controls(secrets: Any) -> str:
    if secrets["kind"] == "rows":
        return "the same rows, judged by the sentences of other rows"
    if secrets["file"]:
        return "those of the secrets file"
    if not secrets["controls"]:
        return "none: without controls no leak can be claimed"
    number = secrets["controls"]
    if secrets["kind"] == "canaries" and secrets.get("coin"):
        return "those of them that the coin kept out"
    return {
        "users": f"{_people(number)} known not to have been used",
        "records": f"the {counted(number, 'text')} kept out, half of them passed off as trained on",
    }.get(secrets["kind"], f"{counted(number, 'secret')} of the same kind{_each(secrets)} that the model never saw")


def _background(background: Any) -> str:
    corpus, shadows, references = background["corpus"], background["shadows"], background["references"]
    had = [f"public texts ({corpus['name'] or corpus['path']})"] if corpus else []
    if shadows:
        had.append(f"{counted(shadows, 'practice model')} with known secrets")
    if references:
        had.append(f"{counted(references, 'practice model')} without secrets")
    if background.get("paths"):
        had.append(f"{counted(len(background['paths']), 'finished model')} of their own")
    if background.get("controls"):
        had.append(f"{background['controls']} known never to have been used")
    if background.get("target") and had:
        had[-1] += f" (practice models of the kind {background['target']['kind']})"
    return listed(had) or "nothing but the task"


def _claimed(target: Any) -> str:
    delta = f" at delta {target['delta']:.3g}" if target.get("delta") is not None else ""
    return f"epsilon {target['epsilon']:.3g}{delta}, by the owner's accountant; taken as it is"


def _people(number: int) -> str:
    return "1 person" if number == 1 else counted(number, "person").replace("persons", "people")
