"""What must be known of the data before anything is planted, gathered in one pass that keeps none of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from divulge.data.corpus import spelt_text
from divulge.data.files.own import OwnFile, own_files, stream_file
from divulge.data.files.problems import Problems
from divulge.data.patterns import Pattern
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import DataSpec

__all__ = ["Survey", "fingerprint_of", "matching", "survey"]

MOST_NAMES = 10_000  # of labels, tags or splits: more of them are no names but texts
MOST_TAKEN = 100_000  # of texts that the pattern describes: with more of them a canary could not be told apart


@dataclass
class Survey:
    """How many records of the split each file has, their labels and tags, and texts that a canary must not be."""

    files: tuple[OwnFile, ...]
    counts: list[int] = field(default_factory=list)
    records: int = 0
    labels: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    taken: set[tuple[str, ...]] = field(default_factory=set)
    labelled: bool = False
    tagged: bool = False

    @property
    def trained(self) -> int:
        """How many records of the split there are."""
        return sum(self.counts)


def survey(data: DataSpec, split: str, pattern: Pattern) -> Survey:
    """Reads the data once; every faulty row in one error, which is also raised if nothing is of the split."""
    found = Survey(own_files(data))
    problems = Problems()
    splits: Counter[str] = Counter()
    for file in found.files:
        before = splits[split]
        for text in stream_file(file, data, problems):
            splits[text.split] += 1
            _few(splits, "split")
            if len(found.taken) <= MOST_TAKEN:
                found.taken.update(matching(pattern, text.tokens))
            if text.split == split:
                _note(found, text)
        found.counts.append(splits[split] - before)
    problems.finish()
    found.records = splits.total()
    if not found.trained:
        raise InputError(f"the data has no records of the split {split!r} (--split). It has {_listed(splits)}")
    if len(found.taken) > MOST_TAKEN:
        raise InputError(
            f"the data holds more than {MOST_TAKEN:,} different texts that fit the pattern, so that canaries could not "
            "be told from them. Choose a pattern with words that the data does not have"
        )
    return found


def matching(pattern: Pattern, tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every stretch of the tokens that the pattern could have made."""
    width = len(pattern.slots)
    for start in range(len(tokens) - width + 1):
        stretch = tokens[start : start + width]
        if all(token in slot.members for token, slot in zip(stretch, pattern.slots, strict=True)):
            yield stretch


def fingerprint_of(texts: Iterable[Text]) -> str:
    """The fingerprint that a corpus of these texts has, without holding them."""
    sha = hashlib.sha256()
    for text in texts:
        sha.update(spelt_text(text))
    return sha.hexdigest()


def _note(found: Survey, text: Text) -> None:
    if text.label is not None:
        found.labelled = True
        found.labels.add(text.label)
        _few(found.labels, "label")
    if text.tags is not None:
        found.tagged = True
        found.tags.update(text.tags)
        _few(found.tags, "tag")


def _few(names: Collection[str], what: str) -> None:
    if len(names) > MOST_NAMES:
        raise InputError(
            f"the data has more than {MOST_NAMES:,} different {what}s, so the column for {what} seems to hold something"
            f' else. Name the right one with --columns {what}=NAME, or leave it out with --columns {what}=""'
        )


def _listed(names: Iterable[str], most: int = 10) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(map(repr, ordered[:most])) + more
