"""A user's file, or a folder with one file a split, as a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from divulge.data.corpus import Corpus
from divulge.data.files.conll import read_conll
from divulge.data.files.delimited import read_delimited
from divulge.data.files.fields import FIELDS
from divulge.data.files.jsonl import read_jsonl
from divulge.data.files.problems import Problems
from divulge.errors import InputError
from divulge.parts import did_you_mean, validate
from divulge.records import Record, Text
from divulge.spec import DataSpec

__all__ = ["OwnFileOptions", "own_problems", "read_own"]

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


def own_problems(spec: DataSpec) -> list[str]:
    """What can be found wrong with the request before any file is opened."""
    path = _path(spec)
    problems = _column_problems(spec.columns)
    try:
        options = _options(spec)
    except InputError as error:
        return [*problems, *error.problems]
    files = [path] if path.is_file() else _split_files(path, options)
    if not path.exists():
        problems.append(f"{path}: there is no such file. A path counts from the folder the command is run in")
    elif not files:
        problems.append(f"{path}: the folder holds no file named like train.jsonl, of {_known_suffixes()}")
    for file in files:
        form = _format(file, options)
        if form is None:
            problems.append(f"{file}: unknown kind of file; known are {_known_suffixes()}. Or set options.format")
        else:
            problems += [f"{file}: {problem}" for problem in _option_problems(form, options, spec.columns)]
    return problems


def read_own(spec: DataSpec) -> Corpus:
    """Reads the file, or each file of the folder with its name as the split; all faulty rows in one error."""
    found = own_problems(spec)
    if found:
        raise InputError(found)
    path, options = _path(spec), _options(spec)
    columns = {field: str(column) for field, column in spec.columns.items()}
    problems = Problems()
    texts: list[Text] = []
    files = {path: "train"} if path.is_file() else {file: _stem(file) for file in _split_files(path, options)}
    for file, split in files.items():
        noted, before = len(problems.found), len(texts)
        texts.extend(_read(file, columns, split, options, problems))
        if len(texts) == before and len(problems.found) == noted:
            problems.add(file, None, "is empty" if file.stat().st_size == 0 else "holds no texts")
    problems.finish()
    return Corpus(tuple(texts), path.name)


def _read(
    path: Path, columns: Mapping[str, str], split: str, options: OwnFileOptions, problems: Problems
) -> Iterator[Text]:
    form = _format(path, options)
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


def _options(spec: DataSpec) -> OwnFileOptions:
    return validate(OwnFileOptions, spec.options, "data.options")


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
