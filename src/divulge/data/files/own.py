"""A user's file, a folder with one file a split, or a datasets folder, as a corpus or as a stream of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from divulge.data.corpus import Corpus
from divulge.data.files.conll import read_conll
from divulge.data.files.datasets_folder import is_datasets_folder, open_tables, read_table
from divulge.data.files.delimited import read_delimited
from divulge.data.files.fields import FIELDS
from divulge.data.files.jsonl import read_jsonl
from divulge.data.files.problems import Problems
from divulge.errors import InputError
from divulge.parts import did_you_mean, validate
from divulge.records import Record, Text
from divulge.spec import DataSpec

__all__ = [
    "OwnFile",
    "OwnFileOptions",
    "own_files",
    "own_options",
    "own_problems",
    "read_own",
    "stream_file",
    "stream_own",
]

Format = Literal["conll", "csv", "jsonl", "tsv"]
FORMATS: dict[str, Format] = {
    ".bio": "conll",
    ".conll": "conll",
    ".csv": "csv",
    ".iob": "conll",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tsv": "tsv",
}
CONLL_ONLY = frozenset({"comment", "tag_column", "token_column"})


class OwnFileOptions(Record):
    """How to read a user's file; the format follows from the file's name unless given.

    CoNLL columns count from 1; -1 is the last.
    """

    format: Format | None = None
    lower: bool = False
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    token_column: int = 1
    tag_column: int = -1
    comment: Annotated[str, Field(min_length=1)] | None = None


@dataclass(frozen=True)
class OwnFile:
    """One file of the user's data (or one table of a datasets folder), its format, and the split its texts are of.

    A column of the file may name another split for single texts.
    """

    path: Path
    form: Format | Literal["datasets"]
    split: str


def own_problems(spec: DataSpec) -> list[str]:
    """What can be found wrong with the request before any file is opened."""
    path = _path(spec)
    problems = _column_problems(spec.columns)
    try:
        options = own_options(spec)
    except InputError as error:
        return [*problems, *error.problems]
    if is_datasets_folder(path):
        useless = sorted(options.model_fields_set - {"lower"})
        return problems + [f"options.{name} is for files, {path} is a datasets folder" for name in useless]
    files = [path] if path.is_file() else _split_files(path, options)
    if not path.exists():
        problems.append(f"{path}: there is no such file. A path counts from the folder the command is run in")
    elif not files:
        problems.append(
            f"{path}: the folder holds no file named like train.jsonl, of {_known_suffixes()}, and was not written by "
            "save_to_disk of the library datasets"
        )
    for file in files:
        form = _format(file, options)
        if form is None:
            problems.append(f"{file}: unknown kind of file; known are {_known_suffixes()}. Or set options.format")
        else:
            problems += [f"{file}: {problem}" for problem in _option_problems(form, options, spec.columns)]
    return problems


def own_options(spec: DataSpec) -> OwnFileOptions:
    """How the files are to be read, checked."""
    return validate(OwnFileOptions, spec.options, "data.options")


def own_files(spec: DataSpec) -> tuple[OwnFile, ...]:
    """The files that the texts of the spec are read from, in order; every problem with the request in one error."""
    found = own_problems(spec)
    if found:
        raise InputError(found)
    path, options = _path(spec), own_options(spec)
    if is_datasets_folder(path):
        return tuple(OwnFile(table.folder, "datasets", table.split) for table in open_tables(path))
    files = {path: "train"} if path.is_file() else {file: _stem(file) for file in _split_files(path, options)}
    forms = ((file, _format(file, options), split) for file, split in files.items())
    return tuple(OwnFile(file, form, split) for file, form, split in forms if form is not None)


def read_own(spec: DataSpec) -> Corpus:
    """Reads the file, or each file of the folder with its name as the split; all faulty rows in one error."""
    return Corpus(tuple(stream_own(spec)), _path(spec).name)


def stream_own(spec: DataSpec) -> Iterator[Text]:
    """Yields the texts of `read_own` one at a time; all faulty rows in one error at the end."""
    problems = Problems()
    for file in own_files(spec):
        yield from stream_file(file, spec, problems)
    problems.finish()


def stream_file(file: OwnFile, spec: DataSpec, problems: Problems) -> Iterator[Text]:
    """Yields the texts of one file and notes what is wrong with it, also if there are none."""
    noted, count = len(problems.found), 0
    columns = {field: str(column) for field, column in spec.columns.items()}
    for text in _read(file, columns, own_options(spec), problems):
        count += 1
        yield text
    if count == 0 and len(problems.found) == noted:
        empty = file.path.is_file() and file.path.stat().st_size == 0
        found = "is empty" if empty else "holds no texts"
        problems.add(file.path, None, f"{found}. A text in each row is expected: fill it, or name another file")


def _read(file: OwnFile, columns: Mapping[str, str], options: OwnFileOptions, problems: Problems) -> Iterator[Text]:
    path, form, split = file.path, file.form, file.split
    if form == "datasets":
        # The table of a split folder knows its split by the folder around it, so the split is put back.
        (table,) = (replace(table, split=split) for table in open_tables(path))
        return read_table(table, columns, lower=options.lower, problems=problems)
    if form == "jsonl":
        return read_jsonl(path, columns, split, lower=options.lower, problems=problems)
    if form == "conll":
        return read_conll(
            path,
            split,
            token_column=options.token_column,
            tag_column=options.tag_column,
            comment=options.comment,
            lower=options.lower,
            problems=problems,
        )
    delimiter = options.delimiter or ("\t" if form == "tsv" else ",")
    return read_delimited(path, columns, split, delimiter=delimiter, lower=options.lower, problems=problems)


def _path(spec: DataSpec) -> Path:
    return Path(spec.path or "").expanduser()


def _split_files(folder: Path, options: OwnFileOptions) -> list[Path]:
    # Hidden files and those of other kinds (a README, say) are not data.
    if not folder.is_dir():
        return []
    found = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    return [file for file in found if _format(file, options.model_copy(update={"format": None})) is not None]


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _format(path: Path, options: OwnFileOptions) -> Format | None:
    name = path.with_suffix("") if path.suffix == ".gz" else path
    return options.format or FORMATS.get(name.suffix.lower())


def _known_suffixes() -> str:
    return ", ".join(sorted(FORMATS)) + " (each also with .gz)"


def _column_problems(columns: Mapping[str, object]) -> list[str]:
    unknown = [
        f"data.columns: unknown field {name!r}.{did_you_mean(name, FIELDS)}" for name in columns if name not in FIELDS
    ]
    wrong = [
        f'data.columns.{name} must be the name of a column, in quotes; "" leaves a field out, but never text'
        for name, column in columns.items()
        if not isinstance(column, str) or (name == "text" and not column)
    ]
    return unknown + wrong


def _option_problems(form: Format, options: OwnFileOptions, columns: Mapping[str, object]) -> list[str]:
    given = options.model_fields_set
    problems = []
    if form != "conll":
        problems += [f"options.{name} is for CoNLL files, this is {form}" for name in sorted(given & CONLL_ONLY)]
    elif columns:
        problems.append("columns are for JSONL and CSV; for CoNLL set options.token_column and options.tag_column")
    if form not in ("csv", "tsv") and "delimiter" in given:
        problems.append(f"options.delimiter is for CSV files, this is {form}")
    if options.delimiter in ('"', "\n", "\r"):
        problems.append("options.delimiter must not be a quote or the end of a line")
    if 0 in (options.token_column, options.tag_column):
        problems.append("options.token_column and options.tag_column count from 1 (or -1 from the end), not from 0")
    return problems
