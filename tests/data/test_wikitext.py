"""WikiText: lines as its files have them, and the real files where they are."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.wikitext import FILES, WikiText, sentences
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(WikiText.missing()), reason="its files are not in the data folder")


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (" = = Early life = = ", []),
        ("  ", []),
        (" It weighs 2 @.@ 5 kg ( 1 @,@ 000 lb ) . Blue @-@ green ones do not . ", [
            "It weighs 2.5 kg (1,000 lb).",
            "Blue-green ones do not.",
        ]),
        (" The king 's men didn 't go : at 10 : 30 , 5 % . ", ["The king's men didn't go: at 10:30, 5%."]),
        (' He said " go now ! " and left . She said " it \'s me . " Then he left . ', [
            'He said "go now!" and left.',
            'She said "it\'s me."',
            "Then he left.",
        ]),
        (" It won at Jeopardy ! , which is on . 3 did . ", ["It won at Jeopardy!, which is on."]),
        (" A <unk> word here . This is known . ", ["This is known."]),
        (" Short . Of three words . ", ["Of three words."]),
        (" H. gammarus is large and without end", ["H. gammarus is large and without end"]),
    ],
)  # fmt: skip
def test_sentences_are_written_as_usual(line: str, written: list[str]) -> None:
    """Blanks before punctuation are undone; headings, short sentences and those with unknown words are dropped."""
    assert list(sentences(line)) == written


def test_small_copies_load(tmp_path: Path) -> None:
    """The validation file is for training; a sentence that stands in both files is of the first."""
    (tmp_path / "wikitext").mkdir()
    for split, lines in {"train": " = A = \n One of them . \n", "test": " One of them . Two of them . \n"}.items():
        (tmp_path / "wikitext" / FILES[split]).write_bytes(gzip.compress(lines.encode()))
    corpus = WikiText().load(tmp_path)
    assert [(text.split, text.tokens[0]) for text in corpus] == [("train", "One"), ("test", "Two")]
    assert all(text.keywords == () for text in corpus)


def test_sentences_are_dealt_out_to_artificial_users(tmp_path: Path) -> None:
    """In lower case, with unknown words as they are, of both files, and only with a size of users."""
    (tmp_path / "wikitext").mkdir()
    for split, lines in {
        "train": " One of them has met us now , too . \n",
        "test": " He met J. <unk> 's Men . \n",
    }.items():
        (tmp_path / "wikitext" / FILES[split]).write_bytes(gzip.compress(lines.encode()))
    corpus = WikiText({"tokens": 9, "longest": 9}).load(tmp_path)
    found = {text.tokens: (text.user, text.split) for text in corpus}
    assert found.keys() == {
        ("one", "of", "them", "has", "met", "us", "now", ",", "too"),  # the full stop is a piece too short
        ("he", "met", "j", ".", "<unk>", "'", "s", "men", "."),
    }
    assert set(found.values()) == {("user-0", "train"), ("user-1", "train")}
    assert WikiText({"users": 3}).request_problems() == [
        "data.options.users is 3, but tokens, how many each of them has, is not set"
    ]
    with pytest.raises(InputError, match="4 artificial users"):
        WikiText({"users": 4, "tokens": 9}).load(tmp_path)


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="2 of 2 files.*pytorch/examples"):
        WikiText().load(tmp_path)


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """Sentences by file; no mark of the format is left."""
    corpus = WikiText().load()
    assert Counter(text.split for text in corpus) == {"train": 2405, "test": 2464}
    assert not any(token in {"@-@", "@,@", "@.@", "<unk>", ","} for text in corpus for token in text.tokens)


@needs_files
def test_the_real_files_are_enough_for_so_many_artificial_users() -> None:
    """440 of close to 1,000 tokens."""
    corpus = WikiText({"tokens": 1000}).load()
    sizes: Counter[str | None] = Counter()
    for text in corpus:
        sizes[text.user] += len(text.tokens)
    assert len(sizes) == 440
    assert 950 < min(sizes.values()) <= max(sizes.values()) <= 1000


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """Both sums match."""
    assert [finding.as_expected for finding in verify("wikitext")] == [True, True]
