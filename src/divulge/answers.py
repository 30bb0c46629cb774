"""What an adapter may answer: each function takes an answer as it came and gives it back checked, or tells the fault.

An adapter that answers in a wrong shape, with numbers that are none, or with labels that do not exist must not look
like a model that gives nothing away. Messages name the method and the shape, never a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ExecutionError
from divulge.records import FloatArray

if TYPE_CHECKING:
    import torch

__all__ = [
    "input_vectors",
    "label_numbers",
    "losses",
    "probabilities",
    "tag_probabilities",
    "token_numbers",
    "token_ranks",
    "token_texts",
    "top_probabilities",
    "vector_rows",
    "word_tags",
]


def label_numbers(answer: object, texts: int, labels: int, method: str) -> npt.NDArray[np.int64]:
    """One label number per text, each that of a label; (texts,)."""
    numbers = _whole(answer, method)
    _must_have_shape(numbers, (texts,), method)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < labels):
        raise ExecutionError(f"{method} must answer with numbers of labels, from 0 to {labels - 1}")
    return numbers


def probabilities(answer: object, texts: int, labels: int, method: str) -> FloatArray:
    """One row of finite numbers per text, one per label; (texts, labels)."""
    rows = _finite(_array(answer, method), method)
    _must_have_shape(rows, (texts, labels), method)
    return rows


def tag_probabilities(
    answers: Sequence[object], texts: Sequence[Sequence[str]], tags: int, method: str
) -> list[FloatArray]:
    """For each text one row of finite numbers per word, one per tag; each (words, tags)."""
    rows = [_finite(_array(row, method), method) for row in _one_each(answers, texts, method)]
    for row, text in zip(rows, texts, strict=True):
        _must_have_shape(row, (len(text), tags), method)
    return rows


def top_probabilities(answer: object, texts: int, method: str) -> FloatArray:
    """One probability for each text; (texts,)."""
    shown = _finite(_array(answer, method), method)
    _must_have_shape(shown, (texts,), method)
    if shown.size and (shown.min() < 0 or shown.max() > 1 + 1e-9):
        raise ExecutionError(f"{method} must answer with probabilities from 0 to 1")
    return shown


def word_tags(
    answers: Sequence[object], texts: Sequence[Sequence[str]], tags: Sequence[str], method: str
) -> list[tuple[str, ...]]:
    """For each text one tag per word, each one that the model knows."""
    rows: list[Any] = _one_each(answers, texts, method)
    for row, text in zip(rows, texts, strict=True):
        if isinstance(row, str) or len(row) != len(text) or not set(row) <= set(tags):
            raise ExecutionError(f"{method} must answer with one of its {len(tags)} tags for each of {len(text)} words")
    return [tuple(row) for row in rows]


def token_ranks(answers: Sequence[object], pieces: Sequence[Sequence[str]], method: str) -> list[npt.NDArray[np.int64]]:
    """For each passage one rank per token that the model reads it in, from 0."""
    rows = [_whole(row, method) for row in _one_each(answers, pieces, method)]
    for row, tokens in zip(rows, pieces, strict=True):
        _must_have_shape(row, (len(tokens),), method)
        if row.size and row.min() < 0:
            raise ExecutionError(f"{method} must answer with ranks from 0 on")
    return rows


def token_texts(answers: Sequence[object], pieces: Sequence[Sequence[str]], method: str) -> list[tuple[str, ...]]:
    """For each passage one token per position."""
    rows: list[Any] = _one_each(answers, pieces, method)
    for row, tokens in zip(rows, pieces, strict=True):
        length = len(tokens)
        if isinstance(row, str) or len(row) != length or not all(isinstance(token, str) for token in row):
            raise ExecutionError(f"{method} must answer with one token for each of {length} positions")
    return [tuple(row) for row in rows]


def token_numbers(answers: Sequence[object], pieces: Sequence[Sequence[str]], method: str) -> list[FloatArray]:
    """For each passage one log-likelihood per token; minus infinity is what a model may say of the impossible."""
    rows = [np.asarray(_array(row, method), dtype=np.float64) for row in _one_each(answers, pieces, method)]
    for row, tokens in zip(rows, pieces, strict=True):
        _must_have_shape(row, (len(tokens),), method)
        if np.isnan(row).any() or np.isposinf(row).any():
            raise ExecutionError(f"{method} must answer with numbers below infinity")
    return rows


def vector_rows(answers: Sequence[object], count: int, method: str) -> list[FloatArray]:
    """One vector (d,), or one matrix (tokens, d), of finite numbers for each of `count` questions."""
    rows = [_finite(_array(row, method), method) for row in _one_each(answers, range(count), method)]
    if any(row.ndim not in (1, 2) for row in rows) or len({(row.ndim, row.shape[-1]) for row in rows}) > 1:
        raise ExecutionError(f"{method} must answer with vectors (d,) or matrices (tokens, d), all of one width")
    return rows


def input_vectors(answer: torch.Tensor, tokens: int, method: str) -> torch.Tensor:
    """One input vector per token; (tokens, d)."""
    if answer.ndim != 2 or len(answer) != tokens:
        raise ExecutionError(f"{method} must answer with shape ({tokens}, d). Got {tuple(answer.shape)}")
    return answer


def losses(answer: Mapping[str, torch.Tensor], texts: int, method: str) -> dict[str, torch.Tensor]:
    """At least one named part of the loss, each with one number per text; (texts,)."""
    parts = dict(answer)
    if not parts:
        raise ExecutionError(f"{method} must answer with at least one part of the loss")
    for name, part in parts.items():
        if tuple(part.shape) != (texts,):
            raise ExecutionError(f"{method} must give part {name!r} in shape {(texts,)}. Got {tuple(part.shape)}")
    return parts


def _one_each(answers: Sequence[object], questions: Sequence[object], method: str) -> list[Any]:
    found = list(answers)
    if len(found) != len(questions):
        raise ExecutionError(f"{method} must give one answer for each of {len(questions)} questions. Got {len(found)}")
    return found


def _array(answer: object, method: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(answer)
    except (RuntimeError, TypeError, ValueError) as error:  # ragged lists; tensors that still carry a gradient
        raise ExecutionError(f"{method} must answer with an array. Got {type(answer).__name__}") from error
    if array.dtype.kind not in "biuf":
        raise ExecutionError(f"{method} must answer with numbers. Got an array of {array.dtype}")
    return array


def _whole(answer: object, method: str) -> npt.NDArray[np.int64]:
    array = _array(answer, method)
    if array.dtype.kind not in "iu" and array.size:
        raise ExecutionError(f"{method} must answer with whole numbers. Got an array of {array.dtype}")
    return array.astype(np.int64)


def _finite(array: npt.NDArray[Any], method: str) -> FloatArray:
    numbers = np.asarray(array, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ExecutionError(f"{method} must answer with finite numbers")
    return numbers


def _must_have_shape(array: npt.NDArray[Any], shape: tuple[int, ...], method: str) -> None:
    if array.shape != shape:
        raise ExecutionError(f"{method} must answer with shape {shape}. Got {array.shape}")
