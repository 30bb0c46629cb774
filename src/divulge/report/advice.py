"""What to do about a finding: specific to what leaked, at which access, and to what was tried already.

Nothing here is a promise. Only training with differential privacy bounds what any attack may find; everything else
is measured again, best against an adversary who knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from divulge.report.findings import FEWEST_SECRETS, TraceComparison
from divulge.report.remedies import Advice, against_leak
from divulge.report.sections import Audit, Setting
from divulge.report.wording import figure_words, number_words, spoken

__all__ = ["Advice", "advice", "of_refuted_claims"]

MOVES = "the answer moves with the secret"  # the check that fails where a model drops the words of a secret

OF_PERSON = Advice(
    "Read evidence.html:",
    "it says what is missing. Mostly more people known to be out, or such as are more like the person: of the same "
    "source and years, with as many words.",
)
WIDE_GAP = 0.1  # between right answers on training texts and on new ones
STRONGER = {
    "LabelAccess": "LabelLikelihoodAccess",
    "TopLabelAccess": "LabelLikelihoodAccess",
    "LabelLikelihoodAccess": "GradientAccess",
    "RankedTokensAccess": "TokenLikelihoodAccess",
}


def advice(audit: Audit) -> list[Advice]:
    """What to do, what matters most first."""
    return [*of_refuted_claims(audit), *_by_figures(audit)]


def of_refuted_claims(audit: Audit) -> Iterator[Advice]:
    """What to do about a privacy claim that is refuted; nothing where none is."""
    if audit.refuted:
        yield Advice(
            "Withdraw the privacy claim until it is understood.",
            "More leaks than the accountant allows: check that noise and clipping act on each record, that batches are "
            "drawn as the accountant assumes, that every use of the data is counted, and that the claim is about this "
            "model. Then audit again with a fresh seed.",
        )


def _by_figures(audit: Audit) -> list[Advice]:
    if audit.by_figures == "leak":
        return [*_of_deletion(audit), *_tried(audit), *against_leak(audit), *_gap(audit), *_after(audit)]
    if audit.by_figures == "inconclusive":
        sound = not any(entry.void for entry in audit.entries)
        return [OF_PERSON] if audit.of_person and sound else list(_to_decide(audit))
    if audit.by_figures == "none found":
        return list(_after_none(audit))
    return [
        Advice("Name an attack", "under [[attacks]] in the audit file; `divulge list attacks` says which there are.")
    ]


def _of_deletion(audit: Audit) -> Iterator[Advice]:
    if audit.deleted:
        yield Advice(
            "Train anew without the deleted texts,",
            "from weights that never saw them. Look for copies first: in other splits, in caches of prepared data, in "
            "the texts of an earlier training. Then audit again with the same secrets file.",
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
    if shown is not None and isinstance(shown[1], TraceComparison) and shown[1].attack.high is not None:
        return (
            f"With n = {shown[1].attack.n}, a trace of up to {number_words(shown[1].attack.high, 'trace')} remains "
            "possible. "
        )
    if shown is None or shown[1].metric not in ("accuracy", "exact") or audit.secrets_kind in ("users", "records"):
        return ""
    high = shown[1].attack.high
    return (
        ""
        if not high
        else f"With n = {shown[1].attack.n}, up to {number_words(high, shown[1].metric)} remain possible. "
    )


def _to_decide(audit: Audit) -> Iterator[Advice]:
    open_ = [entry for entry in audit.deciding if entry.found.without_claims == "inconclusive"]
    if any(check.passed is False for entry in open_ for check in entry.result.handshake):
        names = {check.name for entry in open_ for check in entry.result.handshake if check.passed is False}
        if names == {MOVES}:
            yield Advice(
                "Choose other words for the secrets.",
                "The model does not read these: some drop single digits or letters, and rare words. A pattern of words "
                "that it knows, such as {word*2}, can be asked about.",
            )
            return
        yield Advice(
            "Mend the access first.",
            "The handshake failed: the adapter answers wrongly, so that no figure, high or low, means anything.",
        )
        return
    every = [one for entry in open_ for one in entry.found.comparisons]
    traces = [one for one in every if isinstance(one, TraceComparison)]
    if any(one.pushed_away for one in traces):
        yield from _of_deletion(audit)
    if any(one.p_value is None for one in traces):
        yield Advice(
            "Plant and hold out more canaries,",
            "20 each or more, before the next training: `divulge check` tells what trace a number can show.",
        )
    compared = [one for one in every if not isinstance(one, TraceComparison)]
    if any(one.explained for one in compared):
        yield Advice(
            "Draw members and non-members from the same texts.",
            "Here their texts differ by themselves, by year, topic or length, so that no attack on the model can be "
            "told from reading them. Let Divulge draw both (without secrets.held_out, for a model that it trains), or "
            "hold texts out by chance before training.",
        )
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
