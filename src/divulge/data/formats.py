"""Formats of secrets found in texts (e-mail, telephone, card, own expression), and decoys of the same format.

A secret is one token here; numbers and addresses written in several tokens are found in `spaced.py`. Decoys keep what a
stranger would guess anyway: separators, the domain of an address, the country code or leading zeros of a telephone
number, the first digit of a card. With a random domain, any model that has heard of the common ones would rank the true
address first without remembering anybody: the kept domain is the harder decoy.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from divulge.errors import InputError

__all__ = ["KINDS", "Format", "luhn_valid", "read_format"]

REGEX_PREFIX = "regex:"
LISTED_SPACE = 20_000  # up to here all decoys are listed and drawn from; beyond, they are drawn one by one
TRIES_PER_DECOY = 20
_CLASSES = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}", re.ASCII)
_PHONE = re.compile(r"\+?\(?\d(?:[-./()]{0,2}\d)+", re.ASCII)
_CARD = re.compile(r"\d(?:-?\d)+", re.ASCII)
_NO_PHONE = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}"  # a date
    r"|\d{1,2}[-./]\d{1,2}[-./]\d{4}"
    r"|\d{1,3}(?:\.\d{1,3}){3}"  # an internet address
    r"|\d+\.\d+"  # a decimal number
    r"|(?:1\d|20)\d\d[-./](?:1\d|20)?\d\d(?:[-./](?:1\d|20)?\d\d)*"  # years
    r"|\d+00[-/]\d+00"  # from and to
    r"|(?![(+]?0\d{1,4}\)?/\d{3}[\d-]*$).*/.*"  # a fraction, a date: only an area code has a slash after it
    r"|\d{5}-\d{2,4}"  # a postal code
    r"|[1-9]\d{0,2}(?:\.\d{3}){2,}"  # thousands
    r"|(?:0|[1-9]\d?)\..*"  # a version
    r"|\d+\.\d+-\d+\.\d+"  # from and to, in decimals
    r"|(?:97[89]-)?\d{1,5}-\d{1,7}-\d{1,7}-[\dX]"  # a book
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{2,6}"  # a date and time
    r"|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}[-./]\d{1,2}[-./]\d{1,2}[-./]\d{2,4}"  # two dates
)
_PHONE_HEAD = re.compile(r"\+\d{1,3}(?!\d)|\+\d|0+")


@dataclass(frozen=True)
class Format:
    """What such a secret looks like, and what a decoy of it must keep.

    `trim` is punctuation that may stand around it in a token, `kept` counts the characters that stay at the left and at
    the right, `mend` makes a decoy valid.
    """

    name: str
    matches: Callable[[str], bool]
    trim: str = ""
    kept: Callable[[str], tuple[int, int]] = lambda _: (0, 0)
    mend: Callable[[str], str] = lambda core: core

    @classmethod
    def within(cls, left: int, right: int) -> Format:
        """What one token of a longer secret looks like, of which so many characters at each end stay."""
        return cls("within", lambda _: True, kept=lambda _: (left, right))

    def part(self, token: str) -> tuple[str, str, str] | None:
        """Takes a token apart: what stands before, the secret, what stands after; None if it holds no such secret."""
        start = len(token) - len(token.lstrip(self.trim))
        end = len(token.rstrip(self.trim))
        core = token[start:end]
        return (token[:start], core, token[end:]) if core and self.matches(core) else None

    def decoys(self, core: str, number: int, rng: np.random.Generator) -> tuple[str, ...]:
        """Draws up to `number` different others of the same format; fewer if there are no more."""
        options = self._options(core)
        if math.prod(map(len, options)) <= LISTED_SPACE:
            every = [decoy for decoy in dict.fromkeys(self._made(product(*options))) if decoy != core]
            return tuple(every[place] for place in rng.permutation(len(every))[:number])
        found: dict[str, None] = {}
        for _ in range(TRIES_PER_DECOY):
            columns = [rng.integers(len(choices), size=number).tolist() for choices in options]
            picked = (
                [choices[n] for choices, n in zip(options, row, strict=True)] for row in zip(*columns, strict=True)
            )
            found.update(dict.fromkeys(self._made(picked)))
            found.pop(core, None)
            if len(found) >= number:
                break
        return tuple(found)[:number]

    def _made(self, picked: Iterator[tuple[str, ...]] | Iterator[list[str]]) -> Iterator[str]:
        return (decoy for decoy in map(self.mend, map("".join, picked)) if self.matches(decoy))

    def _options(self, core: str) -> list[str]:
        """The characters that may stand at each place: all of the same class that leave a secret of this format."""
        left, right = self.kept(core)
        options = []
        for place, character in enumerate(core):
            fits = next((letters for letters in _CLASSES if character in letters), character)
            if left <= place < len(core) - right:
                changed = (core[:place] + other + core[place + 1 :] for other in fits)
                fits = "".join(
                    other for other, text in zip(fits, changed, strict=True) if self.matches(self.mend(text))
                )
            else:
                fits = character
            options.append(fits)
        return options


def read_format(what: str) -> Format | None:
    """Finds the format called `what` (email, phone, card) or made by "regex:..."; None if it is neither."""
    if not what.startswith(REGEX_PREFIX):
        return KINDS.get(what)
    try:
        expression = re.compile(what.removeprefix(REGEX_PREFIX))
    except re.error as error:
        raise InputError(f"the expression after {REGEX_PREFIX} cannot be read: {error.msg} at {error.pos}") from None
    if expression.fullmatch(""):
        raise InputError(f"the expression after {REGEX_PREFIX} fits an empty token, so that it would find nothing")
    return Format("regex", lambda core: expression.fullmatch(core) is not None)


def luhn_valid(digits: str) -> bool:
    """Whether the check digit at the end is right, as on payment cards.

    >>> luhn_valid("79927398713")
    True
    """
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_phone(core: str) -> bool:
    digits = sum(character.isdigit() for character in core)
    # Bare digits are mostly other numbers; only long ones, or those that begin like a telephone number, count.
    enough = 7 if core.startswith("+") or not core.isdigit() else 9
    return enough <= digits <= 15 and bool(_PHONE.fullmatch(core)) and not _NO_PHONE.fullmatch(core)


def _phone_head(core: str) -> tuple[int, int]:
    match = _PHONE_HEAD.match(core)
    return (match.end() if match else 0), 0


def _digits(core: str) -> str:
    return core.replace("-", "")


def _is_card(core: str) -> bool:
    return bool(_CARD.fullmatch(core)) and 13 <= len(_digits(core)) <= 19 and luhn_valid(_digits(core))


def _check_digit(core: str) -> str:
    return next(core[:-1] + last for last in string.digits if luhn_valid(_digits(core[:-1] + last)))


KINDS = {
    "email": Format(
        "email",
        lambda core: _EMAIL.fullmatch(core) is not None,
        trim=".,;:!?\"'()[]<>",
        kept=lambda core: (0, len(core) - core.index("@")),
    ),
    "phone": Format("phone", _is_phone, trim=".,;:!?\"'[]<>", kept=_phone_head),
    "card": Format("card", _is_card, trim=".,;:!?\"'()[]<>", kept=lambda _: (1, 1), mend=_check_digit),
}
