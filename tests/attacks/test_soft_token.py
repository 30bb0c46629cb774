"""The published attack, against a slow version written straight from the paper."""

from __future__ import annotations

import numpy as np
import torch
from tests.attacks.pins import DIGITS, TABLE, TableTagger, pin_hint

from divulge.access import GradientAccess, Supervision
from divulge.attacks.soft_token import SoftToken, SoftTokenRestarted
from divulge.grants import ForwardGradients, Grant
from divulge.records import Artefact, Gaps
from divulge.testing import world


def slow_attack(target: GradientAccess, hint: Gaps, start: np.ndarray, steps: int) -> tuple[str, ...]:
    """Equations 1 to 3, one hole and one step at a time, for one hint and one restart."""
    logits = torch.tensor(start, requires_grad=True)  # (holes, |V0|)
    optimiser = torch.optim.Adam([logits], lr=6.5e-3)
    for step in range(steps):
        temperature = 0.997**step * 0.1
        rows, hole = [], 0
        for token in hint.tokens:
            if token is None:
                weights = torch.exp(logits[hole] / temperature)
                weights = weights / weights.sum()
                rows.append(sum(w * v for w, v in zip(weights, target.vectors(hint.candidates[hole]), strict=True)))
                hole += 1
            else:
                rows.append(target.vectors([token])[0])
        loss = sum(target.loss(torch.stack(rows)[None], [Supervision(hint.label, hint.tags)]).values())
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.param_groups[0]["lr"] = 6.5e-3 * 0.995**step
        optimiser.step()
    return tuple(hint.candidates[i][int(row.argmax())] for i, row in enumerate(logits))


def test_the_defaults_are_those_of_appendix_b() -> None:
    """250 steps, rate 6.5e-3 falling by 0.995, temperature 0.1 falling by 0.997, one restart; or 32."""
    options = SoftToken().options
    assert (options.steps, options.learning_rate, options.learning_rate_decay) == (250, 6.5e-3, 0.995)
    assert (options.temperature, options.temperature_decay, options.restarts) == (0.1, 0.997, 1)
    assert SoftTokenRestarted().options.restarts == 32


class Recorder(ForwardGradients):
    """Keeps every input it is asked about."""

    def __init__(self, inner: GradientAccess) -> None:
        super().__init__(inner)
        self.inputs: list[torch.Tensor] = []

    def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
        self.inputs.append(inputs.detach().clone())
        return super()._loss(inputs, labels)


def test_it_asks_what_the_slow_version_asks_step_by_step() -> None:
    """From the same start, the soft inputs of each of 8 steps are equal, and so is the choice at the end."""
    here = world(GradientAccess, leaky=True, secrets=4)
    for number, (secret_id, hint) in enumerate(sorted(here.hints.items())):
        fast, slow = Recorder(here.access[GradientAccess]), Recorder(here.access[GradientAccess])
        start = np.random.default_rng(number).normal(scale=0.05, size=(3, 10))
        attack = SoftToken({"steps": 8, "spread": 0.05})
        (found,) = attack.guess(Grant([fast]), {secret_id: hint}, Artefact(), np.random.default_rng(number))
        assert found.candidates[0] == slow_attack(slow, hint, start, 8)  # type: ignore[union-attr]
        assert len(fast.inputs) == 9  # the last one is the discrete choice
        torch.testing.assert_close(torch.stack(fast.inputs[:8]), torch.stack(slow.inputs), rtol=1e-6, atol=1e-9)


def test_many_secrets_in_one_tensor_are_the_same_as_one_by_one() -> None:
    """The number of secrets descended together changes nothing but speed."""
    here = world(GradientAccess, leaky=True, secrets=10)

    def found(together: int) -> list[object]:
        attack = SoftToken({"together": together, "steps": 12})
        return list(attack.guess(here.access, here.hints, Artefact(), np.random.default_rng(5)))

    assert found(1) == found(3) == found(64)


def test_candidate_sets_of_different_sizes_share_a_tensor() -> None:
    """A hole with two candidates never gets the third one's place, and each hole keeps its own order."""
    hint = Gaps(tokens=("pin", "is", None, None), label="PinIntent", candidates=(("1", "0"), DIGITS))
    found = SoftToken().guess(Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(0))
    assert next(found).candidates == (("1", "0"),)  # type: ignore[union-attr] # 2 is not offered at place 2


def test_restarts_are_ranked_by_discrete_loss() -> None:
    """With many restarts of one step each, different completions are found and the least loss comes first."""
    attack = SoftTokenRestarted({"steps": 1, "spread": 1.0})
    grant = Grant([TableTagger(TABLE)])
    (ranking,) = attack.guess(grant, {"a": pin_hint()}, Artefact(), np.random.default_rng(0))
    assert len(ranking.candidates) > 2  # type: ignore[union-attr]
    assert ranking.candidates[0] == ("2", "0")  # type: ignore[union-attr]
    assert list(ranking.scores) == sorted(ranking.scores, reverse=True)  # type: ignore[union-attr]


def test_cost_is_one_example_per_step_and_restart_and_one_to_choose() -> None:
    """251 for one restart, 8,032 for 32."""
    assert SoftToken.cost(SoftToken.Options(), pin_hint()) == 251
    assert SoftTokenRestarted.cost(SoftTokenRestarted.Options(), pin_hint()) == 8032
