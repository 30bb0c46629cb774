"""The same person on both sides: in what was trained on and among those known to be out, by name or by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from divulge.errors import InputError
from divulge.records import Text

__all__ = ["doubles", "must_be_parted"]

ORDINARY = 4  # words: a shorter text ("thank you") is everybody's, and no sign of a copy

Tokens = tuple[str, ...]


def doubles(own: Iterable[Text], others: Iterable[Text]) -> list[str | None]:
    """Who of the others has the texts of one person under another name: half of the person's, or half of their own."""
    mine = {text.tokens for text in own}
    mine = {tokens for tokens in mine if len(tokens) >= ORDINARY} or mine
    shared: dict[str | None, set[Tokens]] = {}
    written: dict[str | None, set[Tokens]] = {}
    for text in others:
        written.setdefault(text.user, set()).add(text.tokens)
        if text.tokens in mine:
            shared.setdefault(text.user, set()).add(text.tokens)
    return [
        other
        for other, same in shared.items()
        if 2 * len(same) >= len(mine) or (len(same) > 1 and 2 * len(same) >= len(written[other]))
    ]


def must_be_parted(name: str, inside: Mapping[str, list[Text]], outside: Mapping[str, list[Text]], split: str) -> None:
    """Refuses people who were trained on and are said to be out: of them, nobody knows what is right."""
    where = f"the split {split!r}, whose people are known to be out (secrets.held_out)"
    twice = len(set(inside) & set(outside))
    if twice:
        raise InputError(
            f"{name}: {twice} users stand on both sides: they have texts in 'train' and in {where}. Put all texts of a "
            "person into one split"
        )
    owners: dict[Tokens, set[str]] = {}
    for user, texts in inside.items():
        for text in texts:
            owners.setdefault(text.tokens, set()).add(user)
    copies = 0
    for texts in outside.values():
        met = sorted({user for text in texts for user in owners.get(text.tokens, ())})
        copies += any(doubles(inside[user], texts) for user in met)
    if copies:
        raise InputError(
            f"{name}: {copies} users stand on both sides: in {where} they share half of their texts or more with "
            "somebody who was trained on. Somebody who is the same person under another name cannot be compared with; "
            "remove these from the data"
        )
