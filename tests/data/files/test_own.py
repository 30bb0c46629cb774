"""Users' own files and folders."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from divulge.data.files.own import own_files, own_options, own_problems, read_own, stream_own
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import DataSpec


def problems_of(path: Path, **spec: Any) -> str:
    """The message that reading this file ends with."""
    with pytest.raises(InputError) as caught:
        read_own(DataSpec(path=str(path), **spec))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"text": "Hi you", "tags": "O O"}'),
        ("a.NDJSON", '{"text": "Hi you", "tags": ["O", "O"]}'),
        ("a.csv", "text,tags\nHi you,O O\n"),
        ("a.tsv", "text\ttags\nHi you\tO O\n"),
        ("a.conll", "Hi O\nyou O\n"),
        ("a.jsonl.gz", '{"text": "Hi you", "tags": "O O"}'),
        ("a.csv.gz", "text,tags\nHi you,O O\n"),
    ],
)
def test_the_name_tells_the_format(tmp_path: Path, name: str, content: str) -> None:
    """The same sentence is read from every format, plain or gzipped."""
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    corpus = read_own(DataSpec(path=str(tmp_path / name)))
    assert corpus.texts == (Text(tokens=("Hi", "you"), tags=("O", "O")),)
    assert corpus.name == name
    lower = read_own(DataSpec(path=str(tmp_path / name), options={"lower": True}))
    assert lower.texts[0].tokens == ("hi", "you")


def test_the_format_can_be_given(tmp_path: Path) -> None:
    """A file of any name is read in the format and with the delimiter that is given."""
    (tmp_path / "data.txt").write_text("words;who\na b;x\n")
    spec = DataSpec(
        path=str(tmp_path / "data.txt"),
        columns={"text": "words", "user": "who"},
        options={"format": "csv", "delimiter": ";"},
    )
    assert read_own(spec).texts == (Text(tokens=("a", "b"), user="x"),)


def test_a_folder_has_a_file_a_split(tmp_path: Path) -> None:
    """Each file's name is its texts' split; other files are passed over; a split column wins."""
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    (tmp_path / "dev.csv.gz").write_bytes(gzip.compress(b"text,split\nb,other\n"))
    (tmp_path / "test.conll").write_text("c O\n")
    (tmp_path / "README.md").write_text("not data")
    (tmp_path / ".hidden.jsonl").write_text("not data")
    assert [(t.tokens, t.split) for t in read_own(DataSpec(path=str(tmp_path)))] == [
        (("b",), "other"),
        (("c",), "test"),
        (("a",), "train"),
    ]


def test_faults_of_all_files_come_together(tmp_path: Path) -> None:
    """Two files with a fault each make one error of two problems."""
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n{"text": ""}\n')
    (tmp_path / "b.jsonl").write_text("")
    said = problems_of(tmp_path)
    assert f"{tmp_path / 'a.jsonl'}: line 2: column 'text' holds no tokens" in said
    assert f"{tmp_path / 'b.jsonl'}: is empty. A text in each row is expected: fill it, or name another" in said


def test_a_wholly_wrong_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    """After twenty problems it is enough, and the message says so."""
    (tmp_path / "a.jsonl").write_text("hush\n" * 1000)
    said = problems_of(tmp_path / "a.jsonl")
    assert said.count("is not JSON") == 1
    assert "(19 more like it)" in said
    assert "there may be more" in said
    assert "hush" not in said


@pytest.mark.parametrize(("name", "content"), [("a.csv", "text\n"), ("a.conll", "\n\n"), ("a.jsonl", "\n")])
def test_a_file_without_texts_is_a_problem(tmp_path: Path, name: str, content: str) -> None:
    """A header or blank lines alone are no corpus."""
    (tmp_path / name).write_text(content)
    assert "holds no texts" in problems_of(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "spec", "reason"),
    [
        ("a.pdf", {}, "unknown kind of file"),
        ("a.csv", {"columns": {"txt": "a"}}, "unknown field 'txt'. Did you mean 'text'"),
        ("a.csv", {"columns": {"text": 1}}, "data.columns.text must be the name of a column"),
        ("a.csv", {"columns": {"text": ""}}, "never text"),
        ("a.csv", {"options": {"lowr": True}}, "Did you mean 'lower'?"),
        ("a.csv", {"options": {"format": "xml"}}, "'format'"),
        ("a.csv", {"options": {"tag_column": 2}}, "options.tag_column is for CoNLL"),
        ("a.csv", {"options": {"delimiter": "\n"}}, "must not be a quote"),
        ("a.csv", {"options": {"delimiter": "::"}}, "'delimiter'"),
        ("a.jsonl", {"options": {"delimiter": ";"}}, "options.delimiter is for CSV"),
        ("a.conll", {"columns": {"text": "a"}}, "columns are for JSONL and CSV"),
        ("a.conll", {"options": {"token_column": 0}}, "not from 0"),
    ],
)
def test_requests_that_cannot_work_are_refused(tmp_path: Path, name: str, spec: dict[str, Any], reason: str) -> None:
    """What is wrong with the request is found without opening the file."""
    (tmp_path / name).write_text("x")
    found = own_problems(DataSpec(path=str(tmp_path / name), **spec))
    assert len(found) == 1
    assert reason in found[0]
    assert reason in problems_of(tmp_path / name, **spec)


def test_a_missing_file_is_named_beside_other_problems(tmp_path: Path) -> None:
    """A path that leads nowhere and a wrong column are told together."""
    found = own_problems(DataSpec(path=str(tmp_path / "no.csv"), columns={"tex": "a"}))
    assert len(found) == 2
    assert "there is no such file" in found[1]


def test_a_folder_without_data_is_named(tmp_path: Path) -> None:
    """An empty folder is told what names it should hold."""
    assert "train.jsonl" in problems_of(tmp_path)


def test_texts_are_streamed_one_at_a_time_and_faults_come_last(tmp_path):
    """The first text is there before a fault further down is seen."""
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": 5}\n')
    texts = stream_own(DataSpec(path=str(tmp_path / "a.jsonl")))
    assert next(texts).tokens == ("a",)
    with pytest.raises(InputError, match="line 2"):
        next(texts)


def test_files_are_named_with_format_and_split(tmp_path):
    """In the order they are read."""
    (tmp_path / "train.csv").write_text("text\na\n")
    (tmp_path / "dev.jsonl.gz").write_bytes(b"")
    found = own_files(DataSpec(path=str(tmp_path)))
    assert [(file.path.name, file.form, file.split) for file in found] == [
        ("dev.jsonl.gz", "jsonl", "dev"),
        ("train.csv", "csv", "train"),
    ]
    assert own_options(DataSpec(path="a", options={"lower": True})).lower
