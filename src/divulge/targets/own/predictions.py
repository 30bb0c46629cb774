"""A file of predictions, without the model: probabilities of labels for the texts of the data, and for no others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.access import LabelLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample, checked
from divulge.records import Artefact, Check, FloatArray, Record, RecordText
from divulge.targets.base import Target
from divulge.targets.own.arrays import ARRAYS, TABLES, read_array, read_table
from divulge.targets.own.callables import Names
from divulge.targets.own.predicting import strange_names
from divulge.targets.own.spelled import sum_problem

__all__ = ["FilePredictions"]

ALIKE = 1e-2  # rows of one text may differ by so much: batches round


class FilePredictions(Target):
    """Reads one row of probabilities per text of the data, in the order of the data, or found by their text.

    Columns of an array are in the order of `labels`; a table has one column named like each label. A text that stands
    in the data several times has several rows: their mean counts, and if they differ the handshake says so, for a model
    gives one text one answer, and rows in another order than the texts would look like that.
    """

    name = "predictions"
    summary = "a file of predictions and no model: target.path to .npy, .npz, .safetensors, .parquet, .csv or .jsonl"
    grants = (LabelLikelihoodAccess,)
    hints = (RecordText,)
    learns = False

    class Options(Record):
        """The file, its labels, which array of several, and which column of a table holds the text, if one does."""

        path: str
        labels: Annotated[Names, Field(min_length=2)]
        array: str | None = None
        text: str | None = None

        @model_validator(mode="after")
        def _fitting(self) -> FilePredictions.Options:
            suffix = Path(self.path).suffix
            if suffix in TABLES and self.array is not None:
                raise ValueError(f"array is for {', '.join(ARRAYS)}; {suffix} has columns, named like the labels")
            if suffix in ARRAYS and self.text is not None:
                raise ValueError(f"text is for {', '.join(TABLES)}; rows of {suffix} are in the order of the data")
            return self

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        _read(self.options)  # what is wrong with the file is told before anything runs

    def misfits(self, corpus: Corpus) -> list[str]:
        """Labels that are not those of the data; another number of rows than of texts, or texts without a row."""
        rows, texts = _read(self.options)
        problems = strange_names("labels", self.options.labels, corpus.labels)
        own = [" ".join(text.tokens) for text in corpus]
        if texts is None and len(rows) != len(own):
            problems.append(
                f"{self.options.path}: holds {len(rows)} rows, and the data {len(own)} texts. One row is needed for "
                "each text, all splits, in their order; or name the column of a table that holds the text (recipe.text)"
            )
        missing = 0 if texts is None else sum(text not in known for known in [set(texts)] for text in own)
        if missing:
            problems.append(
                f"{self.options.path}: column {self.options.text!r} lacks {missing} of the {len(own)} texts of the data"
            )
        return problems

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Finds the row of every text; nothing is learnt."""
        del rng
        problems = self.misfits(corpus)
        if problems:
            raise InputError(problems)
        rows, texts = _read(self.options)
        own = [" ".join(text.tokens) for text in corpus]
        by_text: dict[str, list[FloatArray]] = {}
        for text, row in zip(own if texts is None else texts, rows, strict=True):
            by_text.setdefault(text, []).append(row)
        kept = {text: by_text[text] for text in own}
        return Artefact(
            values={"texts": [_hashed(text) for text in kept], **_repeats(list(kept.values()))},
            arrays={"rows": np.array([np.mean(some, axis=0) for some in kept.values()])},
        )

    def open(self, artefact: Artefact) -> Grant:
        """Grants the predictions."""
        return Grant([_Kept(artefact, self.options.labels)])


class _Kept(LabelLikelihoodAccess):
    """Predictions by text; texts are kept as hashes."""

    def __init__(self, artefact: Artefact, labels: tuple[str, ...]) -> None:
        values: Any = artefact.values
        self._labels, self._rows = labels, np.asarray(artefact.arrays["rows"], dtype=np.float64)
        self._place = {text: place for place, text in enumerate(values["texts"])}
        self._repeated, self._differing = values["repeated"], values["differing"]

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the recipe."""
        return self._labels

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Checks besides that texts which stand in the data several times have one prediction."""
        detail = (
            f"{self._differing} of {self._repeated} texts that stand in the data several times have rows that differ"
        )
        passed = None if not self._repeated else self._differing == 0
        said = "no text stands in the data twice" if passed is None else detail
        name = "rows belong to their texts"
        return [*super().handshake(sample), checked("LabelLikelihoodAccess", name, passed, said)]

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        places = [self._place.get(_hashed(" ".join(text))) for text in texts]
        unknown = sum(place is None for place in places)
        if unknown:
            raise InputError(
                f"a file of predictions answers only about the texts of the data; {unknown} of {len(texts)} texts are "
                "others. Attacks on secrets of kind 'records' ask no more; others need the model: own-classifier"
            )
        return self._rows[np.array(places, dtype=np.int64)].reshape(len(texts), len(self._labels))


def _read(options: FilePredictions.Options) -> tuple[FloatArray, list[str] | None]:
    """The rows, checked, and the text of each where the file tells."""
    path, labels, texts = Path(options.path), options.labels, None
    if path.suffix in ARRAYS:
        array = read_array(path, options.array)
    else:
        columns = read_table(path, [*labels, *([] if options.text is None else [options.text])])
        texts = None if options.text is None else [" ".join(str(text).split()) for text in columns[options.text]]
        try:
            array = np.array([columns[label] for label in labels], dtype=np.float64).T
        except (TypeError, ValueError):
            raise InputError(f"{path}: a column named like a label holds something that is no number") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{path}: must hold numbers. Got an array of {array.dtype}")
    rows: npt.NDArray[np.float64] = np.asarray(array, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(labels):
        raise InputError(f"{path}: must hold an array (texts, {len(labels)}), one column per label. Got {array.shape}")
    wrong = int(np.sum(~np.isfinite(rows).all(axis=1)))
    if wrong:
        raise InputError(f"{path}: {wrong} of {len(rows)} rows hold NaN or infinity")
    problem = sum_problem(rows)
    if problem:
        raise InputError(f"{path}: must hold probabilities: {problem}")
    return rows, texts


def _hashed(text: str) -> str:
    """What stands for a text in the artefact."""
    return hashlib.sha256(text.encode()).hexdigest()


def _repeats(rows: Sequence[Sequence[FloatArray]]) -> dict[str, int]:
    several = [np.array(some) for some in rows if len(some) > 1]
    return {"repeated": len(several), "differing": sum(bool(np.ptp(some, axis=0).max() > ALIKE) for some in several)}
