"""Pretrained models that packages carry in another form: turned once into a folder as libraries save them, and kept.

The folder lies in the user's cache and is named after the hash of what it was made of. It appears whole or not at all.
"""

from __future__ import annotations

import importlib
import io
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from pathlib import Path

from divulge.errors import AuditError, ExecutionError, InputError
from divulge.targets.offline_models import quiet_library

__all__ = ["models_root", "unpack_gguf", "unpack_static", "unpacked"]

logger = logging.getLogger(__name__)

REVISION = 1  # another one unpacks all models again
STATIC = "0_StaticEmbedding"
TIED = "lm_head.weight"


def models_root() -> Path:
    """The folder of all unpacked models, in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is to be ignored.
    return (cache if cache.is_absolute() else Path("~/.cache").expanduser()) / "divulge" / "models"


def unpacked(name: str, file: Path, sha256: str, unpack: Callable[[Path, Path], None]) -> Path:
    """The folder that `unpack(file, folder)` fills, made where there is none yet.

    Raises:
        InputError: The file cannot be read as what it should be.
        ExecutionError: The folder cannot be written.
    """
    root = models_root()
    place = root / f"{name}-{sha256[:16]}-{REVISION}"
    if place.is_dir():
        return place
    logger.warning("%s: unpacking it once into %s, which may take a minute or two", name, place)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=root) as partial:
            made = Path(partial) / "model"
            made.mkdir()
            unpack(file, made)
            _appear(made, place)
    except OSError as error:
        raise ExecutionError(f"{place}: cannot be written: {error.strerror or type(error).__name__}") from error
    logger.warning("%s: unpacked", name)
    return place


def unpack_gguf(file: Path, folder: Path) -> None:
    """Writes the model of a GGUF file as transformers saves one: weights in half precision, and its tokenizer.

    Weights that were quantised are what they were rounded to: they do not get better by being written out.

    Raises:
        InputError: It is no GGUF file of a model that transformers knows.
    """
    import torch
    from safetensors.torch import save_file

    transformers = importlib.import_module("transformers")
    said = {"gguf_file": file.name, "local_files_only": True}
    try:
        with quiet_library(), _quiet_bars():
            network = transformers.AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **said)
            tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, **said)
    except AuditError:
        raise
    except Exception as error:  # a file may be broken in any way, and the library fails in as many
        raise InputError(f"{file}: cannot be read as a GGUF model ({type(error).__name__})") from error
    dropped = {TIED} if network.config.tie_word_embeddings else set()
    weights = {name: value.half().contiguous() for name, value in network.state_dict().items() if name not in dropped}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {name: value for name, value in network.config.to_dict().items() if name != "quantization_config"}
    settings |= {"architectures": [type(network).__name__], "dtype": "float16"}
    (folder / "config.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    tokenizer.save_pretrained(folder)


def unpack_static(file: Path, folder: Path) -> None:
    """Writes static vectors, and the tokenizer that lies in the package beside them, as sentence-transformers does.

    Raises:
        InputError: The tokenizer is not there.
    """
    found = sorted(file.parent.parent.glob("tokenizers/*.json"))
    if len(found) != 1:
        raise InputError(f"{file.parent.parent}: one tokenizer must lie beside the vectors. Found {len(found)}")
    inside = folder / STATIC
    inside.mkdir()
    shutil.copyfile(file, inside / "model.safetensors")
    shutil.copyfile(found[0], inside / "tokenizer.json")
    listed = [{"idx": 0, "name": "0", "path": STATIC, "type": "sentence_transformers.models.StaticEmbedding"}]
    (folder / "modules.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


@contextmanager
def _quiet_bars() -> Iterator[None]:
    """A bar of progress is drawn on a terminal, and not into a file."""
    with nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO()):
        yield


def _appear(made: Path, place: Path) -> None:
    try:
        made.rename(place)
    except OSError:
        if not place.is_dir():  # else somebody else was first, and has the same
            raise
