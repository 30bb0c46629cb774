"""Topics of chosen sizes: how many classes are kept of a data set, how many texts of each, and which are made rare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from divulge.data.base import DataSet
from divulge.errors import InputError
from divulge.pieces import words_of
from divulge.records import Record, Text
from divulge.seeds import generator

__all__ = ["ClassSizes", "ClassifiedTexts"]

SPLITS = ("train", "valid", "test")

Some = Annotated[int, Field(ge=1)]


class ClassSizes(Record):
    """How much is kept, and what; everything is drawn by `seed`, each class apart.

    `classes` are kept, all if it is None; of each, `test_each` texts for the split test, `valid_each` for valid, and at
    most `each` of the others for training, all if it is None. `rare` of the classes keep `rare_each` for training
    instead, and `frequent` others `frequent_each`. Of each text the first `words` words are kept. More `classes`, or
    more of `each`, keep what fewer do.
    """

    classes: Annotated[int, Field(ge=2)] | None = None
    each: Some | None = None
    valid_each: Annotated[int, Field(ge=0)] = 20
    test_each: Annotated[int, Field(ge=0)] | None = 20
    rare: Annotated[int, Field(ge=0)] = 0
    rare_each: Some = 20
    frequent: Annotated[int, Field(ge=0)] = 0
    frequent_each: Some = 100
    words: Some | None = None
    seed: int = 0

    @model_validator(mode="after")
    def _rarer(self) -> ClassSizes:
        if self.rare and self.each is not None and self.rare_each >= self.each:
            raise ValueError(
                f"rare_each is {self.rare_each}, and each {self.each}: a rare class needs fewer texts than the others"
            )
        if self.frequent and (self.each is None or self.frequent_each <= self.each):
            told = "all that there are" if self.each is None else self.each
            raise ValueError(
                f"frequent_each is {self.frequent_each}, and each {told}: a frequent class needs more texts than others"
            )
        return self


class ClassifiedTexts(DataSet):
    """A data set of labelled texts whose classes can be chosen and cut to size.

    `known_labels` are all its labels: so it can be told which classes are rare without reading a text.
    """

    known_labels: ClassVar[tuple[str, ...]]
    fields = ("label",)
    splits = SPLITS

    class Options(ClassSizes):
        """Which classes and how many texts of each."""

    def request_problems(self, root: Path | None = None) -> list[str]:
        """Whether there are so many classes."""
        del root
        options, there = self.options, len(self.known_labels)
        kept = there if options.classes is None else options.classes
        problems = []
        if kept > there:
            problems.append(f"data.options.classes is {kept}: {self.name!r} has {there} classes")
        if options.rare + options.frequent >= min(kept, there):
            told = f"rare is {options.rare}" + f" and frequent {options.frequent}" * bool(options.frequent)
            problems.append(f"data.options.{told}, of {min(kept, there)} classes: some must be left that are neither")
        return problems

    @property
    def kept_classes(self) -> tuple[str, ...]:
        """The classes that are kept, sorted."""
        return tuple(sorted(_drawn(self.known_labels, self.options.classes, self.options.seed, "classes", self.name)))

    @property
    def rare_classes(self) -> tuple[str, ...]:
        """The classes that are made rare, sorted."""
        return tuple(sorted(_drawn(self.kept_classes, self.options.rare, self.options.seed, "rare", self.name)))

    @property
    def frequent_classes(self) -> tuple[str, ...]:
        """The classes that keep more texts than others, sorted."""
        rest = sorted(set(self.kept_classes) - set(self.rare_classes))
        return tuple(sorted(_drawn(rest, self.options.frequent, self.options.seed, "frequent", self.name)))

    def sized(self, texts: Iterable[Text]) -> tuple[Text, ...]:
        """The texts that the options keep, train first, each in one split.

        Texts of the split test are test texts, and none are drawn, if there are any. Of texts that are equal up to case
        and punctuation, as far as they are kept, only one is: a test text, or else the first.

        Raises:
            InputError: There are not so many classes, or a class has too few texts.
        """
        problems = self.request_problems()
        if problems:
            raise InputError(problems)
        kept, options = set(self.kept_classes), self.options
        sizes = dict.fromkeys(self.rare_classes, options.rare_each)
        sizes |= dict.fromkeys(self.frequent_classes, options.frequent_each)
        by_label: dict[str, list[Text]] = {label: [] for label in sorted(kept)}
        for text in _different((text for text in texts if text.label in kept), options.words):
            by_label[str(text.label)].append(text)
        found: list[Text] = []
        for label, own in by_label.items():
            found += self._cut(label, own, sizes.get(label, options.each))
        return tuple(sorted(found, key=lambda text: SPLITS.index(text.split)))

    def _cut(self, label: str, texts: Sequence[Text], each: int | None) -> list[Text]:
        options = self.options
        rng = generator(options.seed, "class sizes", self.name, label)
        mixed = [texts[place] for place in rng.permutation(len(texts))]
        test, rest = ([text for text in mixed if (text.split == "test") is held] for held in (True, False))
        if not test:
            test, rest = rest[: options.test_each or 0], rest[options.test_each or 0 :]
        valid, train = rest[: options.valid_each], rest[options.valid_each :][:each]
        if not train:
            raise InputError(
                f"data.options: class {label!r} of {self.name!r} has {len(texts)} different texts, so that none is "
                f"left to train on beside {len(test)} for test, {len(valid)} for valid: lower test_each or valid_each"
            )
        chosen = {"train": train, "valid": valid, "test": test[: options.test_each]}
        return [replace(text, split=split) for split, own in chosen.items() for text in own]


def _drawn(names: Sequence[str], count: int | None, seed: int, what: str, data: str) -> list[str]:
    """So many names; the first ones of one order, so that more of them are no others."""
    ordered = sorted(names)
    return [ordered[place] for place in generator(seed, what, data).permutation(len(ordered))[:count]]


def _different(texts: Iterable[Text], words: int | None) -> list[Text]:
    """The beginnings of texts, each once; a test text before others."""
    cut = [replace(text, tokens=text.tokens[:words]) for text in texts if text.tokens]
    found: dict[tuple[str, ...], Text] = {}
    for text in sorted(cut, key=lambda text: text.split != "test"):
        found.setdefault(tuple(words_of(text.tokens)) or text.tokens, text)
    return list(found.values())
