"""Gradient-based embedding inversion (Song and Raghunathan, as gu2023 runs it): a map to word vectors, then descent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background, Practice
from divulge.attacks.base import Attack
from divulge.attacks.practice_rows import affordable_rows, known_rows, own_encoder
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record

__all__ = ["GradientInversion", "drawn_sentences", "temperatures"]

Table = npt.NDArray[np.float32]
AT_ONCE = 1024  # one-token texts embedded in one call


class GradientInversion(Attack):
    """Maps each position's vector back to the space of single words, and descends to the mixture of words nearest it.

    Paper: gu2023, section 9.3 (GEI), after Song and Raghunathan 2020; sampled as its section 3.5.
    Needs: EmbeddedRowsAccess (unpooled rows); in practice rows of known sentences and the adversary's own
        EmbeddingOracleAccess. Online the encoder is not asked.
    Idea: A two-layer network M learns to undo the context: from the vector of a position to that of its word alone.
        For a leaked position z, gradient descent looks for shares p of the words with |W'p - M(z)|^2 smallest.
        Sentences are drawn from these distributions, every position by itself.
    Cost: one row read per secret; the descent takes positions x vocabulary x dimensions operations a step.
    Differs from the paper: there W is the model's own table of input vectors; here the adversary has but an oracle, and
        W holds the vectors of texts of one token. Widths, steps, rates and the sampling k are not printed and are
        ours. The temperature divides log p, and not p as equation 7 has it, which would make the draw nearly uniform.
        A row's number of positions is the sentence's length: there is no padding that the descent could fall for.
    """

    name = "gei"
    summary = "gradient descent to the words whose vectors a row's positions come from"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    rows = "unpooled"
    needs_practice = True
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 12, "steps": 40, "rate": 0.3, "top_k": 10}

    class Options(Record):
        """Of the map, the descent and the draw.

        `vocabulary` is that of the public texts, or the encoder's own; `positions` bounds what the map learns from.
        """

        vocabulary: Literal["public", "encoder"] = "public"
        positions: Annotated[int, Field(ge=1)] = 200_000
        hidden: Annotated[int, Field(ge=1)] = 512
        epochs: Annotated[int, Field(ge=1)] = 20
        batch_size: Annotated[int, Field(ge=1)] = 256
        learning_rate: Annotated[float, Field(gt=0)] = 1e-3
        steps: Annotated[int, Field(ge=1)] = 100
        rate: Annotated[float, Field(gt=0)] = 0.1
        temperature: Annotated[float, Field(gt=0)] = 1.0
        generations: Annotated[int, Field(ge=1)] = 10
        top_k: Annotated[int, Field(ge=1)] = 5
        warmest: Annotated[float, Field(ge=1)] = 3.0
        cooling: Annotated[int, Field(ge=1)] = 10
        longest: Annotated[int, Field(ge=1)] = 15

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Embeds every word by itself, and trains the map from words in context to words alone."""
        from divulge.attacks.networks.perceptron import Recipe, fit_vectors

        practice = own_encoder(background, self.name)
        words, table = self._words(practice)
        number = {word: place for place, word in enumerate(words)}
        rows, places = self._positions(practice, number, rng)
        if not len(places):
            raise InputError(f"{self.name} needs practice rows with known sentences: set adversary.background.corpus")
        recipe = Recipe(self.options.epochs, self.options.batch_size, self.options.learning_rate)
        learnt = fit_vectors(rows, table[places], (self.options.hidden, table.shape[1]), recipe, rng)
        return Artefact(
            values={"words": words}, arrays={**{f"map {part}": learnt[part] for part in learnt}, "table": table}
        )

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields sentences drawn from what the descent arrives at, the likeliest first."""
        from divulge.attacks.networks.mixture_descent import descend
        from divulge.attacks.networks.perceptron import outputs

        words, table = knowledge.values["words"], knowledge.arrays["table"]
        mapping = {
            part.removeprefix("map "): held for part, held in knowledge.arrays.items() if part.startswith("map ")
        }
        how = {"steps": self.options.steps, "rate": self.options.rate, "temperature": self.options.temperature}
        for names, rows in affordable_rows(access[EmbeddedRowsAccess], hints):
            for row in rows:
                self._check(row, table.shape[1])
            shown = [row[: self.options.longest] for row in rows]
            found = descend(table, outputs(mapping, np.concatenate(shown)), **how)
            ends = np.cumsum([len(row) for row in shown])
            for name, likelihoods in zip(names, np.split(found, ends[:-1]), strict=True):
                drawn, scores = drawn_sentences(likelihoods, self._heats(len(likelihoods)), self._draw, rng)
                candidates = tuple(tuple(words[place] for place in sentence) for sentence in drawn)
                yield Ranking(secret_id=name, candidates=candidates, scores=tuple(scores))

    @property
    def _draw(self) -> tuple[int, int]:
        return self.options.generations, self.options.top_k

    def _heats(self, length: int) -> FloatArray:
        return temperatures(length, self.options.warmest, self.options.cooling)

    def _words(self, practice: Practice) -> tuple[list[str], Table]:
        """The vocabulary, sorted, and the vector of each word as a text by itself; (V, d)."""
        oracle = practice.access.get(EmbeddingOracleAccess)
        if oracle is None:
            raise InputError(
                f"{self.name} needs an encoder to embed single words with: adversary.background.target must grant "
                "EmbeddingOracleAccess, as a sentence encoder does and a file of vectors does not"
            )
        words = sorted({word for secret in practice.secrets for word in getattr(secret.answer, "tokens", ())})
        if self.options.vocabulary == "encoder" and oracle.vocabulary:
            words = sorted({*oracle.vocabulary})
        vectors: list[FloatArray] = []
        for start in range(0, len(words), AT_ONCE):
            vectors += oracle.embed([(word,) for word in words[start : start + AT_ONCE]])
        for vector in vectors[:1]:
            self._check(vector, vector.shape[-1])
        kept = [place for place, vector in enumerate(vectors) if len(vector)]
        if len(kept) < 2:
            raise InputError(f"{self.name} needs practice rows with known sentences: set adversary.background.corpus")
        return [words[place] for place in kept], np.stack([vectors[place][0] for place in kept]).astype(np.float32)

    def _positions(
        self, practice: Practice, number: Mapping[str, int], rng: np.random.Generator
    ) -> tuple[Table, npt.NDArray[np.int64]]:
        """Vectors of positions, (n, d), and the number of the word at each, from texts in random order."""
        vectors: list[npt.NDArray[np.float32]] = []
        places: list[int] = []
        for row, answer in known_rows(practice, rng.permutation(len(practice.secrets)).tolist()):
            self._check(row, row.shape[-1])
            pairs = [(own, number[word]) for own, word in zip(row, answer.tokens, strict=False) if word in number]
            vectors += [own.astype(np.float32) for own, _ in pairs]
            places += [place for _, place in pairs]
            if len(places) >= self.options.positions:
                break
        most = self.options.positions
        return np.array(vectors[:most], dtype=np.float32), np.array(places[:most], dtype=np.int64)

    def _check(self, row: FloatArray, width: int) -> None:
        if row.ndim != 2:
            raise InputError(f"{self.name} needs unpooled rows (tokens, d). Got shape {row.shape}")
        if row.shape[1] != width:
            raise InputError(
                f"{self.name} learnt on unpooled rows (tokens, {width}), and the leaked ones have shape {row.shape}: "
                "the adversary's encoder (adversary.background.target) must be of the same kind"
            )

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row."""
        del options, hint
        return 1


