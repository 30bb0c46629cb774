"""Secrets that are in the data already: found by pattern or format, each to be ranked among candidates like it.

A found secret is rarer than a made one, and its text is not random: a model may prefer it without having seen it.
So judge a rank by the ranks of secrets found in texts the model was not trained on (`splits=("test",)`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.data.corpus import Corpus
from divulge.data.formats import KINDS, REGEX_PREFIX, Format, read_format
from divulge.data.ids import opaque_id
from divulge.data.patterns import Pattern, gaps_over, parse_pattern
from divulge.data.spaced import find_spaced
from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.records import Secret, Text, Tokens

__all__ = ["Match", "find_matches", "find_secrets"]

NUMBERS = ("card", "phone")
MOST_GROUPS = 10  # of a number, or an address, that stands in a text again
Match = tuple[tuple[str, ...], tuple[str, ...]]


def find_secrets(
    corpus: Corpus,
    what: str,
    key: bytes,
    rng: np.random.Generator,
    *,
    limit: int | None = None,
    decoys: int = 1000,
    candidates: Mapping[str, object] | None = None,
    splits: Sequence[str] = ("train",),
    exclude: Collection[tuple[str, ...]] = (),
) -> tuple[Secret, ...]:
    """Finds secrets in existing texts; none is found more than once in the same text.

    The hint is the text with the secret taken out. Where the secret stands in the text once more, the hint ends before
    that place (or begins after it), so that it does not tell the answer. Of matches that overlap, the first counts.

    Args:
        corpus: Where to look.
        what: A pattern with holes, or email, phone or card, which may be written in several tokens, or
            regex:EXPRESSION, which is about single tokens.
        key: Makes the ids. It must be random and kept in the secrets file: a PIN could be recovered from its id by
            trying all.
        rng: Draws the secrets to keep, and the decoys.
        limit: How many to keep, drawn at random from all that were found; None keeps all.
        decoys: How many others of the same format to rank each secret among; a pattern has its candidate sets.
        candidates: Sets of the caller's own for a pattern.
        splits: Where to look.
        exclude: Answers that do not count, such as those that the model was trained on where controls are wanted.
    """
    finder = _finder(what, candidates, decoys)
    matches = [match for match in _matches(corpus, finder, splits).values() if match.answer not in exclude]
    if limit is not None and len(matches) > limit:
        matches = [matches[place] for place in sorted(rng.permutation(len(matches))[:limit].tolist())]
    secrets = [_secret(match, finder, key, rng) for match in matches]
    usable = tuple(secret for secret in secrets if secret is not None)
    if matches and not usable:
        raise InputError(
            f"{len(matches)} secrets were found, but there is nothing to rank them among: nothing else has that "
            r"format. Let the expression leave something open, such as \d or [a-z]"
        )
    return usable


def find_matches(
    corpus: Corpus,
    what: str,
    *,
    candidates: Mapping[str, object] | None = None,
    splits: Sequence[str] = ("train",),
) -> tuple[Match, ...]:
    """All that `find_secrets` would find without a limit: the tokens of the text, and the answer."""
    return tuple(_matches(corpus, _finder(what, candidates, 1), splits))


@dataclass(frozen=True, repr=False)
class _Found:
    """One secret in a text: the matched stretch, the holes in it, and in which part of its token each may vary."""

    text: Text
    start: int
    end: int
    holes: tuple[int, ...]
    free: tuple[tuple[int, int], ...] = ()

    @property
    def answer(self) -> tuple[str, ...]:
        return tuple(self.text.tokens[place] for place in self.holes)


class _PatternFinder:
    """Finds what a pattern describes, in stretches of tokens."""

    def __init__(self, pattern: Pattern) -> None:
        self._roles = [slot.role for slot in pattern.slots]
        self._fitting = [frozenset(slot.options) for slot in pattern.slots]
        self._options = tuple(slot.options for slot in pattern.holes)

    def find(self, text: Text) -> Iterator[_Found]:
        width = len(self._fitting)
        start = 0
        while start + width <= len(text.tokens):
            stretch = text.tokens[start : start + width]
            if all(token in fitting for token, fitting in zip(stretch, self._fitting, strict=True)):
                holes = tuple(start + place for place, role in enumerate(self._roles) if role == "hole")
                yield _Found(text, start, start + width, holes)
                start += width
            else:
                start += 1

    def options(self, found: _Found, rng: np.random.Generator) -> tuple[tuple[str, ...], ...]:
        """The candidate sets; they do not depend on the secret."""
        del found, rng
        return self._options

    def told(self, found: _Found) -> Iterator[tuple[int, int]]:
        """Every stretch of the text that reads like a run of holes."""
        tokens = found.text.tokens
        for run in _runs(found.holes):
            hidden = tokens[run[0] : run[-1] + 1]
            for start in range(len(tokens) - len(hidden) + 1):
                if tokens[start : start + len(hidden)] == hidden:
                    yield start, start + len(hidden)


class _FormatFinder:
    """Finds what is of a format: in several tokens where the format may be written so, else in single ones."""

    def __init__(self, form: Format, decoys: int) -> None:
        self._form = form
        self._decoys = decoys

    def find(self, text: Text) -> Iterator[_Found]:
        singles = {place for place, token in enumerate(text.tokens) if self._form.part(token) is not None}
        for spaced in find_spaced(self._form.name, text.tokens):
            if sum(place in singles for place in range(spaced.start, spaced.end)) > 1:
                continue  # each is a secret of its own
            singles -= set(range(spaced.start, spaced.end))
            holes = tuple(spaced.start + number for number, _, _ in spaced.free)
            yield _Found(text, spaced.start, spaced.end, holes, tuple((low, high) for _, low, high in spaced.free))
        for place in sorted(singles):
            yield _Found(text, place, place + 1, (place,))

    def options(self, found: _Found, rng: np.random.Generator) -> tuple[tuple[str, ...], ...]:
        """The secret among its decoys, in sorted order: its place tells nothing."""
        if not found.free:
            before, core, after = self._parted(found)
            decoys = self._form.decoys(core, self._decoys, rng)
            return (tuple(sorted(before + text + after for text in (core, *decoys))),)
        return tuple(
            tuple(sorted((token, *Format.within(low, len(token) - high).decoys(token, self._decoys, rng))))
            for token, (low, high) in zip(found.answer, found.free, strict=True)
        )

    def told(self, found: _Found) -> Iterator[tuple[int, int]]:
        """Every stretch that holds the secret, whatever stands around it; numbers also in other groups."""
        number = self._form.name in NUMBERS
        if not found.free:
            core = self._parted(found)[1]
            hidden = core[self._form.kept(core)[0] :] if number else core
        elif number:
            hidden = "".join(token[low:high] for token, (low, high) in zip(found.answer, found.free, strict=True))
        else:
            hidden = "".join(found.text.tokens[found.start : found.end])
        clean = _digits if number else str.casefold
        hidden, tokens = clean(hidden), [clean(token) for token in found.text.tokens]
        widest = MOST_GROUPS if number or found.free else 1
        for start in range(len(tokens)):
            for end in range(start + 1, min(start + widest, len(tokens)) + 1):
                if hidden in "".join(tokens[start:end]):
                    if hidden not in "".join(tokens[start + 1 : end]):
                        yield start, end
                    break

    def _parted(self, found: _Found) -> tuple[str, str, str]:
        parted = self._form.part(found.answer[0])
        assert parted is not None
        return parted


def _digits(token: str) -> str:
    return "".join(character for character in token if character.isdigit())


def _matches(corpus: Corpus, finder: _PatternFinder | _FormatFinder, splits: Sequence[str]) -> dict[Match, _Found]:
    found: dict[Match, _Found] = {}
    for text in corpus.split(*splits):
        for match in finder.find(text):
            found.setdefault((text.tokens, match.answer), match)
    return found


def _finder(what: str, candidates: Mapping[str, object] | None, decoys: int) -> _PatternFinder | _FormatFinder:
    form = read_format(what)
    if form is not None:
        return _FormatFinder(form, decoys)
    if not set("{}<>") & set(what):
        raise InputError(
            f"neither a pattern with a hole, such as my pin is {{digit*4}}, nor a known format, nor "
            f"{REGEX_PREFIX}EXPRESSION.{did_you_mean(what, KINDS)}"
        )
    return _PatternFinder(parse_pattern(what, candidates))


def _secret(
    found: _Found, finder: _PatternFinder | _FormatFinder, key: bytes, rng: np.random.Generator
) -> Secret | None:
    """The found secret, or None if it has no others to be ranked among."""
    options = finder.options(found, rng)
    if all(len(choices) == 1 for choices in options):
        return None
    left, right = 0, len(found.text.tokens)
    for start, end in finder.told(found):
        if end <= found.start:
            left = max(left, end)
        elif start >= found.end:
            right = min(right, start)
    holes = set(found.holes)
    tags = found.text.tags
    hint = gaps_over(
        options,
        tuple(None if place in holes else found.text.tokens[place] for place in range(left, right)),
        found.text.label,
        None if tags is None else tags[left:right],
    )
    identity = opaque_id(key, "found", found.text.tokens, found.answer)
    return Secret(id=identity, hint=hint, answer=Tokens(tokens=found.answer))


def _runs(places: Sequence[int]) -> list[list[int]]:
    """Groups places that follow each other."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
