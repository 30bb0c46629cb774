"""Users of chosen sizes: who is kept of a data set, how much of each; and users made of text that is nobody's.

No text is two users': else it could not be said whose use of it is the question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar

from pydantic import Field

from divulge.errors import InputError
from divulge.records import Record, Text
from divulge.seeds import generator

__all__ = ["Some", "UserSizes", "artificial_users", "by_user", "one", "sized_users", "token_count", "unshared"]

Some = Annotated[int, Field(ge=1)]
Row = TypeVar("Row", bound=Hashable)
Thing = TypeVar("Thing")


class UserSizes(Record):
    """Who is kept: so many `users`, drawn by `seed`, all if it is None; only those who have `least`.

    What `least` counts is what is kept of each user: tokens, pairs or exchanges. If it is None, a user must have as
    much as is kept.
    """

    users: Some | None = None
    least: Some | None = None
    seed: int = 0


def token_count(text: Text) -> int:
    """The size of a text where users are cut to so many tokens."""
    return len(text.tokens)


def one(text: Text) -> int:
    """The size of a text where users are cut to so many texts."""
    del text
    return 1


def by_user(rows: Iterable[tuple[str, Row]]) -> dict[str, list[Row]]:
    """What each user wrote, each row once, in order; what two users wrote is nobody's.

    For rows before they are cut into words, which takes long: `unshared` then has little left to find.
    """
    owners: dict[Row, str | None] = {}
    for user, row in rows:
        if owners.setdefault(row, user) != user:
            owners[row] = None
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row, owner in owners.items():
        if owner is not None:
            found[owner].append(row)
    return dict(found)


def unshared(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Each text once, in order; those of two users are dropped. A text is what it answers, too."""
    listed = list(texts)
    owners: dict[Hashable, str | None] = {}
    for text in listed:
        if owners.setdefault(_content(text), text.user) != text.user:
            owners[_content(text)] = None
    found: dict[Hashable, Text] = {}
    for text in listed:
        if text.user is not None and owners[_content(text)] == text.user:
            found.setdefault(_content(text), text)
    return tuple(found.values())


def sized_users(
    name: str,
    texts: Mapping[str, Iterable[Text]],
    options: UserSizes,
    each: int | None,
    size: Callable[[Text], int] = one,
) -> tuple[Text, ...]:
    """The first texts of each user who is kept, as far as they are not over `each` in all; users in order.

    The texts of a user are only asked for as far as they are needed. More `users` keep those that fewer do.

    Raises:
        InputError: There are not so many users who have enough.
    """
    least = options.least or each or 1
    found: dict[str, list[Text]] = {}
    for user in _mixed(sorted(texts), options.seed, "users", name):
        if len(found) == options.users:
            break
        own = _first(texts[user], each, least, size)
        if own:
            found[user] = own
    if len(found) < (options.users or 1):
        raise InputError(
            f"data.options: {options.users or 1} users are asked for. Found {len(found)} of {len(texts)} in {name!r} "
            f"who have at least {least}: lower users, or least and what is kept of each"
        )
    return tuple(text for user in sorted(found) for text in found[user])


def artificial_users(
    name: str,
    texts: Iterable[Text],
    users: int | None,
    each: int,
    *,
    seed: int,
    size: Callable[[Text], int] = one,
) -> tuple[Text, ...]:
    """Deals out texts at random to users who are nobody, each of them to one, up to `each` in all; the rest is left.

    All texts are of the split train then. More `users` keep those that fewer do.

    Raises:
        InputError: The texts are too few.
    """
    different = list({_content(text): text for text in texts}.values())
    groups: list[list[Text]] = []
    held: list[Text] = []
    total = 0
    for text in _mixed(different, seed, "artificial users", name):
        if held and total + size(text) > each:
            groups.append(held)
            held, total = [], 0
        held.append(text)
        total += size(text)
    if total == each:
        groups.append(held)
    if len(groups) < (users or 1):
        raise InputError(
            f"data.options: {users or 1} artificial users are asked for. The {len(different)} texts of {name!r} are "
            f"enough for {len(groups)} of the size {each}: lower users, or what each is given"
        )
    width = len(str(len(groups)))
    return tuple(
        replace(text, user=f"user-{number:0{width}}", split="train")
        for number, group in enumerate(groups[:users])
        for text in group
    )


def _first(texts: Iterable[Text], each: int | None, least: int, size: Callable[[Text], int]) -> list[Text]:
    """The texts that fit, or none if all together have less than is needed."""
    kept: list[Text] = []
    total = 0
    for text in texts:
        total += size(text)
        if each is None or total <= each:
            kept.append(text)
        elif total >= least:
            break
    return kept if total >= least else []


def _content(text: Text) -> Hashable:
    return text.context, text.tokens


def _mixed(things: Sequence[Thing], seed: int, what: str, name: str) -> list[Thing]:
    return [things[place] for place in generator(seed, what, name).permutation(len(things))]
