"""NLU-Evaluation-Data: requests to a home assistant with an intent and annotated entities."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import BadRow, Problems
from divulge.data.places import DataFile
from divulge.records import Text

__all__ = ["NluEvaluation"]

ROWS, FOLDS = "NLU-Data-Home-Domain-Annotated-CrossValidation.csv", "test_fold.txt"
COLUMNS = ("scenario", "intent", "answer_annotation")
MARK = re.compile(r"\[\s*([^\s\[\]:]+)\s*:\s*([^\[\]]*)\]")  # [type : value]
SENTENCE_MARKS = ".,;:?!"
SPLITS = {str(fold): "train" for fold in range(1, 9)} | {"9": "valid", "10": "test"}


class NluEvaluation(DataSet):
    """11,036 requests, 64 intents, 54 entity types: the set on which its authors cross-validate.

    The label is scenario_intent, as in alarm_query. Tokens are lower-case and split at white space; full stops, commas
    and the like at a word's end are taken off, and a word ends where an annotated entity ends. Entities
    "[type : value]" become B- and I- tags. The published folds give the splits: the rows that fold 10 tests on are
    test, those of fold 9 valid, the rest train.
    """

    name = "nlu-evaluation"
    summary = "Requests to a home assistant with intents and entities (Liu et al. 2019), their cross-validation set."
    fields = ("label", "tags")
    splits = ("train", "valid", "test")
    source = (
        "GitHub xliuhw/NLU-Evaluation-Data, commit f6071b496b17d71e6eb43f543af0707f4ff30557, folder "
        "CrossValidation/autoGeneFromRealAnno/autoGene_2018_03_22-13_01_25_169/CrossValidation: the ten folds' "
        "testset/csv files joined, repeated headers dropped, sorted by scenario, intent and answerid; the fold of each "
        "row in a second file."
    )
    licence = "CC BY 4.0, Liu, Eshghi, Swietojanski and Rieser; here joined and sorted."
    files = (
        DataFile(
            path=ROWS,
            size=1566840,
            sha256="ab5c814f4bec48a25932a4c1fbb5004c128269b6492c1c08db0ed4673a1d732e",
        ),
        DataFile(
            path=FOLDS,
            size=23424,
            sha256="8ae40d0e131160ca69961612b1c601d587bae42863644ada42beaebe13bec309",
        ),
    )

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the requests, train first, in the order of the file within a split."""
        folder = self.require_files(root)
        problems = Problems()
        splits = list(_splits(folder / FOLDS, problems))
        texts = list(_texts(folder / ROWS, splits, problems))
        problems.finish()
        return Corpus(tuple(sorted(texts, key=lambda text: self.splits.index(text.split))), self.name)


def _splits(path: Path, problems: Problems) -> Iterator[str]:
    """The split of each row, by its fold."""
    for number, line in read_lines(path, problems):
        fold = line.strip()
        if fold not in SPLITS:
            problems.add(path, number, "is not the number of a fold, 1 to 10")
        yield SPLITS.get(fold, "train")


def _texts(path: Path, splits: list[str], problems: Problems) -> Iterator[Text]:
    rows = csv.reader((f"{line}\n" for _, line in read_lines(path, problems)), delimiter=";", strict=True)
    count = 0
    try:
        header = next(rows, [])
        lacking = [column for column in COLUMNS if column not in header]
        if lacking:
            problems.add(path, 1, f"the header has no column {', '.join(lacking)}")
            return
        places = [header.index(column) for column in COLUMNS]
        for count, row in enumerate(rows, 1):
            if count > len(splits):
                break
            if len(row) != len(header):
                problems.add(path, rows.line_num, f"has {len(row)} fields, but the header has {len(header)}")
                continue
            try:
                yield _text(*(row[place] for place in places), split=splits[count - 1])
            except BadRow as error:
                problems.add(path, rows.line_num, str(error))
    except csv.Error:
        problems.add(path, rows.line_num, "is not CSV: a quote is not closed, or stands in the wrong place")
        return
    if count != len(splits):
        more = "more" if count > len(splits) else f"{count}"
        problems.add(path, None, f"has {more} rows, but {FOLDS} has {len(splits)} lines: each row needs its fold")


def _text(scenario: str, intent: str, annotated: str, *, split: str) -> Text:
    if not scenario.strip() or not intent.strip():
        raise BadRow("has no scenario or no intent")
    words = [(word, tag) for word, tag in _tagged(annotated) if word]
    if not words:
        raise BadRow("has no words")
    label = f"{scenario.strip()}_{intent.strip()}"
    return Text(tokens=tuple(word for word, _ in words), tags=tuple(tag for _, tag in words), label=label, split=split)


def _tagged(annotated: str) -> Iterator[tuple[str, str]]:
    """Words and their tags; a word of sentence marks alone comes out empty."""
    parts = MARK.split(annotated)  # text, type, value, text, type, value, ..., text
    for plain, kind, value in zip(parts[::3], [*parts[1::3], ""], [*parts[2::3], ""], strict=True):
        if "[" in plain or "]" in plain:
            raise BadRow("has an annotation that is not of the form [type : value]")
        yield from ((word, "O") for word in _words(plain))
        named = [word for word in _words(value) if word]
        if kind and not named:
            raise BadRow("has an annotation without words")
        yield from ((word, f"{'I' if place else 'B'}-{kind}") for place, word in enumerate(named))


def _words(plain: str) -> Iterator[str]:
    return (word.rstrip(SENTENCE_MARKS) for word in plain.lower().split())
