"""Canaries: secrets made from a pattern, planted into training data, with controls that never are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.canonical import freeze
from divulge.data.ids import key_from_seed, opaque_id
from divulge.data.patterns import Pattern, draw_distinct, gaps_over, parse_pattern
from divulge.errors import InputError
from divulge.records import Gaps, Planting, Secret, Tokens
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["Drawn", "draw_canaries", "draw_families", "make_canaries", "plant"]


@dataclass(frozen=True, repr=False)
class Drawn:
    """Canaries: what is planted and what is held out, of all families, and of which family each is."""

    secrets: tuple[Secret, ...]
    controls: tuple[Secret, ...]
    family: Mapping[str, str]  # by id

    @property
    def by_family(self) -> dict[str, tuple[Secret, ...]]:
        """All of them, planted or not, by family."""
        every = (*self.secrets, *self.controls)
        return {
            name: tuple(one for one in every if self.family[one.id] == name)
            for name in sorted(set(self.family.values()))
        }

    def about(self, family: str | None) -> Drawn:
        """Those of one family; None: all of them."""
        if family is None:
            return self
        secrets, controls = (
            tuple(one for one in every if self.family[one.id] == family) for every in (self.secrets, self.controls)
        )
        return Drawn(secrets, controls, self.family)


def draw_families(
    spec: SecretsSpec,
    seed: int,
    *role: str | int,
    tagged: bool = True,
    exclude: Mapping[str, Sequence[Secret]] | None = None,
) -> Drawn:
    """Draws the canaries of every family; which family is asked about changes none of them.

    `role` names whose canaries they are: those of the target, or of a practice model. `exclude` are those, by family,
    that must not be made again.
    """
    secrets: list[Secret] = []
    controls: list[Secret] = []
    family_of: dict[str, str] = {}
    for name, family in spec.patterns.items():
        names = (*role, name) if name else role
        alone = spec.model_copy(update={**dict(family), "families": freeze({}), "asked": None})
        met = (exclude or {}).get(name, ())
        rng, key = generator(seed, "secrets", *names), key_from_seed(seed, *names)
        inside, outside = draw_canaries(alone, rng, key, tagged=tagged, exclude=met)
        secrets += inside
        controls += outside
        family_of |= {secret.id: name for secret in (*inside, *outside)}
    return Drawn(tuple(secrets), tuple(controls), family_of)


def make_canaries(
    spec: SecretsSpec,
    count: int,
    rng: np.random.Generator,
    key: bytes,
    *,
    tagged: bool = True,
    exclude: Sequence[Secret] = (),
) -> tuple[Secret, ...]:
    """Makes `count` different canaries from the pattern of `spec`.

    Answers are uniform over the pattern's space. Known parts differ from canary to canary where there are enough of
    them, and are then drawn apart from the answers, so that they tell nothing about each other.

    Args:
        spec: Gives the pattern, its candidate sets and the label.
        count: How many to make.
        rng: Draws them.
        key: Makes the ids, with the pattern and the place in the draw; an id holds nothing of the answer.
        tagged: Whether the hints carry tags, as a corpus for taggers needs them.
        exclude: Canaries of the same pattern that must not be made again.
    """
    if spec.pattern is None:
        raise InputError("canaries are made from a pattern, and secrets.pattern is not given")
    pattern = parse_pattern(spec.pattern, spec.candidates)
    drawn = _draw(pattern, count, rng, exclude)
    return tuple(
        _secret(pattern, tokens, opaque_id(key, pattern.text, index), spec, tagged=tagged)
        for index, tokens in enumerate(drawn)
    )


def draw_canaries(
    spec: SecretsSpec,
    rng: np.random.Generator,
    key: bytes,
    *,
    tagged: bool = True,
    exclude: Sequence[Secret] = (),
) -> tuple[tuple[Secret, ...], tuple[Secret, ...]]:
    """Draws `spec.count` canaries to plant and `spec.controls` to hold out: a random subset of one draw is planted.

    With `spec.coin` the subset is that for which a fair coin of its own says so, and only about as large. What is
    planted and what is held out are exchangeable, so that any difference in how they fare comes from planting.
    """
    drawn = make_canaries(spec, spec.count + spec.controls, rng, key, tagged=tagged, exclude=exclude)
    mixed = np.flatnonzero(rng.random(len(drawn)) < 0.5) if spec.coin else rng.permutation(len(drawn))[: spec.count]
    chosen = set(mixed.tolist())
    planted = tuple(secret for index, secret in enumerate(drawn) if index in chosen)
    controls = tuple(secret for index, secret in enumerate(drawn) if index not in chosen)
    return planted, controls


def plant(secrets: Sequence[Secret], copies: int, valid_share: float = 0.0) -> tuple[Planting, ...]:
    """Plans `copies` of each canary, a share of them in the validation split, at least one in training.

    With 0 copies nothing is planted.
    """
    if copies == 0:
        return ()
    training = max(1, round((1 - valid_share) * copies))
    shares = (("train", training), ("valid", copies - training))
    return tuple(_planting(secret, number, split) for secret in secrets for split, number in shares if number > 0)


def _planting(secret: Secret, copies: int, split: str) -> Planting:
    hint, answer = secret.hint, secret.answer
    if not (isinstance(hint, Gaps) and isinstance(answer, Tokens)):
        raise InputError(f"only a text with holes can be planted. Secret {secret.id} is of kind {hint.kind!r}")
    return Planting(
        secret_id=secret.id,
        text=hint.filled(answer.tokens),
        label=hint.label,
        tags=hint.tags,
        copies=copies,
        split=split,
    )


def _secret(pattern: Pattern, tokens: tuple[str, ...], identity: str, spec: SecretsSpec, *, tagged: bool) -> Secret:
    hidden = [slot.role == "hole" for slot in pattern.slots]
    hint = gaps_over(
        tuple(slot.options for slot in pattern.holes),
        tuple(None if hide else token for token, hide in zip(tokens, hidden, strict=True)),
        spec.label,
        pattern.tags(spec.tag) if tagged else None,
    )
    answer = tuple(token for token, hide in zip(tokens, hidden, strict=True) if hide)
    return Secret(id=identity, hint=hint, answer=Tokens(tokens=answer))


def _draw(pattern: Pattern, count: int, rng: np.random.Generator, exclude: Sequence[Secret]) -> list[tuple[str, ...]]:
    """Draws whole texts, one token per slot."""
    texts = {_planting(secret, 1, "train").text for secret in exclude}
    space = pattern.space * pattern.known_space
    if space < count + len(texts):
        beside = f" beside {len(texts)} already in use" if texts else ""
        raise InputError(
            f"the pattern {pattern.text!r} allows {space} different secrets, but {count} are needed{beside}. "
            "Ask for fewer (secrets.count, secrets.controls), or add a hole or a known part such as <name>"
        )
    holes = {place for place, slot in enumerate(pattern.slots) if slot.role == "hole"}
    opened = {tuple("" if place in holes else token for place, token in enumerate(text)) for text in texts}
    if pattern.known_space < count + len(opened):
        return draw_distinct([slot.options for slot in pattern.slots], count, rng, exclude=texts)
    options = [("",) if place in holes else slot.options for place, slot in enumerate(pattern.slots)]
    known = draw_distinct(options, count, rng, exclude=opened)
    return [
        tuple(
            slot.options[rng.integers(len(slot.options))] if place in holes else token
            for place, (slot, token) in enumerate(zip(pattern.slots, text, strict=True))
        )
        for text in known
    ]
