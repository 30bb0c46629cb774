"""How much is read, and how much of it is asked for."""

from __future__ import annotations

import pytest

from divulge.errors import InputError
from divulge.targets.sentence_context import PUBLISHED, Reading


@pytest.mark.parametrize(
    ("context", "pooled", "pieces"), [(None, False, PUBLISHED), (20, False, 20), (None, True, 15), (15, True, 15)]
)
def test_what_is_read_by_default(context: int | None, pooled: bool, pieces: int) -> None:
    """Unpooled as the paper does, pooled what is asked for."""
    reading = Reading.of(15, context, pooled=pooled, in_words=False)
    assert reading.pieces == pieces
    assert reading.goes_on is (pieces > 15)


def test_pieces_are_cut_by_room_but_never_those_of_the_row() -> None:
    """Six pieces read, three of them of the row: room for five cuts one, room for two none of the row's."""
    reading = Reading.of(3, 6, pooled=False, in_words=False)
    text = tuple("abcdefgh")
    assert reading.cut(None, [text]) == [tuple("abcdef")]
    assert reading.cut(None, [text], room=5) == [tuple("abcde")]
    assert reading.cut(None, [text], room=2) == [tuple("abc")]


def test_more_tokens_than_the_context_are_refused() -> None:
    """In pieces; words are of one piece or more, and their number says nothing."""
    with pytest.raises(InputError, match="at least recipe.tokens"):
        Reading.of(5, 4, pooled=False, in_words=False)
    assert Reading.of(5, 4, pooled=False, in_words=True).pieces == 5
