"""An encoder of your own, by any callable or class, and the vectors it made of private texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, LeakedRow, Record
from divulge.targets.base import Target
from divulge.targets.own.callables import CallableRecipe, Named, OwnCallable, can_be_made
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.rows import KeptRows, stacked
from divulge.targets.own.spelled import array_of, bytes_of, number_array, one_each

__all__ = ["OwnEncoder"]

METHODS = ("embed", "encode")


class OwnEncoder(Target):
    """Calls `embed(texts)`: an array (texts, d), or one array (words, d) for each text. Those are the leaked rows.

    A class, or an object, is asked by its method `embed` or `encode`. Unpooled vectors must be one for each word of the
    text, words being what lies between spaces: the vector of a word in several pieces is, say, the mean of theirs.
    """

    name = "own-encoder"
    summary = "an encoder of your own, by any callable or class, and the rows it made: recipe.embed = 'module:name'"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)
    labels_texts = False
    trial: ClassVar[Mapping[str, Any]] = {"embed": "divulge.testing.callables:embed"}

    class Options(CallableRecipe):
        """What embeds, and how many words of a text it is handed."""

        embed: Named
        tokens: Annotated[int, Field(ge=1)] | None = None

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        can_be_made(self.options, "embed", METHODS)

    @property
    def reads(self) -> int | None:
        """The first words of a text."""
        return None if self.options.tokens is None else int(self.options.tokens)

    @property
    def width(self) -> int | None:
        """As it embeds a word: it is asked."""
        return int(_Oracle(self.options).embed([("a",)])[0].shape[-1])

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Embeds every text of the corpus, in order; nothing is learnt."""
        del rng
        return Artefact(arrays=stacked(_Oracle(self.options).embed([text.tokens for text in corpus])))

    def oracle(self) -> EmbeddingOracleAccess:
        """The encoder alone, whatever rows there are."""
        return _Oracle(self.options)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and the encoder."""
        return Grant([KeptRows(artefact), _Oracle(self.options)])


class _Oracle(EmbeddingOracleAccess):
    """Asks for the vectors of texts."""

    def __init__(self, recipe: OwnEncoder.Options) -> None:
        self._tokens = recipe.tokens
        self._width: tuple[int, int] | None = None
        self._asked = OwnCallable(recipe, "embed", METHODS, read=self._read, pack=bytes_of, unpack=array_of)

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        found = self._asked.ask([" ".join(text[: self._tokens]) for text in texts])
        for row in found:
            self._width = self._width or (row.ndim, row.shape[-1])
            if (row.ndim, row.shape[-1]) != self._width:
                raise ExecutionError(
                    f"{self._asked.named} must answer with vectors of one width, all pooled or all unpooled. "
                    f"Got {self._width[-1]} and {row.shape[-1]} numbers"
                )
        return found

    def _read(self, answer: Any, texts: Sequence[str], named: str) -> list[FloatArray]:
        rows = []
        for one, text in zip(one_each(answer, len(texts), named), texts, strict=True):
            row, words = number_array(one, named), len(text.split())
            if row.ndim not in (1, 2) or not row.size:
                raise ExecutionError(f"{named} must answer with (d,) or (words, d) for each text. Got {row.shape}")
            if row.ndim == 2 and len(row) != words:
                raise ExecutionError(
                    f"{named} must answer with one vector for each word of a text, or with one for the whole. "
                    f"Got {len(row)} for {words} words at example {example_id(text)}"
                )
            rows.append(row)
        return rows
