"""Reads sentences off unpooled vectors: one linear decision per position, corrected by the encoder if granted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, LeakedRow, Ranking, Record, RowContent, Tokens

__all__ = ["ParallelDecoder"]


class ParallelDecoder(Attack):
    """Decodes every position of a leaked row at once, then lets the encoder choose between the doubtful ones.

    Paper: gu2023 sets the task (definition 2); the attack is ours.
    Needs: EmbeddedRowsAccess (unpooled rows); better with EmbeddingOracleAccess; practice rows of known sentences.
    Idea: A contextual vector still names its own word. A linear discriminant with shared covariance, learnt from
        sentences the adversary owns, names the word at each position in one pass. Where the first two words are
        close, both variants are embedded through the oracle, where it is granted, and the nearer one is kept.
    Cost: one row read per secret, and up to `checks` texts embedded.
    Differs from the paper: no decoder is trained; no sampling; one pass over all positions.
    """

    name = "parallel-decoder"
    summary = "a linear word decision per position, re-ranked by embedding the candidates again"
    requires = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    needs_practice = True

    class Options(Record):
        """Shrinkage of the covariance towards its diagonal mean, and how many doubtful positions to check."""

        shrinkage: Annotated[float, Field(gt=0, le=1)] = 0.05
        checks: Annotated[int, Field(ge=0)] = 3

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Fits the discriminant: a mean per word, one covariance for all."""
        del rng
        by_word: dict[str, list[FloatArray]] = defaultdict(list)
        for practice in background.practice:
            secrets = [s for s in practice.secrets if isinstance(s.hint, LeakedRow)]
            rows = practice.access[EmbeddedRowsAccess].rows(
                [s.hint.row for s in secrets if isinstance(s.hint, LeakedRow)]
            )
            for secret, row in zip(secrets, rows, strict=True):
                if row.ndim != 2:
                    raise InputError(f"{self.name} needs unpooled rows (tokens, d). Got shape {row.shape}")
                assert isinstance(secret.answer, RowContent | Tokens)
                for word, vector in zip(secret.answer.tokens, row, strict=False):
                    by_word[word].append(vector)
        if len(by_word) < 2:
            raise InputError(f"{self.name} needs practice rows with known sentences: set adversary.background.corpus")
        words = sorted(by_word)
        means = np.stack([np.mean(by_word[word], axis=0) for word in words])  # (words, d)
        counts = np.array([len(by_word[word]) for word in words], dtype=np.float64)
        residuals = np.concatenate([np.stack(by_word[w]) - mean for w, mean in zip(words, means, strict=True)])
        weights, offsets = _discriminant(means, counts, residuals, self.options.shrinkage)
        return Artefact(values={"words": words}, arrays={"weights": weights, "offsets": offsets})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one sentence per row, and the variants it was preferred to."""
        del rng
        leaked = access[EmbeddedRowsAccess]
        for secret_id, hint in hints.items():
            assert isinstance(hint, LeakedRow)
            if leaked.remaining == 0:
                return  # the budget is spent
            (row,) = leaked.rows([hint.row])  # (tokens, d)
            self._check_width(row, knowledge.arrays["weights"])
            scores = row @ knowledge.arrays["weights"].T + knowledge.arrays["offsets"]  # (tokens, words)
            variants = self._variants(scores, knowledge.values["words"])
            yield Ranking(secret_id=secret_id, candidates=tuple(self._reranked(access, row, variants)))

    def _check_width(self, row: FloatArray, weights: FloatArray) -> None:
        if row.ndim != 2 or row.shape[1] != weights.shape[1]:
            raise InputError(
                f"{self.name} learnt on unpooled rows (tokens, {weights.shape[1]}), and the leaked ones have shape "
                f"{row.shape}: the adversary's encoder (adversary.background.target) must be of the same kind"
            )

    def _variants(self, scores: FloatArray, words: list[str]) -> list[tuple[str, ...]]:
        """The best word everywhere, and each of the most doubtful positions with its second word instead."""
        order = np.argsort(-scores, axis=1, kind="stable")[:, :2]  # (tokens, 2)
        best = tuple(words[place] for place in order[:, 0])
        margins = np.take_along_axis(scores, order, axis=1)
        doubtful = np.argsort(margins[:, 0] - margins[:, 1], kind="stable")[: self.options.checks]
        return [best, *((*best[:p], words[order[p, 1]], *best[p + 1 :]) for p in doubtful)]

    def _reranked(self, access: Grant, row: FloatArray, variants: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        oracle = access.get(EmbeddingOracleAccess)
        if oracle is None or len(variants) == 1 or (oracle.remaining is not None and oracle.remaining < len(variants)):
            return variants[:1]
        again = oracle.embed(variants)
        distances = [float(np.linalg.norm(v - row)) if v.shape == row.shape else np.inf for v in again]
        return [variants[place] for place in np.argsort(distances, kind="stable")]

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One row, and the variants embedded."""
        del hint
        assert isinstance(options, cls.Options)
        return 2 + options.checks


def _discriminant(
    means: FloatArray, counts: FloatArray, residuals: FloatArray, shrinkage: float
) -> tuple[FloatArray, FloatArray]:
    """Weights and offsets of the linear discriminant: S^-1 m_w, and log prior - m_w' S^-1 m_w / 2."""
    covariance = residuals.T @ residuals / max(1, len(residuals))  # (d, d)
    level = float(np.trace(covariance)) / len(covariance) + 1e-9
    shrunk = (1 - shrinkage) * covariance + shrinkage * level * np.eye(len(covariance))
    weights = np.asarray(np.linalg.solve(shrunk, means.T).T, dtype=np.float64)  # (words, d)
    offsets = np.log(counts / counts.sum()) - 0.5 * np.sum(weights * means, axis=1)
    return weights, np.asarray(offsets, dtype=np.float64)
