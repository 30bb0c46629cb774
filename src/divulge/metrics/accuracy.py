"""The share of secrets about which the attack is right: whole tuples of tokens, or membership."""

from __future__ import annotations

from divulge.metrics.base import Scored
from divulge.metrics.extraction import chance_of_success, exact_match
from divulge.metrics.figures import MeanMetric, chance
from divulge.metrics.questions import about_gaps, about_users, candidates, gaps, right_verdict, true_tokens
from divulge.records import Measurement, Member

__all__ = ["Accuracy"]


class Accuracy(MeanMetric):
    """Exact match of the best guess, or the right verdict about a person."""

    name = "accuracy"
    summary = (
        "The share of secrets the attack gets entirely right: every missing token, or who was in the training data."
    )
    binary = True

    def applies(self, scored: Scored) -> bool:
        """Whether there are holes to fill, or membership is the question."""
        return about_gaps(scored) or about_users(scored)

    def outcome(self, scored: Scored, secret_id: str) -> float:
        """Whether one secret was guessed; no guess is a wrong guess."""
        if isinstance(scored.answers[secret_id], Member):
            return float(right_verdict(scored, secret_id))
        return float(exact_match(candidates(scored, secret_id), true_tokens(scored, secret_id)))

    def baseline(self, scored: Scored) -> tuple[Measurement, ...]:
        """Filling every hole uniformly, or tossing a coin for each person."""
        if about_users(scored):
            return chance(self.name, [0.5] * len(scored.answers))
        return chance(self.name, [chance_of_success(gaps(scored, secret_id)) for secret_id in scored.answers])
