"""DP-SGD for the tagger."""

from __future__ import annotations

import copy
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from opacus.accountants import RDPAccountant
from opacus.grad_sample.grad_sample_module_fast_gradient_clipping import GradSampleHooksFastGradientClipping

from divulge.errors import ExecutionError, InputError
from divulge.records import Text
from divulge.targets.networks.tagger import TaggerNetwork
from divulge.targets.tagged_texts import TaggedTexts, Towards
from divulge.targets.training import dp_sgd
from divulge.targets.training.dp_sgd import epsilon_of, fit_privately
from divulge.targets.training.recipe import PrivateRecipe
from divulge.targets.words import Words

TAGS = ("B-place", "I-place", "O")
TEXTS = [
    Text(("go", "there", "now"), "go", ("O", "B-place", "O")),
    Text(("stop",), "stop", ("O",)),
    Text(("there", "now"), "go", ("B-place", "O")),
    Text(("stop", "there", "there", "now", "go"), "stop", ("O", "B-place", "I-place", "O", "O")),
    Text(("now", "go", "there"), "go", ("O", "O", "B-place")),
]
WORDS = Words(["go", "now", "stop", "there"])


def network(dropout: float = 0.0, alphabet: str | None = None) -> TaggerNetwork:
    """A small one in double precision, whose word vectors are fixed."""
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"width": 4, "hidden": 3, "layers": 2, "dropout": dropout, "alphabet": alphabet}
    model = TaggerNetwork(WORDS.words, 2, len(TAGS), **sizes).double()
    model.embedding.weight.requires_grad_(False)
    return model


def texts(copies: int = 1) -> TaggedTexts:
    """The five texts, of four lengths, so many times."""
    return TaggedTexts(TEXTS * copies, WORDS, Towards(["go", "stop"], TAGS))


def recipe(**changes: Any) -> PrivateRecipe:
    """One epoch of small batches with moderate noise."""
    return PrivateRecipe(**{"epochs": 1, "batch_size": 2, "noise": 1.0, **changes})


def one_at_a_time(model: TaggerNetwork, clip: float | None) -> dict[str, torch.Tensor]:
    """The sum over texts of gradients, each cut to a length: one text, one backward pass, torch's own layers."""
    total = {name: torch.zeros_like(value) for name, value in model.named_parameters() if value.requires_grad}
    for number in range(len(TEXTS)):
        model.zero_grad()
        texts().losses(model, np.array([number])).sum().backward()
        own = {name: value.grad for name, value in model.named_parameters() if value.requires_grad}
        length = math.sqrt(sum(float(value.square().sum()) for value in own.values()))
        share = 1.0 if clip is None else min(1.0, clip / length)
        for name, value in own.items():
            total[name] += share * value
    return total


def stepped(model: TaggerNetwork, monkeypatch: pytest.MonkeyPatch, together: int, **changes: Any) -> dict[str, Any]:
    """What one step of plain gradient descent at rate 1, without noise, on all texts, takes off the weights."""
    monkeypatch.setattr(dp_sgd, "TOGETHER", together)
    monkeypatch.setattr(torch.optim, "AdamW", lambda weights, lr, weight_decay: torch.optim.SGD(weights, lr=lr))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    asked = recipe(batch_size=5, noise=1e-9, learning_rate=1.0, **changes)
    monkeypatch.setattr(dp_sgd, "epsilon_of", lambda *given: 0.0)
    fit_privately(model, texts(), asked, np.random.default_rng(0))
    return {name: before[name] - value for name, value in model.state_dict().items()}


