"""Whether a finished model, or the adversary's own, knows the labels and tags that canaries are asked about with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.label_access import unknown_label
from divulge.records import Gaps
from divulge.targets.base import Target

__all__ = ["unasked_label", "unknown_name_problems", "unpractised_names"]

SHOWN = 5  # strange names that are told; a wrong file has as many as it has canaries


def unknown_name_problems(target: Target, case: Case) -> list[str]:
    """Labels and tags of canaries that a finished model has none of: it has no loss, and no probability, for them."""
    if target.learns:
        return []
    hints = list(_hints(case))
    labels = dict.fromkeys(hint.label for hint in hints if hint.label is not None)
    tags = dict.fromkeys(tag for hint in hints for tag in hint.tags or ())
    who, known = f"target {target.name!r}", target.known_labels
    strange = [label for label in labels if known and label not in known]
    problems = [f"{who}: {unknown_label(label, known)}" for label in strange[:SHOWN]]
    if len(strange) > SHOWN:
        problems.append(f"{who}: {len(strange) - SHOWN} more labels of canaries are unknown to the model")
    return problems + _tag_problems(who, target.known_tags, tuple(tags))


def unpractised_names(who: Target, case: Case, learnt: Corpus) -> list[str]:
    """Labels and tags of canaries that no text has which the adversary's own models learn: they cannot be compared."""
    training, hints = learnt.split("train"), list(_hints(case))
    known_tags = {tag for text in training for tag in text.tags or ()} if who.is_tagger else set()
    labels = {hint.label for hint in hints if hint.label is not None} if who.labels_texts else set()
    tags = {tag for hint in hints for tag in hint.tags or ()} if who.is_tagger else set()
    strange = [*sorted(labels - set(training.labels)), *sorted(tags - known_tags)]
    if not strange:
        return []
    named = ", ".join(map(repr, strange[:SHOWN])) + ", …" * (len(strange) > SHOWN)
    said = f"no text that the adversary's own models learn has what canaries are asked about with: {named}"
    todo = "Give adversary.background.corpus texts that have it, or set adversary.background.shadows"
    return [f"adversary.background: {said}. {todo}, which learn canaries of their own"]


def unasked_label(target: Target, case: Case) -> str | None:
    """A warning where canaries have a label, and the model gives none to texts."""
    labelled = any(hint.label is not None for hint in _hints(case))
    if target.labels_texts or not target.is_tagger or not labelled:
        return None
    return f"canaries have a label, and target {target.name!r} gives tags to words alone: the label is not used"


def _tag_problems(who: str, known: Sequence[str], tags: Sequence[str]) -> list[str]:
    strange = [tag for tag in tags if known and tag not in known]
    if not strange:
        return []
    named = ", ".join(map(repr, strange[:SHOWN])) + ", …" * (len(strange) > SHOWN)
    said = f"{who}: the model knows {len(known)} tags, and {len(strange)} of those of canaries are none: {named}"
    return [f"{said}. Secrets must have the tags that the model was trained with"]


def _hints(case: Case) -> Iterator[Gaps]:
    return (secret.hint for secret in (*case.secrets, *case.controls) if isinstance(secret.hint, Gaps))
