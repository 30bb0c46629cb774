"""Federated averaging with differential privacy of users, beside slow and plain versions of it."""

from __future__ import annotations

import copy
import math
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from opacus.accountants import RDPAccountant

from divulge.errors import ExecutionError, InputError
from divulge.records import Passage
from divulge.targets.networks.generator import GeneratorNetwork
from divulge.targets.training import dp_sgd
from divulge.targets.training.dp_fedavg import fit_federated
from divulge.targets.training.generator_recipe import Federated
from divulge.targets.word_generators import Followed, word_steps
from divulge.targets.words import Words

WORDS = Words(["go", "now", "stop", "there"])
USERS = (
    (("go", "there", "now"), ("stop",)),
    (("stop", "stop", "there"),),
    (("now", "go", "keel", "there", "now"), ("go",), ("there", "stop")),
)


class Places(torch.nn.Module):
    """A few weights."""

    def __init__(self, *start: float) -> None:
        super().__init__()
        self.place = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))


class Pulled:
    """A user of so many texts, each of which pulls the weights in one direction, with a slope of that length."""

    def __init__(self, *slope: float, texts: int = 1) -> None:
        self.slope, self.asked = torch.tensor(slope, dtype=torch.float64), 0
        self.read: list[int] = []
        self.lengths = np.ones(texts, dtype=np.int64)

    def losses(self, model: Any, numbers: np.ndarray) -> torch.Tensor:
        self.asked += 1
        self.read += numbers.tolist()
        return -(model.place * self.slope).sum().expand(len(numbers))


def recipe(**changes: Any) -> Federated:
    """Everybody in each round, no noise, a clip that cuts nothing."""
    plain = {"rounds": 1, "user_rate": 1.0, "user_clip": 1e6, "user_noise": 0.0, "local_batch": 100}
    return Federated(**{**plain, "local_rate": 1.0, **changes})


def fitted(users: list[Pulled], seed: int = 0, weights: int = 2, **changes: Any) -> list[float]:
    """Where the weights are afterwards, from 0."""
    model = Places(*[0.0] * weights)
    fit_federated(model, users, recipe(**changes), np.random.default_rng(seed))
    return model.place.tolist()


def network() -> GeneratorNetwork:
    """A small one in double precision."""
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"cell": "lstm", "width": 3, "hidden": 4, "layers": 1, "dropout": 0.0}
    return GeneratorNetwork(len(WORDS) + 1, len(WORDS) - 1, **sizes).double()


def writers() -> list[Followed]:
    """Each user's texts on their own."""
    told = [[Passage(tokens=tokens) for tokens in texts] for texts in USERS]
    return [Followed(word_steps(own, WORDS), np.array([len(one.tokens) for one in own])) for own in told]


def by_hand(model: GeneratorNetwork, asked: Federated) -> dict[str, torch.Tensor]:
    """Rounds with everybody: a copy of the network for each user, trained and compared weight by weight."""
    common = {name: value.clone() for name, value in model.state_dict().items()}
    for _ in range(asked.rounds):
        moved = {name: torch.zeros_like(value) for name, value in common.items()}
        for own in writers():
            user = copy.deepcopy(model)
            user.load_state_dict(common)
            for _ in range(asked.local_epochs):
                user.zero_grad()
                own.losses(user, np.arange(len(own.lengths))).mean().backward()
                with torch.no_grad():
                    for weight in user.parameters():
                        weight.sub_(asked.local_rate * weight.grad)
                update = {name: value - common[name] for name, value in user.state_dict().items()}
                length = math.sqrt(sum(float((value**2).sum()) for value in update.values()))
                share = min(1.0, asked.user_clip / length)
                user.load_state_dict({name: common[name] + share * value for name, value in update.items()})
            for name, value in user.state_dict().items():
                moved[name] += value - common[name]
        common = {name: value + asked.server_rate * moved[name] / len(USERS) for name, value in common.items()}
    return common


