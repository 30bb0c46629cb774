"""Which kind of target reads a folder: told by the names of its files and by its config.json, nothing is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import TargetSpec

__all__ = ["folder_target"]

# How the classes of a model end, and the target that reads them.
ENDINGS = {
    "ForSequenceClassification": "transformers-classifier",
    "ForTokenClassification": "transformers-tagger",
    "ForCausalLM": "transformers-generator",
    "LMHeadModel": "transformers-generator",
    "Model": "sentence-encoder",
    "ForMaskedLM": "sentence-encoder",
}
SENTENCES = "modules.json"  # of a folder of sentence-transformers
ADAPTER = "adapter_config.json"  # of a folder of PEFT
CONFIGURATION = "config.json"


def folder_target(path: Path, recipe: Mapping[str, Any]) -> TargetSpec:
    """Finds the kind of the model in a folder."""
    folder = path.expanduser()
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "there is no such folder"
        raise InputError(f"{path}: {what}. A path as target is the folder of a transformers model")
    if (folder / ADAPTER).is_file() and not (folder / CONFIGURATION).is_file():
        base = _read(folder / ADAPTER).get("base_model_name_or_path")
        if not isinstance(base, str) or not Path(base).expanduser().is_dir():
            raise InputError(
                f"{path}: is a PEFT adapter, and the model under it is not a folder here. Give that folder as target, "
                f"and recipe={{'adapter': {str(path)!r}}}"
            )
        return folder_target(Path(base), {"adapter": str(folder), **recipe})
    sentences = (folder / SENTENCES).is_file()
    if not sentences and not (folder / CONFIGURATION).is_file():
        raise InputError(f"{path}: has no {CONFIGURATION}, so that it is no folder of a transformers model")
    kind = "sentence-encoder" if sentences else _kind(folder)
    return validate(TargetSpec, {"kind": kind, "path": str(folder), "recipe": recipe}, "target")


def _kind(folder: Path) -> str:
    named = _read(folder / CONFIGURATION).get("architectures")
    for one in named if isinstance(named, list) else ():
        for ending, kind in ENDINGS.items():
            if isinstance(one, str) and one.endswith(ending):
                return kind
    kinds = ", ".join(dict.fromkeys(ENDINGS.values()))
    raise InputError(
        f"{folder}: its {CONFIGURATION} names no architecture that is read here. Say which target reads it: "
        f"{{'kind': ..., 'path': ...}}, kind one of {kinds}"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{path}: cannot be read as JSON") from None
    if not isinstance(values, dict):
        raise InputError(f"{path}: is not a JSON object")
    return values
