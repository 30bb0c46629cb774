"""Files that targets read, made to fit a small corpus: one recipe for each target that needs any."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from divulge.data.corpus import Corpus
from divulge.testing.callables import embed


def predictions(corpus: Corpus) -> dict[str, Any]:
    """Probabilities that are right about every text."""
    labels = list(corpus.labels)
    rows = np.full((len(corpus), len(labels)), 0.1 / (len(labels) - 1))
    for row, text in zip(rows, corpus, strict=True):
        row[labels.index(text.label or "")] = 0.9
    return {"path": _saved(rows), "labels": labels}


def vectors(corpus: Corpus) -> dict[str, Any]:
    """The mean vector of every training text."""
    texts = [" ".join(text.tokens) for text in corpus.split("train")]
    return {"path": _saved(np.array([rows.mean(axis=0) for rows in embed(texts)]))}


def _saved(array: np.ndarray) -> str:
    path = Path(tempfile.mkdtemp(prefix="divulge-")) / "rows.npy"
    np.save(path, array)
    return str(path)


FILE_RECIPES: dict[str, Callable[[Corpus], dict[str, Any]]] = {"predictions": predictions, "vectors": vectors}
