"""Medical phrases with entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.annotated_terms import cleaned_terms, read_terms
from divulge.errors import InputError


def test_texts_and_entities_are_read(tmp_path: Path) -> None:
    """Texts are split at white space and keep their punctuation; entities are those of spacy_label; each text once."""
    path = tmp_path / "a.csv"
    path.write_text(
        'text,label,spacy_label\n"removal of tumor,  benign",tumor,"tumor, skin"\nan x-ray,ray,\n'
        '"removal of tumor, benign",,other\n  ,,\n'
    )
    one, two = read_terms(path)
    assert (one.tokens, one.keywords) == (("removal", "of", "tumor,", "benign"), ("tumor", "skin"))
    assert (two.tokens, two.keywords) == (("an", "x-ray"), ())


def test_leftovers_are_no_keywords() -> None:
    """Numbers, ranges, lone letters, lines and brackets go; a letter among digits stays; each word once."""
    cleaned = list(cleaned_terms("skin, (arm) skin 1 7-8 10.16 d (d) ____ ( b-12 cd54+ l1 -1"))
    assert cleaned == ["skin", "arm", "b-12", "cd54", "l1"]


def test_faulty_rows_are_located(tmp_path: Path) -> None:
    """All of them, without any text."""
    path = tmp_path / "a.csv"
    path.write_text("text,label,spacy_label\nsecret,a\nfine,,\nsecret,a,b,c\n")
    with pytest.raises(InputError) as caught:
        read_terms(path)
    assert caught.value.problems == (
        f"{path}: line 2: has 2 fields, but the header has 3",
        f"{path}: line 4: has 4 fields, but the header has 3",
    )
    path.write_text("text,label\na,b\n")
    with pytest.raises(InputError, match="line 1: the header has no column spacy_label"):
        read_terms(path)
