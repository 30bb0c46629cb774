r"""The pattern language of secrets: one line of text, tokens apart by spaces.

    call <name> at {digit*4}

`{set}` or `{set*4}` are holes: secret tokens, drawn from a candidate set. `<set>` or `<set*2>` are drawn anew for
each secret as well, but the adversary knows them: they keep hundreds of secrets of one pattern apart. Everything else
is fixed. A backslash makes a token literal: `\<unk>`. A set of the caller's own is a list of tokens, or the name of a
tokenizer whose whole words it holds: "whole-words:all-MiniLM-L6-v2".
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.records import Gaps
from divulge.vocabularies import SCHEME, tokenizer_named, whole_words

__all__ = ["BUILT_IN_SETS", "Pattern", "Slot", "draw_distinct", "gaps_over", "parse_pattern", "read_sets"]

MAX_COUNT = 100
_WORDS = {
    "digit": "0 1 2 3 4 5 6 7 8 9",
    "letter": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    # The twelve colours of parikh2022.
    "color": "red green lilac blue yellow brown cyan magenta orange pink purple mauve",
    "name": """ada amir anna ben carla chen clara dana david elif emma eva fatima felix frank greta hana hugo ida igor
        ines ivan jana joel julia kai karim lea leo lina lucas maja marco maria max mia milan mina nadia nora omar
        oscar paula peter rosa sam sara tara tom yara""",
    "word": """amber anchor apple arrow autumn badge basket beacon birch bottle branch bridge bronze button candle
        canyon castle cedar cherry circle cloud clover comet copper coral cotton crane crystal desert dragon eagle echo
        ember falcon feather fern field flute forest fountain galaxy garden ginger glacier granite harbor hazel hill
        honey island ivory jacket jasmine juniper kettle lantern lemon linen lion maple marble meadow melon meteor
        mirror mountain nectar needle ocean olive orchid otter oxygen paper pearl pebble pepper pine planet plum pocket
        quartz rabbit raven ribbon river robin rocket saddle salmon shadow shell silver spruce squirrel summit sunset
        thistle thunder tiger timber tulip tunnel valley velvet violet walnut whale willow window winter zebra""",
}
BUILT_IN_SETS: Mapping[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in _WORDS.items()}
_SET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PIECE = re.compile(r"(?P<open>[{<])(?P<name>[^{}<>*]*)(?:\*(?P<count>[^{}<>]*))?(?P<close>[}>])")


@dataclass(frozen=True)
class Slot:
    """One token of a pattern, and what may stand there."""

    role: Literal["fixed", "known", "hole"]
    options: tuple[str, ...]
    set_name: str = ""

    @cached_property
    def members(self) -> frozenset[str]:
        """The options to look a token up in: there may be a whole vocabulary of them."""
        return frozenset(self.options)


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern, one slot per token."""

    text: str
    slots: tuple[Slot, ...]

    @cached_property
    def holes(self) -> tuple[Slot, ...]:
        """The secret slots, left to right."""
        return tuple(slot for slot in self.slots if slot.role == "hole")

    @cached_property
    def known(self) -> tuple[Slot, ...]:
        """The slots that are drawn anew for each secret and told to the adversary, left to right."""
        return tuple(slot for slot in self.slots if slot.role == "known")

    @property
    def space(self) -> int:
        """How many answers there are for one secret."""
        return math.prod(len(slot.options) for slot in self.holes)

    @property
    def known_space(self) -> int:
        """How many known parts there are; 1 if nothing in the pattern is drawn and known."""
        return math.prod(len(slot.options) for slot in self.known)

    @property
    def bits(self) -> float:
        """The entropy of the answer, which is the most exposure can be."""
        return math.log2(self.space)

    def tags(self, entity: str | None = None) -> tuple[str, ...]:
        """B-canary and I-canary on each run of holes, O elsewhere (parikh2022, appendix A).

        `entity` takes the place of "canary": the kind of entity that a user's own tagger knows; "O" tags nothing.
        Known tokens beside a hole of the same set belong to the run: the area code of a telephone number of which
        the adversary knows only that.
        """
        inside = [slot.role == "hole" for slot in self.slots]
        places = range(len(self.slots))
        for place in places[1:]:
            inside[place] |= inside[place - 1] and self._same_set(place, place - 1)
        for place in reversed(places[:-1]):
            inside[place] |= inside[place + 1] and self._same_set(place, place + 1)
        if entity == "O":
            return ("O",) * len(self.slots)
        name = entity or "canary"
        marks = [f"I-{name}" if place and inside[place - 1] else f"B-{name}" for place in places]
        return tuple(mark if within else "O" for mark, within in zip(marks, inside, strict=True))

    def _same_set(self, place: int, other: int) -> bool:
        return self.slots[place].role == "known" and self.slots[place].set_name == self.slots[other].set_name


def parse_pattern(text: str, candidates: Mapping[str, object] | None = None) -> Pattern:
    """Reads a pattern, with sets of the caller's own beside the built-in ones; every problem in one error."""
    own, problems = _own_sets(candidates or {})
    sets = {**BUILT_IN_SETS, **own}
    slots: list[Slot] = []
    for number, piece in enumerate(text.split(), start=1):
        found = _slots(piece, sets)
        if isinstance(found, str):
            problems.append(f"pattern, item {number}: {found}")
        else:
            slots += found
    if not problems and not any(slot.role == "hole" for slot in slots):
        problems.append("the pattern has no hole, so there is nothing to find. A hole is written {digit} or {digit*4}")
    if problems:
        raise InputError(problems)
    return Pattern(" ".join(text.split()), tuple(slots))


