"""Secrets that are written in several tokens: "+49 170 123 4567", "4111 1111 1111 1111", "ada @ example . org".

Rows of numbers are mostly no telephone numbers. So only those count that begin like one (a plus, an area code in
brackets, a zero) or are grouped as in North America, and that no further number stands beside.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from divulge.data.formats import luhn_valid

__all__ = ["Spaced", "find_spaced"]

PHONE_DIGITS = range(7, 16)
CARD_DIGITS = range(13, 20)
AROUND_AT = 8  # tokens on each side of an @ that an address may be written in

_BEFORE = r"(?<!\S)[\"'(\[<]*?"
_AFTER = r"(?=[.,;:!?\"')\]>]*(?!\S))"
_YEAR = r"(?:19|20)\d\d"
_APART = r"(?: ?[./-] ?| )"
_AREA = rf"(?:{_APART}?\( ?\d{{1,4}} ?\){_APART}?|{_APART})"
_PHONE = (
    rf"\+ ?(?:\(\d{{1,3}}\)|\d{{1,4}}){_AREA}\d{{2,12}}(?:{_APART}\d{{2,9}}){{0,4}}",  # +49 170 1234567
    rf"\( ?(?!{_YEAR})\d{{2,5}} ?\){_APART}?(?:\d{{3,4}}{_APART}\d{{3,4}}|\d{{6,8}})",  # (555) 123-4567
    rf"0\d{{2,4}}{_APART}(?:\d{{5,9}}|\d{{3,4}}(?:{_APART}\d{{2,4}}){{1,3}})",  # 0170 123 4567
    rf"0[1-9](?:{_APART}\d\d){{4}}",  # 01 42 68 53 00
    rf"(?:1{_APART})?[2-9]\d\d{_APART}\d{{3}}{_APART}\d{{4}}",  # 555 123 4567
)
_CARD = (r"\d{4}(?: ?[ -] ?\d{4}){3}(?:[ -]\d{1,3})?", r"3\d{3} ?[ -] ?\d{6} ?[ -] ?\d{4,5}")
# A space before the @ and none behind it is how people are addressed, not written to.
_EMAIL = (r"[A-Za-z0-9._%+-]+(?: ?@ |@)(?:[A-Za-z0-9-]+(?:\.| \. ))+?(?:[a-z]{2,}|[A-Z]{2,})",)
_EXPRESSIONS = {
    kind: re.compile(f"{_BEFORE}(?P<core>{'|'.join(ways)}){_AFTER}", re.ASCII)
    for kind, ways in (("phone", _PHONE), ("card", _CARD), ("email", _EMAIL))
}
_PHONE_HEAD = re.compile(r"\+ ?\(?\d{1,3}\)?(?!\d)|\+\d|0+|1(?= ?[ ./-])")
_BEGINNINGS = frozenset("0123456789+()\"'[<./-")
_OF_A_NUMBER = re.compile(r"[\"'\[<]*[\d+()./-]+[.,;:!?\"')\]>]*", re.ASCII)
_NUMBER = re.compile(r"[$€£#]?[\d.,]*\d[\d.,%]*|[$€£#]", re.ASCII)


@dataclass(frozen=True)
class Spaced:
    """A secret in tokens `start` to `end`; each entry of `free` is a token, and from where to where it may vary."""

    start: int
    end: int
    free: tuple[tuple[int, int, int], ...]


def find_spaced(kind: str, tokens: Sequence[str]) -> Iterator[Spaced]:
    """Yields the secrets of a kind that are written in two or more tokens, from left to right; none overlap."""
    reached = 0
    for low, high in _stretches(kind, tokens):
        for spaced in _within(kind, tokens, max(low, reached), high):
            reached = spaced.end
            yield spaced


def _stretches(kind: str, tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where to look closely: most texts are quickly seen to hold nothing, and long ones must not take long."""
    if kind == "email":
        for place, token in enumerate(tokens):
            if "@" in token:
                yield max(0, place - AROUND_AT), min(len(tokens), place + AROUND_AT)
    elif kind in _EXPRESSIONS:
        fitting = [token[:1] in _BEGINNINGS and _OF_A_NUMBER.fullmatch(token) is not None for token in tokens]
        start = 0
        for place, fits in enumerate([*fitting, False]):
            if not fits:
                if place - start > 1:
                    yield start, place
                start = place + 1


def _within(kind: str, tokens: Sequence[str], low: int, high: int) -> Iterator[Spaced]:
    line = " ".join(tokens[low:high])
    begins = list(accumulate((len(token) + 1 for token in tokens[low:high]), initial=0))
    place = 0
    while match := _EXPRESSIONS[kind].search(line, place):
        begin, end = match.span("core")
        first, last = bisect_right(begins, begin) - 1, bisect_left(begins, end) - 1
        place = begins[first + 1]
        if first < last and _is_one(kind, match["core"], tokens, low + first, low + last):
            place = begins[last + 1]
            free = tuple(_free(kind, match["core"], begin, begins[first : last + 2]))
            yield Spaced(low + first, low + last + 1, free)
        if place >= len(line):
            return


def _is_one(kind: str, core: str, tokens: Sequence[str], first: int, last: int) -> bool:
    digits = "".join(character for character in core if character.isdigit())
    if kind == "email":
        return True
    if kind == "card":
        return len(digits) in CARD_DIGITS and digits[0] in "23456" and luhn_valid(digits)
    beside = [*tokens[max(0, first - 1) : first], *tokens[last + 1 : last + 2]]
    return len(digits) in PHONE_DIGITS and not any(_NUMBER.fullmatch(token) for token in beside)


def _free(kind: str, core: str, begin: int, begins: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where each token may vary: after the country code or zeros, the first digit of a card, before the @."""
    left, right = begin, begin + len(core)
    if kind == "email":
        right = begin + core.index("@")
    elif kind == "card":
        left += 1
    else:
        head = _PHONE_HEAD.match(core)
        left += head.end() if head else 0
    for number, (start, following) in enumerate(pairwise(begins)):
        low, high = max(left, start), min(right, following - 1)
        if any(core[place - begin].isalnum() for place in range(low, high)):
            yield number, low - start, high - start