@pytest.mark.parametrize("clip", [1e6, 0.2])
def test_it_is_the_mean_of_what_users_change(clip: float) -> None:
    """Every weight of a network, after two rounds of two local epochs, cut and uncut, as a loop by hand has it."""
    asked = recipe(rounds=2, local_epochs=2, local_rate=0.5, user_clip=clip, server_rate=0.7)
    model = network()
    wanted = by_hand(model, asked)
    start = {name: value.clone() for name, value in model.state_dict().items()}
    told = fit_federated(model, writers(), asked, np.random.default_rng(0))
    for name, value in model.state_dict().items():
        assert torch.allclose(value, wanted[name], rtol=1e-9, atol=1e-12), name
    assert not torch.allclose(start["output.weight"], wanted["output.weight"])
    assert (len(told["train_loss"]), told["valid_loss"], told["kept_epoch"]) == (2, [], 2)
    assert told["train_loss"][1] < told["train_loss"][0]
    assert "privacy" not in told
    assert not model.training


def test_what_the_clip_cuts_makes_a_difference() -> None:
    """So that the case above is one: cut at 0.2 the network is another than uncut."""
    cut, uncut = (by_hand(network(), recipe(local_epochs=2, local_rate=0.5, user_clip=c)) for c in (0.2, 1e6))
    assert not torch.allclose(cut["output.weight"], uncut["output.weight"], atol=1e-3)


@pytest.mark.parametrize("loudness", [1.0, 10.0, 1e6])
def test_nobody_moves_the_model_farther_than_the_clip_allows(loudness: float) -> None:
    """With slope 3 * loudness cut to 0.5, one of four users, server rate 2: 2 * 0.5 / 4 = 0.25, however loud."""
    quiet = [Pulled(0.0, 0.0) for _ in range(3)]
    found = fitted([*quiet, Pulled(0.0, 3 * loudness, texts=5)], user_clip=0.5, local_batch=2, server_rate=2.0)
    assert found == pytest.approx([0.0, 0.25])


def test_a_short_update_is_not_made_longer() -> None:
    """Slopes (0.3, 0) and (0, 0.4), two local epochs, mean of two users: (0.3, 0.4)."""
    users = [Pulled(0.3, 0.0), Pulled(0.0, 0.4)]
    assert fitted(users, user_clip=1.0, local_epochs=2) == pytest.approx([0.3, 0.4])


def test_a_user_may_be_read_in_part() -> None:
    """Three of ten texts a round, the same ones in each local epoch, others in the next round; or all of them."""
    user = Pulled(0.0, 0.0, texts=10)
    fitted([user], rounds=20, local_texts=3, local_epochs=2, local_batch=2)
    rounds = [user.read[start : start + 6] for start in range(0, len(user.read), 6)]
    assert len(rounds) == 20
    assert all(sorted(one[:3]) == sorted(one[3:]) and len(set(one)) == 3 for one in rounds)
    assert {number for one in rounds for number in one} == set(range(10))
    for most in (None, 99):
        user = Pulled(0.0, 0.0, texts=10)
        fitted([user], local_texts=most, local_batch=4)
        assert sorted(user.read) == list(range(10))


def test_the_sum_is_divided_by_the_number_expected() -> None:
    """Of eight users at rate 0.5 four are expected: who is drawn counts a quarter, however many there are."""
    numbers = set()
    for seed in range(8):
        users = [Pulled(1.0, 0.0) for _ in range(8)]
        moved, _ = fitted(users, seed, user_rate=0.5)
        drawn = sum(user.asked for user in users)
        numbers.add(drawn)
        assert moved == pytest.approx(drawn / 4)
    assert len(numbers) > 2


def test_each_user_is_drawn_by_a_coin_of_its_own() -> None:
    """400 rounds of five users at 0.3: 120 times each, give or take (sd 9.2); nobody in about 0.7^5 of the rounds."""
    users = [Pulled(0.0, 0.0) for _ in range(5)]
    told = fit_federated(Places(0.0, 0.0), users, recipe(rounds=400, user_rate=0.3), np.random.default_rng(0))
    assert all(abs(user.asked - 120) < 37 for user in users)
    empty = told["train_loss"].count(None)
    assert empty == pytest.approx(400 * 0.7**5, abs=30)  # 67, sd 7.5


