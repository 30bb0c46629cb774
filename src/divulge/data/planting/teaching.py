"""What canaries are taught to be: a label, and tags of the scheme that the data is tagged in."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from divulge.data.planting.survey import Survey
from divulge.parts import did_you_mean
from divulge.records import Gaps, Secret

__all__ = ["in_scheme", "retagged", "teaching_problems"]

OUTSIDE = "O"
MOST_LISTED = 10


def teaching_problems(found: Survey, label: str | None, tag: str | None) -> list[str]:
    """What is wrong with the label and tag that canaries are to be given in this data."""
    problems = []
    if found.labelled and label is None:
        problems.append(f"the data has labels: say which one the canaries get with --label.{_some(found.labels)}")
    elif found.labelled and label not in found.labels:
        problems.append(f"--label {label}: the data has no such label.{_near(str(label), found.labels)}")
    elif not found.labelled and label is not None:
        problems.append("--label: the data has no labels. Leave it out, or name their column with --columns label=NAME")
    entities = {tag.partition("-")[2] or tag for tag in found.tags}
    if found.tagged and tag is None:
        problems.append(f"the data has tags: say what the holes are tagged as with --tag, or --tag O.{_some(entities)}")
    elif found.tagged and tag != OUTSIDE and not {f"B-{tag}", f"I-{tag}", f"S-{tag}", f"{tag}"} & found.tags:
        problems.append(f"--tag {tag}: the data has no such entity.{_near(str(tag), entities)}")
    elif not found.tagged and tag is not None:
        problems.append("--tag: the data has no tags. Leave it out, or name their column with --columns tags=NAME")
    return problems


def retagged(secrets: Sequence[Secret], entity: str, known: Collection[str]) -> tuple[Secret, ...]:
    """The canaries with the tags of their holes spelt as the data spells that entity."""
    return tuple(_retagged(secret, entity, known) for secret in secrets)


def in_scheme(tags: Sequence[str], entity: str, known: Collection[str]) -> tuple[str, ...]:
    """Tags in B- and I-, put into the scheme that the known ones are in: BIO, BIOES, I- alone, or the bare entity.

    >>> in_scheme(("O", "B-PER", "I-PER"), "PER", {"O", "I-PER"})
    ('O', 'I-PER', 'I-PER')
    """
    begin, inside, end, single = (f"{mark}-{entity}" for mark in "BIES")
    spelt = list(tags)
    for place, tag in enumerate(tags):
        if tag not in (begin, inside):
            continue
        first, last = tag == begin, place + 1 == len(tags) or tags[place + 1] != inside
        wanted = [entity] if not {begin, inside, end, single} & set(known) else []
        if first and last:
            wanted += [single]
        elif last:
            wanted += [end]
        wanted += [begin if first else inside, inside, begin, single]
        spelt[place] = next((one for one in wanted if one in known), tag)
    return tuple(spelt)


def _retagged(secret: Secret, entity: str, known: Collection[str]) -> Secret:
    hint = secret.hint
    if not isinstance(hint, Gaps) or hint.tags is None:
        return secret
    return secret.model_copy(update={"hint": hint.model_copy(update={"tags": in_scheme(hint.tags, entity, known)})})


def _near(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6)
    return did_you_mean(name, near) if near else _some(known)


def _some(known: Collection[str]) -> str:
    shown = sorted(known)[:MOST_LISTED]
    more = f" and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    return f" It has {', '.join(map(repr, shown))}{more}"
