"""What may be meant otherwise, or make a figure say less than it seems: warnings of `check`, notes of a result."""

from __future__ import annotations

import difflib

from divulge.auditing.name_fitting import unasked_label
from divulge.auditing.planning import Planned
from divulge.data.cases import Case
from divulge.data.users import users_with_texts
from divulge.records import Gaps
from divulge.targets.base import Target

__all__ = ["cautions", "cut_texts", "longer_than_seen", "shared_hint", "small_shadows", "strange_label"]

MOST_READ = 5000  # texts whose length is looked at
ALIKE = 0.7  # of two labels, from where on one may be a slip for the other


def cautions(one: Planned) -> list[str]:
    """All that can be said about one spec, as sentences without a full stop."""
    case, target = one.resolved.case, one.resolved.target
    words = sorted({word for options in _candidates(case) for word in options})
    told = sorted({word for hint in _hints(case) for word in hint.tokens if word is not None} - set(words))
    general = (
        shared_hint(case),
        strange_label(one),
        longer_than_seen(case),
        unasked_label(target, case),
        cut_texts(target, case),
        small_shadows(one),
    )
    found = [said for said in general if said is not None]
    found += target.cautions(case.corpus, words, "candidate words")
    return found + target.cautions(case.corpus, told, "known words of canaries")


def strange_label(one: Planned) -> str | None:
    """A warning where canaries are planted with a label much like one of the data: a class of their own by mistake."""
    known = one.resolved.corpus.labels
    for family in one.spec.secrets.patterns.values():
        label = family.label
        near = [] if label is None or label in known else difflib.get_close_matches(label, known, n=1, cutoff=ALIKE)
        if near:
            return (
                f"no text of the data has the label {label!r} (secrets.label), so that canaries alone do. "
                f"Is {near[0]!r} meant?"
            )
    return None


def small_shadows(one: Planned) -> str | None:
    """A warning where the adversary's own models learn from less than half as many people as the model under audit."""
    secrets, behind = one.spec.secrets, one.spec.adversary.background
    if (
        secrets.kind != "users"
        or secrets.person is not None
        or secrets.held_out is not None
        or behind.corpus is not None
    ):
        return None
    left = len(users_with_texts(one.resolved.corpus)) - secrets.count - secrets.controls - behind.controls
    if not behind.shadows + behind.references or 2 * (left // 2) >= secrets.count:
        return None
    return (
        f"the adversary's own models learn from {left // 2} people each, the model under audit from {secrets.count}: "
        f"{left} people are left over, and {2 * secrets.count} would be enough. Lower secrets.count or secrets.controls"
    )


def shared_hint(case: Case) -> str | None:
    """A warning where canaries cannot be told apart by what the adversary is told of them."""
    hints = [hint.tokens for hint in _hints(case)]
    alike = len(hints) - len(set(hints))
    if not alike:
        return None
    return (
        f"{len(hints)} canaries share {len(set(hints))} hints: only one of those alike can be the best guess, so "
        "accuracy understates the leak. Add known words to the pattern, such as <name>, or plant one canary per model"
    )


def longer_than_seen(case: Case) -> str | None:
    """A warning where canaries are longer than any other text that the model learns from."""
    lengths = [len(hint.tokens) for hint in _hints(case)]
    seen = max((len(text.tokens) for text in case.corpus if text.split == "train" and not text.planted), default=0)
    if not case.plantings or not lengths or max(lengths) <= seen:
        return None
    return (
        f"canaries of {max(lengths)} words are longer than any text of the data ({seen} words): what a model makes of "
        "such a length it knows from the canaries alone. Shorten the pattern, or take the figure as an upper bound"
    )


def cut_texts(target: Target, case: Case) -> str | None:
    """A warning where the model does not read texts of the data to their end."""
    said = target.overlong([text.tokens for text in case.corpus.texts[:MOST_READ] if text.split == "train"])
    return None if said is None else f"the model {said}, of the training texts: what lies behind is not learnt"


def _candidates(case: Case) -> set[tuple[str, ...]]:
    return {options for hint in _hints(case) for options in hint.candidates}


def _hints(case: Case) -> list[Gaps]:
    return [secret.hint for secret in case.secrets if isinstance(secret.hint, Gaps)]
