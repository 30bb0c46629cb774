"""Where the truth stands: the attack scores it, shuffled among decoys of the same pattern."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np

from divulge.access import LabelLikelihoodAccess
from divulge.adversary import Knowledge
from divulge.attacks.base import Attack
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.metrics.exposure import standing
from divulge.records import Check, Gaps, Secret, Standing, Tokens

__all__ = ["decoys_of", "standings", "told_apart"]

MOST_TRIED, OTHERS = 5, 8  # secrets whose words are exchanged, and how often
STILL = 1e-12  # probabilities closer than that are one

Completion = tuple[str, ...]


def standings(
    attack: Attack,
    access: Grant,
    secrets: Sequence[Secret],
    knowledge: Knowledge,
    *,
    decoys: int,
    rng: np.random.Generator,
    planted: Sequence[Secret] = (),
) -> list[Standing]:
    """One standing per secret with gaps: exact where all completions fit into `decoys`, else extrapolated.

    Answers that were planted under the very same hint are no decoys: the model may know them just as well. `planted`
    holds controls too, so that a planted secret and a control have as many decoys.
    """
    found, known = [], _answers_by_hint(planted)
    for secret in sorted(secrets, key=lambda secret: secret.id):
        if not (isinstance(secret.hint, Gaps) and isinstance(secret.answer, Tokens)):
            continue
        truth = secret.answer.tokens
        also = known.get(secret.hint.tokens, set()) - {truth}
        others = decoys_of(secret.hint, truth, decoys, rng, also)
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
        space = secret.hint.space - len(also)
        exact = len(completions) == space
        found.append(standing(secret.id, float(unshuffled[0]), unshuffled[1:], space, exact=exact))
    return found


def decoys_of(
    hint: Gaps, truth: Completion, count: int, rng: np.random.Generator, also: Collection[Completion] = ()
) -> list[Completion]:
    """All completions but the truth and `also` if there are at most `count`, else so many, drawn uniformly."""
    barred = {truth, *also}
    if hint.space - len(barred) <= count:
        return [filling for filling in itertools.product(*hint.candidates) if filling not in barred]
    drawn: dict[Completion, None] = {}
    while len(drawn) < count:
        filling = _one_of(hint, rng)
        if filling not in barred:
            drawn[filling] = None
    return list(drawn)


def _one_of(hint: Gaps, rng: np.random.Generator) -> Completion:
    """Any completion; drawn by number, since `choice` would copy whole vocabularies."""
    return tuple(words[int(rng.integers(len(words)))] for words in hint.candidates)


def _answers_by_hint(secrets: Sequence[Secret]) -> dict[tuple[str | None, ...], set[Completion]]:
    answers: dict[tuple[str | None, ...], set[Completion]] = {}
    for secret in secrets:
        if isinstance(secret.hint, Gaps) and isinstance(secret.answer, Tokens):
            answers.setdefault(secret.hint.tokens, set()).add(secret.answer.tokens)
    return answers


def told_apart(access: Grant, secrets: Sequence[Secret], rng: np.random.Generator) -> list[Check]:
    """A check that the model's answer moves with the words of a secret at all; the owner's, outside any budget.

    A model that drops these words, or is so sure of a label that no number moves, was not found silent: it was not
    asked. Its likelihoods tell; where only labels are shown, nothing can be checked.
    """
    level = LabelLikelihoodAccess
    asked = [secret for secret in secrets if isinstance(secret.hint, Gaps)][:MOST_TRIED]
    if level not in access or not asked:
        return []
    target = access[level]
    told = target.likelihoods if target.labels else target.tag_likelihoods
    moved = 0
    for secret in asked:
        assert isinstance(secret.hint, Gaps)
        assert isinstance(secret.answer, Tokens)
        others = [_one_of(secret.hint, rng) for _ in range(OTHERS)]
        rows = np.asarray(told([secret.hint.filled(one) for one in (secret.answer.tokens, *others)]))
        moved += bool(np.ptp(rows, axis=0).max() > STILL)
    detail = "" if moved else "the model drops the words of the secrets, or its answers are saturated"
    return [Check(access=level.__name__, name="the answer moves with the secret", passed=moved > 0, detail=detail)]
