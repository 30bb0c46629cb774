"""Where word vectors come from: drawn by name, trained on the texts themselves, or read from a file."""

from __future__ import annotations

from divulge.targets.vectors.base import WordVectors
from divulge.targets.vectors.sources import files_of, make_vectors, reopened

__all__ = ["WordVectors", "files_of", "make_vectors", "reopened"]
