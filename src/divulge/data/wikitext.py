"""WikiText-2: sentences of encyclopaedia articles, as text that an adversary owns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.data.private_part import distinct
from divulge.data.raw_words import pieces, words_in
from divulge.data.user_sizes import Some, artificial_users, token_count
from divulge.records import Record, Text

__all__ = ["WikiText", "sentences"]

FILES = {"train": "wiki.valid.tokens.gz", "test": "wiki.test.tokens.gz"}
UNKNOWN = "<unk>"
FEWEST = 3  # words of a sentence
ENDS = frozenset(".!?")
CLOSING = frozenset({'"', "'", ")"})
OPENING = frozenset({"(", "["})  # a quote mark looks the same at both ends, and is taken for the closing one
INNER = re.compile(r" @(.)@ |(?<=\d) (:) (?=\d)")  # 2 @.@ 5, blue @-@ green, 10 : 30
BEFORE = re.compile(r" ([,.;:!?%)\]]|'s\b|n't\b|'(?:t|re|ve|ll|d|m)\b)")  # what follows a word without a blank
AFTER = re.compile(r"([(\[$£€]) ")
QUOTED = re.compile(r'(?<!\S)" (.*?) "(?=[\s,.;:!?)]|$)')


class WikiText(DataSet):
    """2,405 sentences for training and 2,464 for test, all distinct; no keywords.

    Only the two smaller files of the set are read; the larger one of them is test. Headings are dropped. A sentence
    ends with a full stop, question or exclamation mark that is a token of its own, before a capital or digit, and the
    quotes or brackets closed after it. Blanks before punctuation and within numbers ("2 @.@ 5") are undone. Sentences
    of fewer than three words are dropped, and those with an unknown word, two thirds of all (10,850 of 15,853): what
    stands there is not known.

    With `tokens`, the sentences of both files are dealt out to artificial users, in lower case as other sets of users
    are, for an adversary who knows no users: song2019, cross domain. Unknown words then stay: to a model of song2019 a
    rare word is one, too.
    """

    name = "wikitext"
    summary = "Sentences of Wikipedia articles (WikiText-2 of Merity et al. 2016, validation and test files)."
    fields = ()
    splits = ("train", "test")
    source = (
        "GitHub pytorch/examples, commit 77f55b912142e11fcfdf5b530231fb9c52f181e8, "
        "word_language_model/data/wikitext-2: valid.txt as wiki.valid.tokens.gz, test.txt as wiki.test.tokens.gz."
    )
    licence = "None stated beside the files; Wikipedia's text is CC BY-SA."
    files = (
        DataFile(
            path=FILES["train"],
            size=373158,
            sha256="3ac34ae2b6509075d52302c50a04a8a1970739ffe1a904f2cd374fefbea3cbf2",
        ),
        DataFile(
            path=FILES["test"],
            size=410674,
            sha256="a2b26b5d2619cc1f6cd34c8e116a451aed09af51479346aadfbf508ceb8b192e",
        ),
    )

    class Options(Record):
        """With `tokens`, so many `users` (None: as many as there can be) of so many tokens, in texts of `longest`."""

        users: Some | None = None
        tokens: Some | None = None
        longest: Some = 40
        seed: int = 0

    def request_problems(self, root: Path | None = None) -> list[str]:
        """Whether it is said how much each user has."""
        del root
        if self.options.users is not None and self.options.tokens is None:
            return [f"data.options.users is {self.options.users}, but tokens, how many each of them has, is not set"]
        return []

    def load(self, root: Path | None = None) -> Corpus:
        """Reads both files; a sentence that stands in both is of the first."""
        folder = self.require_files(root)
        if self.options.tokens is not None:
            return self._dealt_out(folder, self.options.tokens)
        problems = Problems()
        texts = distinct(
            Text(tuple(sentence.split()), split=split)
            for split, file in FILES.items()
            for _, line in read_lines(folder / file, problems)
            for sentence in sentences(line)
        )
        problems.finish()
        return Corpus(texts, self.name)

    def _dealt_out(self, folder: Path, each: int) -> Corpus:
        problems = Problems()
        texts = [
            Text(cut)
            for file in FILES.values()
            for _, line in read_lines(folder / file, problems)
            for sentence in sentences(line, unknown=True)
            for cut in pieces(_lowered(sentence), self.options.longest, FEWEST)
        ]
        problems.finish()
        options = self.options
        return Corpus(
            artificial_users(self.name, texts, options.users, each, seed=options.seed, size=token_count), self.name
        )


def sentences(paragraph: str, *, unknown: bool = False) -> Iterator[str]:
    """The sentences of a line as they would be written; none of a heading, nor with unknown words unless asked for."""
    tokens = paragraph.split()
    if not tokens or (tokens[0] == "=" and tokens[-1] == "="):
        return
    for sentence in _parted(tokens):
        written = _written(sentence)
        if (unknown or UNKNOWN not in sentence) and len(written.split()) >= FEWEST:
            yield written


def _lowered(sentence: str) -> tuple[str, ...]:
    """The words in lower case; the mark of an unknown word is one."""
    first, *rest = (words_in(part) for part in sentence.split(UNKNOWN))
    return (*first, *(word for part in rest for word in (UNKNOWN, *part)))


def _parted(tokens: list[str]) -> Iterator[list[str]]:
    start = 0
    for place, token in enumerate(tokens, 1):
        after = tokens[place] if place < len(tokens) else ""
        ended = token in ENDS or (token in CLOSING and place - start > 1 and tokens[place - 2] in ENDS)
        if not after or (ended and (after[0].isupper() or after[0].isdigit() or after in OPENING)):
            yield tokens[start:place]
            start = place


def _written(tokens: list[str]) -> str:
    line = INNER.sub(r"\1\2", " ".join(tokens))
    return AFTER.sub(r"\1", BEFORE.sub(r"\1", QUOTED.sub(r'"\1"', line)))
