"""Training, on a problem whose solution is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from divulge.errors import ExecutionError
from divulge.seeds import settled
from divulge.targets.training.generator_recipe import GeneratorRecipe
from divulge.targets.training.recipe import TrainingRecipe
from divulge.targets.training.sgd import fit, mean_loss


class Points:
    """Examples of one number each; the loss is the squared distance of the model's only weight from it."""

    def __init__(self, *values: float) -> None:
        self.values = torch.tensor(values)
        self.lengths = np.ones(len(values), dtype=np.int64)
        self.seen: list[int] = []

    def losses(self, model: torch.nn.Module, numbers: np.ndarray) -> torch.Tensor:
        if model.training:
            self.seen += numbers.tolist()
        return (model.place - self.values[torch.from_numpy(numbers)]) ** 2


class Place(torch.nn.Module):
    """One weight."""

    def __init__(self, start: float = 0.0) -> None:
        super().__init__()
        self.place = torch.nn.Parameter(torch.tensor(start))


def recipe(**settings: object) -> TrainingRecipe:
    """A recipe that is quick here."""
    return TrainingRecipe.model_validate({"learning_rate": 0.05, "epochs": 200, "batch_size": 2, **settings})


def test_it_finds_the_least_loss() -> None:
    """The mean of 1, 2, 3 and 6 is 3; their variance, the least mean loss, is 3.5."""
    model, points = Place(), Points(1, 2, 3, 6)
    history = fit(model, points, None, recipe(batch_size=4), np.random.default_rng(0))
    assert model.place.item() == pytest.approx(3, abs=0.05)
    assert mean_loss(model, points, 3) == pytest.approx(3.5, abs=0.01)  # (4 + 1 + 0 + 9) / 4
    assert len(history["train_loss"]) == 200
    assert history["train_loss"][0] > history["train_loss"][-1]
    assert (history["valid_loss"], history["kept_epoch"]) == ([], 200)
    assert not model.training


def test_every_epoch_sees_every_example_once() -> None:
    """Two epochs over three examples."""
    points = Points(1, 2, 3)
    fit(Place(), points, None, recipe(epochs=2), np.random.default_rng(0))
    assert sorted(points.seen[:3]) == sorted(points.seen[3:]) == [0, 1, 2]


def test_patience_ends_training_once_validation_gets_worse() -> None:
    """The way to 6 passes 2, where the validation text is; three epochs later it ends, on the last weights."""
    model = Place()
    history = fit(model, Points(6, 6), Points(2), recipe(patience=3), np.random.default_rng(0))
    best = int(np.argmin(history["valid_loss"])) + 1
    assert len(history["valid_loss"]) == best + 3 < 200
    assert history["kept_epoch"] == best + 3
    assert model.place.item() > 2.05


def test_the_best_weights_come_back_where_asked_for() -> None:
    """The same, with the weights of the epoch that was best."""
    model = Place()
    history = fit(model, Points(6, 6), Points(2), recipe(patience=3, restore_best=True), np.random.default_rng(0))
    assert model.place.item() == pytest.approx(2, abs=0.1)
    assert history["kept_epoch"] == int(np.argmin(history["valid_loss"])) + 1 < len(history["valid_loss"])


def test_early_stopping_without_a_validation_split_is_refused() -> None:
    """Nothing would ever stop it, and the report would call it a defence."""
    for validation in (None, Points()):
        with pytest.raises(ExecutionError, match="validation split"):
            fit(Place(), Points(1), validation, recipe(patience=1), np.random.default_rng(0))
        with pytest.raises(ExecutionError, match="validation split"):
            fit(Place(), Points(1), validation, recipe(restore_best=True), np.random.default_rng(0))


def test_training_that_diverges_says_so() -> None:
    """No model is better than one of no numbers."""
    with pytest.raises(ExecutionError, match="learning_rate"):
        fit(Place(float("inf")), Points(1), None, recipe(), np.random.default_rng(0))
    with pytest.raises(ExecutionError, match="validation loss is nan"):
        fit(Place(), Points(1), Points(float("nan")), recipe(patience=3), np.random.default_rng(0))


