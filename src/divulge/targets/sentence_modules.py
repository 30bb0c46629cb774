"""What a sentence-transformers folder does behind its network: pooling, dense layers, unit length, as its files say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.networks.static import static_width
from divulge.targets.offline_models import CONFIGURATION, MODULES, module_folders, read_json, weight_files

__all__ = ["SentenceModules", "encoder_folder", "state_width"]

Vectors = npt.NDArray[np.float32]
Step = Callable[[Vectors], Vectors]
WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")  # what configurations call the width of a state
KNOWN = ("Pooling", "Dense", "Normalize")
STATIC = "StaticEmbedding"
MATRIX, OFFSET = "linear.weight", "linear.bias"
SETTINGS = "sentence_bert_config.json"
LIBRARY_SETTINGS = "config_sentence_transformers.json"
# In the order in which the library joins them, by their names in old files; new ones name the mode itself.
MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
POOLED: Mapping[str, Step] = {
    "cls": lambda states: states[0],
    "max": lambda states: states.max(axis=0),
    "mean": lambda states: states.mean(axis=0),
    "mean_sqrt_len_tokens": lambda states: states.sum(axis=0) / np.sqrt(np.float32(len(states))),
    "weightedmean": lambda states: np.asarray(
        np.average(states, axis=0, weights=np.arange(1, len(states) + 1)), dtype=np.float32
    ),
    "lasttoken": lambda states: states[-1],
}
ACTIVATIONS: Mapping[str, Step] = {
    "Tanh": np.tanh,
    "Identity": lambda vector: vector,
    "ReLU": lambda vector: np.maximum(vector, 0),
    "Sigmoid": lambda vector: np.asarray(1 / (1 + np.exp(-vector)), dtype=np.float32),
}


class SentenceModules:
    """The modules of a folder, applied to the last hidden states of one text.

    Raises:
        InputError: A module is of a kind that is not read here, or does something with a text that is not done here, or
            its weights are damaged.
    """

    def __init__(self, folder: Path) -> None:
        listed = _listed(folder)
        kinds = [kind for kind, _ in listed]
        static = kinds[:1] == [STATIC]
        if set(kinds[1:]) - set(KNOWN) or not (static or kinds[:2] == ["Transformer", "Pooling"]):
            raise InputError(
                f"{folder}: its modules are {', '.join(kinds)}. Those read here are a Transformer, then Pooling, or a "
                f"{STATIC}; then Dense and Normalize. Name a pooling instead of 'own', or embed texts by a class of "
                "your own"
            )
        _must_take_texts_as_they_are(folder)
        settings = _settings(listed[0][1] / SETTINGS)
        self.longest: int | None = settings.get("max_seq_length")
        self.lowers = bool(settings.get("do_lower_case"))
        # Static vectors are averaged where they are looked up.
        self._steps = [*([POOLED["mean"]] if static else []), *_steps(listed[1:], state_width(listed[0][1]))]

    def written(self, texts: Sequence[Sequence[str]]) -> list[str]:
        """Texts of words as the folder reads them."""
        return [" ".join(text).lower() if self.lowers else " ".join(text) for text in texts]

    def vector(self, states: Vectors) -> Vectors:
        """What becomes of the last hidden states of a text, special tokens among them; (pieces, d) -> (width,)."""
        found = states
        for step in self._steps:
            found = step(found)
        return np.asarray(found, dtype=np.float32)


def encoder_folder(folder: Path) -> Path:
    """Where the network itself lies: in the folder, or in that of its first module."""
    if not (folder / MODULES).is_file():
        return folder
    first = module_folders(folder)[:1]
    return first[0][1] if first else folder


def state_width(folder: Path) -> int | None:
    """How many numbers a state of the network in a folder has; None where its configuration does not tell."""
    said = _settings(folder / CONFIGURATION)
    return static_width(folder) or next((said[name] for name in WIDTHS if isinstance(said.get(name), int)), None)


def _listed(folder: Path) -> list[tuple[str, Path]]:
    if not (folder / MODULES).is_file():
        raise InputError(f"{folder}: has no {MODULES}, so that it says no pooling of its own. Name one: mean, cls, max")
    return module_folders(folder)


def _settings(file: Path) -> dict[str, Any]:
    found = read_json(file) if file.is_file() else {}
    return found if isinstance(found, dict) else {}


def _must_take_texts_as_they_are(folder: Path) -> None:
    said = _settings(folder / LIBRARY_SETTINGS)
    if (said.get("prompts") or {}).get(said.get("default_prompt_name")):
        raise InputError(f"{folder}: puts a prompt before every text (default_prompt_name), which is not done here")


def _steps(modules: Sequence[tuple[str, Path]], width: int | None) -> Iterator[Step]:
    """What each module does, given the width of the states before the first, where it is known."""
    for kind, place in modules:
        if kind == "Normalize":
            yield _unit
        elif kind == "Pooling":
            modes = _modes(place)
            width = None if width is None else width * len(modes)
            yield _pooling(modes)
        else:
            activation, matrix, offset = _dense(place, width)
            width = len(matrix)
            yield _layer(activation, matrix, offset)


def _modes(place: Path) -> list[str]:
    settings = _settings(place / CONFIGURATION)
    named = settings.get("pooling_mode")
    modes = [mode for key, mode in MODES.items() if settings.get(key)]
    if named is not None:
        modes = [named] if isinstance(named, str) else list(named)
    unknown = sorted(set(modes) - set(POOLED))
    if unknown or not modes:
        raise InputError(f"{place}: pools by {', '.join(unknown) or 'nothing'}. Known: {', '.join(POOLED)}")
    return modes


def _pooling(modes: Sequence[str]) -> Step:
    return lambda states: np.concatenate([POOLED[mode](states) for mode in modes])


def _dense(place: Path, width: int | None) -> tuple[Step, Vectors, Vectors]:
    """The activation, matrix and offset of a dense layer that is handed vectors of this width."""
    settings, files = _settings(place / CONFIGURATION), weight_files(place)
    named = str(settings.get("activation_function", "torch.nn.modules.activation.Tanh")).rpartition(".")[2]
    if named not in ACTIVATIONS:
        raise InputError(f"{place}: its activation is {named}. Known: {', '.join(ACTIVATIONS)}")
    if len(files) != 1:
        raise InputError(f"{place}: a dense layer needs one file of weights in safetensors. Found {len(files)}")
    weights = _weights(files[0])
    if MATRIX not in weights:
        raise InputError(
            f"{files[0]}: holds {', '.join(sorted(weights)) or 'nothing'}. A dense layer needs {MATRIX}, and {OFFSET} "
            "if it has one: copy or save the model again"
        )
    matrix = weights[MATRIX]
    rows = matrix.shape[0] if matrix.ndim else 0
    offset = weights.get(OFFSET, np.zeros(rows, dtype=np.float32))
    taken = width or (matrix.shape[-1] if matrix.ndim else 0)
    if matrix.shape != (rows, taken) or offset.shape != (rows,):
        raise InputError(
            f"{files[0]}: {MATRIX} is {matrix.shape} and {OFFSET} {offset.shape}. What comes before the dense layer "
            f"has {taken} numbers, so that (n, {taken}) and (n,) are needed: copy or save the model again"
        )
    if not (np.isfinite(matrix).all() and np.isfinite(offset).all()):
        raise InputError(f"{files[0]}: holds NaN or infinity. Finite weights are needed: copy or save the model again")
    return ACTIVATIONS[named], matrix, offset


def _weights(file: Path) -> dict[str, Vectors]:
    from safetensors.numpy import load_file

    try:
        return dict(load_file(file))
    except Exception as error:  # noqa: BLE001 - a file may be broken in any way, and the library fails in as many
        raise InputError(
            f"{file}: cannot be read as safetensors ({type(error).__name__}). A dense layer's weights are needed: "
            "copy or save the model again"
        ) from None


def _layer(activation: Step, matrix: Vectors, offset: Vectors) -> Step:
    return lambda vector: activation(matrix @ vector + offset)


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)
