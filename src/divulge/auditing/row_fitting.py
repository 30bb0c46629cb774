"""Whether attack, defences and the adversary's encoder fit leaked rows: their shape, and the tokens they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.parts import load
from divulge.targets.base import Target

__all__ = ["reading_problems", "shape_problems"]

READ = 100  # public texts that are read twice, to see whether two encoders read alike


def reading_problems(target: Target, practised: Target, public: Corpus) -> list[str]:
    """Whether the adversary's encoder can read public texts in the tokens of the audited one, which are handed to it.

    One that cuts texts otherwise would take them for unknown words, and what is learnt on those looks like no leak.
    """
    some = replace(public, texts=public.texts[:READ])
    for text, own in zip(target.as_read(some), practised.as_read(some), strict=True):
        shared = min(len(text.tokens), len(own.tokens))
        if text.tokens[:shared] != own.tokens[:shared]:
            said = f"{practised.name!r} cuts texts into other tokens than target {target.name!r} does"
            needed = "Practice must be on an encoder with the same tokenizer and recipe.unit"
            vectors = "for a file of vectors, name the encoder in target.recipe.encoder"
            return [f"adversary.background.target: {said}. {needed}; {vectors}"]
    return []


def shape_problems(target: Target, defences: Sequence[Defence], attack: Attack | None, *, known: bool) -> list[str]:
    """An attack against the shape of the rows it would read: one vector a token, or one a text.

    `known`: the adversary knows the defences, and so has learnt on rows of the shape that they leave.
    """
    pooled = target.pools
    for defence in defences:
        if not defence.pools_rows or defence.is_harmless:
            continue
        if pooled:
            return [f"defence {defence.name!r} pools rows, and those of target {target.name!r} are pooled already"]
        if attack is not None and attack.needs_practice and not known:
            told = "set adversary.knows_defence = true"
            return [f"attack {attack.name!r} would learn on unpooled rows and be handed pooled ones: {told}"]
        pooled = True
    if attack is None or attack.rows is None or pooled is None or pooled == (attack.rows == "pooled"):
        return []
    found = "pooled" if pooled else "unpooled"
    fitting = sorted(name for name in ATTACKS if load(ATTACKS, name, Attack, "attack").rows == found)
    return [f"attack {attack.name!r} reads {attack.rows} rows, and these are {found}. Fitting: {', '.join(fitting)}"]