def test_the_gradient_is_clipped() -> None:
    """The weight has no effect on Adam's first step, but is seen by what clips."""
    seen: list[float] = []
    model = Place()
    model.place.register_post_accumulate_grad_hook(lambda weight: seen.append(float(weight.grad)))
    clipped = recipe(epochs=1, clip=0.5)
    original = torch.optim.AdamW.step
    used: list[float] = []

    def step(self: torch.optim.AdamW) -> None:
        used.append(abs(float(model.place.grad)))
        original(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim.AdamW, "step", step)
        fit(model, Points(100), None, clipped, np.random.default_rng(0))
    assert abs(seen[0]) == pytest.approx(200)
    assert used[0] == pytest.approx(0.5, rel=1e-3)


def test_what_torch_draws_depends_on_the_generator_alone() -> None:
    """The same within, and nothing is changed outside: neither the state of chance nor the number of threads."""
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    drawn = []
    for seed in (1, 1, 2):
        with settled(np.random.default_rng(seed)):
            drawn.append(torch.rand(3).tolist())
            assert torch.get_num_threads() == 1
    assert drawn[0] == drawn[1] != drawn[2]
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


def test_an_error_decides_before_the_loss() -> None:
    """The best weights are those of the least error, of equal ones those of the lower loss; patience goes by it too."""
    errors = iter([0.5, 0.2, 0.2, 0.4, 0.3])
    model, target = Place(), Points(10.0)
    told = fit(
        model, target, target, recipe(epochs=5, restore_best=True), np.random.default_rng(0), error=errors.__next__
    )
    # The loss falls with each step towards 10, so that of epochs 2 and 3 with error 0.2 the third is better.
    assert told["kept_epoch"] == 3
    assert mean_loss(model, target, 1) == pytest.approx(told["valid_loss"][2])
    errors = iter([0.5, 0.2, 0.3, 0.4, 0.1])
    stopped = fit(
        Place(), target, target, recipe(epochs=5, patience=2), np.random.default_rng(0), error=errors.__next__
    )
    assert len(stopped["train_loss"]) == 4


def test_fused_steps_are_the_same_steps() -> None:
    """Up to rounding."""
    plain, fused = Place(), Place()
    for model, chosen in ((plain, False), (fused, True)):
        fit(model, Points(1, 2, 3, 6), None, recipe(epochs=20), np.random.default_rng(0), fused=chosen)
    assert fused.place.item() == pytest.approx(plain.place.item(), rel=1e-5)
    assert fused.place.item() > 0.5


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_gradient_descent_goes_by_the_slope_and_its_momentum(momentum: float) -> None:
    """Towards 6 from 0, three steps at rate 0.1, as worked out step by step."""
    told = GeneratorRecipe(optimizer="sgd", momentum=momentum, learning_rate=0.1, epochs=3, batch_size=1, clip=None)
    model = Place()
    fit(model, Points(6), None, told, np.random.default_rng(0))
    place, speed = 0.0, 0.0
    for _ in range(3):
        speed = momentum * speed + 2 * (place - 6)
        place -= 0.1 * speed
    assert model.place.item() == pytest.approx(place, rel=1e-5)


def test_a_generators_recipe_changes_nothing_by_itself() -> None:
    """Nothing said, it is Adam, weight for weight; a gradient that is clipped is clipped for either."""
    settings = {"learning_rate": 0.05, "epochs": 20, "batch_size": 2}
    plain, generators = Place(), Place()
    fit(plain, Points(1, 2, 3, 6), None, recipe(epochs=20), np.random.default_rng(0))
    fit(generators, Points(1, 2, 3, 6), None, GeneratorRecipe.model_validate(settings), np.random.default_rng(0))
    assert plain.place.item() == generators.place.item()
    cut = GeneratorRecipe(optimizer="sgd", learning_rate=0.1, epochs=1, batch_size=1, clip=0.5)
    model = Place()
    fit(model, Points(6), None, cut, np.random.default_rng(0))
    assert model.place.item() == pytest.approx(0.05, rel=1e-4)  # 0.1 * 0.5, not 0.1 * 12
