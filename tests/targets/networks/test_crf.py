"""The conditional random field, against every tag sequence written out."""

import itertools
import math

import pytest
import torch
import torchcrf

from divulge.targets.networks.crf import LinearChainCrf


def made(tags: int, seed: int = 0) -> LinearChainCrf:
    """A field with steps of some size, in double precision."""
    torch.manual_seed(seed)
    crf = LinearChainCrf(tags).double()
    torch.nn.init.normal_(crf.steps.weight, std=2.0)
    return crf


def score(crf: LinearChainCrf, emissions: torch.Tensor, tags: tuple[int, ...]) -> float:
    """The sum of emissions and steps of one sequence, start and end included, term by term."""
    steps, border = crf.steps.weight.detach(), crf.tags
    path = (border, *tags, border)
    total = sum(float(steps[a, b]) for a, b in itertools.pairwise(path))
    return total + sum(float(emissions[place, tag]) for place, tag in enumerate(tags))


def all_scores(crf: LinearChainCrf, emissions: torch.Tensor) -> dict[tuple[int, ...], float]:
    """The score of every tag sequence of this length."""
    paths = itertools.product(range(crf.tags), repeat=len(emissions))
    return {path: score(crf, emissions, path) for path in paths}


@pytest.mark.parametrize("by_example", [True, False])
@pytest.mark.parametrize(("tags", "length"), [(1, 3), (2, 1), (3, 4), (4, 3)])
def test_the_loss_is_minus_the_log_share_among_all_sequences(tags: int, length: int, *, by_example: bool) -> None:
    """By enumeration: -log(exp(score of the true one) / sum of exp(score) of all)."""
    crf = made(tags).train()
    crf.by_example = by_example
    emissions = torch.randn(2, length, tags, dtype=torch.float64) * 3
    true = torch.randint(tags, (2, length))
    found = crf.negative_log_likelihood(emissions, true, torch.full((2,), length))
    for row in range(2):
        scores = all_scores(crf, emissions[row])
        wanted = math.log(sum(map(math.exp, scores.values()))) - scores[tuple(true[row].tolist())]
        assert found[row].item() == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("by_example", [True, False])
def test_padding_changes_nothing(*, by_example: bool) -> None:
    """A short text beside a long one has the loss and the best tags that it has alone."""
    crf = made(3, seed=1).train()
    crf.by_example = by_example
    emissions, tags = torch.randn(2, 5, 3, dtype=torch.float64), torch.randint(3, (2, 5))
    lengths = torch.tensor([5, 2])
    together = crf.negative_log_likelihood(emissions, tags, lengths)
    alone = crf.negative_log_likelihood(emissions[1:, :2], tags[1:, :2], lengths[1:])
    assert together[1].item() == pytest.approx(alone.item(), rel=1e-12)
    assert crf.best(emissions, lengths)[1] == crf.best(emissions[1:, :2], lengths[1:])[0]
    emissions[1, 2:] = 1e3
    assert crf.negative_log_likelihood(emissions, tags, lengths)[1].item() == pytest.approx(alone.item(), rel=1e-12)


