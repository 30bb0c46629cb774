"""Reads a transformers model and its tokenizer from a folder, with nothing in it left to chance.

transformers fills weights that are not in a folder at random. A random head looks like a model that gives nothing
away, so that every weight must have come from a file, or be trained here.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.records import Artefact
from divulge.targets.offline_models import ADAPTER, quiet_library, weight_files
from divulge.targets.own.transformers_folder import FolderOptions, Head, folder_hashes

__all__ = [
    "Loaded",
    "adapted",
    "kept_network",
    "load_finished",
    "load_for_training",
    "load_trained",
    "names_of",
    "tokenizer_of",
    "unfilled",
]

CLASSES: Mapping[Head, str] = {
    "sequence-classification": "AutoModelForSequenceClassification",
    "token-classification": "AutoModelForTokenClassification",
    "causal-lm": "AutoModelForCausalLM",
}
LAST_LAYERS = ("classifier.weight", "score.weight", "out_proj.weight", "logits_proj.weight")
POOLER = ".pooler."  # belongs to the head: models that were not trained to tell texts apart have none


class Loaded(NamedTuple):
    """A network and its tokenizer, as transformers has them."""

    network: Any
    tokenizer: Any


def load_finished(head: Head, options: FolderOptions) -> Loaded:
    """Loads a model as it lies in its folder, once per process, ready to answer.

    Raises:
        InputError: It cannot be read, or some of its weights are not there.
    """
    return _finished(head, options, tuple(sorted(folder_hashes(options).items())))


def load_for_training(head: Head, options: FolderOptions, labels: Sequence[str] = ()) -> Loaded:
    """Loads a model to train it further; with labels, it gets a fresh head where its own has other ones."""
    return _read(head, options, labels, fresh=True)


def load_trained(head: Head, options: FolderOptions, artefact: Artefact) -> Loaded:
    """A model that was trained here: its form from the folder, its weights from what was kept.

    Where only a part of it was trained, the rest comes from the folder.
    """
    import torch

    from divulge.targets.networks.weights import kept_weights, with_weights

    labels = artefact.values.get("labels", ())
    arrays = dict(artefact.arrays)
    arrays |= {name: arrays[kept] for name, kept in artefact.values["shared"].items()}
    with quiet_library(), torch.random.fork_rng(devices=[]):
        if not artefact.values.get("whole", True):
            network = _read(head, options, labels, fresh=True).network
            arrays = kept_weights(network) | arrays
        else:
            network = unfilled(head, options, labels)
    return Loaded(_ready(with_weights(network, arrays), options), tokenizer_of(head, options))


def unfilled(head: Head, options: FolderOptions, labels: Sequence[str] = ()) -> Any:
    """The network that a folder describes, whatever weights it has."""
    import torch

    transformers = importlib.import_module("transformers")
    code = {"trust_remote_code": True} if options.trust_remote_code else {}
    with quiet_library():
        made = getattr(transformers, CLASSES[head])
        return made.from_config(_config(options, labels), dtype=torch.float32, **code)


def kept_network(network: Any, *, whole: bool = True) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """The weights as arrays, each once, and which names share those of which other; not `whole`: of what is trained."""
    first: dict[int, str] = {}
    arrays: dict[str, npt.NDArray[Any]] = {}
    shared: dict[str, str] = {}
    frozen = {name for name, value in network.named_parameters() if not (whole or value.requires_grad)}
    for name, value in network.state_dict().items():
        if name in frozen:
            continue
        kept = first.setdefault(value.data_ptr(), name) if value.numel() else name
        if kept != name and arrays[kept].shape == tuple(value.shape):
            shared[name] = kept
        else:
            arrays[name] = np.ascontiguousarray(value.detach().cpu().numpy().copy())
    return arrays, shared


def names_of(config: Any, given: Sequence[str], option: str = "labels") -> tuple[str, ...]:
    """What the outputs of a head are called, in order: as given, else as the model's configuration says.

    Raises:
        InputError: There are more or fewer names than outputs, or two outputs have one name.
    """
    own = {int(number): str(name) for number, name in (config.id2label or {}).items()}
    names = tuple(given) or tuple(own[number] for number in sorted(own))
    if len(names) != config.num_labels:
        raise InputError(f"`{option}` must name the model's {config.num_labels} outputs in order. Got {len(names)}")
    if len(set(names)) < len(names):
        raise InputError(f"two of the model's {len(names)} outputs have the same name: name all in order by `{option}`")
    if len(names) < 2:
        raise InputError("the model has a single output: a regression, which is not audited")
    return names


def adapted(network: Any, adapter: Path, folder: Path) -> Any:
    """The model with the adapter worked into its weights."""
    peft = importlib.import_module("peft")
    said = f"{adapter}: does not fit the model in {folder}"
    try:
        with quiet_library(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrapped = peft.PeftModel.from_pretrained(network, str(adapter), is_trainable=False, local_files_only=True)
            mergeable = not wrapped.active_peft_config.is_prompt_learning
            mine = set(peft.get_peft_model_state_dict(wrapped)) if mergeable else set()
            merged = wrapped.merge_and_unload() if mergeable else None
    except Exception as error:
        raise InputError(f"{said} ({type(error).__name__}). Give the folder of the model it was made for") from error
    if merged is None:
        raise InputError(f"{adapter}: changes the prompt and no weights; only adapters of weights (as LoRA) are read")
    given = {name for file in weight_files(adapter, name=ADAPTER, pickled=True) for name in _shapes(file)}
    if mine != given:
        raise InputError(f"{said}: {len(mine ^ given)} parameters have no place there, or are not in its weights")
    return merged


@lru_cache(maxsize=2)
def _finished(head: Head, options: FolderOptions, files: tuple[tuple[str, str], ...]) -> Loaded:
    del files  # a folder that changed is read again
    network, tokenizer = _read(head, options, (), fresh=False)
    return Loaded(_ready(network, options), tokenizer)


def _ready(network: Any, options: FolderOptions) -> Any:
    network = network.eval().requires_grad_(False)  # noqa: FBT003 - torch's signature
    return network.double() if options.dtype == "float64" else network


def _read(head: Head, options: FolderOptions, labels: Sequence[str], *, fresh: bool) -> Loaded:
    import torch

    transformers = importlib.import_module("transformers")  # by name: its own types would take a minute to check
    config, folder = _config(options, labels), options.folder
    brought = {} if options.adapter is None else _adapter_shapes(Path(options.adapter))
    rows = [shape[0] for name, shape in brought.items() if name.endswith(LAST_LAYERS)]
    if rows and head != "causal-lm" and rows[-1] != config.num_labels and not labels:
        _name_outputs(config, [f"LABEL_{number}" for number in range(rows[-1])])
    try:
        with quiet_library():
            network, found = getattr(transformers, CLASSES[head]).from_pretrained(
                folder,
                config=config,
                use_safetensors=bool(weight_files(folder)),
                dtype=torch.float32,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                **_safe(options),
            )
    except Exception as error:  # a folder may be broken in any way, and the library fails in as many
        raise InputError(f"{folder}: cannot be read as a transformers model ({type(error).__name__})") from error
    mismatched = {name if isinstance(name, str) else name[0] for name in found["mismatched_keys"]}
    _check_complete(network, {*found["missing_keys"], *mismatched} - set(brought), folder, fresh=fresh)
    if network.config.is_encoder_decoder:
        raise InputError(f"{folder}: is an encoder with a decoder; none of these targets reads one")
    if options.adapter is not None:
        network = adapted(network, Path(options.adapter), folder)
    return Loaded(network, tokenizer_of(head, options))


def _config(options: FolderOptions, labels: Sequence[str]) -> Any:
    transformers = importlib.import_module("transformers")
    try:
        with quiet_library():
            config = transformers.AutoConfig.from_pretrained(options.folder, **_safe(options))
    except Exception as error:
        said = f"{options.path}: its config.json describes no model that transformers knows ({type(error).__name__})"
        raise InputError(said) from error
    if labels:
        _name_outputs(config, labels)
    return config


def _name_outputs(config: Any, labels: Sequence[str]) -> None:
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: number for number, label in enumerate(labels)}


def _safe(options: FolderOptions) -> dict[str, bool]:
    return {"local_files_only": True, "trust_remote_code": options.trust_remote_code}


def tokenizer_of(head: Head, options: FolderOptions) -> Any:
    """The tokenizer of a folder."""
    transformers = importlib.import_module("transformers")
    # Words come one by one: tokenizers that mark the start of a word must mark each.
    spaced = {} if head == "causal-lm" else {"add_prefix_space": True}
    try:
        with quiet_library():
            tokenizer = transformers.AutoTokenizer.from_pretrained(options.folder, **spaced, **_safe(options))
    except Exception as error:
        raise InputError(f"{options.path}: its tokenizer cannot be read ({type(error).__name__})") from error
    if not tokenizer.is_fast:
        raise InputError(f"{options.path}: needs a fast tokenizer (tokenizer.json), which tells the words of pieces")
    return tokenizer


def _check_complete(network: Any, lacking: Iterable[str], folder: Path, *, fresh: bool) -> None:
    """Every weight must have come from a file; of a model that is trained here, all but its head's."""
    body = [name for name in lacking if name.startswith(f"{network.base_model_prefix}.") and POOLER not in f".{name}"]
    head = [name for name in lacking if name not in body]
    if body:
        raise InputError(f"{folder}: {len(body)} parameters of the model are not in its weights, or in another shape")
    if head and not fresh:
        raise InputError(
            f"{folder}: has no trained head ({len(head)} of its parameters are not in the weights): it would be filled "
            "at random. Train it first, or here, with epochs = 3 or so"
        )


def _adapter_shapes(adapter: Path) -> dict[str, tuple[int, ...]]:
    """The whole layers that an adapter brings, by their names in the model, and their shapes."""
    found: dict[str, tuple[int, ...]] = {}
    for file in weight_files(adapter, name=ADAPTER, pickled=True):
        for name, shape in _shapes(file).items():
            found[name.removeprefix("base_model.model.").replace("modules_to_save.", "")] = shape
    return found


def _shapes(file: Path) -> dict[str, tuple[int, ...]]:
    try:
        if file.suffix == ".safetensors":
            with importlib.import_module("safetensors").safe_open(file, framework="pt") as opened:
                return {name: tuple(opened.get_slice(name).get_shape()) for name in opened.keys()}  # noqa: SIM118
        import torch

        return {name: tuple(value.shape) for name, value in torch.load(file, weights_only=True).items()}
    except Exception as error:
        raise InputError(f"{file}: cannot be read as the weights of an adapter ({type(error).__name__})") from error
