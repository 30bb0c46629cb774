"""What to do about a finding: specific to what leaked, at which access, and to what was tried already.

Nothing here is a promise. Only training with differential privacy bounds what any attack may find; everything else
is measured again, best against an adversary who knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divulge.report.findings import FEWEST_SECRETS
from divulge.report.sections import Audit, Entry, Setting
from divulge.report.wording import figure_words, number_words, spoken

__all__ = ["Advice", "advice"]

WIDE_GAP = 0.1  # between right answers on training texts and on new ones
STRONGER = {
    "LabelAccess": "LabelLikelihoodAccess",
    "LabelLikelihoodAccess": "GradientAccess",
    "RankedTokensAccess": "TokenLikelihoodAccess",
}


@dataclass(frozen=True)
class Advice:
    """One thing to do, and why."""

    do: str
    why: str


def advice(audit: Audit) -> list[Advice]:
    """What to do, what matters most first."""
    if audit.kind == "leak":
        return [*_tried(audit), *_against_leak(audit), *_gap(audit), *_after(audit)]
    if audit.kind == "inconclusive":
        return list(_to_decide(audit))
    if audit.kind == "none found":
        return list(_after_none(audit))
    return [
        Advice("Name an attack", "under [[attacks]] in the audit file; `divulge list attacks` says which there are.")
    ]


def _against_leak(audit: Audit) -> Iterator[Advice]:
    if audit.secrets_kind == "users":
        yield from _against_membership()
    elif audit.secrets_kind == "rows":
        yield from _against_inversion(audit)
    else:
        yield from _against_extraction(audit)
    yield from _at_access(audit)


def _against_extraction(audit: Audit) -> Iterator[Advice]:
    copies = audit.spec["secrets"]["copies"]
    planted = not audit.spec["secrets"]["file"]
    yield Advice(
        "Take secrets out before training.",
        "Mask numbers, names and keys in the training texts. What was never there cannot be read out.",
    )
    if planted and copies > 1 and "deduplication" not in _defences(audit):
        yield Advice(
            "Deduplicate the training texts.",
            f"These secrets stood there {copies} times each; what stands there once is often remembered less, but not "
            "always. "
            "Audit again with the defence deduplication to see how much of the leak is repetition.",
        )
    yield Advice(
        "Train with differential privacy",
        "where the texts must stay as they are: no other training bounds what any attack can find. It costs utility.",
    )


def _against_membership() -> Iterator[Advice]:
    yield Advice(
        "Limit what one person contributes.",
        "Cap the texts of each person and drop those nobody else resembles: rare words give people away first.",
    )
    yield Advice(
        "Train with differential privacy per person",
        "(not per text) where being in the training data is itself sensitive; expect to pay for it in utility.",
    )
    yield Advice(
        "Tell whoever answers for data protection.",
        "That a person’s texts were used can be shown from outside: it bears on notices, consent and erasure requests.",
    )


def _against_inversion(audit: Audit) -> Iterator[Advice]:
    yield Advice(
        "Treat the vectors as the texts themselves.",
        "Same access control, encryption, retention and erasure. They are no anonymous data and no substitute for it.",
    )
    yield Advice(
        "Store less.",
        "One pooled vector for a text instead of one for each word, fewer dimensions, coarser numbers. Measure what "
        "search loses.",
    )
    if "rotation" not in _defences(audit):
        yield Advice(
            "Turn all vectors by a secret rotation",
            "(defence rotation): search works as before. It holds only while the adversary has no pairs of text and "
            "vector, so audit it with knows_defence = true.",
        )


def _at_access(audit: Audit) -> Iterator[Advice]:
    if "GradientAccess" in audit.levels:
        yield Advice(
            "Guard the weights like the training texts.",
            "Whoever holds them can repeat this offline, unlimited and unseen. Serve answers; do not ship the model.",
        )
    if "LabelLikelihoodAccess" in audit.levels:
        rounded = "" if "rounding" in _defences(audit) else "or rounded scores (defence rounding), "
        yield Advice(
            "Show the label alone,",
            f"{rounded}where users need no more. A limit on questions helps only far below {_questions(audit)}.",
        )
    if "LabelAccess" in audit.levels:
        yield Advice("Limit and watch the questions of each client.", f"The attack needed {_questions(audit)}.")
    if "TokenLikelihoodAccess" in audit.levels:
        yield Advice(
            "Withhold the likelihoods", "where users need only the text, and audit at RankedTokensAccess again."
        )
    if "RankedTokensAccess" in audit.levels and "output-limit" not in _defences(audit):
        yield Advice(
            "Offer fewer words at each position",
            "(defence output-limit), and measure it: attacks on people survive short lists better than one expects.",
        )


def _gap(audit: Audit) -> Iterator[Advice]:
    values = {one.metric: one.value for (_, group), one in audit.settings[0].utility().items() if group == "{}"}
    train, test = values.get("train_accuracy"), values.get("test_accuracy")
    if train is not None and test is not None and train - test > WIDE_GAP:
        yield Advice(
            "Stop training earlier, or regularise.",
            f"The model is right on {number_words(train, 'train_accuracy')} of its training texts but on "
            f"{number_words(test, 'test_accuracy')} of new ones: it has learnt texts by heart.",
        )


def _tried(audit: Audit) -> Iterator[Advice]:
    """What the defences of this run did, by the first figure, judged by the finding under each."""
    figure = audit.leads[0] if audit.leads else None
    before = (
        audit.strongest((entry for one in audit.settings if not one.defended for entry in one.entries), figure)
        if figure
        else None
    )
    for setting in (one for one in audit.settings if one.defended):
        after = audit.strongest(setting.entries, figure) if figure else None
        if figure is None or before is None or after is None:
            continue
        first, second = before.compared(figure), after.compared(figure)
        if first is None or second is None:
            continue
        by = figure_words(first.attack, audit.secrets_kind)
        change = f"from {spoken(first.attack).short} to {spoken(second.attack).short} by the figure “{by}”"
        yield Advice(*_judged(setting, change))


def _judged(setting: Setting, change: str) -> tuple[str, str]:
    kinds = {entry.found.kind for entry in setting.entries if entry.asked}
    spec: Any = setting.entries[0].result.spec
    known = spec["adversary"]["knows_defence"]
    static = "" if known else " Audit it again with knows_defence = true: here the adversary did not know of it."
    if "leak" in kinds:
        return f"Do not rely on {setting.label} alone.", f"It took the strongest attack {change}, and it still leaks."
    if kinds == {"none found"}:
        return f"Consider {setting.label}.", f"It took the strongest attack {change}, where none was found.{static}"
    return f"Measure {setting.label} with more secrets.", f"It took the strongest attack {change}; the rest is open."


def _after(audit: Audit) -> Iterator[Advice]:
    if audit.secrets_kind == "canaries" and not audit.spec["secrets"]["file"]:
        yield Advice(
            "Do not read this as a rate of real leaks.",
            "Planted secrets are a worst case: repeated on purpose, in a pattern that the adversary knows. That they "
            "come out shows that the model can remember texts, not how many it does.",
        )
    yield Advice(
        "Audit again after each change", "with the same secrets and seed, so that the figures can be compared."
    )


def _after_none(audit: Audit) -> Iterator[Advice]:
    bound = _still_possible(audit)
    yield Advice(
        "Do not read this as “safe”.",
        f"{bound}Another attack, more questions, other secrets or a stronger access may find what these did not.",
    )
    stronger = [STRONGER[level] for level in audit.levels if level in STRONGER]
    if stronger:
        yield Advice(
            f"Audit at {stronger[0]} next,", "if anybody could get that much: a partner, a log, a stolen device."
        )
    yield Advice(
        "Ask for more",
        "before a release that matters: more secrets narrow the interval, and a second attack sees what the first does "
        "not.",
    )
    yield Advice("Keep the audit file", "and run it again when data, recipe or interface change.")


def _still_possible(audit: Audit) -> str:
    shown = audit.headline()
    if shown is None or shown[1].metric not in ("accuracy", "exact") or audit.secrets_kind == "users":
        return ""
    high = shown[1].attack.high
    return (
        ""
        if not high
        else f"With n = {shown[1].attack.n}, up to {number_words(high, shown[1].metric)} remain possible. "
    )


def _to_decide(audit: Audit) -> Iterator[Advice]:
    open_ = [entry for entry in audit.deciding if entry.found.kind == "inconclusive"]
    if any(check.passed is False for entry in open_ for check in entry.result.handshake):
        yield Advice(
            "Mend the access first.",
            "The handshake failed: the adapter answers wrongly, so that no figure, high or low, means anything.",
        )
        return
    compared = [one for entry in open_ for one in entry.found.comparisons]
    if any(one.attack.n < FEWEST_SECRETS for one in compared) or not compared:
        yield Advice(
            f"Ask about {FEWEST_SECRETS} secrets or more,",
            "better 40 (secrets.count, or run.models where each model holds one): few prove nothing either way.",
        )
    if any(one.control is None for one in compared):
        yield Advice(
            f"Set secrets.controls to {FEWEST_SECRETS} or more.",
            "Without secrets that the model cannot know, success may come from the texts alone.",
        )
    if any(one.suspicious or "wide" in one.doubt for one in compared):
        yield Advice(
            "Ask about more secrets.",
            "Four times as many halve the interval; `divulge check` tells what a number can show.",
        )
    if any(not entry.asked for entry in open_):
        yield Advice(
            "Look at the texts.", "An attack that never asks the model succeeds: the groups differ by themselves."
        )
    yield Advice("Until then, assume neither.", "An open question is no clean bill, and no proof of a leak.")


def _defences(audit: Audit) -> set[str]:
    specs: list[Any] = [entry.result.spec for entry in audit.entries]
    return {one["name"] for spec in specs for one in spec["defences"]}


def _questions(audit: Audit) -> str:
    shown = audit.headline()
    entry: Entry | None = shown[0] if shown else None
    asked = sum(int(str(count)) for count in entry.result.queries.values()) if entry else 0
    n = max((one.attack.n for one in entry.found.comparisons), default=0) if entry else 0
    return f"{max(1, round(asked / n))} questions for each secret" if asked and n else "what the attack asked"