@pytest.mark.parametrize("by_example", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_tags_are_the_best_of_all(seed: int, *, by_example: bool) -> None:
    """Viterbi finds the sequence of the largest score."""
    crf = made(4, seed)
    crf.by_example = by_example
    emissions = torch.randn(1, 4, 4, dtype=torch.float64) * 2
    scores = all_scores(crf, emissions[0])
    assert tuple(crf.best(emissions, torch.tensor([4]))[0]) == max(scores, key=scores.__getitem__)


def test_marginals_are_those_of_the_enumeration() -> None:
    """The share of all sequences, by weight, that have a tag at a place; 0 where there is only padding."""
    crf = made(3).eval()
    emissions = torch.randn(2, 4, 3, dtype=torch.float64) * 2
    found = crf.marginals(emissions, torch.tensor([4, 2]))
    for row, length in ((0, 4), (1, 2)):
        scores = all_scores(crf, emissions[row, :length])
        total = sum(map(math.exp, scores.values()))
        for place in range(length):
            for tag in range(3):
                weight = sum(math.exp(value) for path, value in scores.items() if path[place] == tag)
                assert found[row, place, tag].item() == pytest.approx(weight / total, rel=1e-9)
    assert not found[1, 2:].any()


def test_its_gradient_is_that_of_the_enumeration() -> None:
    """Of steps and emissions, by finite differences."""
    crf = made(3, seed=2)
    emissions = torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True)
    tags, lengths = torch.tensor([[0, 1, 2], [2, 2, 0]]), torch.tensor([3, 2])

    def loss(values: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(crf, {"steps.weight": steps}, (values, tags, lengths))

    crf.forward = crf.negative_log_likelihood  # type: ignore[method-assign]
    assert torch.autograd.gradcheck(loss, (emissions, crf.steps.weight.detach().clone().requires_grad_()))


def test_large_scores_do_not_overflow() -> None:
    """Emissions far apart leave a finite loss: about the gap between the true and the best sequence."""
    crf = made(2).float()
    emissions = torch.tensor([[[500.0, -500.0]] * 3])
    found = crf.negative_log_likelihood(emissions, torch.tensor([[1, 1, 1]]), torch.tensor([3]))
    assert found.item() == pytest.approx(3000, rel=0.01)  # three times 500 - (-500)


@pytest.mark.parametrize("by_example", [True, False])
def test_every_example_has_a_gradient_of_its_own(*, by_example: bool) -> None:
    """Where asked, steps are looked up per example; either way single examples' gradients sum to the batch's."""
    crf = made(3).train()
    crf.by_example = by_example
    emissions, tags = torch.randn(4, 3, 3, dtype=torch.float64), torch.randint(3, (4, 3))
    lengths = torch.tensor([3, 2, 3, 1])
    looked_up: list[torch.Tensor] = []
    crf.steps.register_forward_hook(lambda _, inputs, output: looked_up.append(inputs[0]))
    crf.negative_log_likelihood(emissions, tags, lengths).sum().backward()
    assert looked_up[0].shape == (4 if by_example else 1, 4)  # (examples or one for all, tags + 1)
    whole, crf.steps.weight.grad = crf.steps.weight.grad.clone(), None
    for row in range(4):
        crf.negative_log_likelihood(
            emissions[row : row + 1], tags[row : row + 1], lengths[row : row + 1]
        ).sum().backward()
    assert torch.allclose(crf.steps.weight.grad, whole)


def oracle(crf: LinearChainCrf) -> torchcrf.CRF:
    """The field of pytorch-crf with the same steps."""
    theirs, steps = torchcrf.CRF(crf.tags, batch_first=True).double(), crf.steps.weight.detach()
    with torch.no_grad():
        theirs.transitions.copy_(steps[:-1, :-1])
        theirs.start_transitions.copy_(steps[-1, :-1])
        theirs.end_transitions.copy_(steps[:-1, -1])
    return theirs


@pytest.mark.parametrize("by_example", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_another_implementation(seed: int, *, by_example: bool) -> None:
    """pytorch-crf: loss, best tags, and the gradients of steps and emissions, on texts of mixed lengths."""
    crf = made(5, seed).train()
    crf.by_example = by_example
    theirs = oracle(crf)
    lengths = torch.tensor([7, 1, 4, 6, 2, 7])
    mask = torch.arange(7)[None] < lengths[:, None]
    tags = torch.randint(5, (6, 7))
    own, other = (
        values.requires_grad_() for values in (torch.randn(6, 7, 5, dtype=torch.float64) * 3).repeat(2, 1, 1, 1)
    )
    loss = crf.negative_log_likelihood(own, tags, lengths)
    wanted = -theirs(other, tags, mask=mask, reduction="none")
    assert torch.allclose(loss, wanted, rtol=1e-10)
    weights = torch.arange(1.0, 7.0, dtype=torch.float64)  # no example's gradient may stand for another's
    (loss * weights).sum().backward()
    (wanted * weights).sum().backward()
    assert torch.allclose(own.grad, other.grad)
    steps = crf.steps.weight.grad
    assert torch.allclose(steps[:-1, :-1], theirs.transitions.grad)
    assert torch.allclose(steps[-1, :-1], theirs.start_transitions.grad)
    assert torch.allclose(steps[:-1, -1], theirs.end_transitions.grad)
    assert steps[-1, -1] == 0  # from the start to the end there is no step
    assert crf.best(own.detach(), lengths) == theirs.decode(other.detach(), mask=mask)
