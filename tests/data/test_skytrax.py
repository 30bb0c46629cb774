"""Skytrax: small copies of its files, and the real ones where they are."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from divulge.data.loading import verify
from divulge.data.skytrax import BRITISH, FIVE, SAMPLE, Skytrax, first_sentence, is_english
from divulge.errors import InputError

needs_files = pytest.mark.skipif(bool(Skytrax.missing()), reason="its files are not in the data folder")


def pack(path: Path, lines: Sequence[str]) -> None:
    """Writes a gzipped file of lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def small_copy(root: Path, five: Sequence[str]) -> None:
    """Two reviews in each table and these lines between them, with a list of three cities."""
    pack(root / "skytrax" / SAMPLE, ["a,content", 'x,"We flew to Rome, at last. The end."', "x,The crew was rude"])
    pack(root / "skytrax" / FIVE, five)
    reviews = [
        "✅ Trip Verified | Oslo to Rome in March. The rest was good.",
        "Not Verified |  We flew to Rome at last.",
    ]
    pack(root / "skytrax" / BRITISH, ["Title,Review", *(f'"t","{review}"' for review in reviews)])
    cities = ["name,country", "Rome,Italy", "Oslo,Norway", "March,United Kingdom"]
    pack(root / "world-cities" / "world-cities.csv.gz", cities)


def test_small_copies_load(tmp_path: Path) -> None:
    """First sentences of the three files, without headings, with cities; what is foreign or empty is dropped."""
    reviews = [
        "It was late! Never to Oslo.",
        "Il volo è stato cancellato senza avviso.",
        "...",
        "It was late! We left.",
    ]
    small_copy(tmp_path, [json.dumps({"content": review}) for review in reviews])
    corpus = Skytrax({"private": 0.25}).load(tmp_path)
    assert {" ".join(text.tokens): text.keywords for text in corpus} == {
        "We flew to Rome, at last.": ("Rome",),
        "The crew was rude": (),
        "It was late!": (),
        "Oslo to Rome in March.": ("Oslo", "Rome"),
        "We flew to Rome at last.": ("Rome",),
    }
    sides = {" ".join(text.tokens): text.split for text in corpus}
    assert sides["We flew to Rome, at last."] == sides["We flew to Rome at last."]
    assert corpus.name == "skytrax"


def test_faulty_lines_are_located(tmp_path: Path) -> None:
    """Lines that are no object with a text are all named."""
    small_copy(tmp_path, ['{"content": "Fine."}', "{", '{"text": "x"}', "[]", '{"content": 1}'])
    with pytest.raises(InputError) as caught:
        Skytrax().load(tmp_path)
    place = tmp_path / "skytrax" / FIVE
    said = 'is not a JSON object with a text "content"'
    assert caught.value.problems == tuple(f"{place}: line {number}: {said}" for number in (2, 3, 4, 5))


def test_the_list_of_cities_is_needed_too(tmp_path: Path) -> None:
    """It is named with its own folder."""
    small_copy(tmp_path, [])
    (tmp_path / "world-cities" / "world-cities.csv.gz").unlink()
    with pytest.raises(
        InputError, match=r"1 of 4 files.*\.\./world-cities/world-cities\.csv\.gz.*datasets/world-cities"
    ):
        Skytrax().load(tmp_path)


@pytest.mark.parametrize(
    ("review", "first"),
    [
        ("Flew to Rome. It was late.", "Flew to Rome."),
        ("Flew to St. Louis on Dec. 3. Late.", "Flew to St. Louis on Dec. 3."),
        ("From the U.S. Virgin Islands? Never!", "From the U.S. Virgin Islands?"),
        ('He said "no." Then we left.', 'He said "no."'),
        ("At 10.30am e.g. by taxi. 3 hours late", "At 10.30am e.g. by taxi."),
        ("Late!!! (Again.)", "Late!!!"),
        ("no end", "no end"),
        ("One line.\n\nNext.", "One line."),
        ("", ""),
    ],
)
def test_first_sentences(review: str, first: str) -> None:
    """A sentence ends before white space and a capital or digit, but not behind an abbreviation or a single letter."""
    assert first_sentence(review) == first


def test_english_is_told_by_its_commonest_words() -> None:
    """One in twenty-five words is enough for a telegraphic style; nothing at all is no English."""
    assert is_english("the " + "x " * 24)
    assert not is_english("the " + "x " * 25)
    assert not is_english(" .. ")


@needs_files
def test_the_real_files_have_the_stated_counts() -> None:
    """Sentences, private ones, those with cities, distinct cities; nothing of a heading or the stop list is left."""
    corpus = Skytrax().load()
    assert Counter(text.split for text in corpus) == {"train": 6656, "test": 1664}
    assert sum(bool(text.keywords) for text in corpus) == 4056
    found = Counter(city for text in corpus for city in text.keywords)
    assert len(found) == 480
    assert (found["London"], found["New York"], found["Airport"], found["March"]) == (1467, 107, 0, 0)
    assert not any("Verified" in " ".join(text.tokens[:4]) and "|" in text.tokens[:4] for text in corpus)


@needs_files
def test_the_real_files_are_the_ones_meant() -> None:
    """All four sums match."""
    assert [finding.as_expected for finding in verify("skytrax")] == [True] * 4
