from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from safetensors.torch import load_file, save_file
from tests.tiny_transformers import save_bert, save_gpt2
from transformers import BertForSequenceClassification, GPT2LMHeadModel

from divulge.errors import InputError
from divulge.records import Artefact
from divulge.targets.own.transformers_folder import FolderOptions
from divulge.targets.own.transformers_loading import (
    adapted,
    kept_network,
    load_finished,
    load_for_training,
    load_trained,
    names_of,
)

HEAD = "sequence-classification"
NUMBERS = torch.tensor([[2, 6, 9, 12, 3]])


def options(folder: Path, **settings: Any) -> FolderOptions:
    """Options of that folder."""
    return FolderOptions(path=str(folder), **settings)


def logits(network: Any) -> np.ndarray:
    """What a network says of one text."""
    with torch.no_grad():
        return network(input_ids=NUMBERS).logits.numpy()


def save_adapter(base: Path, adapter: Path, labels: int = 2, **settings: Any) -> np.ndarray:
    """Saves a LoRA adapter with a head on a BERT, and tells what the two say together."""
    peft = pytest.importorskip("peft", reason='peft is not installed: pip install "divulge[hf]"')
    names = {number: f"LABEL_{number}" for number in range(labels)}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        network = BertForSequenceClassification.from_pretrained(base, id2label=names)
        config = peft.LoraConfig(
            task_type="SEQ_CLS", r=2, target_modules=["query", "value"], init_lora_weights=False, **settings
        )
        wrapped = peft.get_peft_model(network, config)
    wrapped.save_pretrained(adapter)
    return logits(wrapped.eval())


def test_a_finished_model_answers_as_its_library_has_it(tmp_path: Path) -> None:
    """Loaded once, ready: no dropout, no gradient of weights; again when the folder changes."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    network = load_finished(HEAD, options(folder)).network
    assert np.allclose(logits(network), logits(BertForSequenceClassification.from_pretrained(folder).eval()), atol=1e-6)
    assert not network.training
    assert not any(one.requires_grad for one in network.parameters())
    assert load_finished(HEAD, options(folder)).network is network
    save_bert(tmp_path, "texts", ("a", "b"), seed=1)
    assert not np.allclose(logits(load_finished(HEAD, options(folder)).network), logits(network))


def test_double_precision_on_request(tmp_path: Path) -> None:
    """Of all weights."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    network = load_finished(HEAD, options(folder, dtype="float64")).network
    assert {one.dtype for one in network.parameters()} == {torch.float64}


def test_a_head_that_is_not_in_the_weights_is_refused(tmp_path: Path) -> None:
    """Though the configuration claims one: the library would fill it at random. So is a body with holes."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    weights = load_file(folder / "model.safetensors")
    headless = {name: value for name, value in weights.items() if not name.startswith("classifier")}
    save_file(headless, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"no trained head \(2 of its parameters"):
        load_finished(HEAD, options(folder))
    load_for_training(HEAD, options(folder, epochs=1))
    holes = {name: value for name, value in weights.items() if "layer.1.output.dense" not in name}
    save_file(holes, folder / "model.safetensors", metadata={"format": "pt"})
    for load in (load_finished, load_for_training):
        with pytest.raises(InputError, match="2 parameters of the model are not in its weights"):
            load(HEAD, options(folder))


def test_a_head_of_another_size_is_fresh_only_for_training(tmp_path: Path) -> None:
    """With labels of the corpus; the body stays what it was."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    network = load_for_training(HEAD, options(folder, epochs=1), ("x", "y", "z")).network
    assert names_of(network.config, ()) == ("x", "y", "z")
    assert network.classifier.weight.shape[0] == 3
    same = load_finished(HEAD, options(folder)).network.bert.embeddings.word_embeddings.weight
    assert torch.equal(network.bert.embeddings.word_embeddings.weight, same)


def test_pickled_weights_are_read_where_they_are_allowed(tmp_path: Path) -> None:
    """And say the same."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    before = logits(load_finished(HEAD, options(folder)).network)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert np.allclose(logits(load_finished(HEAD, options(folder, allow_pickle=True)).network), before, atol=1e-6)


def test_damaged_files_are_told_in_one_message(tmp_path: Path) -> None:
    """Whatever the library makes of them."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read as a transformers model"):
        load_finished(HEAD, options(folder))
    save_bert(tmp_path, "texts", ("a", "b"))
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="its tokenizer cannot be read"):
        load_finished(HEAD, options(folder))
    (folder / "config.json").write_text(json.dumps({"model_type": "of-my-own"}))
    with pytest.raises(InputError, match=r"config.json describes no model"):
        load_finished(HEAD, options(folder))


@pytest.mark.parametrize(
    ("given", "said"),
    [(("a",), "must name the model's 3 outputs in order. Got 1"), (("a", "b", "a"), "have the same name")],
)
def test_names_of_outputs_must_fit(tmp_path: Path, given: tuple[str, ...], said: str) -> None:
    """As many as there are, and each another; by themselves they stand in the order of the outputs."""
    network = load_finished(HEAD, options(save_bert(tmp_path, "texts", ("u", "v", "w")))).network
    assert names_of(network.config, ()) == ("u", "v", "w")
    assert names_of(network.config, ("c", "a", "b")) == ("c", "a", "b")
    with pytest.raises(InputError, match=said):
        names_of(network.config, given)


