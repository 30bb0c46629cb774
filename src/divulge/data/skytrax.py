"""Skytrax: the first sentences of airline reviews, with the cities named in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from divulge.data.base import DataSet
from divulge.data.city_names import CITIES, CityNames, read_city_names
from divulge.data.corpus import Corpus
from divulge.data.files.delimited import read_named
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile, place_of
from divulge.data.private_part import PrivatePart, distinct, with_private_part
from divulge.records import Text

__all__ = ["Skytrax", "first_sentence", "is_english"]

SAMPLE, FIVE, BRITISH = "airline.sample.csv.gz", "airline.five-airlines.jsonl.gz", "ba-2024.csv.gz"
HEADING = re.compile(r"[^|]{0,40}Verified[^|]{0,10}\|", re.IGNORECASE)  # "✅ Trip Verified |"
END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s+[\"“‘'(\[£$€]?[A-Z0-9])")
# A full stop behind these ends no sentence; nor does one behind a single letter, as in U.S. or J. Smith.
SHORTENED = re.compile(
    r"\b(?:mr|mrs|ms|dr|st|no|vs|approx|incl|flt|hrs|mins|dep|arr|ft|mt|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|[a-z])\.$",
    re.IGNORECASE,
)
ENGLISH = frozenset(
    "the and to was of in for on with we my is at it that this had were not from they i but be".split()  # noqa: SIM905
)
LEAST_ENGLISH = 0.04  # of the words of a review; the lowest share in these files is 0.0625


class Skytrax(DataSet):
    """8,320 distinct sentences, 4,056 with keywords; 480 distinct cities. 6,656 public and 1,664 private.

    The official file of 41,396 reviews cannot be had; these are three files of parts of it, and one airline's later
    reviews. A sentence ends with a full stop, question or exclamation mark before white space and a capital letter or
    digit, unless the mark ends an abbreviation. "Trip Verified |" and the like are taken off. Reviews in which fewer
    than 4 % of the words are common English ones are dropped; these files have none.

    Keywords are cities above 15,000 inhabitants, spelt as in the text, in the case of their names, less a stop list
    (Airport, March, Mobile). Codes of airports, such as LHR, are none.
    """

    name = "skytrax"
    summary = "First sentences of airline reviews with cities as keywords (after Gu et al. 2023)."
    fields = ("keywords",)
    splits = ("train", "test")
    source = (
        "Reviews of airlinequality.com. GitHub ashaloganova/Skytrax, commit 466e415e72989b54f46514c3933a83e05d38042b "
        "(airline.sample.csv.gz); akhilmathew/Skytrax-Airline-Ratings-and-Review-Analysis, commit "
        "03319307c1ad6731ad569613b314511dc5bc6146, its five text files as JSON lines (airline.five-airlines.jsonl.gz); "
        "hrbn/british-airways-reviews, commit 31fe5e721df6445c8df3c71ca92d683fa6d1fff9 (ba-2024.csv.gz). Cities: "
        "GitHub datasets/world-cities, commit 49974c675a13f12ec0b8b8164f0f82f017b896fc."
    )
    licence = "None stated for the reviews; the cities are CC BY 4.0, credit GeoNames."
    files = (
        DataFile(path=SAMPLE, size=634914, sha256="cd7984f6e7de8dba8cb7cdbd75a4fc82dbb56cee9313e63604eff17cdf893bbe"),
        DataFile(path=FIVE, size=755748, sha256="07fa00d545e733f0c74774a8529453d4feeef4b2156738b030fa88f9c6a5a279"),
        DataFile(path=BRITISH, size=1362611, sha256="87e661f4dbeffd5ca21a17df65015e9bd4c74a86d054905f6f314d883486f638"),
        CITIES,
    )

    class Options(PrivatePart):
        """How the private part is drawn."""

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the first sentences, those of the public part first."""
        folder = self.require_files(root)
        cities = CityNames(read_city_names(place_of(folder, CITIES)))
        problems = Problems()
        reviews = [_body(review) for review in _reviews(folder, problems)]
        problems.finish()
        sentences = (first_sentence(review) for review in dict.fromkeys(reviews) if is_english(review))
        texts = distinct(Text(tuple(sentence.split()), keywords=cities.found(sentence)) for sentence in sentences)
        return Corpus(with_private_part(texts, self.options, self.name), self.name)


def first_sentence(review: str) -> str:
    """A text up to its first full stop, question or exclamation mark that ends a sentence; else all of it.

    >>> first_sentence("Flew to St. Louis at 7 p.m. Never again! Rude crew.")
    'Flew to St. Louis at 7 p.m. Never again!'
    """
    for end in END.finditer(review):
        if not SHORTENED.search(review, 0, end.end()):
            return review[: end.end()]
    return review


def is_english(review: str) -> bool:
    """Whether enough of the words are among the commonest of English."""
    words = re.findall(r"[^\W_]+", review.lower())
    return bool(words) and sum(word in ENGLISH for word in words) >= LEAST_ENGLISH * len(words)


def _body(review: str) -> str:
    heading = HEADING.match(review)
    return (review[heading.end() :] if heading else review).strip()


def _reviews(folder: Path, problems: Problems) -> Iterator[str]:
    yield from (review for (review,) in read_named(folder / SAMPLE, ("content",), problems))
    for number, line in read_lines(folder / FIVE, problems):
        try:
            review = json.loads(line)["content"]
        except (ValueError, KeyError, TypeError):
            review = None
        if isinstance(review, str):
            yield review
        else:
            problems.add(folder / FIVE, number, 'is not a JSON object with a text "content"')
    yield from (review for (review,) in read_named(folder / BRITISH, ("Review",), problems))
