"""Tests of what the adversary may be handed of its own texts."""

from __future__ import annotations

import pytest

from divulge.data.corpus import Corpus
from divulge.data.public_texts import audited_places, must_differ, without_places
from divulge.errors import InputError
from divulge.records import Text


def corpus(words: str) -> Corpus:
    """One text for each word."""
    return Corpus(tuple(Text((word,)) for word in words.split()))


def test_audited_texts_are_found_and_left_out() -> None:
    """B and d are private; b stands twice in public."""
    public = corpus("a b c e b f")
    places = audited_places(corpus("b d"), public)
    assert places == (1, 4)
    assert without_places(public, places).texts == corpus("a c e f").texts


@pytest.mark.parametrize(("public", "refused"), [("a b x y", False), ("a b c x y", True)])
def test_half_of_the_public_texts_may_be_audited_and_no_more(public: str, refused: bool) -> None:
    """2 of 4 pass, 3 of 5 do not."""
    private = corpus("a b c d")
    if refused:
        with pytest.raises(InputError, match="3 of its 5 texts are among the audited ones"):
            audited_places(private, corpus(public))
    else:
        assert audited_places(private, corpus(public)) == (0, 1)


def test_the_audited_data_itself_is_no_public_text() -> None:
    """Word for word the same corpus."""
    with pytest.raises(InputError, match="is the audited data itself"):
        must_differ(corpus("a b"), corpus("a b"))
    must_differ(corpus("a b"), corpus("b a"))
