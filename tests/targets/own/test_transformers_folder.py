from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

import torch
from safetensors.torch import load_file
from tests.tiny_transformers import save_bert, save_gpt2

from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact
from divulge.targets import offline_models
from divulge.targets.own import transformers_folder
from divulge.targets.own.transformers_classifier import TransformersClassifier
from divulge.targets.own.transformers_folder import (
    FolderOptions,
    adapter_faults,
    code_faults,
    folder_faults,
    folder_hashes,
    must_be_unchanged,
)
from divulge.targets.own.transformers_generator import TransformersGenerator
from divulge.targets.own.transformers_tagger import TransformersTagger


def changed(folder: Path, file: str, **values: Any) -> None:
    """Sets values in a JSON file of the folder."""
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def options(folder: Path, **settings: Any) -> FolderOptions:
    """Options of that folder."""
    return FolderOptions(path=str(folder), **settings)


def test_a_sound_folder_has_no_faults(tmp_path: Path) -> None:
    """Each head takes its own model."""
    texts, words = save_bert(tmp_path / "texts", "texts", "ab"), save_bert(tmp_path / "words", "words", "ab")
    assert folder_faults(options(texts), "sequence-classification") == []
    assert folder_faults(options(words), "token-classification") == []
    assert folder_faults(options(save_gpt2(tmp_path / "next")), "causal-lm") == []


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("config.json", "has no config.json"),
        (
            "model.safetensors",
            "has no weights in safetensors, nor any other: save the model there with save_pretrained",
        ),
        ("tokenizer.json", "has no tokenizer"),
    ],
)
def test_what_is_missing_in_a_folder_is_told(tmp_path: Path, missing: str, said: str) -> None:
    """Before anything runs, by the file that is missing."""
    folder = save_bert(tmp_path, "texts", "ab")
    (folder / missing).unlink()
    with pytest.raises(InputError, match=said):
        TransformersClassifier({"path": str(folder)})


def test_no_folder_at_all(tmp_path: Path) -> None:
    """Nothing is looked for elsewhere."""
    with pytest.raises(InputError, match="no folder. A local transformers folder is needed; nothing is downloaded"):
        TransformersTagger({"path": str(tmp_path / "bert-base-cased")})
    with pytest.raises(InputError, match="'path' is missing"):
        TransformersTagger({})


def test_a_model_of_another_head_is_refused_and_the_right_target_named(tmp_path: Path) -> None:
    """A classifier is no tagger; a generator is no classifier; a bare body is none of them."""
    texts, body = save_bert(tmp_path / "texts", "texts", "ab"), save_bert(tmp_path / "body", "none")
    with pytest.raises(InputError, match="BertForSequenceClassification.*Use target.kind = 'transformers-classifier'"):
        TransformersTagger({"path": str(texts)})
    with pytest.raises(InputError, match="GPT2LMHeadModel.*Use target.kind = 'transformers-generator'"):
        TransformersClassifier({"path": str(save_gpt2(tmp_path / "next"))})
    with pytest.raises(InputError, match="BertModel.*no trained head: train one first, or here, with epochs"):
        TransformersClassifier({"path": str(body)})
    assert folder_faults(options(body, epochs=1), "token-classification") == []


def test_pickled_weights_are_refused_unless_allowed(tmp_path: Path) -> None:
    """By name, and with the reason."""
    folder = save_bert(tmp_path, "texts", "ab")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="unpickling them could run any code.*or say allow_pickle = true"):
        TransformersClassifier({"path": str(folder)})
    TransformersClassifier({"path": str(folder), "allow_pickle": True})


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_the_folder_is_refused_unless_trusted(tmp_path: Path, file: str) -> None:
    """Whether the model brings it, or its tokenizer."""
    folder = save_gpt2(tmp_path)
    changed(folder, file, auto_map={"AutoModel": "own.Own"})
    with pytest.raises(InputError, match=r"brings code of its own \(auto_map\).*say trust_remote_code = true"):
        TransformersGenerator({"path": str(folder)})
    assert code_faults(folder, trusted=True) == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"problem_type": "multi_label_classification"}, "problem_type is multi_label_classification"),
        ({"is_encoder_decoder": True}, "encoder with a decoder"),
    ],
)
def test_models_that_answer_another_question_are_refused(tmp_path: Path, values: dict[str, Any], said: str) -> None:
    """Several labels for one text, and translations, are not what is audited."""
    folder = save_bert(tmp_path, "texts", "ab")
    changed(folder, "config.json", **values)
    with pytest.raises(InputError, match=said):
        TransformersClassifier({"path": str(folder)})


def test_a_broken_configuration_is_told_once(tmp_path: Path) -> None:
    """As what it is."""
    folder = save_bert(tmp_path, "texts", "ab")
    (folder / "config.json").write_text("{")
    (problem,) = folder_faults(options(folder), "sequence-classification")
    assert "config.json: cannot be read as JSON" in problem


