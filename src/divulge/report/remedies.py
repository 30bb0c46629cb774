"""What helps against a leak: by what leaked, and at which access. What was tried already is not advised again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divulge.report.sections import Audit, Entry

__all__ = ["Advice", "against_leak"]


@dataclass(frozen=True)
class Advice:
    """One thing to do, and why."""

    do: str
    why: str


def against_leak(audit: Audit) -> Iterator[Advice]:
    """What helps against a leak of this kind, then what helps at this access."""
    if audit.secrets_kind == "users":
        yield from _against_membership()
    elif audit.secrets_kind == "records":
        yield from _against_record_membership()
    elif audit.secrets_kind == "rows":
        yield from _against_inversion(audit)
    else:
        yield from _against_extraction(audit)
    yield from _at_access(audit)


def _against_extraction(audit: Audit) -> Iterator[Advice]:
    copies = audit.spec["secrets"]["copies"]
    planted = not audit.spec["secrets"]["file"] or audit.has_planted_file
    yield Advice(
        "Take secrets out before training.",
        "Mask numbers, names and keys in the training texts. What was never there cannot be read out.",
    )
    if not planted:
        yield Advice(
            "Where the secrets of the file are real, act on them now.",
            "Change passwords and keys, tell whoever answers for the people named, and replace the model: one that "
            "was trained on a secret cannot be told to forget it. `divulge secrets` finds more of their kind.",
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


def _against_record_membership() -> Iterator[Advice]:
    yield Advice(
        "Look at the records most at risk first.",
        "The list by id is short; take them out or treat them as published. Rare texts, and wrong labels, stand out.",
    )
    yield Advice(
        "Train for fewer rounds, on more texts, with regularisation.",
        "What tells members from others is that the model does better on texts it has seen.",
    )
    yield Advice(
        "Train with differential privacy",
        "where being in the training data is itself sensitive, and state epsilon and delta in target.epsilon, so that "
        "the next audit can hold the claim against what it proves.",
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
            f"{rounded}where users need no more, and audit again: it slows an attack, and often does not stop it. "
            f"A limit on questions helps only far below {_questions(audit)}.",
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


def _defences(audit: Audit) -> set[str]:
    specs: list[Any] = [entry.result.spec for entry in audit.entries]
    return {one["name"] for spec in specs for one in spec["defences"]}


def _questions(audit: Audit) -> str:
    shown = audit.headline()
    entry: Entry | None = shown[0] if shown else None
    asked = sum(int(str(count)) for count in entry.result.queries.values()) if entry else 0
    n = max((one.attack.n for one in entry.found.comparisons), default=0) if entry else 0
    return f"{max(1, round(asked / n))} questions for each secret" if asked and n else "what the attack asked"
