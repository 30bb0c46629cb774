"""Which weights of which models are trained."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
import transformers

from divulge.errors import InputError
from divulge.targets.own.transformers_parts import Trained, choose_trained

SIZES = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 12}


def network(kind: str) -> Any:
    """A tiny classifier of three layers."""
    if kind == "bert":
        return transformers.BertForSequenceClassification(transformers.BertConfig(**SIZES))
    if kind == "roberta":
        return transformers.RobertaForSequenceClassification(transformers.RobertaConfig(**SIZES))
    if kind == "albert":
        config = transformers.AlbertConfig(**SIZES, embedding_size=8)
        return transformers.AlbertForSequenceClassification(config)
    if kind == "gpt2":
        config = transformers.GPT2Config(vocab_size=20, n_embd=8, n_layer=3, n_head=2)
        return transformers.GPT2ForSequenceClassification(config)
    config = transformers.DistilBertConfig(vocab_size=20, dim=8, n_layers=3, n_heads=2, hidden_dim=12)
    return transformers.DistilBertForSequenceClassification(config)


def free(kind: str, trained: Trained, last_layers: int = 2) -> set[str]:
    """The names of the weights that are trained."""
    made = network(kind)
    choose_trained(made, trained, last_layers)
    return {name for name, weight in made.named_parameters() if weight.requires_grad}


HEADS = {
    "bert": {"bert.pooler.dense", "classifier"},
    "roberta": {"classifier.dense", "classifier.out_proj"},
    "distilbert": {"pre_classifier", "classifier"},
    "gpt2": {"score"},
}
LAYERS = {
    "bert": "bert.encoder.layer",
    "roberta": "roberta.encoder.layer",
    "distilbert": "distilbert.transformer.layer",
    "gpt2": "transformer.h",
}


@pytest.mark.parametrize("kind", sorted(HEADS))
def test_the_head_alone(kind: str) -> None:
    """With a pooler, where the body has one."""
    assert {name.rpartition(".")[0] for name in free(kind, "head")} == HEADS[kind]


@pytest.mark.parametrize("kind", sorted(HEADS))
def test_the_last_layers(kind: str) -> None:
    """Two of three, and what comes behind them: the head, and a norm where there is one."""
    every = {name for name, _ in network(kind).named_parameters()}
    within = {name for name in every if name.startswith((f"{LAYERS[kind]}.1.", f"{LAYERS[kind]}.2."))}
    behind = {"transformer.ln_f.weight", "transformer.ln_f.bias"} if kind == "gpt2" else set()
    assert within
    assert free(kind, "last") == within | behind | free(kind, "head")
    assert free(kind, "last", 3) - free(kind, "last") == {n for n in every if n.startswith(f"{LAYERS[kind]}.0.")}


@pytest.mark.parametrize("kind", [*sorted(HEADS), "albert"])
def test_all_but_the_tables_of_vectors(kind: str) -> None:
    """Those of words, places and kinds; norms beside them are trained."""
    made = network(kind)
    every = {name for name, _ in made.named_parameters()}
    tables = {f"{name}.weight" for name, module in made.named_modules() if isinstance(module, torch.nn.Embedding)}
    assert free(kind, "no-embeddings") == every - tables
    assert len(tables) >= 2
    assert free(kind, "all") == every


def test_a_choice_replaces_the_one_before() -> None:
    """Also where less was trained."""
    made = network("bert")
    choose_trained(made, "head", 1)
    choose_trained(made, "all", 1)
    assert all(weight.requires_grad for weight in made.parameters())


def test_more_layers_than_there_are_and_shared_ones_are_refused() -> None:
    """With the number that there is; a model that reads one layer over and over has no last ones."""
    with pytest.raises(InputError, match="last_layers must be at most 3, the layers of the model. Got 4"):
        free("bert", "last", 4)
    with pytest.raises(InputError, match=r"0 such lists were found in AlbertForSequenceClassification.*'head'"):
        free("albert", "last")
