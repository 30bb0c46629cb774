"""NLU-Evaluation-Data: small files of its format, and the real ones where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from divulge.data.corpus import Corpus
from divulge.data.loading import verify
from divulge.data.nlu_evaluation import FOLDS, ROWS, NluEvaluation
from divulge.errors import InputError

HEADER = "answerid;scenario;intent;answer_annotation;answer_from_anno;answer_from_user"
needs_files = pytest.mark.skipif(bool(NluEvaluation.missing()), reason="its files are not in the data folder")


def load(root: Path, rows: Sequence[str], folds: Sequence[str], header: str = HEADER) -> Corpus:
    """Writes the two files and reads them."""
    folder = root / "nlu-evaluation"
    folder.mkdir()
    (folder / ROWS).write_text("".join(f"{row}\n" for row in (header, *rows)), encoding="utf-8")
    (folder / FOLDS).write_text("".join(f"{fold}\n" for fold in folds), encoding="utf-8")
    return NluEvaluation().load(root)


def row(annotated: str, scenario: str = "alarm", intent: str = "set") -> str:
    """A row with this annotation; the columns that are not read hold something else."""
    return f'null;{scenario};{intent};"{annotated}";"not read";"nor this; one"'


def problems(root: Path, rows: Sequence[str], folds: Sequence[str], header: str = HEADER) -> list[str]:
    """What is wrong with the files, without the folder."""
    with pytest.raises(InputError) as caught:
        load(root, rows, folds, header)
    return [problem.removeprefix(f"{root / 'nlu-evaluation'}/") for problem in caught.value.problems]


def test_marks_become_tags(tmp_path: Path) -> None:
    """Entities begin with B- and go on with I-; two side by side begin anew; words outside have O."""
    (text,) = load(tmp_path, [row("wake me [time : five thirty am] [time : sharp] [date : today]")], ["3"])
    assert text.tokens == ("wake", "me", "five", "thirty", "am", "sharp", "today")
    assert text.tags == ("O", "O", "B-time", "I-time", "I-time", "B-time", "B-date")
    assert (text.label, text.split) == ("alarm_set", "train")


def test_words_are_lower_case_without_final_marks(tmp_path: Path) -> None:
    """A comma behind an entity is no word, nor is a lone full stop; what stands within or before a word is kept."""
    (text,) = load(tmp_path, [row("Email [person : Robert], what's 5.30 @home . Please?!")], ["1"])
    assert text.tokens == ("email", "robert", "what's", "5.30", "@home", "please")
    assert text.tags == ("O", "B-person", "O", "O", "O", "O")


def test_folds_give_the_splits(tmp_path: Path) -> None:
    """Fold 10 is test, fold 9 valid, all others train; train comes first, rows keep their order."""
    rows = [row(f"word {number}") for number in range(12)]
    corpus = load(tmp_path, rows, [*map(str, range(10, 0, -1)), "9", "2"])
    assert [(text.split, text.tokens[1]) for text in corpus] == [
        *(("train", str(number)) for number in (2, 3, 4, 5, 6, 7, 8, 9, 11)),
        ("valid", "1"),
        ("valid", "10"),
        ("test", "0"),
    ]
    assert corpus.name == "nlu-evaluation"


def test_every_faulty_row_is_named(tmp_path: Path) -> None:
    """Broken marks, empty texts, missing fields and labels are reported together, without any text."""
    rows = [
        row("wake [time secret]"),
        row("wake [time : five"),
        row("wake [time : .] up"),
        row(" ?"),
        "1;alarm;set",
        row("wake", scenario=" "),
        row("fine"),
    ]
    found = problems(tmp_path, rows, ["1", "x", *"34567"])
    assert found == [
        f"{FOLDS}: line 2: is not the number of a fold, 1 to 10",
        f"{ROWS}: line 2: has an annotation that is not of the form [type : value]",
        f"{ROWS}: line 3: has an annotation that is not of the form [type : value]",
        f"{ROWS}: line 4: has an annotation without words",
        f"{ROWS}: line 5: has no words",
        f"{ROWS}: line 6: has 3 fields, but the header has 6",
        f"{ROWS}: line 7: has no scenario or no intent",
    ]


@pytest.mark.parametrize(
    ("rows", "folds", "header", "reason"),
    [
        ([row("a")], ["1", "2"], HEADER, "has 1 rows, but test_fold.txt has 2 lines: each row needs its fold"),
        ([row("a"), row("b")], ["1"], HEADER, "has more rows, but test_fold.txt has 1 lines: each row needs its fold"),
        ([row("a")], ["1"], "a;intent;b", "line 1: the header has no column scenario, answer_annotation"),
        (['1;a;b;"c"d"'], ["1"], HEADER, "line 2: is not CSV: a quote is not closed, or stands in the wrong place"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    rows: list[str], folds: list[str], header: str, reason: str, tmp_path: Path
) -> None:
    """Rows without a fold, folds without a row, other columns, broken quotes."""
    assert problems(tmp_path, rows, folds, header) == [f"{ROWS}: {reason}"]


def test_absent_files_are_explained(tmp_path: Path) -> None:
    """Without the files one is told where they come from."""
    with pytest.raises(InputError, match="2 of 2 files.*xliuhw/NLU-Evaluation-Data"):
        NluEvaluation().load(tmp_path)


@needs_files
def test_the_real_files_have_the_published_counts() -> None:
    """Requests, folds, intents, entity types, spans, words and vocabulary are those of the data's description."""
    corpus = NluEvaluation().load()
    # 1,076 rows in folds 1 to 9, of which 9 is valid: 8 x 1,076 = 8,608 for training
    assert Counter(text.split for text in corpus) == {"train": 8608, "valid": 1076, "test": 1352}
    assert len(corpus.labels) == 64
    assert Counter((text.label or "").partition("_")[0] for text in corpus)["general"] == 1868
    tags = Counter(tag for text in corpus for tag in text.tags or ())
    assert len({tag[2:] for tag in tags if tag != "O"}) == 54
    assert sum(times for tag, times in tags.items() if tag.startswith("B-")) == 9133
    assert sum(any(tag != "O" for tag in text.tags or ()) for text in corpus) == 6381
    assert sum(len(text.tokens) for text in corpus) == 72494
    assert len({token for text in corpus for token in text.tokens}) == 4708


@needs_files
def test_the_known_flaws_are_there() -> None:
    """Two entity types have one example each; no capital is left; every intent is in the train split."""
    corpus = NluEvaluation().load()
    begins = Counter(tag[2:] for text in corpus for tag in text.tags or () if tag.startswith("B-"))
    assert (begins["music_album"], begins["game_type"]) == (1, 1)
    assert all(token == token.lower() for text in corpus for token in text.tokens)
    assert corpus.split("train").labels == corpus.labels
    assert Counter(text.label for text in corpus)["iot_hue_lighton"] == 38


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """Both sums match."""
    findings = verify("nlu-evaluation")
    assert len(findings) == 2
    assert all(finding.as_expected for finding in findings)