@pytest.mark.parametrize("together", [128, 2, 1])
@pytest.mark.parametrize("clip", [1e3, 0.7])
def test_a_step_is_the_sum_of_clipped_gradients(clip: float, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every weight, as a loop over single texts with torch's own layers has it; a fifth of it, of five texts."""
    model = network()
    wanted = one_at_a_time(copy.deepcopy(model), clip)
    found = stepped(model, monkeypatch, together, example_clip=clip)
    assert set(wanted) < set(found)
    for name, gradient in wanted.items():
        assert torch.allclose(found[name], gradient / 5, rtol=1e-4, atol=1e-6), name
    assert not found["embedding.weight"].any()


def test_all_but_the_shortest_gradients_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example above does clip: cut at 0.7 the step is another than uncut."""
    uncut, cut = (one_at_a_time(network(), clip)["intent.weight"] for clip in (None, 0.7))
    assert not torch.allclose(uncut, cut)
    found = stepped(network(), monkeypatch, 128, example_clip=0.7)
    whole = math.sqrt(sum(float(value.square().sum()) for value in found.values()))
    assert whole <= 0.7


def test_the_length_of_each_texts_gradient_is_right_for_every_weight() -> None:
    """Weight by weight and text by text, mixed lengths: those that Opacus finds in the copy are those of a loop."""
    model = network()
    with dp_sgd._quiet():
        private = dp_sgd._private_copy(model).train()
        hooks = GradSampleHooksFastGradientClipping(private, loss_reduction="sum", max_grad_norm=1.0)
        numbers = np.arange(len(TEXTS))
        losses = texts().losses(private, numbers)
        assert torch.allclose(losses, texts().losses(model, numbers))
        losses.sum().backward()
    found = {name: value._norm_sample for name, value in private.named_parameters() if value.requires_grad}
    lstm = dp_sgd.plain_names({name[5:]: value for name, value in found.items() if name.startswith("lstm.")})
    found = {**{name: value for name, value in found.items() if not name.startswith("lstm.")}} | {
        f"lstm.{name}": value for name, value in lstm.items()
    }
    hooks.cleanup()
    assert set(found) == {name for name, value in model.named_parameters() if value.requires_grad}
    for number in range(len(TEXTS)):
        model.zero_grad()
        texts().losses(model, np.array([number])).sum().backward()
        for name, lengths in found.items():
            assert lengths[number].item() == pytest.approx(model.get_parameter(name).grad.norm().item(), abs=1e-7), name


def test_noise_is_as_large_as_it_is_said() -> None:
    """Where nobody is drawn, the step is noise alone: its spread is noise x clip / batch."""
    model = network()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    drawn: list[torch.Tensor] = []

    class Kept(torch.optim.SGD):
        """Keeps what it is given."""

        def step(self, closure: Any = None) -> None:
            drawn.extend(value.grad.flatten().clone() for group in self.param_groups for value in group["params"])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim, "AdamW", lambda weights, lr, weight_decay: Kept(weights, lr=lr))
        patch.setattr(dp_sgd, "epsilon_of", lambda *given: 0.0)
        patch.setattr(dp_sgd.np, "flatnonzero", lambda drawn: np.array([], dtype=np.int64))
        asked = recipe(batch_size=2, noise=3.0, example_clip=0.5, epochs=20)
        history = fit_privately(model, texts(), asked, np.random.default_rng(0))
    spread = torch.cat(drawn)
    assert spread.std().item() == pytest.approx(3.0 * 0.5 / 2, rel=0.03)
    assert abs(spread.mean().item()) < 0.02
    assert all(math.isnan(loss) for loss in history["train_loss"])
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_draw_of_nobody_is_a_step_like_others() -> None:
    """A batch of one among a hundred is often empty; training goes on and tells how many steps it took."""
    history = fit_privately(network(), texts(20), recipe(batch_size=1), np.random.default_rng(0))
    assert history["privacy"]["steps"] == 100
    assert history["privacy"]["sample_rate"] == pytest.approx(0.01)
    assert math.isfinite(history["train_loss"][0])


def test_each_text_is_drawn_with_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poisson sampling: 40 steps of rate 0.1 on 100 texts draw 400 of 4,000, and no two steps the same number."""
    seen: list[int] = []
    losses = TaggedTexts.losses

    def counted(self: TaggedTexts, model: torch.nn.Module, numbers: np.ndarray) -> torch.Tensor:
        seen.append(len(numbers))
        return losses(self, model, numbers)

    monkeypatch.setattr(TaggedTexts, "losses", counted)
    history = fit_privately(network(), texts(20), recipe(batch_size=10, epochs=4), np.random.default_rng(0))
    assert history["privacy"]["steps"] == 40
    assert sum(seen) == pytest.approx(400, abs=4 * math.sqrt(4000 * 0.1 * 0.9))
    assert len(set(seen)) > 3


def test_it_learns_with_little_noise_and_is_repeatable() -> None:
    """The loss falls; the same generator gives the same weights, another gives others; dropout is no obstacle."""
    asked = recipe(batch_size=20, noise=0.5, epochs=15, learning_rate=0.05)
    models = [network(dropout=0.1) for _ in range(3)]
    histories = []
    for model, seed in zip(models, (0, 0, 1), strict=True):
        torch.manual_seed(0)
        histories.append(fit_privately(model, texts(20), asked, np.random.default_rng(seed)))
    assert histories[0]["train_loss"][-1] < 0.6 * histories[0]["train_loss"][0]
    first, again, other = (model.state_dict() for model in models)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["intent.weight"], other["intent.weight"])
    assert not models[0].training
    assert not models[0].crf.by_example
    assert isinstance(models[0].lstm, torch.nn.LSTM)


