"""DP-SGD for classifiers: gradients of single texts, of networks of several kinds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')
pytest.importorskip("opacus", reason='opacus is not installed: pip install "divulge[dp]"')

import torch
import transformers

from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.training import dp_classifier, dp_sgd
from divulge.targets.training.dp_classifier import fit_classifier_privately
from divulge.targets.training.labelled import LabelledTexts
from divulge.targets.training.recipe import ClassifierRecipe

NUMBERS = ([5, 6, 7], [8, 9, 10, 11, 9], [5, 12], [6, 6, 13, 7], [14, 5, 8])
LABELS = ("a", "b", "c")
SIZES = {"vocab_size": 20, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "num_labels": 3}
SIZES |= {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12}


class Numbered(LabelledTexts):
    """Texts of numbers, padded on the right."""

    def __init__(self, *, pads: bool = True, padding: int = 0) -> None:
        texts = [Text(("x",), LABELS[place % 3]) for place in range(len(NUMBERS))]
        super().__init__(texts, [len(one) for one in NUMBERS], LABELS)
        self.pads, self.padding = pads, padding

    def logits(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """Of all texts in one pass."""
        longest = int(self.lengths[numbers].max())
        assert self.pads or longest == self.lengths[numbers].min()
        read = [[*NUMBERS[one], *[self.padding] * (longest - len(NUMBERS[one]))] for one in numbers]
        mask = [[1] * len(NUMBERS[one]) + [0] * (longest - len(NUMBERS[one])) for one in numbers]
        found: torch.Tensor = model(input_ids=torch.tensor(read), attention_mask=torch.tensor(mask)).logits
        return found


def network(kind: str) -> Any:
    """A tiny classifier in double precision."""
    torch.manual_seed(0)
    if kind == "bert":
        made = transformers.BertForSequenceClassification(transformers.BertConfig(**SIZES, max_position_embeddings=8))
    elif kind == "roberta":
        config = transformers.RobertaConfig(**SIZES, max_position_embeddings=10, pad_token_id=1)
        made = transformers.RobertaForSequenceClassification(config)
    elif kind == "distilbert":
        told = {"vocab_size": 20, "dim": 8, "n_layers": 2, "n_heads": 2, "hidden_dim": 12, "num_labels": 3}
        dropped = {"dropout": 0.0, "attention_dropout": 0.0, "seq_classif_dropout": 0.0}
        config = transformers.DistilBertConfig(**told, **dropped, max_position_embeddings=8)
        made = transformers.DistilBertForSequenceClassification(config)
    else:
        told = {"vocab_size": 20, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 8, "num_labels": 3}
        dropped = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
        config = transformers.GPT2Config(**told, **dropped, pad_token_id=0)
        made = transformers.GPT2ForSequenceClassification(config)
    return made.double()


def examples(kind: str) -> Numbered:
    """As each kind reads them."""
    return Numbered(pads=kind != "gpt2", padding=1 if kind == "roberta" else 0)


def stepped(model: Any, training: Numbered, monkeypatch: pytest.MonkeyPatch, clip: float) -> dict[str, torch.Tensor]:
    """How far one step of plain descent, with next to no noise, moves each weight; a step takes all texts."""
    monkeypatch.setattr(dp_classifier, "TOGETHER", 2)
    monkeypatch.setattr(torch.optim, "AdamW", lambda weights, lr, weight_decay: torch.optim.SGD(weights, lr=lr))
    monkeypatch.setattr(dp_sgd, "epsilon_of", lambda *given: 0.0)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    settings: dict[str, Any] = {"epochs": 1, "batch_size": 5, "learning_rate": 1.0, "noise": 1e-9}
    fit_classifier_privately(model, training, ClassifierRecipe(**settings, example_clip=clip), np.random.default_rng(0))
    return {name: before[name] - value.detach() for name, value in model.named_parameters()}


def by_hand(model: Any, training: Numbered, clip: float) -> tuple[dict[str, torch.Tensor], list[float]]:
    """The mean of each text's gradient, cut to its length: one text after the other; and those lengths uncut."""
    model.train()
    free = {name: value for name, value in model.named_parameters() if value.requires_grad}
    summed, lengths = {name: torch.zeros_like(value) for name, value in free.items()}, []
    for number in range(len(NUMBERS)):
        loss = training.losses(model, np.array([number])).sum()
        slopes = torch.autograd.grad(loss, list(free.values()), allow_unused=True)
        given = {name: slope for name, slope in zip(free, slopes, strict=True) if slope is not None}
        lengths.append(math.sqrt(sum(float((slope**2).sum()) for slope in given.values())))
        for name, slope in given.items():
            summed[name] += slope * min(1.0, clip / lengths[-1]) / len(NUMBERS)
    return summed, lengths


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "gpt2"])
def test_a_step_is_the_mean_of_clipped_gradients(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against one backward pass for each text, all weights trained: words, places and norms too."""
    model, training = network(kind), examples(kind)
    _, lengths = by_hand(model, training, 1.0)
    clip = sorted(lengths)[2]  # some are cut, some are not
    expected, _ = by_hand(model, training, clip)
    found = stepped(model, training, monkeypatch, clip)
    for name, slope in expected.items():
        assert torch.allclose(found[name], slope, atol=1e-6), name
    assert max(float(slope.abs().max()) for slope in expected.values()) > 1e-3
    assert all(weight.requires_grad for weight in model.parameters())


def test_what_is_frozen_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the body frozen the head's gradients alone are cut, and it alone moves."""
    model, training = network("bert"), examples("bert")
    model.base_model.requires_grad_(False)
    expected, lengths = by_hand(model, training, 1.0)
    expected, _ = by_hand(model, training, min(lengths) / 2)
    found = stepped(model, training, monkeypatch, min(lengths) / 2)
    assert sorted(expected) == ["classifier.bias", "classifier.weight"]
    for name, value in found.items():
        assert torch.allclose(value, expected[name], atol=1e-6) if name in expected else not value.any()


def test_a_network_that_mixes_texts_is_refused() -> None:
    """Where a text's gradient cannot be told from its neighbours', no epsilon may be claimed."""
    model, training = network("bert"), examples("bert")
    inner = model.bert.embeddings.LayerNorm.forward
    model.bert.embeddings.LayerNorm.forward = lambda states: inner(states + states.flip(0))
    with pytest.raises(InputError, match=r"gradients of single texts.*trained = 'last' or 'head'"):
        fit_classifier_privately(model, training, ClassifierRecipe(noise=1.0), np.random.default_rng(0))


def test_a_weight_that_is_used_past_its_layer_is_refused() -> None:
    """Opacus's hooks do not see it, so that its gradient would not be cut."""
    model, training = network("bert"), examples("bert")
    inner = model.forward

    def forward(**inputs: Any) -> Any:
        found = inner(**inputs)
        found.logits = found.logits + model.bert.pooler.dense.weight[0, :3]
        return found

    model.forward = forward
    with pytest.raises(InputError, match="gradients of single texts"):
        fit_classifier_privately(model, training, ClassifierRecipe(noise=1.0), np.random.default_rng(0))


def test_epsilon_is_told() -> None:
    """With the noise, the rate and the steps that it follows from: 5 texts in batches of 2 are 3 steps an epoch."""
    recipe = ClassifierRecipe(noise=2.0, epochs=2, batch_size=2)
    told = fit_classifier_privately(network("bert"), examples("bert"), recipe, np.random.default_rng(0))
    assert told["privacy"]["steps"] == 6
    assert told["privacy"]["sample_rate"] == pytest.approx(0.4)
    assert 0 < told["privacy"]["epsilon"] < 10
    assert told["privacy"]["unit"] == "one training text"
