"""What own code answers, read and checked text by text, and spelt as bytes to be kept; messages hold no value of it."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ExecutionError
from divulge.records import FloatArray
from divulge.trials import half_unit

__all__ = [
    "array_of",
    "bytes_of",
    "names_from",
    "names_of",
    "number_array",
    "one_each",
    "probability_rows",
    "sum_problem",
]


def one_each(answer: Any, count: int, named: str) -> list[Any]:
    """One answer for each of `count` questions, in a list, a tuple or along the first axis of an array."""
    if answer is None or isinstance(answer, str | bytes | dict) or not hasattr(answer, "__len__"):
        raise ExecutionError(f"{named} must answer with one item for each text. Got {type(answer).__name__}")
    if len(answer) != count:
        raise ExecutionError(f"{named} must answer with one item for each of {count} texts. Got {len(answer)}")
    return [answer[place] for place in range(count)] if hasattr(answer, "__getitem__") else list(answer)


def probability_rows(answer: Any, shape: tuple[int, int], what: str, named: str) -> FloatArray:
    """Rows of probabilities of exactly this shape, each of sum 1, up to rounding; `what` says what the columns are."""
    rows = number_array(answer, named)
    if rows.shape != shape:
        raise ExecutionError(
            f"{named} must answer with shape {shape}, one column for each of the {what}. Got {rows.shape}"
        )
    problem = sum_problem(rows)
    if problem:
        raise ExecutionError(f"{named} must answer with probabilities: {problem}")
    return rows


def number_array(answer: Any, named: str) -> FloatArray:
    """Finite numbers, as an array."""
    if hasattr(answer, "detach"):  # a tensor, which may still carry a gradient
        answer = answer.detach().cpu().numpy()
    try:
        array = np.asarray(answer)
    except (TypeError, ValueError):
        raise ExecutionError(f"{named} must answer with an array. Got rows of several lengths") from None
    if array.dtype.kind not in "biuf":
        raise ExecutionError(f"{named} must answer with numbers. Got an array of {array.dtype}")
    numbers = np.asarray(array, dtype=np.float64)
    wrong = int(numbers.size - np.isfinite(numbers).sum())
    if wrong:
        raise ExecutionError(f"{named} must answer with finite numbers. {wrong} of {numbers.size} are NaN or infinite")
    return numbers


def sum_problem(rows: FloatArray) -> str | None:
    """Why these rows are no probabilities; None if they are, rounded or not."""
    if not rows.size:
        return None
    if rows.min() < 0:
        return "some are negative. Are they logits? Apply a softmax"
    half = half_unit(rows)
    least, most = np.maximum(rows - half, 0).sum(axis=-1), (rows + half).sum(axis=-1)
    wrong = int(np.sum((least > 1.02) | (most < 0.98)))
    if wrong:
        sums = rows.sum(axis=-1)
        return f"{wrong} of {len(rows)} rows do not sum to 1 (sums from {sums.min():.3f} to {sums.max():.3f})"
    return None


def bytes_of(array: npt.NDArray[Any]) -> bytes:
    """An array as the bytes of a .npy file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def array_of(content: bytes) -> npt.NDArray[Any]:
    """The array again."""
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def names_of(names: Sequence[str]) -> bytes:
    """Names as JSON."""
    return json.dumps(list(names)).encode()


def names_from(content: bytes) -> tuple[str, ...]:
    """The names again."""
    return tuple(json.loads(content))
