"""A file of vectors, one for each training text, as they lie in a leaked vector store; and their encoder, if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import ROWS_TRIED, OwnerSample, checked, spread
from divulge.parts import validate
from divulge.records import Artefact, Check, FrozenMapping, LeakedRow, Record, Text
from divulge.targets.base import Target
from divulge.targets.own.encoder import OwnEncoder
from divulge.targets.own.row_comparison import fault
from divulge.targets.own.rows import KeptRows, stacked
from divulge.targets.own.vector_files import read_vectors
from divulge.targets.sentence_encoder import SentenceEncoder

__all__ = ["FileVectors"]

TRIED = 16  # rows that are compared with what the encoder makes, before anything runs; from the first to the last
MATCH = "leaked rows match the oracle"


class FileVectors(Target):
    """Reads row i as the vector of training text i of the data, in the order of the data.

    Pooled rows are an array (texts, d). Unpooled ones are (texts, most words, d) with an array `lengths` in the same
    .npz or .safetensors file; each row must have one vector for each of the first `tokens` words of its text. A
    .parquet file has a column of lists, named by recipe.array if there are others.

    Where the encoder that made them is at hand, `encoder` is its recipe: that of a `sentence-encoder`, or of an
    `own-encoder` if it has `embed`. It is granted as an oracle, texts are cut as it cuts them, and whether it really
    made these rows is tried before any attack. Rows that are filled up with zeros then need no `lengths`.
    """

    name = "vectors"
    summary = "a file of vectors, with or without their encoder: target.path to .npy, .npz, .safetensors or .parquet"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)
    labels_texts = False
    learns = False

    class Options(Record):
        """The file, which array or column of several, how many words of a text were read, or else the encoder."""

        path: str
        array: str | None = None
        tokens: Annotated[int, Field(ge=1)] | None = None
        encoder: FrozenMapping | None = None

        @model_validator(mode="before")
        @classmethod
        def _with_encoder(cls, values: Any) -> Any:
            """So that the key of the rows sees the whole recipe, and what lies in a folder or a file of code."""
            recipe = values.get("encoder") if isinstance(values, dict) else None
            if not isinstance(recipe, Mapping):
                return values
            if values.get("tokens") is not None:
                raise InputError("recipe.tokens: tell how many tokens the encoder reads in recipe.encoder.tokens")
            kind = _kind(recipe)
            whole = validate(kind.Options, dict(recipe), "recipe.encoder")
            return {**values, "encoder": whole.model_dump(mode="json")}

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        problems: list[str] = []
        for check in (lambda: self.encoder, lambda: self._read):  # told before anything runs
            try:
                check()
            except InputError as error:
                problems += error.problems
        if not problems and isinstance(self.encoder, SentenceEncoder):
            problems += self._unlike(self.encoder)
        if problems:
            raise InputError(problems)

    @cached_property
    def encoder(self) -> SentenceEncoder | OwnEncoder | None:
        """What made the rows, where it is at hand."""
        recipe = self.options.encoder
        return None if recipe is None else _kind(recipe)(dict(recipe))

    @cached_property
    def _read(self) -> list[npt.NDArray[Any]]:
        return read_vectors(Path(self.options.path), self.options.array, filled_up=self.options.encoder is not None)

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """Rows, and the encoder where it is named."""
        return self.grants if self.encoder is not None else self.grants[:1]

    @property
    def practised(self) -> Target | None:
        """What an adversary practises on: the encoder, since a file of vectors embeds no text."""
        return self.encoder

    @property
    def reads(self) -> int | None:
        """The first words of a text, or what its encoder reads of it."""
        return self.options.tokens if self.encoder is None else self.encoder.reads

    @property
    def cuts_texts(self) -> bool:
        """If its encoder does."""
        return self.encoder is not None and self.encoder.cuts_texts

    def as_read(self, corpus: Corpus) -> Corpus:
        """The texts as its encoder reads them, or their first words."""
        return super().as_read(corpus) if self.encoder is None else self.encoder.as_read(corpus)

    @property
    def pools(self) -> bool | None:
        """As the file holds them."""
        return bool(self._read[0].ndim == 1)

    @property
    def width(self) -> int | None:
        """How many numbers a vector has."""
        return int(self._read[0].shape[-1])

    def misfits(self, corpus: Corpus) -> list[str]:
        """Another number of rows than of training texts, or of vectors than of tokens, or another encoder's shape."""
        rows, texts = self._read, corpus.leaked.texts
        if self.encoder is not None:
            problems = [*self.encoder.misfits(corpus), *self._unlike(self.encoder)]
            if problems:
                return problems
        if len(rows) != len(texts):
            said = f"{self.options.path}: holds {len(rows)} rows, and the data {len(texts)} training texts"
            return [f"{said}. One row is needed for each training text, in the order of the data"]
        problems = self._uneven([len(text.tokens[: self.reads]) for text in texts])
        return problems or ([] if self.encoder is None else self._foreign(self.encoder, texts))

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Takes over the rows; nothing is learnt."""
        del rng
        problems = self.misfits(corpus)
        if problems:
            raise InputError(problems)
        # What was filled up behind a text is cut off; pooled rows have nothing to cut.
        cut = (
            row if row.ndim == 1 else row[: len(text.tokens[: self.reads])]
            for row, text in zip(self._read, corpus.leaked, strict=True)
        )
        return Artefact(arrays=stacked(list(cut)))

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows, and the encoder where it is named."""
        return Grant([_FileRows(artefact), *([] if self.encoder is None else [self.encoder.oracle()])])

    def _unlike(self, encoder: SentenceEncoder | OwnEncoder) -> list[str]:
        """The shape of rows against that of what the encoder makes."""
        made, path = encoder.width, self.options.path
        if made is not None and made != self.width:
            said = f"{path}: holds vectors of {self.width} numbers, and the encoder makes vectors of {made}"
            return [f"{said}. They are not of this encoder: name the one that made them in recipe.encoder"]
        pooled, pools = self._read[0].ndim == 1, getattr(encoder.options, "pooling", None)
        if pools is not None and pooled != (pools != "none"):
            kinds = ("one vector for each token", "one vector for each text")
            said = f"{path}: holds {kinds[pooled]}, and the encoder makes {kinds[not pooled]}"
            return [f"{said}. Set recipe.encoder.pooling to what the rows were made with"]
        return []

    def _uneven(self, tokens: Sequence[int]) -> list[str]:
        """Unpooled rows against how many tokens their texts have."""
        rows = self._read
        wrong = [place for place, row in enumerate(rows) if row.ndim == 2 and not self._fits(row, tokens[place])]
        if not wrong:
            return []
        first = wrong[0]
        said = f"{self.options.path}: {len(wrong)} of {len(rows)} rows have another number of vectors than their text"
        which = f"has tokens (row {first}: {_filled(rows[first])} and {tokens[first]})"
        where = "recipe.tokens" if self.encoder is None else "recipe.encoder"
        return [f"{said} {which}. Unpooled rows need one vector a token; {where} tells how many were read"]

    def _foreign(self, encoder: SentenceEncoder | OwnEncoder, texts: Sequence[Text]) -> list[str]:
        """Whether the encoder makes of some texts what the file holds of them; noise and rounding are let pass."""
        tried = spread([place for place, text in enumerate(texts) if text.tokens], TRIED)
        made = encoder.oracle().embed([texts[place].whole for place in tried])
        found = [
            self._read[place][: len(one)] if one.ndim == 2 else self._read[place]
            for place, one in zip(tried, made, strict=True)
        ]
        pairs = zip(found, made, strict=True)
        if (odd := next(((one, other) for one, other in pairs if one.shape != other.shape), None)) is not None:
            shapes = f"rows {odd[0].shape}, and the encoder makes {odd[1].shape}"
            return [f"{self.options.path}: holds {shapes}. Name the encoder that made them in recipe.encoder"]
        beside = {place + step for place in tried for step in (-1, 1) if 0 <= place + step < len(texts)}
        said = fault(
            found,
            made,
            [texts[place].whole for place in tried],
            # A line too many or too few shifts all rows by one.
            lambda: encoder.oracle().embed(
                [texts[one].whole for one in sorted(beside.difference(tried)) if texts[one].tokens]
            ),
        )
        return [] if said is None else [f"{self.options.path}: {said}"]

    def _fits(self, row: npt.NDArray[Any], count: int) -> bool:
        if len(row) == count or self.encoder is None:
            return len(row) == count
        return len(row) > count and not row[count:].any()


