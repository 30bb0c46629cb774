"""Which target reads a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from divulge.api.folders import folder_target
from divulge.errors import InputError
from divulge.targets import TARGETS


def folder(path: Path, **files: Any) -> Path:
    """A folder with JSON files; `__` in a name is a dot."""
    path.mkdir()
    for name, content in files.items():
        (path / name.replace("__", ".")).write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        ("BertForSequenceClassification", "transformers-classifier"),
        ("RobertaForTokenClassification", "transformers-tagger"),
        ("LlamaForCausalLM", "transformers-generator"),
        ("GPT2LMHeadModel", "transformers-generator"),
        ("BertModel", "sentence-encoder"),
        ("BertForMaskedLM", "sentence-encoder"),
    ],
)
def test_the_architecture_tells_the_kind(tmp_path: Path, architecture: str, kind: str) -> None:
    """As transformers writes it into config.json; each kind is one that there is."""
    path = folder(tmp_path / "model", config__json={"architectures": [architecture]})
    spec = folder_target(path, {"max_tokens": 9})
    assert (spec.kind, spec.path, spec.recipe) == (kind, str(path), {"max_tokens": 9})
    assert kind in TARGETS


def test_a_folder_of_sentence_transformers(tmp_path: Path) -> None:
    """Known by its modules.json, whatever its architecture."""
    path = folder(tmp_path / "model", modules__json=[], config__json={"architectures": ["XForCausalLM"]})
    assert folder_target(path, {}).kind == "sentence-encoder"


def test_an_adapter_names_the_model_under_it(tmp_path: Path) -> None:
    """That folder is read, with the adapter on it."""
    base = folder(tmp_path / "base", config__json={"architectures": ["XForTokenClassification"]})
    path = folder(tmp_path / "adapter", adapter_config__json={"base_model_name_or_path": str(base)})
    spec = folder_target(path, {})
    assert (spec.kind, spec.path, spec.recipe) == ("transformers-tagger", str(base), {"adapter": str(path)})
    away = folder(tmp_path / "away", adapter_config__json={"base_model_name_or_path": "org/name"})
    with pytest.raises(InputError, match="is a PEFT adapter.*recipe={'adapter'"):
        folder_target(away, {})


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    """No folder, a file, no config.json, one that is not JSON, one without an architecture."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    broken = folder(tmp_path / "broken")
    (broken / "config.json").write_text("{", encoding="utf-8")
    for path, said in [
        (tmp_path / "none", "there is no such folder"),
        (tmp_path / "file", "is a file"),
        (folder(tmp_path / "empty"), "has no config.json"),
        (broken, "cannot be read as JSON"),
        (folder(tmp_path / "list", config__json=[]), "is not a JSON object"),
        (folder(tmp_path / "plain", config__json={"architectures": ["Unheard"]}), "names no architecture"),
        (folder(tmp_path / "bare", config__json={}), "names no architecture"),
    ]:
        with pytest.raises(InputError, match=said):
            folder_target(path, {})
