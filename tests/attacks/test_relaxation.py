"""What gradient attacks share: budgets, masks, and the characters of a soft token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from tests.attacks.pins import TABLE, WORDS, TableTagger, pin_hint

from divulge.attacks.nearest_embedding import NearestEmbedding
from divulge.attacks.relaxation import Relaxation
from divulge.attacks.soft_token import SoftToken, SoftTokenRestarted
from divulge.grants import Grant
from divulge.records import Artefact

BOTH = [SoftToken, NearestEmbedding]


class Spelling(TableTagger):
    """One-hot words, and two dimensions read from characters: how many there are, and whether there are any."""

    def __init__(self) -> None:
        super().__init__(TABLE)
        self.holes: list[torch.Tensor] = []

    @property
    def word_width(self) -> int | None:
        return len(WORDS)

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        words = [torch.tensor([float(word == token) for word in WORDS], dtype=torch.float64) for token in tokens]
        spelt = [torch.tensor([float(ord(token[0]) % 7) if token else -3.0, float(bool(token))]) for token in tokens]
        return torch.stack([torch.cat([word, read.double()]) for word, read in zip(words, spelt, strict=True)])

    def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
        self.holes.append(inputs.detach()[:, 2:])
        parts = super()._loss(inputs[..., : len(WORDS)], labels)
        return {**parts, "spelling": (inputs[..., len(WORDS) :] ** 2).sum(dim=(1, 2))}


@pytest.mark.parametrize("attack", BOTH)
def test_unknown_characters_stay_those_of_a_word_without_any(attack: type[Relaxation]) -> None:
    """In every step the dimensions beyond the word's are those of the empty word; in the last, the discrete, not."""
    target = Spelling()
    list(attack({"characters": "unknown", "steps": 6}).guess(Grant([target]), {"a": pin_hint()}, Artefact(), rng()))
    assert len(target.holes) == 7
    soft = torch.stack(target.holes[:-1])[..., len(WORDS) :]
    torch.testing.assert_close(soft, torch.tensor([-3.0, 0.0], dtype=soft.dtype).expand_as(soft))
    assert (target.holes[-1][..., -1] == 1).all()


@pytest.mark.parametrize("attack", BOTH)
def test_mixed_characters_move_with_the_word(attack: type[Relaxation]) -> None:
    """By default the whole vector is soft."""
    target = Spelling()
    list(attack({"steps": 6}).guess(Grant([target]), {"a": pin_hint()}, Artefact(), rng()))
    assert all((hole[..., len(WORDS)] != -3.0).all() for hole in target.holes)
    assert not torch.equal(target.holes[0], target.holes[5])


@pytest.mark.parametrize("attack", BOTH)
def test_a_model_without_characters_is_attacked_the_same_either_way(attack: type[Relaxation]) -> None:
    """Where all dimensions are the word's, `characters` changes nothing."""
    one, two = (
        list(attack({"characters": kind}).guess(Grant([TableTagger(TABLE)]), {"a": pin_hint()}, Artefact(), rng()))
        for kind in ("mixed", "unknown")
    )
    assert one == two


class Dropping(TableTagger):
    """Every second asking is deaf to the words."""

    def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
        parts = super()._loss(inputs, labels)
        heard = torch.arange(len(inputs)) % 2 == 0
        return {name: torch.where(heard, part, 0 * part) for name, part in parts.items()}


@pytest.mark.parametrize("attack", BOTH)
def test_masks_ask_each_step_so_often_and_average(attack: type[Relaxation]) -> None:
    """Four askings in one batch, and the loss told is the mean of two that hear and two that do not."""
    target, plain = Dropping(TABLE), TableTagger(TABLE)
    chosen = attack({"masks": 4, "steps": 5})
    (found,) = chosen.guess(Grant([target]), {"a": pin_hint()}, Artefact(), rng())
    assert target.seen == [4] * 6
    assert chosen.cost(chosen.options, pin_hint()) == 24
    (alone,) = attack({"steps": 5}).guess(Grant([plain]), {"a": pin_hint()}, Artefact(), rng())
    assert found.candidates == alone.candidates  # type: ignore[union-attr] # Adam does not mind a factor
    assert found.scores[0] == alone.scores[0] / 2  # type: ignore[union-attr]


@pytest.mark.parametrize(("limit", "answered"), [(0, 0), (11, 0), (12, 1), (35, 2), (36, 3)])
def test_a_secret_that_cannot_be_paid_for_is_not_begun(limit: int, answered: int) -> None:
    """Two restarts of two steps and a choice, twice each, are 12 examples a secret."""
    grant = Grant([TableTagger(TABLE)], limit)
    attack = SoftTokenRestarted({"restarts": 2, "steps": 2, "masks": 2, "spread": 5.0})
    found = list(attack.guess(grant, {name: pin_hint() for name in "abc"}, Artefact(), rng()))
    assert len(found) == answered
    assert grant.meter.total <= limit


def rng() -> np.random.Generator:
    return np.random.default_rng(0)
