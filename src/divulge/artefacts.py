"""How an artefact is spelled in one file: JSON, or safetensors with that same JSON as its metadata.

The JSON has two lines. The first tells about the artefact (its info, its checksum), so that a listing need not read
the rest; the second holds the values. Nothing is pickled, so reading an artefact can run no code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from divulge.errors import ExecutionError
from divulge.records import Artefact

__all__ = ["SUFFIXES", "CorruptArtefactError", "decode", "encode", "read_info"]

SUFFIXES = (".json", ".safetensors")

METADATA = "divulge"  # the only metadata key: safetensors keeps no order among several
PLAIN_KINDS = "biuf"  # what safetensors has names for; complex and long numbers are kept as raw bytes
NUMERIC_KINDS = "biufc"
MAX_DOCUMENT = 90_000_000  # safetensors refuses headers above 100 MB


class CorruptArtefactError(ValueError):
    """The file is not what was written: cut short, or changed since."""


class _Document(NamedTuple):
    info: Mapping[str, Any]
    raw: Mapping[str, Any]  # array name -> dtype and shape, for those kept as raw bytes
    sha256: str
    values: str


def encode(artefact: Artefact, info: Mapping[str, Any]) -> tuple[str, bytes]:
    """Spells an artefact; gives the file's suffix and its content.

    Raises:
        ExecutionError: A value has no JSON spelling (NaN among them), or an array is not numeric.
    """
    values = f'"values":{_spell(artefact.values)}}}\n'
    arrays = {name: _checked(name, np.asarray(array)) for name, array in sorted(artefact.arrays.items())}
    raw = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items() if not _is_plain(array)}
    first = {"bytes": len(values), "info": info, "raw": raw, "sha256": _checksum(values, arrays)}
    document = f"{_spell(first)[:-1]},\n{values}"
    if not arrays:
        return ".json", document.encode("ascii")
    if len(document) > MAX_DOCUMENT:
        raise ExecutionError(
            f"an artefact with arrays may hold {MAX_DOCUMENT // 10**6} MB of values beside them. "
            f"Got {len(document) // 10**6} MB: put long lists of numbers into arrays"
        )
    from safetensors.numpy import save

    tensors = {name: array if name not in raw else _as_bytes(array) for name, array in arrays.items()}
    return ".safetensors", save(tensors, {METADATA: document})


def decode(suffix: str, content: bytes) -> tuple[Artefact, Mapping[str, Any]]:
    """Reads what `encode` wrote: the artefact and its info.

    Raises:
        CorruptArtefactError: The content is cut short or does not match its checksum.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    try:
        if suffix == ".json":
            document = _parse(content.decode("ascii"))
        else:
            from safetensors.numpy import load

            document = _parse(_metadata(content[8 : 8 + int.from_bytes(content[:8], "little")]))
            arrays = {name: _restored(array, document.raw.get(name)) for name, array in sorted(load(content).items())}
        intact = document.sha256 == _checksum(document.values, arrays)
        values = json.loads("{" + document.values)["values"]
    except Exception as error:
        raise CorruptArtefactError(type(error).__name__) from error
    if not intact:
        raise CorruptArtefactError("checksum")
    return Artefact(values, arrays), document.info


def read_info(suffix: str, file: BinaryIO, size: int) -> Mapping[str, Any]:
    """Reads only the info of a file of `size` bytes, and checks that it was not cut short.

    Raises:
        CorruptArtefactError: The beginning is not as `encode` wrote it, or the length is wrong.
        OSError: It could not be read, which tells nothing of what is in it.
    """
    try:
        if suffix == ".json":
            line = file.readline()
            first = json.loads(line[:-2] + b"}")
            expected = len(line) + first["bytes"]
        else:
            length = int.from_bytes(file.read(8), "little")
            header = file.read(min(length, size))
            first = json.loads(_metadata(header).partition("\n")[0][:-1] + "}")
            tensors = json.loads(header)
            expected = 8 + length + max(tensors[name]["data_offsets"][1] for name in tensors if name != "__metadata__")
        info: Mapping[str, Any] = first["info"]
    except OSError:
        raise
    except Exception as error:
        raise CorruptArtefactError(type(error).__name__) from error
    if size != expected:
        raise CorruptArtefactError(f"{size} bytes instead of {expected}")
    return info


def _spell(values: Mapping[str, Any]) -> str:
    try:
        return _dumps(values)
    except (TypeError, ValueError, RecursionError):
        raise ExecutionError(_first_problem(values)) from None


def _first_problem(values: Mapping[str, Any]) -> str:
    # Names the field and the reason, never the value: it may hold a secret.
    for name, value in values.items():
        try:
            _dumps(value)
        except (TypeError, RecursionError) as error:
            return f"value {name!r} of the artefact is not JSON: {error}"
        except ValueError:
            return f"value {name!r} of the artefact holds NaN or infinity, which JSON has not: use None, or an array"
    return "the artefact's values must have text keys"


def _dumps(value: object) -> str:
    # ASCII: also half a surrogate pair from a broken file must come back as it was.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON spelling")


def _checked(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if name == "__metadata__" or array.dtype.kind not in NUMERIC_KINDS:
        raise ExecutionError(f"array {name!r} of the artefact must be numeric. Got dtype {array.dtype}")
    # Little-endian, C order: safetensors writes the memory as it lies. `copy` keeps 0-d arrays 0-d.
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return little if little.flags.c_contiguous else little.copy(order="C")


def _is_plain(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind in PLAIN_KINDS and array.dtype.itemsize <= 8


def _as_bytes(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.frombuffer(array.tobytes(), dtype=np.uint8)


def _restored(array: npt.NDArray[Any], raw: list[Any] | None) -> npt.NDArray[Any]:
    if raw is not None:
        array = array.view(np.dtype(raw[0])).reshape(raw[1])
    return array if array.flags.writeable else array.copy()


def _checksum(values: str, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    total = hashlib.sha256(values.encode("ascii"))
    for name, array in sorted(arrays.items()):
        total.update(_dumps([name, array.dtype.str, list(array.shape)]).encode("ascii"))
        total.update(array.reshape(-1).view(np.uint8).data)
    return total.hexdigest()


def _metadata(header: bytes) -> str:
    document: str = json.loads(header)["__metadata__"][METADATA]
    return document


def _parse(document: str) -> _Document:
    line, _, values = document.partition("\n")
    first = json.loads(line[:-1] + "}")
    return _Document(first["info"], first["raw"], first["sha256"], values)