def temperatures(length: int, warmest: float, cooling: int) -> FloatArray:
    """One temperature per position: from `warmest` at 0 in equal steps to 1 at position `cooling`, and 1 from there on.

    >>> temperatures(4, 3.0, 2).tolist()
    [3.0, 2.0, 1.0, 1.0]
    """
    fallen = np.minimum(np.arange(length) / cooling, 1.0)
    return np.asarray(warmest + (1.0 - warmest) * fallen, dtype=np.float64)


def drawn_sentences(
    likelihoods: npt.NDArray[np.floating], heats: FloatArray, draw: Sequence[int], rng: np.random.Generator
) -> tuple[list[tuple[int, ...]], list[float]]:
    """Draws sentences, every position by itself among its `top_k` best words; the likeliest first.

    `likelihoods` are log-probabilities, (positions, words); `draw` is (generations, top_k). A sentence's score is the
    sum of its log-probabilities as they were before top-k and temperature.
    """
    generations, top_k = draw
    best = np.argsort(-likelihoods, axis=1, kind="stable")[:, :top_k]  # (positions, k)
    kept = np.take_along_axis(likelihoods, best, axis=1).astype(np.float64)
    # The largest of log p / t and Gumbel noise is a draw from the softmax of log p / t.
    noise = rng.gumbel(size=(generations, *kept.shape))
    picked = (kept / heats[:, None] + noise).argmax(axis=2)  # (generations, positions)
    positions = np.arange(len(kept))
    scores = kept[positions, picked].sum(axis=1)
    order = np.argsort(-scores, kind="stable")
    return [tuple(best[positions, picked[one]].tolist()) for one in order], [float(scores[one]) for one in order]
