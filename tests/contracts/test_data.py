"""What every registered data set must do; a new one is found here by its line in `DATA`."""

from __future__ import annotations

import re

import pytest

from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.parts import load

SETS: dict[str, type[DataSet]] = {name: load(DATA, name, DataSet, "data set") for name in DATA}
MADE = [name for name, found in SETS.items() if not found.needs_download() and name != "several"]  # made of others
SIZES = {"size": 60, "users": 6, "texts": 10}  # each option a set has makes it smaller
AUDITS = [("label", "tags"), ("label",), ("user",), ("keywords",)]
FIELDS = {"label", "tags", "user", "context", "keywords"}


def made(name: str, **options: object) -> Corpus:
    """A small corpus of this name."""
    sizes = {**SIZES, "held_out": 2}  # without anybody held out, people have one split
    small = {option: size for option, size in sizes.items() if option in SETS[name].Options.model_fields}
    return SETS[name]({**small, **options}).load()


@pytest.mark.parametrize("name", DATA)
def test_it_says_what_it_is(name: str) -> None:
    """Its name is the registered one; summary, source and licence are sentences; every file has a known sum."""
    found = SETS[name]
    assert found.name == name
    assert all(said.endswith(".") for said in (found.summary, found.source, found.licence))
    assert set(found.fields) <= FIELDS
    assert "train" in found.splits
    assert all(file.sha256 is not None and re.fullmatch("[0-9a-f]{64}", file.sha256) for file in found.files)
    assert len({file.path for file in found.files}) == len(found.files)


@pytest.mark.parametrize("name", DATA)
def test_unknown_options_are_refused(name: str) -> None:
    """A slip in an option's name is an error."""
    with pytest.raises(InputError, match="unknown key 'sizes'"):
        SETS[name]({"sizes": 1})


@pytest.mark.parametrize("name", MADE)
def test_it_has_the_fields_and_splits_it_promises(name: str) -> None:
    """Every text has tokens and exactly the promised fields; all promised splits are there and no others."""
    corpus = made(name)
    assert corpus.name == name
    assert set(corpus.splits) == set(SETS[name].splits)
    for text in corpus:
        assert text.tokens
        assert {field for field in FIELDS if getattr(text, field)} == set(SETS[name].fields)
        assert text.tags is None or len(text.tags) == len(text.tokens)


@pytest.mark.parametrize("name", MADE)
def test_its_tokens_are_lower_case_words(name: str) -> None:
    """Tokens have no capitals, no white space and no punctuation."""
    assert all(re.fullmatch("[a-z]+", token) for text in made(name) for token in text.tokens)


@pytest.mark.parametrize("name", MADE)
def test_its_seed_decides(name: str) -> None:
    """The same seed gives the same corpus, another seed another one."""
    first = made(name, seed=1)
    assert made(name, seed=1).texts == first.texts
    assert made(name, seed=2).fingerprint != first.fingerprint
    shared = {text.tokens for text in made(name, seed=2)} & {text.tokens for text in first}
    assert len(shared) < 0.1 * len(first)


@pytest.mark.parametrize("name", MADE)
def test_sizes_below_one_are_refused(name: str) -> None:
    """Nothing is not a corpus; one text is."""
    for option in set(SIZES) & set(SETS[name].Options.model_fields):
        for wrong in (0, -1, 1.5, "many"):
            with pytest.raises(InputError, match=option):
                SETS[name]({option: wrong})
        assert len(made(name, **{option: 1})) >= 1


@pytest.mark.parametrize("needed", AUDITS)
def test_every_audit_has_a_corpus(needed: tuple[str, ...]) -> None:
    """For each audit some made corpus has all the fields that it needs."""
    assert any(set(needed) <= set(SETS[name].fields) for name in MADE)
