"""Tests of divulge.data.user_sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from divulge.data.user_sizes import UserSizes, artificial_users, by_user, sized_users, token_count, unshared
from divulge.errors import InputError
from divulge.records import Text


def texts_of(user: str, *lengths: int) -> list[Text]:
    """Texts of these lengths, all different."""
    return [Text((f"{user}{place}",) * length, user=user) for place, length in enumerate(lengths)]


def test_rows_of_two_users_are_nobodys() -> None:
    """A user's own repeat counts once, and what another one has too is dropped for both."""
    rows = [("ada", "a"), ("ben", "b"), ("ada", "x"), ("ada", "a"), ("ben", "x"), ("cleo", "x"), ("ada", "c")]
    assert by_user(rows) == {"ada": ["a", "c"], "ben": ["b"]}


def test_texts_of_two_users_are_dropped() -> None:
    """The same answer to something else is another text; a user's repeat is kept once, nobody's text never."""
    yes = ("yes",)
    texts = [
        Text(yes, user="ada", context=("one",)),
        Text(yes, user="ben", context=("two",)),
        Text(("both",), user="ada"),
        Text(("own",), user="ben"),
        Text(("both",), user="ben"),
        Text(("own",), user="ben"),
        Text(("free",)),
        Text(("both",), user="ada"),
    ]
    assert unshared(texts) == (texts[0], texts[1], texts[3])


def test_users_are_filled_up_to_their_size() -> None:
    """Texts are taken while they fit; who has too little is left out, and users come in order."""
    texts = {"cleo": texts_of("c", 4, 4, 4), "ada": texts_of("a", 5, 5), "ben": texts_of("b", 9)}
    found = sized_users("set", texts, UserSizes(), 10, token_count)
    # Of cleo 4 + 4, the third would make it 12; ben has 9 of 10.
    assert [(text.user, len(text.tokens)) for text in found] == [("a", 5), ("a", 5), ("c", 4), ("c", 4)]


def test_least_is_another_matter_than_what_is_kept() -> None:
    """Nine are enough if nine are asked for; with more asked for than kept, only the longest stays."""
    texts = {"ada": texts_of("a", 5, 5, 5), "ben": texts_of("b", 9)}
    assert {text.user for text in sized_users("set", texts, UserSizes(least=9), 10, token_count)} == {"a", "b"}
    longest = sized_users("set", texts, UserSizes(least=15), 10, token_count)
    assert [len(text.tokens) for text in longest] == [5, 5]
    assert len(sized_users("set", texts, UserSizes(), None)) == 4


def test_more_users_keep_those_of_fewer() -> None:
    """The draw is by seed, and a larger one holds a smaller one."""
    texts = {f"u{number:02}": texts_of(f"u{number:02}", 1) for number in range(40)}
    drawn = [{text.user for text in sized_users("set", texts, UserSizes(users=n), 1)} for n in (5, 9)]
    assert [len(users) for users in drawn] == [5, 9]
    assert drawn[0] < drawn[1]
    assert {text.user for text in sized_users("set", texts, UserSizes(users=9, seed=1), 1)} != drawn[1]


def test_no_more_texts_are_read_than_needed() -> None:
    """Cutting text into words is the slow part: what is not kept is not asked for, but for one text."""
    read = []

    def slowly() -> Iterator[Text]:
        for text in texts_of("a", *[1] * 50):
            read.append(text)
            yield text

    assert len(sized_users("set", {"a": slowly()}, UserSizes(), 10)) == 10
    assert len(read) == 11


def test_too_few_users_are_told() -> None:
    """How many were asked for, found, and of how many; no name."""
    texts = {"ada": texts_of("a", 5, 5), "ben": texts_of("b", 9)}
    with pytest.raises(InputError, match=r"2 users are asked for. Found 1 of 2 in 'set' who have at least 10") as told:
        sized_users("set", texts, UserSizes(users=2), 10, token_count)
    assert "ben" not in str(told.value)
    with pytest.raises(InputError, match=r"Found 0 of 2"):
        sized_users("set", texts, UserSizes(), 11, token_count)


def test_artificial_users_share_out_the_texts() -> None:
    """Of 11 texts, one twice, two users get 5 each, none the same; all are of the split train."""
    texts = [*(Text((str(number),), split="test") for number in range(10)), Text(("0",), split="valid")]
    found = artificial_users("set", texts, None, 5, seed=0)
    assert Counter(text.user for text in found) == {"user-0": 5, "user-1": 5}
    assert {text.tokens for text in found} == {(str(number),) for number in range(10)}
    assert {text.split for text in found} == {"train"}
    assert [text.tokens for text in found] != sorted(text.tokens for text in found)
    assert artificial_users("set", texts, 1, 5, seed=0) == found[:5]
    assert artificial_users("set", texts, None, 5, seed=1) != found


def test_artificial_users_are_filled_by_tokens() -> None:
    """Texts of 4 tokens: two fit into 10, and the one left over makes no user."""
    texts = [Text((str(number),) * 4) for number in range(7)]
    found = artificial_users("set", texts, None, 10, seed=0, size=token_count)
    assert sorted(Counter(text.user for text in found).values()) == [2, 2, 2]


def test_too_few_texts_are_told() -> None:
    """How many users the texts are enough for."""
    with pytest.raises(InputError, match=r"3 artificial users.*The 10 texts of 'set' are enough for 2 of the size 5"):
        artificial_users("set", [Text((str(number),)) for number in range(10)], 3, 5, seed=0)