def test_a_single_output_is_no_classifier(tmp_path: Path) -> None:
    """It is a regression."""
    network = load_finished(HEAD, options(save_bert(tmp_path, "texts", ("score",)))).network
    with pytest.raises(InputError, match="single output: a regression"):
        names_of(network.config, ())


def test_what_is_kept_makes_the_same_model_again(tmp_path: Path) -> None:
    """Weights that are shared are kept once, and shared again."""
    folder = save_gpt2(tmp_path)
    network = load_for_training("causal-lm", options(folder, epochs=1)).network
    with torch.no_grad():
        network.transformer.wte.weight *= 1.5
    arrays, shared = kept_network(network)
    assert shared == {"lm_head.weight": "transformer.wte.weight"}
    again = load_trained("causal-lm", options(folder), Artefact(values={"shared": shared}, arrays=arrays)).network
    assert np.allclose(logits(again), logits(network.eval()), atol=1e-6)
    assert not np.allclose(logits(again), logits(GPT2LMHeadModel.from_pretrained(folder).eval()), atol=1e-2)


@pytest.mark.parametrize("head", ["texts", "none"])
def test_an_adapter_is_worked_into_its_model(tmp_path: Path, head: str) -> None:
    """The answers are those of both together, not of the base; it may bring the head, of as many labels as it has."""
    labels = 2 if head == "texts" else 3
    base = save_bert(tmp_path / "base", head, ("a", "b") if head == "texts" else ())
    expected = save_adapter(base, tmp_path / "adapter", labels)
    network = load_finished(HEAD, options(base, adapter=str(tmp_path / "adapter"))).network
    assert np.allclose(logits(network), expected, atol=1e-5)
    assert network.config.num_labels == labels
    if head == "texts":
        assert not np.allclose(logits(load_finished(HEAD, options(base)).network), expected, atol=1e-3)


def test_an_adapter_of_another_model_is_refused(tmp_path: Path) -> None:
    """Of another width, or of layers that are not there."""
    base = save_bert(tmp_path / "base", "texts", ("a", "b"))
    save_adapter(base, tmp_path / "adapter")
    small = save_bert(tmp_path / "small", "texts", ("a", "b"), num_hidden_layers=1)
    narrow = save_bert(tmp_path / "narrow", "texts", ("a", "b"), hidden_size=16)
    for folder, network in (
        (small, BertForSequenceClassification),
        (narrow, BertForSequenceClassification),
        (save_gpt2(tmp_path / "gpt2"), GPT2LMHeadModel),
    ):
        with pytest.raises(InputError, match="does not fit the model in"):
            adapted(network.from_pretrained(folder), tmp_path / "adapter", folder)


def test_an_adapter_that_lacks_a_part_is_refused(tmp_path: Path) -> None:
    """The library would leave that part as it is at random, with a warning."""
    base = save_bert(tmp_path / "base", "texts", ("a", "b"))
    save_adapter(base, tmp_path / "adapter")
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    weights = load_file(file)
    # Of the second layer: two matrices each for query and value.
    save_file({name: value for name, value in weights.items() if "layer.1" not in name}, file)
    with pytest.raises(InputError, match="4 parameters have no place there, or are not in its weights"):
        load_finished(HEAD, options(base, adapter=str(tmp_path / "adapter")))


def test_an_adapter_of_prompts_is_refused(tmp_path: Path) -> None:
    """It changes no weights."""
    peft = pytest.importorskip("peft", reason='peft is not installed: pip install "divulge[hf]"')
    base = save_gpt2(tmp_path / "base")
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    peft.get_peft_model(GPT2LMHeadModel.from_pretrained(base), config).save_pretrained(tmp_path / "adapter")
    with pytest.raises(InputError, match="changes the prompt and no weights"):
        load_finished("causal-lm", options(base, adapter=str(tmp_path / "adapter")))


def test_what_is_trained_in_part_is_kept_in_part(tmp_path: Path) -> None:
    """The head alone is in the arrays; with the folder it makes the same model again."""
    folder = save_bert(tmp_path, "none")
    loaded = load_for_training("sequence-classification", options(folder), ("a", "b"))
    loaded.network.requires_grad_(False)
    loaded.network.classifier.requires_grad_(True)
    arrays, shared = kept_network(loaded.network, whole=False)
    assert sorted(arrays) == ["classifier.bias", "classifier.weight"]
    values = {"labels": ["a", "b"], "shared": shared, "whole": False}
    torch.manual_seed(7)
    again = load_trained("sequence-classification", options(folder), Artefact(values=values, arrays=arrays))
    assert np.array_equal(logits(again.network), logits(loaded.network.eval()))
    assert torch.rand(1).item() == pytest.approx(torch.rand(1, generator=torch.Generator().manual_seed(7)).item())
