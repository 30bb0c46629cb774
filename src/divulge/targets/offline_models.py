"""Pretrained models that lie here: in installed packages or a folder, recognised by their hashes, never downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.pretrained import EXTRA, OFFLINE_MODELS, WEIGHTS, OfflineModel, file_in_package
from divulge.targets.networks.static import is_static

__all__ = [
    "OFFLINE_MODELS",
    "OfflineModel",
    "file_hashes",
    "folder_problems",
    "installed_file",
    "installed_folder",
    "missing_libraries",
    "module_folders",
    "offline_folder",
    "offline_hashes",
    "quiet_library",
    "read_json",
    "weight_files",
]

LIBRARIES = ("torch", "transformers")
ADAPTER = "adapter_model"
MODULES = "modules.json"
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
    "sentencepiece.bpe.model",
    "sentence_bert_config.json",
    "adapter_config.json",
    MODULES,
)


def missing_libraries(extra: str = EXTRA, besides: tuple[str, ...] = ()) -> list[str]:
    """What it takes to run a pretrained model and is not installed, as problems; imports nothing."""
    lacking = [name for name in (*LIBRARIES, *besides) if importlib.util.find_spec(name) is None]
    return [f"{' and '.join(lacking)} must be installed to run a pretrained model: {extra}"] if lacking else []


def installed_file(name: str) -> Path:
    """The file of a model by name, as some installed package carries it; its content is not checked yet.

    Raises:
        InputError: The name is not known, or no package that carries it is installed, or what reads it is not.
    """
    if name not in OFFLINE_MODELS:
        raise InputError(f"unknown pretrained model {name!r}.{did_you_mean(name, OFFLINE_MODELS)}")
    model = OFFLINE_MODELS[name]
    file = file_in_package(name, model)
    lacking = missing_libraries(model.install, model.libraries) if model.libraries else []
    if lacking:
        raise InputError(lacking)
    return file


def installed_folder(name: str) -> Path:
    """The folder of a model by name; its content is not checked yet, unless it is made here of what is.

    Raises:
        InputError: It cannot be had.
    """
    file, model = installed_file(name), OFFLINE_MODELS[name]
    if not model.unpack:
        return file.parent
    _must_be_right(name, file)
    from divulge.targets import unpacked_models

    return unpacked_models.unpacked(name, file, model.sha256, getattr(unpacked_models, model.unpack))


def offline_folder(name: str) -> Path:
    """The folder of a model by name, its weights recognised by their hash.

    Raises:
        InputError: It cannot be had, or the weights in the package are others.
    """
    folder = installed_folder(name)
    if not OFFLINE_MODELS[name].unpack:
        _must_be_right(name, folder / WEIGHTS)
    return folder


def offline_hashes(name: str) -> dict[str, str]:
    """The SHA-256 of what a model by name is made of, by the names of files: as carried, not as unpacked."""
    model = OFFLINE_MODELS[name]
    return {model.file: model.sha256} if model.unpack else file_hashes(offline_folder(name))


def folder_problems(folder: Path, *, pickled: bool = False) -> list[str]:
    """Why a folder is not one that a transformers model was saved to: in safetensors or, if allowed, pickled."""
    if not folder.is_dir():
        return [f"{folder}: no folder. A local transformers folder is needed; nothing is downloaded"]
    problems: list[str] = []
    if is_static(folder):
        return problems
    if not (folder / CONFIGURATION).is_file():
        problems.append(f"{folder}: has no {CONFIGURATION}, so that it is no transformers folder")
    if weight_files(folder, pickled=pickled):
        return problems + _broken_files(folder)
    if weight_files(folder, name=ADAPTER, pickled=True):
        problems.append(
            f"{folder}: is a PEFT adapter. Name it as `adapter`, and the folder of the model it was made for as `path`"
        )
    elif weight_files(folder, pickled=True):
        problems.append(
            f"{folder}: has no weights in safetensors. Others are not read, since unpickling them could run any "
            "code: save the model again with safe_serialization=True"
        )
    else:
        problems.append(
            f"{folder}: has no weights in safetensors, nor any other: save the model there with save_pretrained"
        )
    return problems


def _broken_files(folder: Path) -> list[str]:
    """Files of weights that the library cannot open: what a broken copy leaves behind. Only headers are read."""
    from safetensors import SafetensorError, safe_open

    problems = []
    for file in (file for file in weight_files(folder) if file.suffix == ".safetensors"):
        try:
            with safe_open(file, framework="numpy"):
                pass
        except (OSError, SafetensorError):
            problems.append(f"{file}: is no whole safetensors file: copy or save the model again")
    return problems


def weight_files(folder: Path, *, name: str = "", pickled: bool = False) -> list[Path]:
    """The files of weights in a folder whose names begin so; an adapter's are no model's. Pickled: where no others."""
    safe, unsafe = (
        sorted(
            file
            for pattern in patterns
            for file in folder.glob(name + pattern)
            if name or not file.name.startswith(ADAPTER)
        )
        for patterns in (("*.safetensors",), ("*.bin", "*.pt", "*.pth"))
    )
    # What a trainer leaves beside the weights is none of them.
    return safe or [file for file in unsafe if pickled and not file.name.startswith("training_args")]


def module_folders(folder: Path) -> list[tuple[str, Path]]:
    """The modules of a sentence-transformers folder in order: the name of each class, and where it lies."""
    listed = read_json(folder / MODULES)
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and {"type", "path"} <= set(one) for one in listed
    ):
        raise InputError(f"{folder}: its {MODULES} does not list modules with a type and a path each")
    return [(str(one["type"]).rpartition(".")[2], folder / str(one["path"])) for one in listed]


def file_hashes(folder: Path, *, pickled: bool = False) -> dict[str, str]:
    """The SHA-256 of every file that decides what the model makes of a text, by its name in the folder."""
    folders = [folder]
    if (folder / MODULES).is_file():
        folders += [place for _, place in module_folders(folder) if place != folder and place.is_dir()]
    files = {
        file
        for one in folders
        for file in (
            *weight_files(one, pickled=pickled),
            *weight_files(one, name=ADAPTER, pickled=pickled),
            *one.glob("*.py"),
            *(one / name for name in DECIDING if (one / name).is_file()),
        )
    }
    return {
        file.relative_to(folder).as_posix(): _hashed(file, file.stat().st_size, file.stat().st_mtime_ns)
        for file in sorted(files)
    }


def read_json(file: Path) -> object:
    """What a JSON file of a model folder holds.

    Raises:
        InputError: It cannot be read, or is no JSON.
    """
    try:
        found: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read as JSON ({type(error).__name__})") from None
    return found


@contextmanager
def quiet_library() -> Iterator[None]:
    """Keeps transformers from writing over our own progress display, and leaves its settings as they were."""
    said = importlib.import_module("transformers.utils.logging")
    bars, verbosity = said.is_progress_bar_enabled(), said.get_verbosity()
    said.disable_progress_bar()
    said.set_verbosity_error()
    try:
        yield
    finally:
        said.set_verbosity(verbosity)
        if bars:
            said.enable_progress_bar()


def _must_be_right(name: str, file: Path) -> None:
    if _hashed(file, file.stat().st_size, file.stat().st_mtime_ns) != OFFLINE_MODELS[name].sha256:
        again = OFFLINE_MODELS[name].install
        raise InputError(f"{file.parent}: these are not the weights of {name}. Install its package again: {again}")


@lru_cache(maxsize=256)
def _hashed(file: Path, size: int, changed: int) -> str:
    del size, changed  # a file that changed is hashed again
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
