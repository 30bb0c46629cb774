"""Where the truth stands: the attack scores it, shuffled among decoys of the same pattern."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from divulge.attacks.base import Attack
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.metrics.exposure import standing
from divulge.records import Artefact, Gaps, Secret, Standing, Tokens

__all__ = ["decoys_of", "standings"]


def standings(
    attack: Attack,
    access: Grant,
    secrets: Sequence[Secret],
    knowledge: Artefact,
    *,
    decoys: int,
    rng: np.random.Generator,
) -> list[Standing]:
    """One standing per secret with gaps: exact where all completions fit into `decoys`, else extrapolated."""
    found = []
    for secret in sorted(secrets, key=lambda secret: secret.id):
        if not (isinstance(secret.hint, Gaps) and isinstance(secret.answer, Tokens)):
            continue
        truth = secret.answer.tokens
        others = decoys_of(secret.hint, truth, decoys, rng)
        completions = [truth, *others]
        order = rng.permutation(len(completions))  # where the truth is put tells the attack nothing
        scores = np.asarray(
            attack.score(access, secret.hint, [completions[i] for i in order], knowledge), dtype=np.float64
        )
        if scores.shape != (len(completions),) or np.isnan(scores).any():
            # Infinity is a belief, too; what is no number is a fault that must not look like a poor rank.
            raise ExecutionError(f"attack {attack.name!r} must score each of {len(completions)} completions")
        unshuffled = np.empty_like(scores)
        unshuffled[order] = scores
        exact = len(completions) == secret.hint.space
        found.append(standing(secret.id, float(unshuffled[0]), unshuffled[1:], secret.hint.space, exact=exact))
    return found


def decoys_of(hint: Gaps, truth: tuple[str, ...], count: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """All other completions if there are at most `count`, else so many different ones, drawn uniformly."""
    if hint.space - 1 <= count:
        return [filling for filling in itertools.product(*hint.candidates) if filling != truth]
    drawn: dict[tuple[str, ...], None] = {}
    while len(drawn) < count:
        filling = tuple(words[int(rng.integers(len(words)))] for words in hint.candidates)
        if filling != truth:
            drawn[filling] = None
    return list(drawn)