def read_sets(candidates: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Checks candidate sets of the caller's own: at least two different tokens without spaces, or whole words."""
    own, problems = _own_sets(candidates)
    if problems:
        raise InputError(problems)
    return own


def draw_distinct(
    options: Sequence[Sequence[str]],
    count: int,
    rng: np.random.Generator,
    exclude: Collection[tuple[str, ...]] = frozenset(),
) -> list[tuple[str, ...]]:
    """Draws `count` different choices, one option per place, uniformly from all but the excluded ones."""
    sizes = [len(choices) for choices in options]
    space = math.prod(sizes)
    taken = set(exclude)
    if space < count + len(taken):
        raise ValueError(f"{count} choices asked, {len(taken)} excluded, {space} in all")
    drawn: list[tuple[str, ...]] = []
    # Rejection is quick while most choices are free; below that all are listed, and the list is shuffled.
    numbers = rng.permutation(space).tolist() if space <= 4 * (count + len(taken)) else None
    while len(drawn) < count:
        places = _digits(numbers.pop(), sizes) if numbers else rng.integers(0, sizes).tolist()
        choice = tuple(choices[place] for choices, place in zip(options, places, strict=True))
        if choice not in taken:
            taken.add(choice)
            drawn.append(choice)
    return drawn


def gaps_over(
    candidates: tuple[tuple[str, ...], ...],
    tokens: tuple[str | None, ...],
    label: str | None,
    tags: tuple[str, ...] | None,
) -> Gaps:
    """Makes the hint of one secret without a copy of its candidate sets, which may be whole vocabularies."""
    # A record checks and copies what it is given: so it is given small sets first, and the checked ones afterwards.
    checked = Gaps(tokens=tokens, label=label, tags=tags, candidates=(("",),) * len(candidates))
    return checked.model_copy(update={"candidates": candidates})


def _digits(number: int, sizes: Sequence[int]) -> list[int]:
    places = []
    for size in sizes:
        number, place = divmod(number, size)
        places.append(place)
    return places


def _slots(piece: str, sets: Mapping[str, tuple[str, ...]]) -> list[Slot] | str:
    """The slots of one item, or what is wrong with it."""
    if piece.startswith("\\"):
        return [Slot("fixed", (piece[1:],))] if len(piece) > 1 else "a backslash needs a token after it"
    if not set("{}<>") & set(piece):
        return [Slot("fixed", (piece,))]
    match = _PIECE.fullmatch(piece)
    if match is None or match["open"] + match["close"] not in ("{}", "<>"):
        return (
            "unbalanced bracket, or a bracket within a token. A hole such as {digit*4} and a known part such as <name> "
            r"stand alone, without spaces inside; for a literal bracket put a backslash before the token: \<unk>"
        )
    return _drawn(match["name"], match["count"], "hole" if match["open"] == "{" else "known", sets)


def _drawn(
    name: str, count: str | None, role: Literal["hole", "known"], sets: Mapping[str, tuple[str, ...]]
) -> list[Slot] | str:
    if not name:
        return f"no candidate set is named within the brackets.{did_you_mean(name, sets)}"
    if name not in sets:
        return f"unknown candidate set {name!r}; own sets go into secrets.candidates.{did_you_mean(name, sets)}"
    if count is None:
        return [Slot(role, sets[name], name)]
    if not (re.fullmatch("[0-9]{1,4}", count) and 1 <= int(count) <= MAX_COUNT):
        return f"the count after {name}* must be a whole number from 1 to {MAX_COUNT}"
    return [Slot(role, sets[name], name)] * int(count)


def _own_sets(candidates: Mapping[str, object]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    own: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for name, tokens in candidates.items():
        where = tokenizer_named(tokens)
        problem = _set_problem(name, tokens) if where is None else _name_problem(name)
        if problem:
            problems.append(f"candidates: set {name!r} {problem}")
        # Kept even if wrong, so that the pattern is not blamed for naming it.
        own[name] = tuple(map(str, tokens)) if isinstance(tokens, list | tuple) else ()
        if where is not None:
            try:
                own[name] = whole_words(where)
            except InputError as error:
                problems += [f"candidates: set {name!r}: {problem}" for problem in error.problems]
    return own, problems


def _name_problem(name: str) -> str | None:
    good = _SET_NAME.fullmatch(name) is not None
    return None if good else "must have a name of letters, digits, - and _, beginning with a letter"


def _set_problem(name: str, tokens: object) -> str | None:
    """What is wrong with a set, told by position: its tokens may be secret."""
    misnamed = _name_problem(name)
    if misnamed:
        return misnamed
    if not isinstance(tokens, list | tuple):
        return f'must be a list of tokens, or "{SCHEME}…" with a tokenizer. Got {type(tokens).__name__}'
    seen: set[str] = set()
    for position, token in enumerate(tokens, start=1):
        if not isinstance(token, str) or token.split() != [token]:
            return f"must hold texts without spaces. Position {position} is none"
        if token in seen:
            return f"must name each token once. Position {position} repeats an earlier one"
        seen.add(token)
    if len(seen) < 2:
        return f"must hold at least 2 tokens, else there is nothing to guess. Got {len(seen)}"
    return None
