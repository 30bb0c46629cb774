"""Vectors by the name of their source, made for a model or made again from what an artefact keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.vectors.base import WordVectors
from divulge.targets.vectors.drawn import DrawnVectors
from divulge.targets.vectors.from_file import FileVectors, place_of
from divulge.targets.vectors.trained import TrainedVectors, train_vectors

__all__ = ["FASTTEXT", "RANDOM", "files_of", "make_vectors", "reopened"]

RANDOM, FASTTEXT = "random", "fasttext"


def make_vectors(choice: str, texts: Sequence[Sequence[str]], width: int, seed: int) -> WordVectors:
    """Makes vectors: "random", "fasttext" (trained on `texts`), "glove" (in the data folder), or a file's path."""
    if choice == RANDOM:
        return DrawnVectors(width, seed)
    if choice == FASTTEXT:
        return train_vectors(texts, width, seed)
    return FileVectors.chosen(choice, width, seed)


def reopened(values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> WordVectors:
    """Makes the vectors again that said these values and arrays in `kept`; other arrays may be among them."""
    if values["kind"] == "random":
        return DrawnVectors(values["width"], values["seed"])
    if values["kind"] == "fasttext":
        return TrainedVectors.reopened(values, arrays)
    if values["kind"] == "file":
        return FileVectors.reopened(values)
    raise InputError(f"kept vectors of an unknown kind {values['kind']!r}: made by another version; train again")


def files_of(choice: str) -> tuple[Path, ...]:
    """The files whose content decides the vectors, none for those that are drawn or trained; they are there."""
    return () if choice in (RANDOM, FASTTEXT) else (place_of(choice),)
