"""What an object of this process is asked: probabilities, labels, vectors. Answers are checked, faults put in words."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddingOracleAccess, LabelAccess, LabelLikelihoodAccess, TokenTuple
from divulge.errors import AuditError, ExecutionError, OwnCodeError
from divulge.records import FloatArray
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.spelled import number_array, one_each, probability_rows

__all__ = ["Asked", "HandedEncoder", "HandedLabels", "HandedProbabilities"]

A = TypeVar("A")
Asked = Callable[[list[str]], Any]
BATCH = 256  # texts that a function of the user's is handed at once


class HandedProbabilities(LabelLikelihoodAccess):
    """Asks a function for the probabilities of all labels, one row for each text."""

    def __init__(self, function: Asked, labels: Sequence[str], named: str) -> None:
        self._function, self._labels, self._named = function, tuple(labels), named

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of its answers."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found = _answers(self._function, texts, self._named, self._rows)
        return np.array(found, dtype=np.float64).reshape(len(texts), len(self._labels))

    def _rows(self, answer: Any, texts: list[str]) -> list[FloatArray]:
        return list(probability_rows(answer, (len(texts), len(self._labels)), "labels", self._named))


class HandedLabels(LabelAccess):
    """Asks a function for the name of the label of each text."""

    def __init__(self, function: Asked, labels: Sequence[str], named: str) -> None:
        self._function, self._labels, self._named = function, tuple(labels), named

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it may name."""
        return self._labels

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        return np.array(_answers(self._function, texts, self._named, self._numbers), dtype=np.int64)

    def _numbers(self, answer: Any, texts: list[str]) -> list[int]:
        place = {label: number for number, label in enumerate(self._labels)}
        names = [str(one) for one in one_each(answer, len(texts), self._named)]
        for name, text in zip(names, texts, strict=True):
            if name not in place:
                raise ExecutionError(
                    f"{self._named} must answer with one of its {len(place)} labels. "
                    f"It gave another at example {example_id(text)}"
                )
        return [place[name] for name in names]


class HandedEncoder(EmbeddingOracleAccess):
    """Asks a function for the vectors of texts: one each, or one for each word of a text."""

    def __init__(self, function: Asked, named: str) -> None:
        self._function, self._named = function, named
        self._width: tuple[int, int] | None = None

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return _answers(self._function, texts, self._named, self._rows)

    def _rows(self, answer: Any, texts: list[str]) -> list[FloatArray]:
        rows = [number_array(one, self._named) for one in one_each(answer, len(texts), self._named)]
        for row, text in zip(rows, texts, strict=True):
            words = len(text.split())
            if row.ndim not in (1, 2) or not row.size or (row.ndim == 2 and len(row) != words):
                raise ExecutionError(
                    f"{self._named} must answer with (d,) or (words, d) for each text. Got {row.shape} for {words} "
                    f"words at example {example_id(text)}"
                )
            self._width = self._width or (row.ndim, row.shape[-1])
            if (row.ndim, row.shape[-1]) != self._width:
                raise ExecutionError(
                    f"{self._named} must answer with vectors of one width, all pooled or all unpooled. "
                    f"Got {self._width[-1]} and {row.shape[-1]} numbers"
                )
        return rows


def _answers(
    function: Asked, texts: Sequence[TokenTuple], named: str, read: Callable[[Any, list[str]], list[A]]
) -> list[A]:
    """One answer for each text; a text that comes several times is asked about once."""
    spelt = [" ".join(text) for text in texts]
    missing, found = list(dict.fromkeys(spelt)), dict[str, A]()
    for start in range(0, len(missing), BATCH):
        some = missing[start : start + BATCH]
        found |= zip(some, _called(function, some, named, read), strict=True)
    return [found[text] for text in spelt]


def _called(function: Asked, texts: list[str], named: str, read: Callable[[Any, list[str]], list[A]]) -> list[A]:
    try:
        answer = function(list(texts))
    except AuditError:
        raise
    except Exception as error:
        if len(texts) > 1:  # one by one, to find the example
            return [_called(function, [text], named, read)[0] for text in texts]
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}, line {frame.lineno}"
        # Its message may quote the data.
        raise OwnCodeError(
            f"{named} raised {type(error).__name__} at example {example_id(texts[0])} ({place})"
        ) from error
    return read(answer, texts)
