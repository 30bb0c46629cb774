"""From a `DataSpec` to a corpus, and what the command line tells about data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.own import own_problems, read_own
from divulge.data.places import FileFinding, check_file, data_root
from divulge.errors import InputError
from divulge.parts import load
from divulge.records import FrozenMapping, Record
from divulge.seeds import generator
from divulge.spec import DataSpec

__all__ = ["DataEntry", "data_entry", "data_path", "data_problems", "data_root", "load_corpus", "verify"]


class DataEntry(Record):
    """One line of `divulge data list`."""

    name: str
    summary: str
    fields: tuple[str, ...]
    splits: tuple[str, ...]
    options: FrozenMapping
    source: str
    licence: str
    needs_download: bool
    present: bool


def load_corpus(spec: DataSpec, root: Path | None = None) -> Corpus:
    """Loads what the spec asks for: every problem in one error.

    `splits` keeps these splits only. `limit` then keeps at most so many texts, each split in proportion, chosen
    at random but always the same: neither a file sorted by label nor one in alternation is cut lopsidedly.
    """
    found = data_problems(spec, root)
    if found:
        raise InputError(found)
    corpus = read_own(spec) if spec.name is None else _data_set(spec.name)(spec.options).load(root or data_root())
    if spec.splits:
        corpus = _of_splits(corpus, spec.splits)
    return corpus if spec.limit is None else _limited(corpus, spec.limit)


def data_problems(spec: DataSpec, root: Path | None = None) -> list[str]:
    """What is wrong with the request, as far as can be told without reading data; nothing if all is well."""
    if spec.name is None:
        return own_problems(spec)
    problems = []
    if spec.columns:
        problems.append(f"data.columns are for a file of your own; the data set {spec.name!r} has its own columns")
    try:
        found = _data_set(spec.name)
    except InputError as error:
        return [*problems, *error.problems]
    try:
        problems += found(spec.options).request_problems(root)
    except InputError as error:
        problems += error.problems
    missing = found.missing(root)
    if missing:
        problems.append(found.absence(missing, root))
    unknown = [name for name in spec.splits if name not in found.splits]
    if unknown:
        problems.append(_unknown_splits(spec.name, unknown, found.splits))
    return problems


def data_path(name: str) -> Path:
    """The folder a data set's files lie in, whether they are there or not."""
    found = _data_set(name)
    if not found.needs_download():
        raise InputError(f"data set {name!r} is made, not read from files of its own: it has no folder")
    return found.folder()


def verify(name: str) -> list[FileFinding]:
    """Compares each file of a data set with what it must be; nothing for one that is made."""
    found = _data_set(name)
    return [check_file(found.folder(), file) for file in found.files]


def data_entry(name: str) -> DataEntry:
    """Describes one data set for a listing."""
    found = _data_set(name)
    return DataEntry(
        name=name,
        summary=found.summary,
        fields=found.fields,
        splits=found.splits,
        options=found.Options().model_dump(mode="json"),
        source=found.source,
        licence=found.licence,
        needs_download=found.needs_download(),
        present=not found.missing(),
    )


def _data_set(name: str) -> type[DataSet]:
    return load(DATA, name, DataSet, "data set")


def _of_splits(corpus: Corpus, names: Sequence[str]) -> Corpus:
    unknown = [name for name in names if name not in corpus.splits]
    if unknown:
        raise InputError(_unknown_splits(corpus.name, unknown, corpus.splits))
    return corpus.split(*names)


def _unknown_splits(name: str, unknown: Sequence[str], known: Sequence[str]) -> str:
    return f"data.splits: {name} has no split {', '.join(map(repr, unknown))}. Available: {', '.join(sorted(known))}"


def _limited(corpus: Corpus, limit: int) -> Corpus:
    if len(corpus) <= limit:
        return corpus
    kept: list[int] = []
    places = {split: [i for i, text in enumerate(corpus) if text.split == split] for split in corpus.splits}
    for split, quota in _quotas({split: len(found) for split, found in places.items()}, limit).items():
        # A prefix of one permutation: a smaller limit keeps a part of what a larger one keeps.
        order = generator(0, "limit", split).permutation(len(places[split]))
        kept += [places[split][i] for i in order[:quota]]
    return replace(corpus, texts=tuple(corpus.texts[i] for i in sorted(kept)))


def _quotas(sizes: dict[str, int], limit: int) -> dict[str, int]:
    """Shares `limit` in proportion to the sizes: rounded down, the rest to the largest remainders."""
    total = sum(sizes.values())
    quotas = {name: size * limit // total for name, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(sizes[name] * limit % total), name))
    for name in by_remainder[: limit - sum(quotas.values())]:
        quotas[name] += 1
    return quotas
