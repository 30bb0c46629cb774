"""How much of the sentence behind a leaked row was recovered.

The figure is over the attack's own best guess. Where it offers several, a second figure, `choice: oracle`, takes
for each secret the best of the first ten as measured against the truth: what gu2023 reports, and no attacker can do.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from divulge.metrics.base import Scored
from divulge.metrics.figures import MeanMetric
from divulge.metrics.questions import about_rows, candidates, true_tokens
from divulge.metrics.similarity import (
    Sentence,
    bleu,
    cosine,
    exact,
    order_similarity,
    rouge_l,
    token_accuracy,
    token_f1,
)
from divulge.records import Arm, Measurement, Outcome

__all__ = [
    "Bleu",
    "BleuOfPairs",
    "Cosine",
    "ExactSentence",
    "OrderAsPrinted",
    "OrderSimilarity",
    "ReconstructionMetric",
    "Rouge",
    "TokenAccuracy",
    "TokenF1",
]

ORACLE_CHOICES = 10


class ReconstructionMetric(MeanMetric):
    """A mean likeness of guessed and true sentences."""

    unit = "similarity"

    @abstractmethod
    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """How alike the two are, from 0 to 1."""

    def applies(self, scored: Scored) -> bool:
        """Whether sentences behind rows are the question."""
        return about_rows(scored)

    def outcome(self, scored: Scored, secret_id: str) -> float:
        """The likeness of the attack's best guess; 0 where there is none."""
        return max(self._likenesses(scored, secret_id, 1), default=0.0)

    def measure(
        self, scored: Scored, outcomes: tuple[Outcome, ...], arm: Arm, rng: np.random.Generator
    ) -> tuple[Measurement, ...]:
        """The mean over best guesses and, where there are several to choose from, over the oracle's choice."""
        own = super().measure(scored, outcomes, arm, rng)
        if all(len(candidates(scored, secret_id)) < 2 for secret_id in scored.answers):
            return own
        best = [max(self._likenesses(scored, name, ORACLE_CHOICES), default=0.0) for name in scored.answers]
        return (*own, self.mean(scored, best, arm, rng, {"choice": "oracle"}))

    def _likenesses(self, scored: Scored, secret_id: str, most: int) -> list[float]:
        truth = true_tokens(scored, secret_id)
        return [self.likeness(truth, guess) for guess in candidates(scored, secret_id)[:most]]


class Cosine(ReconstructionMetric):
    """Cosine over token sets."""

    name = "cosine"
    summary = "How much the recovered sentence and the true one overlap as sets of tokens."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """Equation 11 of gu2023."""
        return cosine(truth, guess)


class OrderSimilarity(ReconstructionMetric):
    """Word-order similarity with squared norms."""

    name = "order"
    summary = "How well the recovered sentence keeps the order of the true words (squared norms)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """Equation 12 of gu2023, squared."""
        return order_similarity(truth, guess)


class OrderAsPrinted(ReconstructionMetric):
    """Word-order similarity with the norms of the print."""

    name = "order_printed"
    summary = "How well the recovered sentence keeps the order of the true words (norms as gu2023 prints them)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """Equation 12 of gu2023, as printed."""
        return order_similarity(truth, guess, squared=False)


class Bleu(ReconstructionMetric):
    """Sentence BLEU-4."""

    name = "bleu"
    summary = "How many runs of up to four tokens the recovered sentence shares with the true one (BLEU)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """BLEU up to runs of four."""
        return bleu(truth, guess)


class BleuOfPairs(ReconstructionMetric):
    """Sentence BLEU-2."""

    name = "bleu2"
    summary = "How many tokens and pairs of tokens the recovered sentence shares with the true one (2-gram BLEU)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """BLEU up to pairs."""
        return bleu(truth, guess, 2)


class Rouge(ReconstructionMetric):
    """ROUGE-L."""

    name = "rouge"
    summary = "How long a run of true tokens the recovered sentence has in the right order, gaps allowed (ROUGE-L F)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """The F-measure of the longest common subsequence."""
        return rouge_l(truth, guess)


class ExactSentence(ReconstructionMetric):
    """Exact sentences."""

    name = "exact"
    summary = "The share of sentences recovered word for word, as far as the encoder read them."
    unit = "share"
    binary = True

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """Whether they are the same."""
        return exact(truth, guess)


class TokenAccuracy(ReconstructionMetric):
    """Token accuracy."""

    name = "token_accuracy"
    summary = "The share of a sentence's tokens recovered at their very position, on average."
    unit = "share"

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """The share of positions."""
        return token_accuracy(truth, guess)


class TokenF1(ReconstructionMetric):
    """Token F1."""

    name = "token_f1"
    summary = "How many of a sentence's tokens were recovered, in any order, weighed against wrong ones (F1)."

    def likeness(self, truth: Sentence, guess: Sentence) -> float:
        """The F-measure over tokens."""
        return token_f1(truth, guess)