def test_faults_of_an_adapter(tmp_path: Path) -> None:
    """No folder, no adapter, no weights, another model than it was made for; an adapter is no model."""
    folder = save_bert(tmp_path / "base", "texts", "ab")
    other = save_bert(tmp_path / "other", "texts", "ab", seed=1)
    assert "no folder" in adapter_faults(tmp_path / "gone", folder, pickled=False)[0]
    assert "no PEFT adapter" in adapter_faults(folder, folder, pickled=False)[0]
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(folder)}))
    assert "has no adapter_model.safetensors" in adapter_faults(adapter, folder, pickled=False)[0]
    (adapter / "adapter_model.safetensors").write_bytes(b"")
    assert adapter_faults(adapter, folder, pickled=False) == []
    assert "was made for the model in" in adapter_faults(adapter, other, pickled=False)[0]
    with pytest.raises(InputError, match="is a PEFT adapter. Name it as `adapter`"):
        TransformersClassifier({"path": str(adapter)})


def test_a_missing_library_is_told_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything runs."""
    folder = save_bert(tmp_path, "texts", "ab")
    monkeypatch.setattr(offline_models, "LIBRARIES", ("divulge_trial_gone",))
    with pytest.raises(InputError, match=r'divulge_trial_gone must be installed.*pip install "divulge\[hf\]"'):
        TransformersClassifier({"path": str(folder)})


def test_the_options_see_what_lies_in_the_folder(tmp_path: Path) -> None:
    """Other weights under the same path are another model; what is said of `files` by hand does not count."""
    folder = save_bert(tmp_path, "texts", "ab")
    before = options(folder)
    assert before.files
    assert options(folder, files="mine") == before
    save_bert(tmp_path, "texts", "ab", seed=1)
    assert options(folder).files != before.files


def test_other_files_than_were_read_are_refused(tmp_path: Path) -> None:
    """All of them for a model as it lay there; of one that was trained here, what it started from does not count."""
    folder = save_bert(tmp_path, "texts", "ab")
    finished = Artefact(values={"files": folder_hashes(options(folder))})
    taught = Artefact(values=finished.values, arrays={"weights": torch.zeros(1).numpy()})
    must_be_unchanged(finished, options(folder))
    save_bert(tmp_path, "texts", "ab", seed=1)
    must_be_unchanged(taught, options(folder))
    with pytest.raises(ExecutionError, match=r"another model than .* \(model.safetensors changed since\)"):
        must_be_unchanged(finished, options(folder))
    changed(folder, "tokenizer_config.json", model_max_length=9)
    with pytest.raises(ExecutionError, match="tokenizer_config.json changed"):
        must_be_unchanged(taught, options(folder))


def test_a_name_of_an_installed_model_is_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The name stays as it was written; what is kept and hashed knows no place on this machine."""
    folder = save_bert(tmp_path / "installed", "texts", "ab")
    known = {"tiny-bert": offline_models.OfflineModel(packages=("none",), sha256="0")}
    monkeypatch.setattr(transformers_folder, "OFFLINE_MODELS", known)
    monkeypatch.setattr(transformers_folder, "offline_folder", lambda name: folder)
    monkeypatch.setattr(transformers_folder, "offline_hashes", lambda name: offline_models.file_hashes(folder))
    target = TransformersClassifier({"path": "tiny-bert"})
    assert (target.options.path, target.options.folder) == ("tiny-bert", folder)
    spelt = target.options.model_dump_json()
    assert str(tmp_path) not in spelt
    assert target.options.files == TransformersClassifier({"path": str(folder)}).options.files != ""
    assert folder_hashes(target.options) == folder_hashes(options(folder))


def test_a_folder_of_that_name_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What lies in the working directory is the owner's own."""
    save_bert(tmp_path / "all-MiniLM-L6-v2", "texts", "ab")
    monkeypatch.chdir(tmp_path)
    assert TransformersClassifier({"path": "all-MiniLM-L6-v2"}).options.folder == Path("all-MiniLM-L6-v2")


def test_a_slip_in_a_name_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where it is no folder either; a path of several parts is no name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match=r"no folder.*no pretrained model is called so. Did you mean 'all-MiniLM-L6-v2'"
    ):
        TransformersClassifier({"path": "all-miniLM-L6-v2", "epochs": 1})
    with pytest.raises(InputError) as refused:
        TransformersClassifier({"path": str(tmp_path / "all-miniLM-L6-v2"), "epochs": 1})
    assert "pretrained model" not in str(refused.value)


def test_a_model_by_name_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and nothing else."""

    def lacking(name: str) -> Path:
        raise InputError(f"{name} comes in a package, and that is not installed: pip install it")

    monkeypatch.setattr(transformers_folder, "offline_folder", lacking)
    with pytest.raises(InputError, match="pip install it") as refused:
        TransformersClassifier({"path": "all-MiniLM-L6-v2", "epochs": 1})
    assert len(refused.value.problems) == 1


def test_weights_count_where_only_a_part_was_trained(tmp_path: Path) -> None:
    """What was not trained comes from the folder when the model is opened."""
    folder = save_bert(tmp_path, "texts", "ab")
    kept = Artefact(values={"files": folder_hashes(options(folder)), "whole": False}, arrays={"w": np.zeros(1)})
    whole = Artefact(values={"files": folder_hashes(options(folder))}, arrays={"w": np.zeros(1)})
    save_bert(tmp_path, "texts", "ab", seed=1)
    must_be_unchanged(whole, options(folder))
    with pytest.raises(ExecutionError, match="model.safetensors changed since"):
        must_be_unchanged(kept, options(folder))