class _FileRows(KeptRows):
    """Rows of which only the encoder can say whether they are those of their texts."""

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Compares with the encoder if there is one, and tells what can be seen without: other texts, other rows."""
        first = [_named(check) for check in super().handshake(sample)]
        level, name = "EmbeddedRowsAccess", "other text, other row"
        numbers = spread([number for number in sorted(sample.row_texts) if number < self.count], ROWS_TRIED)
        if len({sample.row_texts[number] for number in numbers}) < 2:
            return [*first, checked(level, name, None, "no two texts to compare")]
        rows = self._rows(numbers)
        differs = any(row.shape != rows[0].shape or not np.allclose(row, rows[0]) for row in rows[1:])
        return [*first, checked(level, name, differs, "" if differs else "all rows tried are the same")]


def _named(check: Check) -> Check:
    if check.name != MATCH or check.passed is not False:
        return check
    why = "the file holds other vectors than the encoder in recipe.encoder makes: noise, rounding, or another length"
    return check.model_copy(update={"detail": f"{check.detail}; {why}"})


def _kind(recipe: Mapping[str, Any]) -> type[SentenceEncoder] | type[OwnEncoder]:
    return OwnEncoder if "embed" in recipe else SentenceEncoder


def _filled(row: npt.NDArray[Any]) -> int:
    """How many vectors there are before nothing but zeros."""
    filled = np.flatnonzero(row.any(axis=1))
    return int(filled[-1]) + 1 if filled.size else 0