def test_epsilon_of_one_full_step_is_that_of_the_gaussian_mechanism() -> None:
    """Rate 1: the finest that is known, delta(eps) = Phi(1/2s - eps s) - e^eps Phi(-1/2s - eps s), is no larger."""

    def delta(epsilon: float, spread: float) -> float:
        def phi(x: float) -> float:
            return 0.5 * math.erfc(-x / math.sqrt(2))

        left, right = 1 / (2 * spread), epsilon * spread
        return phi(left - right) - math.exp(epsilon) * phi(-left - right)

    for noise in (0.8, 2.0, 5.0):
        found = epsilon_of(noise, 1.0, 1, 1e-5)
        assert delta(found, noise) <= 1e-5
        assert delta(0.8 * found, noise) > 1e-5


def test_epsilon_goes_the_right_way() -> None:
    """Less noise, more steps, larger batches or a smaller delta cost more privacy."""
    base = epsilon_of(1.0, 0.02, 500, 1e-5)
    costlier = [(0.8, 0.02, 500, 1e-5), (1.0, 0.04, 500, 1e-5), (1.0, 0.02, 900, 1e-5), (1.0, 0.02, 500, 1e-7)]
    assert all(epsilon_of(*given) > 1.05 * base for given in costlier)


def test_the_finer_accountant_is_used_where_it_is_quick() -> None:
    """Below a loose guarantee it is tighter than RDP; beyond, RDP's value is what is told, in no time."""
    for noise, tighter in ((1.0, True), (0.35, False)):
        coarse = RDPAccountant()
        coarse.history = [(noise, 0.02, 500)]
        assert (epsilon_of(noise, 0.02, 500, 1e-5) < 0.99 * coarse.get_epsilon(1e-5)) == tighter


def test_the_history_tells_what_epsilon_is_about() -> None:
    """Noise, rate, steps, delta and the unit stand beside it; more texts at the same batch make it smaller."""
    few, many = (
        fit_privately(network(), texts(copies), recipe(batch_size=10), np.random.default_rng(0))["privacy"]
        for copies in (10, 40)
    )
    told = {name: few[name] for name in ("delta", "noise", "sample_rate", "steps", "texts", "unit")}
    wanted = {"delta": 1e-5, "noise": 1.0, "sample_rate": 0.2, "steps": 5, "texts": 50, "unit": "one training text"}
    assert told == wanted
    assert few["epsilon"] == epsilon_of(1.0, 0.2, 5, 1e-5)
    assert many["epsilon"] < few["epsilon"]


@pytest.mark.parametrize(
    ("changes", "tuned", "alphabet", "said"),
    [
        ({}, True, None, "tune_vectors = false"),
        ({}, False, "abc", "characters = false"),
        ({"patience": 3}, False, None, "patience = null"),
        ({"restore_best": True}, False, None, "restore_best = false"),
    ],
)
def test_what_cannot_be_private_is_refused(
    changes: dict[str, Any], tuned: bool, alphabet: str | None, said: str
) -> None:
    """With what to do about it."""
    model = network(alphabet=alphabet)
    model.embedding.weight.requires_grad_(tuned)
    with pytest.raises(InputError, match=said):
        fit_privately(model, texts(), recipe(**changes), np.random.default_rng(0))


def test_a_training_that_diverges_says_so() -> None:
    """Weights that are no numbers any more are an error, not a model."""
    model = network()
    with torch.no_grad():
        model.intent.bias[0] = math.nan
    with pytest.raises(ExecutionError, match="learning_rate"):
        fit_privately(model, texts(), recipe(batch_size=5), np.random.default_rng(0))


def test_draws_of_the_next_epoch_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator goes on from epoch to epoch."""
    seen: list[list[int]] = []
    losses = TaggedTexts.losses

    def kept(self: TaggedTexts, model: torch.nn.Module, numbers: np.ndarray) -> torch.Tensor:
        seen.append(sorted(numbers.tolist()))
        return losses(self, model, numbers)

    monkeypatch.setattr(TaggedTexts, "losses", kept)
    fit_privately(network(), texts(20), recipe(batch_size=50, epochs=2), np.random.default_rng(0))
    assert all(one != other for one, other in pairwise(seen))
