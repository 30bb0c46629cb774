"""A transformers model in a local folder, or one that is installed: how it is named, what speaks against reading it.

Nothing is downloaded, no code of the folder is run and nothing is unpickled unless the recipe says so by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from divulge.canonical import canonical_json
from divulge.errors import ExecutionError, InputError
from divulge.parts import did_you_mean
from divulge.records import Artefact
from divulge.targets.offline_models import (
    ADAPTER,
    CONFIGURATION,
    OFFLINE_MODELS,
    file_hashes,
    folder_problems,
    missing_libraries,
    offline_folder,
    offline_hashes,
    read_json,
    weight_files,
)
from divulge.targets.training.recipe import TrainingRecipe

__all__ = [
    "ADAPTER_CONFIGURATION",
    "EXTRA",
    "FolderOptions",
    "Head",
    "HeadOptions",
    "adapter_faults",
    "adapter_hashes",
    "code_faults",
    "fingerprint",
    "folder_faults",
    "folder_hashes",
    "folder_of",
    "json_object",
    "must_be_unchanged",
]

EXTRA = 'pip install "divulge[hf]"'
ADAPTER_CONFIGURATION = "adapter_config.json"
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")

Head = Literal["sequence-classification", "token-classification", "causal-lm"]

# How the classes of each head are called in config.json, and which target reads them.
ARCHITECTURES: Mapping[Head, tuple[tuple[str, ...], str]] = {
    "sequence-classification": (("ForSequenceClassification",), "transformers-classifier"),
    "token-classification": (("ForTokenClassification",), "transformers-tagger"),
    "causal-lm": (("ForCausalLM", "LMHeadModel"), "transformers-generator"),
}


class FolderOptions(TrainingRecipe):
    """Where the model lies, what may be done to read it, and how it is trained further.

    `path` is the folder of a model as transformers saves it, or the name of a pretrained one that is installed
    ("all-MiniLM-L6-v2"); `adapter` is the folder of a PEFT adapter on it. Of a text only
    the first `max_tokens` pieces are read, special ones included; by default as many as the model takes.
    `trust_remote_code` lets the folder bring code of its own, `allow_pickle` weights that are not in safetensors.
    `epochs` = 0 reads the model as it lies there; more train it further on the corpus. `files` fills itself in.
    """

    path: str
    adapter: str | None = None
    max_tokens: Annotated[int, Field(ge=4)] | None = None
    dtype: Literal["float32", "float64"] = "float32"
    trust_remote_code: bool = False
    allow_pickle: bool = False
    epochs: Annotated[int, Field(ge=0)] = 0
    batch_size: Annotated[int, Field(ge=1)] = 16
    learning_rate: Annotated[float, Field(gt=0)] = 5e-5
    clip: Annotated[float, Field(gt=0)] | None = 1.0
    files: str = ""

    @property
    def folder(self) -> Path:
        """Where the model lies on this machine: no part of any key.

        Raises:
            InputError: The name is that of a pretrained model which cannot be had.
        """
        return folder_of(self.path)

    @model_validator(mode="before")
    @classmethod
    def _with_files(cls, values: Any) -> Any:
        """So that the key of a model sees what lies in its folder."""
        if not isinstance(values, dict) or not isinstance(values.get("path"), str):
            return values
        # What was read as JSON is strict about it no more once it has been looked at: lists are tuples by now.
        known = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return {**known, "files": fingerprint(values["path"], values.get("adapter"))}


class HeadOptions(FolderOptions):
    """The folder; `labels` names the model's outputs in order, where its configuration does not.

    `pieces_per_word` is how many pieces of a word there is room for in its vector; by default as many as the
    words of the corpus need, from 8 to 16.
    """

    labels: tuple[str, ...] = ()
    pieces_per_word: Annotated[int, Field(ge=1)] | None = None


def folder_of(path: str) -> Path:
    """The folder at a path or, where there is none, that of the installed model of this name.

    Raises:
        InputError: The name is that of a pretrained model which cannot be had.
    """
    return offline_folder(path) if _is_name(path) else Path(path)


def folder_faults(options: FolderOptions, head: Head) -> list[str]:
    """All that speaks against reading the folder as a model of this head; imports nothing heavy."""
    problems = missing_libraries(EXTRA, ("peft",) if options.adapter is not None else ())
    try:
        folder = options.folder
    except InputError as error:
        return [*problems, *error.problems]
    found = folder_problems(folder, pickled=options.allow_pickle)
    if not folder.is_dir() and len(folder.parts) == 1:
        found = [
            f"{problem}; and no pretrained model is called so.{did_you_mean(options.path, OFFLINE_MODELS)}"
            for problem in found
        ]
    if not options.allow_pickle and any("Others are not read" in problem for problem in found):
        found = [f"{problem}, or say allow_pickle = true if you trust it" for problem in found]
    problems += found
    if folder.is_dir() and not any((folder / name).is_file() for name in TOKENIZERS):
        problems.append(f"{folder}: has no tokenizer ({', '.join(TOKENIZERS[:3])} ...). Save the model's beside it")
    if (folder / CONFIGURATION).is_file():
        problems += code_faults(folder, trusted=options.trust_remote_code)
        problems += _head_faults(folder, options, head)
    if options.adapter is not None:
        problems += adapter_faults(Path(options.adapter), folder, pickled=options.allow_pickle)
    return problems


def folder_hashes(options: FolderOptions) -> dict[str, str]:
    """The hashes of all files that decide what the model and its adapter answer."""
    found = _hashes(options.path)
    if options.adapter is not None:
        found |= adapter_hashes(Path(options.adapter))
    return found


def adapter_hashes(adapter: Path) -> dict[str, str]:
    """The hashes of the files of an adapter, told apart from those of its model."""
    return {f"adapter/{name}": value for name, value in file_hashes(adapter, pickled=True).items()}


def must_be_unchanged(artefact: Artefact, options: FolderOptions) -> None:
    """Refuses other files than an artefact was made with; its weights do not count where all were trained here.

    Raises:
        ExecutionError: Other files lie in the folder by now.
    """
    made, now = artefact.values["files"], folder_hashes(options)
    weights = (".safetensors", ".bin", ".pt", ".pth", ".gguf")
    whole = bool(artefact.arrays) and artefact.values.get("whole", True)
    names = [name for name in {*made, *now} if not (whole and name.endswith(weights))]
    changed = sorted(name for name in names if made.get(name) != now.get(name))
    if changed:
        raise ExecutionError(
            f"{options.path}: holds another model than the one that was read ({', '.join(changed)} changed since). "
            "Put its files back, or run the audit anew"
        )


def fingerprint(path: str, adapter: object) -> str:
    """One hash of all files; empty where there is nothing to hash yet, which is told elsewhere."""
    try:
        found = [_hashes(path)]
        found += [file_hashes(Path(adapter), pickled=True)] if isinstance(adapter, str) else []
    except (InputError, OSError):
        return ""
    return hashlib.sha256(canonical_json(found).encode()).hexdigest()[:16]


def code_faults(folder: Path, *, trusted: bool) -> list[str]:
    """Why the code that a folder brings is not run."""
    files = [file for file in (folder / CONFIGURATION, folder / "tokenizer_config.json") if file.is_file()]
    try:
        own_code = any("auto_map" in json_object(file) for file in files)
    except InputError as error:
        return list(error.problems)
    if trusted or not own_code:
        return []
    said = f"{folder}: brings code of its own (auto_map), which would run with all your rights. It is not run"
    return [f"{said}; read it, and say trust_remote_code = true if you trust it"]


def adapter_faults(adapter: Path, folder: Path, *, pickled: bool) -> list[str]:
    """What speaks against reading an adapter on the model in a folder."""
    if not adapter.is_dir():
        return [f"{adapter}: no folder. `adapter` must be the folder of a PEFT adapter"]
    if not (adapter / ADAPTER_CONFIGURATION).is_file():
        return [f"{adapter}: has no {ADAPTER_CONFIGURATION}, so that it is no PEFT adapter"]
    try:
        values = json_object(adapter / ADAPTER_CONFIGURATION)
    except InputError as error:
        return list(error.problems)
    problems = []
    if not weight_files(adapter, name=ADAPTER, pickled=pickled):
        problems.append(f"{adapter}: has no {ADAPTER}.safetensors. Others are not read: unpickling could run any code")
    base = Path(str(values.get("base_model_name_or_path") or ""))
    # A name on a hub tells nothing about a folder; a folder that is still there does.
    if base.is_absolute() and base.is_dir() and folder.is_dir() and base.resolve() != folder.resolve():
        made, given = file_hashes(base, pickled=True), file_hashes(folder, pickled=True)
        if any(made[name] != given[name] for name in {*made} & {*given} if name.endswith((".safetensors", ".bin"))):
            problems.append(f"{adapter}: was made for the model in {base}, and {folder} holds another")
    return problems


def _is_name(path: str) -> bool:
    return path in OFFLINE_MODELS and not Path(path).is_dir()


def _hashes(path: str) -> dict[str, str]:
    """Of a model by name, as it is carried, and not as it was unpacked here."""
    return offline_hashes(path) if _is_name(path) else file_hashes(Path(path), pickled=True)


def _head_faults(folder: Path, options: FolderOptions, head: Head) -> list[str]:
    try:
        values = json_object(folder / CONFIGURATION)
    except InputError:
        return []  # told already
    problems = []
    if values.get("is_encoder_decoder"):
        problems.append(f"{folder}: is an encoder with a decoder; none of these targets reads one")
    named = [str(name) for name in values.get("architectures") or ()]
    endings, _ = ARCHITECTURES[head]
    if named and options.epochs == 0 and options.adapter is None and not any(n.endswith(endings) for n in named):
        problems.append(_wrong_head(folder, named, head))
    if values.get("problem_type") in ("multi_label_classification", "regression"):
        problems.append(f"{folder}: its problem_type is {values['problem_type']}; only one label per text is audited")
    return problems


def _wrong_head(folder: Path, named: list[str], head: Head) -> str:
    endings, own = ARCHITECTURES[head]
    fitting = [kind for ends, kind in ARCHITECTURES.values() if any(name.endswith(ends) for name in named)]
    said = f"{folder}: holds {' and '.join(named)}, and {own} reads models whose names end in {' or '.join(endings)}."
    if fitting:
        return f"{said} Use target.kind = {fitting[0]!r}"
    return f"{said} It has no trained head: train one first, or here, with epochs = 3 or so"


def json_object(file: Path) -> Mapping[str, Any]:
    """What a file of settings holds."""
    found = read_json(file)
    if not isinstance(found, dict):
        raise InputError(f"{file}: must hold one JSON object")
    return found
