"""Static vectors as an encoder: a piece has the same vector in every text.

The folder is one of sentence-transformers: tokenizer.json, a file of weights with one matrix, and no configuration.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError

__all__ = ["StaticNetwork", "is_static", "static_network", "static_tokenizer", "static_width"]

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
MATRIX = "embedding.weight"


class StaticNetwork:
    """Looks vectors up, and is asked as a transformers network is."""

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        self._vectors = vectors
        self.config = SimpleNamespace(hidden_size=vectors.shape[1], use_cache=False)

    def eval(self) -> StaticNetwork:
        """Itself: there is nothing that training would change."""
        return self

    def __call__(self, input_ids: Any, attention_mask: Any = None) -> SimpleNamespace:
        """The vectors of pieces by number, (B, T) -> (B, T, d)."""
        import torch

        del attention_mask  # no vector depends on another
        return SimpleNamespace(last_hidden_state=torch.from_numpy(self._vectors[input_ids.numpy()]))


def is_static(folder: Path) -> bool:
    """Whether a folder holds static vectors; reads no more than the head of its file."""
    return static_width(folder) is not None


def static_width(folder: Path) -> int | None:
    """How many numbers a static vector has; None if the folder holds none."""
    if (folder / "config.json").is_file() or not all((folder / name).is_file() for name in (WEIGHTS, TOKENIZER)):
        return None
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / WEIGHTS, "numpy") as file:
            shape: list[int] = file.get_slice(MATRIX).get_shape() if MATRIX in file.keys() else []  # noqa: SIM118 - no mapping
    except (OSError, SafetensorError):
        return None
    return int(shape[1]) if len(shape) == 2 else None


def static_network(folder: Path) -> StaticNetwork:
    """Reads the vectors.

    Raises:
        InputError: There are fewer vectors than pieces, or some are no numbers.
    """
    from safetensors.numpy import load_file

    vectors = load_file(folder / WEIGHTS)[MATRIX].astype(np.float32)
    pieces = static_tokenizer(folder).backend_tokenizer.get_vocab_size()
    if pieces > len(vectors):
        raise InputError(f"{folder}: has {len(vectors)} vectors for the {pieces} pieces of its tokenizer")
    if not np.isfinite(vectors).all():
        raise InputError(f"{folder}: {WEIGHTS} holds NaN or infinity")
    return StaticNetwork(vectors)


def static_tokenizer(folder: Path) -> Any:
    """The tokenizer beside the vectors; it puts no special tokens around a text, since none are averaged either.

    Raises:
        InputError: It cannot be read.
    """
    transformers, tokenizers = importlib.import_module("transformers"), importlib.import_module("tokenizers")
    try:
        found = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the library raises nothing more special
        raise InputError(f"{folder / TOKENIZER}: cannot be read as a tokenizer") from error
    found.no_padding()
    found.no_truncation()
    found.post_processor = tokenizers.processors.TemplateProcessing(single="$A", special_tokens=[])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=found)
