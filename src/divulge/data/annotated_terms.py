"""Medical phrases with the entities that a tagger found in them: the files published with gu2023."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

from divulge.data.files.delimited import read_named
from divulge.data.files.problems import Problems
from divulge.data.private_part import distinct
from divulge.records import Text

__all__ = ["cleaned_terms", "read_terms"]

COLUMNS = ("text", "spacy_label")


def read_terms(path: Path) -> tuple[Text, ...]:
    """Reads the texts of a file, each once, split at white space, with their entities as keywords."""
    problems = Problems()
    texts = distinct(
        Text(tokens=tuple(text.split()), keywords=tuple(cleaned_terms(terms)))
        for text, terms in read_named(path, COLUMNS, problems)
    )
    problems.finish()
    return texts


def cleaned_terms(terms: str) -> Iterator[str]:
    """The words of a list of entities, each once, without punctuation around them.

    What has no letter or a single character is no keyword.

    >>> list(cleaned_terms("vitamin b-12, d (arm) 7-8 arm"))
    ['vitamin', 'b-12', 'arm']
    """
    for word in dict.fromkeys(term.strip(string.punctuation) for term in terms.split()):
        if len(word) > 1 and any(character.isalpha() for character in word):
            yield word
