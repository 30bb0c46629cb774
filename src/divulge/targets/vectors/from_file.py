"""Vectors from a file; what the file lacks is drawn by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from divulge.data.places import data_root
from divulge.errors import InputError
from divulge.targets.vectors.base import Kept, VectorArray, WordVectors
from divulge.targets.vectors.drawn import random_vectors
from divulge.targets.vectors.files import FORMATS, VectorFile, file_sha256, read_vectors

__all__ = ["GLOVE", "FileVectors", "place_of"]

GLOVE = "glove"  # the choice that names this file in the data folder
GLOVE_PLACE = ("vectors", "glove.6B.100d.subset.vec.gz")


class FileVectors(WordVectors):
    """Vectors of the file's words, by their exact spelling; drawn ones, as wide as the file's are spread, for others.

    `size` and `sha256` tell which file is meant; it is read when the first word is asked for.
    """

    def __init__(self, choice: str, width: int, seed: int, *, size: int, sha256: str) -> None:
        self.choice = choice
        self.width = width
        self.seed = seed
        self.size = size
        self.sha256 = sha256

    @classmethod
    def chosen(cls, choice: str, width: int, seed: int) -> FileVectors:
        """Opens what the file is now; `choice` is "glove" or a path."""
        path = place_of(choice)
        found = read_vectors(path).width
        if found != width:
            raise InputError(
                f"{path}: its vectors have {found} numbers, but width is {width}. Set target.recipe.width = {found}, "
                "or choose another file"
            )
        kept = choice if choice == GLOVE else str(path)
        return cls(kept, width, seed, size=path.stat().st_size, sha256=file_sha256(path))

    @classmethod
    def reopened(cls, values: Mapping[str, Any]) -> FileVectors:
        """What `kept` kept; nothing is read yet."""
        return cls(values["file"], values["width"], values["seed"], size=values["size"], sha256=values["sha256"])

    def of(self, words: Sequence[str]) -> VectorArray:
        """The file's vector, else a drawn one."""
        found = [self._file.of(word) for word in words]
        lacking = [row for row, vector in enumerate(found) if vector is None]
        drawn = random_vectors([words[row] for row in lacking], self.width, self.seed) * np.float32(self._file.spread)
        for row, vector in zip(lacking, drawn, strict=True):
            found[row] = vector
        return np.array(found, dtype=np.float32).reshape(len(words), self.width)

    def lacking(self, words: Sequence[str]) -> list[str]:
        """Words that are not in the file and, where it has n-gram vectors, have no n-gram either."""
        return [word for word in words if self._file.of(word) is None]

    def kept(self) -> Kept:
        """Which file it was, not its content."""
        which = {"file": self.choice, "size": self.size, "sha256": self.sha256}
        return {"kind": "file", "width": self.width, "seed": self.seed, **which}, {}

    @cached_property
    def _file(self) -> VectorFile:
        path = place_of(self.choice)
        if path.stat().st_size != self.size or file_sha256(path) != self.sha256:
            raise InputError(
                f"{path}: is another file than the one whose vectors the model was trained with (SHA-256 "
                f"{self.sha256[:12]}…, {self.size} bytes): put that file back, or train the model again"
            )
        return read_vectors(path)


def place_of(choice: str) -> Path:
    """The file that is meant by "glove" or by a path, as an absolute path; an error if it is not there."""
    if choice == GLOVE:
        path = data_root().joinpath(*GLOVE_PLACE).absolute()
        if not path.is_file():
            raise InputError(
                f"vectors = 'glove': {path} is not there. Put the file there, or set DIVULGE_DATA to the folder that "
                f"holds {'/'.join(GLOVE_PLACE)}; or name any file of vectors by its path"
            )
        return path
    path = Path(choice).expanduser().absolute()
    if not path.is_file():
        raise InputError(
            f"vectors = {choice!r} is not one of random, fasttext, glove, and there is no file {path}. A file may be "
            f"{FORMATS}"
        )
    return path
