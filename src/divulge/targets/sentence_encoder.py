"""A pretrained sentence encoder and the vectors it made of private texts, as they lie in a leaked vector store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, LeakedRow, Record
from divulge.targets.base import Target
from divulge.targets.offline_models import (
    file_hashes,
    folder_problems,
    installed_folder,
    missing_libraries,
    offline_folder,
)

if TYPE_CHECKING:
    from divulge.targets.networks.encoder import Vectors

__all__ = ["SentenceEncoder"]


class SentenceEncoder(Target):
    """Embeds the texts it is handed: those are the leaked rows; the encoder itself is granted separately.

    Rows line up with the corpus's words: unpooled, a row is (words, d), and the vector of a word of several word
    pieces is the mean of theirs. Rows hold no special tokens, and zeros for a word that the tokenizer drops. Only the
    first `tokens` words of a text are read, pooled or not. The weights stay where they are: what is kept is the rows
    and the hashes of the model's files, and other files are refused when it is opened again.
    """

    name = "sentence-encoder"
    summary = "a pretrained transformers encoder from an installed package or a local folder, and the rows it made"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)

    class Options(Record):
        """Which encoder, how many words of a text it reads, and how it pools them.

        `path` is a local transformers folder with weights in safetensors; it takes the place of `model`, the name of
        one that comes in a package. Pooled as in sentence-transformers: over all positions, special ones included.
        """

        model: str = "all-MiniLM-L6-v2"
        path: str | None = None
        tokens: Annotated[int, Field(ge=1)] = 15
        pooling: Literal["none", "mean", "cls", "max"] = "none"

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        problems = missing_libraries()
        if self.options.path is not None:
            problems += folder_problems(Path(self.options.path))
        else:
            try:
                installed_folder(self.options.model)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)

    @property
    def reads(self) -> int | None:
        """The first words of a text."""
        return int(self.options.tokens)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Embeds every text of the corpus, in order; nothing is learnt."""
        del rng
        folder = self._folder()
        rows = _embedded(folder, [text.tokens for text in corpus], self.options)
        arrays: dict[str, npt.NDArray[Any]] = {"rows": _stacked(rows, folder)}
        if self.options.pooling == "none":
            arrays["lengths"] = np.array([len(row) for row in rows], dtype=np.int64)
        return Artefact(values={"files": file_hashes(folder)}, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and the encoder, which must be the one that made them.

        Raises:
            ExecutionError: The files of the model are not those that the rows were made with.
        """
        folder = self._folder()
        made, now = artefact.values["files"], file_hashes(folder)
        changed = sorted(name for name in {*made, *now} if made.get(name) != now.get(name))
        if changed:
            raise ExecutionError(
                f"{folder}: the rows were made by another encoder ({', '.join(changed)} changed since). "
                "Put its files back, or forget the rows: divulge cache clear --kind train-target"
            )
        return Grant([_Rows(artefact), _Oracle(folder, self.options)])

    def _folder(self) -> Path:
        return offline_folder(self.options.model) if self.options.path is None else Path(self.options.path)


class _Rows(EmbeddedRowsAccess):
    """Rows as they were kept."""

    def __init__(self, artefact: Artefact) -> None:
        rows, lengths = np.asarray(artefact.arrays["rows"]), artefact.arrays.get("lengths")
        # Without lengths the rows are pooled, one vector each.
        self._held = list(rows) if lengths is None else np.split(rows, np.cumsum(lengths))[:-1]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._held)

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        return [self._held[number].astype(np.float64) for number in numbers]


class _Oracle(EmbeddingOracleAccess):
    """The encoder, loaded when it is first asked."""

    def __init__(self, folder: Path, options: SentenceEncoder.Options) -> None:
        self._folder, self._options = folder, options

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [row.astype(np.float64) for row in _embedded(self._folder, texts, self._options)]


def _embedded(folder: Path, texts: Sequence[TokenTuple], options: SentenceEncoder.Options) -> list[Vectors]:
    from divulge.targets.networks.encoder import load_encoder

    return load_encoder(folder).embed([text[: options.tokens] for text in texts], options.pooling)


def _stacked(rows: Sequence[Vectors], folder: Path) -> Vectors:
    """All rows in one array, as single precision as the encoder made them; (words, d), or (texts, d) if pooled."""
    from divulge.targets.networks.encoder import load_encoder

    none = np.empty((0, load_encoder(folder).width), dtype=np.float32)
    return np.concatenate([none, *(row if row.ndim == 2 else row[None] for row in rows)])
