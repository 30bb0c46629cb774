"""Several sets of texts read as one: what an adversary owns is seldom of a single source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.loading import data_problems, load_corpus
from divulge.errors import InputError
from divulge.parts import load
from divulge.records import Record
from divulge.spec import DataSpec

__all__ = ["Several"]


class Several(DataSet):
    """Reads its parts one after another; all their texts are of the split "train".

    A part is described like any data: by name or path, with options, splits and a limit of its own.
    """

    name = "several"
    summary = "Several data sets or files, one after another: options.parts, each described like data itself."
    fields = ()
    splits = ("train",)
    source = "Its parts."
    licence = "Those of its parts."

    class Options(Record):
        """The parts, in order."""

        parts: tuple[DataSpec, ...] = ()

    def request_problems(self, root: Path | None = None) -> list[str]:
        """What is wrong with each part, with its place in the list."""
        if not self.options.parts:
            return ["data.options.parts: is empty; give at least one, such as [{name = 'cms', splits = ['train']}]"]
        return [
            f"data.options.parts[{place}]: {problem}"
            for place, part in enumerate(self.options.parts)
            for problem in _problems(part, root)
        ]

    def load(self, root: Path | None = None) -> Corpus:
        """Reads every part."""
        problems = self.request_problems(root)
        if problems:
            raise InputError(problems)
        corpora = [_read(place, part, root) for place, part in enumerate(self.options.parts)]
        texts = tuple(replace(text, split="train") for corpus in corpora for text in corpus)
        return Corpus(texts, " + ".join(corpus.name for corpus in corpora))


def _problems(part: DataSpec, root: Path | None) -> list[str]:
    if part.name is not None:
        try:
            nested = issubclass(load(DATA, part.name, DataSet, "data set"), Several)
        except InputError as error:
            return list(error.problems)
        if nested:
            return [f"is {part.name!r} itself; name its parts here instead"]
    return data_problems(part, root)


def _read(place: int, part: DataSpec, root: Path | None) -> Corpus:
    try:
        return load_corpus(part, root)
    except InputError as error:  # found only in reading: a faulty row, a split that a file has not
        raise InputError([f"data.options.parts[{place}]: {problem}" for problem in error.problems]) from None
