"""The trivial attack, against a slow version, and where the nearest word is read off."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.attacks.pins import TABLE, TableTagger, pin_hint

from divulge.access import GradientAccess, Supervision
from divulge.attacks.nearest_embedding import NearestEmbedding
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Ranking
from divulge.testing import world


def slow_attack(target: GradientAccess, hint: Gaps, drawn: np.ndarray, steps: int) -> tuple[str, ...]:
    """One hint, one restart: start like the candidates, follow Adam, take the nearest."""
    tables = [target.vectors(words).detach() for words in hint.candidates]
    start = [
        t.mean(dim=0) + t.std(dim=0, correction=0) * torch.from_numpy(z) for t, z in zip(tables, drawn, strict=True)
    ]
    free = torch.stack(start).requires_grad_()
    optimiser = torch.optim.Adam([free], lr=6.5e-3)
    for step in range(steps):
        rows = iter(free)
        inputs = [next(rows) if token is None else target.vectors([token])[0] for token in hint.tokens]
        loss = sum(target.loss(torch.stack(inputs)[None], [Supervision(hint.label, hint.tags)]).values())
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.param_groups[0]["lr"] = 6.5e-3 * 0.995**step
        optimiser.step()
    near = [int(torch.cdist(row[None], table)[0].argmin()) for row, table in zip(free.detach(), tables, strict=True)]
    return tuple(words[place] for words, place in zip(hint.candidates, near, strict=True))


def test_it_finds_what_the_slow_version_finds() -> None:
    """The same draws give the same words, for hints one by one."""
    here = world(GradientAccess, leaky=True, secrets=6)
    for number, (secret_id, hint) in enumerate(sorted(here.hints.items())):
        assert isinstance(hint, Gaps)
        target = here.access[GradientAccess]
        drawn = np.random.default_rng(number).normal(size=(1, len(hint.holes), target.vectors(["a"]).shape[1]))
        attack = NearestEmbedding({"steps": 30})
        (found,) = attack.guess(here.access, {secret_id: hint}, Artefact(), np.random.default_rng(number))
        assert isinstance(found, Ranking)
        assert found.candidates == (slow_attack(target, hint, drawn[0], 30),)


def test_it_makes_one_guess_of_the_published_length() -> None:
    """250 steps and one discrete loss to go with the guess."""
    target = TableTagger(TABLE)
    (found,) = NearestEmbedding().guess(Grant([target]), {"a": pin_hint()}, Artefact(), np.random.default_rng(0))
    assert len(found.candidates) == 1  # type: ignore[union-attr]
    assert len(target.seen) == 251 == NearestEmbedding.cost(NearestEmbedding.Options(), pin_hint())


def test_padding_is_never_near() -> None:
    """A hole of one candidate beside one of three: the shorter set's padding is neither drawn from nor chosen."""
    hint = Gaps(tokens=("pin", "is", None, None), label="PinIntent", candidates=(("1",), ("0", "1", "2")))
    for seed in range(5):
        found = NearestEmbedding({"steps": 3}).guess(
            Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(seed)
        )
        assert next(found).candidates[0][0] == "1"  # type: ignore[union-attr]


@pytest.mark.parametrize("together", [1, 3, 64])
def test_many_secrets_in_one_tensor_are_the_same_as_one_by_one(together: int) -> None:
    """The number of secrets descended together changes nothing but speed."""
    here = world(GradientAccess, leaky=True, secrets=7)

    def found(count: int) -> list[object]:
        attack = NearestEmbedding({"together": count, "steps": 10})
        return list(attack.guess(here.access, here.hints, Artefact(), np.random.default_rng(5)))

    assert found(together) == found(2)


def test_with_long_strides_it_finds_what_was_learnt_by_heart() -> None:
    """Where everything leaks and the descent arrives, the nearest words are the planted ones."""
    here = world(GradientAccess, leaky=True, secrets=20)
    attack = NearestEmbedding({"learning_rate": 0.1, "steps": 300})
    found = attack.guess(here.access, here.hints, Artefact(), np.random.default_rng(0))
    right = [guess.candidates[0] == here.answers[guess.secret_id].tokens for guess in found]  # type: ignore[union-attr]
    assert np.mean(right) > 0.9
