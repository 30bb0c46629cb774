"""Moves vectors so that an adversary who was trained against it cannot name their tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.defences.changed_vectors import changed_vectors, owners_rows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.pieces import piece_labels
from divulge.records import Artefact, FloatArray, Record, Text

__all__ = ["PrivacyMapping"]

MOST_ROWS, MOST_VECTORS = 10_000, 50_000  # more are not needed to learn the mapping, and cost minutes
WEIGHTS = {"first": "0.weight", "first_bias": "0.bias", "second": "2.weight", "second_bias": "2.bias"}


class PrivacyMapping(Defence):
    """Adds to every vector what a small network, trained in a game against an adversary, says would hide its token.

    Paper: gu2023, sections 10.2 and 10.4, figure 4 (privacy-preserving mapping; networks and lambdas are not printed).
    Needs: EmbeddedRowsAccess; the owner's rows and the texts behind them.
    Idea: The mapping z + f(z) and an imaginary adversary, each with one hidden layer, are trained in turns. The
        adversary names the token behind a vector among the `classes` most frequent ones; of a rarer token it tells only
        whether it belongs to a keyword. The mapping makes the adversary's odds even while it keeps the distortion
        |f(z)|^2 / |z|^2 small. Of a pooled row all tokens are to be hidden in its one vector. The mapping is the
        owner's secret, but whoever may ask the encoder through it can train a decoder on its answers.
    Cost: utility in proportion to the distortion; about a minute to fit on 45,000 vectors.
    Differs from the paper: There the game is zero-sum, min over D, max over A of sum A(D(z)) + lambda |D(z) - z|: the
        mapping lowers what the adversary raises, its likelihood of the truth. `game = "zero-sum"` plays that, with
        `strength` for 1 / lambda and vectors in their own units; as a length costs the same everywhere, nothing moves
        until the strength outweighs it, and much from there on. By default the mapping lowers the distance of all
        log-likelihoods from even odds, and never learns which token is the true one: lowering the truth has no lower
        bound, and what it ends in, an adversary that is surely wrong, tells the truth to the next one who is trained.
        There the distortion is a squared norm as a share of the vectors' own, and `strength` is not in units of the
        paper's. That the adversary names tokens, both networks, their turns and all sizes are ours in either game.
    """

    name = "privacy-mapping"
    summary = "move vectors by a network trained against an adversary who names their tokens"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    harmless: ClassVar[Mapping[str, Any]] = {"strength": 0.0}
    trial: ClassVar[Mapping[str, Any]] = {"rounds": 1, "hidden": 16, "classes": 20}

    class Options(Record):
        """The adversary's weight against distortion, which game and its rounds, and sizes of both networks."""

        strength: Annotated[float, Field(ge=0)] = 1.0
        game: Literal["even-odds", "zero-sum"] = "even-odds"
        rounds: Annotated[int, Field(ge=1)] = 8
        hidden: Annotated[int, Field(ge=1)] = 256
        classes: Annotated[int, Field(ge=2)] = 500

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Plays the game on the owner's rows and texts.

        Raises:
            InputError: There are no leaked rows, or none with a text behind it.
        """
        if self.options.strength == 0:
            return Artefact()
        from divulge.defences.networks.mapping import Game, play

        rows = owners_rows(self.name, access, MOST_ROWS)
        texts = _texts_behind(corpus, access[EmbeddedRowsAccess].count)
        vectors, named, classes = self._material(rows, texts[: len(rows)])
        drawn = np.sort(rng.permutation(len(vectors))[:MOST_VECTORS])
        vectors, named = vectors[drawn], named[drawn]
        size = float(np.sqrt(np.mean(np.square(vectors)))) or 1.0
        o = self.options
        game = Game(o.strength, o.rounds, o.hidden, classes, zero_sum=o.game == "zero-sum", unit=size)
        weights, ended = play((vectors / size).astype(np.float32), named, game, rng)
        return Artefact(values={"size": size, **ended}, arrays={name: weights[key] for name, key in WEIGHTS.items()})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; strength 0 changes nothing."""
        if self.options.strength == 0:
            return access
        size = float(artefact.values["size"])
        first, bias, second, shift = (np.asarray(artefact.arrays[name], dtype=np.float64) for name in WEIGHTS)

        def moved(row: FloatArray, question: object) -> FloatArray:
            del question
            hidden = np.maximum(row / size @ first.T + bias, 0.0)
            return np.asarray(row + size * (hidden @ second.T + shift))

        return changed_vectors(access, moved)

    def _material(
        self, rows: Sequence[FloatArray], texts: Sequence[Text]
    ) -> tuple[FloatArray, npt.NDArray[np.int64], int]:
        """All vectors (n, d), the classes of the tokens behind each (n, most), filled with -1, and their number."""
        often = Counter(token for text in texts for token in text.tokens)
        first = sorted(often, key=lambda token: (-often[token], token))[: self.options.classes]
        number = {token: place for place, token in enumerate(first)}
        vectors: list[FloatArray] = []
        behind: list[list[int]] = []
        for row, text in zip(rows, texts, strict=False):
            in_keyword = piece_labels(text.tokens, text.keywords)
            known = [number.get(t, len(first) + is_key) for t, is_key in zip(text.tokens, in_keyword, strict=True)]
            if row.ndim == 1 and known:
                vectors.append(row)
                behind.append(known)
            elif row.ndim == 2:
                vectors.extend(row[: len(known)])
                behind.extend([one] for one in known[: len(row)])
        if not vectors:
            raise InputError(f"{self.name} learns from leaked rows and the texts behind them, and there are none")
        named = np.full((len(behind), max(map(len, behind))), -1, dtype=np.int64)
        for place, known in enumerate(behind):
            named[place, : len(known)] = known
        return np.stack(vectors), named, len(first) + 2


def _texts_behind(corpus: Corpus, count: int) -> Sequence[Text]:
    """The text of each row: row i is the i-th text, or, where only training texts leaked, the i-th of those."""
    return (corpus if count == len(corpus) else corpus.split("train")).texts or corpus.texts