def test_noise_is_as_large_as_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where users change nothing it is all there is: server * noise * clip / expected, times the root of the rounds."""
    monkeypatch.setattr(dp_sgd, "epsilon_of", lambda *given: 0.0)
    users = [Pulled(*[0.0] * 4000) for _ in range(10)]
    settings = {"rounds": 4, "user_rate": 0.4, "user_noise": 3.0, "user_clip": 0.5, "server_rate": 2.0}
    found = np.array(fitted(users, weights=4000, **settings))
    assert found.std() == pytest.approx(2 * 3 * 0.5 / 4 * math.sqrt(4), rel=0.04)  # 1.5, sd of it 0.017
    assert abs(found.mean()) < 0.1
    other = np.array(fitted(users, 1, weights=4000, **settings))
    assert abs(np.corrcoef(found, other)[0, 1]) < 0.06


def test_the_same_seed_gives_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """And another one others."""
    monkeypatch.setattr(dp_sgd, "epsilon_of", lambda *given: 0.0)
    found = [fitted([Pulled(1.0, 2.0)] * 5, seed, user_rate=0.5, user_noise=1.0, rounds=3) for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]


def rdp(noise: float, rate: float, rounds: int, delta: float) -> float:
    """What Opacus's RDP accountant says, asked step by step."""
    accountant = RDPAccountant()
    for _ in range(rounds):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(accountant.get_epsilon(delta))


def test_epsilon_is_that_of_a_user() -> None:
    """Of the rate at which users are drawn and the number of rounds, whatever the number of texts."""
    users = [Pulled(1.0, 0.0, texts=7) for _ in range(20)]
    asked = recipe(rounds=30, user_rate=0.1, user_noise=1.5, user_clip=2.0, delta=1e-3)
    told = fit_federated(Places(0.0, 0.0), users, asked, np.random.default_rng(0))["privacy"]
    bound = rdp(1.5, 0.1, 30, 1e-3)
    assert 0.6 * bound < told["epsilon"] <= bound  # the finer accountant may say less, never more
    assert (told["delta"], told["noise"], told["sample_rate"], told["steps"]) == (1e-3, 1.5, 0.1, 30)
    assert (told["users"], told["texts"], told["user_clip"]) == (20, 140, 2.0)
    assert told["unit"] == "one user with all texts"


def test_the_published_epsilon_is_within_reach() -> None:
    """Song2019: rate 0.04, 300 rounds, delta 1e-4: epsilon 4.129; it does not print the noise.

    By RDP as it is turned into epsilon today, a noise of 1.0306 has it. As it was turned in 2019, epsilon = RDP of an
    order + ln(1 / delta) / (order - 1), that of 1.12 does (4.145), the default here: less is claimed now, 3.51, and
    less still by the finer accountant, 3.10.
    """
    assert rdp(1.0306, 0.04, 300, 1e-4) == pytest.approx(4.129, abs=0.002)
    published = recipe(rounds=300, user_rate=0.04, user_noise=Federated().user_noise, delta=1e-4)
    told = fit_federated(Places(0.0), [Pulled(0.0)], published, np.random.default_rng(0))["privacy"]
    assert rdp(1.12, 0.04, 300, 1e-4) == pytest.approx(3.51, abs=0.01)
    assert told["epsilon"] == pytest.approx(3.10, abs=0.02)


def test_training_that_diverges_says_so() -> None:
    """No model is better than one of no numbers."""
    with pytest.raises(ExecutionError, match=r"Lower federated\.local_rate"):
        fitted([Pulled(math.inf, 0.0)])


def test_noise_without_an_accountant_is_refused_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install; without noise nothing is missing."""
    monkeypatch.setitem(sys.modules, "opacus.accountants", None)
    user = Pulled(1.0, 0.0)
    with pytest.raises(InputError, match=r"pip install 'divulge\[dp\]'"):
        fitted([user], user_noise=1.0)
    assert user.asked == 0
    assert fitted([user]) == [1.0, 0.0]
