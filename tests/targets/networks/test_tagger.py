"""The tagger's network."""

import pytest
import torch

from divulge.targets.networks.characters import spelt_out
from divulge.targets.networks.tagger import TaggerNetwork


def made(dropout: float = 0.0, layers: int = 2) -> TaggerNetwork:
    """A small network in double precision."""
    torch.manual_seed(0)
    return TaggerNetwork(["", "?", *"abcde"], 3, 4, width=5, hidden=6, layers=layers, dropout=dropout).double()


def test_shapes() -> None:
    """One row of intents per text, one of tags per word."""
    logits, emissions = made().read(torch.randn(2, 5, 5, dtype=torch.float64), torch.tensor([5, 3]))
    assert logits.shape == (2, 3)
    assert emissions.shape == (2, 5, 4)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_padded_text_is_read_as_if_alone(layers: int) -> None:
    """Neither direction sees the padding: intents and emissions of the short text are those it has alone."""
    model = made(layers=layers).eval()
    inputs = torch.randn(2, 5, 5, dtype=torch.float64)
    logits, emissions = model.read(inputs, torch.tensor([5, 3]))
    alone_logits, alone_emissions = model.read(inputs[1:, :3], torch.tensor([3]))
    assert torch.allclose(logits[1:], alone_logits)
    assert torch.allclose(emissions[1:, :3], alone_emissions)


def test_the_intent_hangs_on_both_ends() -> None:
    """The first and the last word both move it: the last states of both directions are read."""
    model = made(layers=1).eval()
    inputs = torch.randn(1, 6, 5, dtype=torch.float64, requires_grad=True)
    logits, _ = model.read(inputs, torch.tensor([6]))
    (slope,) = torch.autograd.grad(logits[0, 0], inputs)
    assert (slope[0].abs().sum(dim=1) > 1e-8).all()


def test_the_loss_has_two_parts_per_text() -> None:
    """Cross-entropy of the intent by hand, and the field's loss of the tags."""
    model = made().eval()
    inputs, lengths = torch.randn(2, 4, 5, dtype=torch.float64), torch.tensor([4, 2])
    labels, tags = torch.tensor([2, 0]), torch.randint(4, (2, 4))
    found = model.losses(inputs, lengths, labels, tags)
    logits, emissions = model.read(inputs, lengths)
    assert set(found) == {"intent", "slots"}
    by_hand = [-logits[row].softmax(0)[labels[row]].log().item() for row in range(2)]
    assert found["intent"].tolist() == pytest.approx(by_hand)
    assert found["slots"].tolist() == pytest.approx(
        model.crf.negative_log_likelihood(emissions, tags, lengths).tolist()
    )


def test_dropout_acts_in_training_only() -> None:
    """Two readings differ while it is trained and agree when it answers."""
    model, inputs, lengths = made(dropout=0.5), torch.randn(1, 4, 5, dtype=torch.float64), torch.tensor([4])
    assert not torch.equal(model.train().read(inputs, lengths)[0], model.read(inputs, lengths)[0])
    assert torch.equal(model.eval().read(inputs, lengths)[0], model.read(inputs, lengths)[0])


def test_what_characters_say_is_appended_to_the_vector() -> None:
    """Every word's own, whatever stands beside it; without an alphabet there are vectors alone."""
    torch.manual_seed(0)
    sizes = {"width": 5, "hidden": 6, "layers": 1, "dropout": 0.0}
    model = TaggerNetwork(["", "?", "go", "stop", "og"], 2, 2, **sizes, alphabet="gopst").double()
    numbers = torch.tensor([[2, 3, 2], [4, 1, 0]])
    found = model.inputs(numbers)
    assert found.shape == (2, 3, 5 + 30)
    assert torch.equal(found[..., :5], model.embedding(numbers))
    alone = model.characters(spelt_out(["stop"], "gopst"))
    assert torch.allclose(found[0, 1, 5:], alone[0])
    assert torch.equal(found[0, 0], found[0, 2])
    assert not torch.allclose(found[0, 0, 5:], found[1, 0, 5:])  # go and og
    assert not found[1, 1:, 5:].any()  # of unknown words and padding no characters are known
    plain = TaggerNetwork(["", "?", "go"], 2, 2, **sizes)
    assert plain.inputs(torch.tensor([[2]])).shape == (1, 1, 5)
