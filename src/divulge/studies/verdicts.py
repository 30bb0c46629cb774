"""Our interval beside the printed number: the rule of the study tables."""

from __future__ import annotations

from typing import Literal

from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.parts import load

__all__ = ["ALARMS", "OWNERS_METRICS", "QUERIES", "TRACES", "TableVerdict", "better_when", "table_verdict"]

TableVerdict = Literal["reproduced", "undecided", "better", "worse", "not comparable"]

# What probes measure, and which way is better: for the owner's users, or, with epsilon, for the attacker.
OWNERS_METRICS: dict[str, Literal["high", "low"]] = {
    "intent_accuracy": "high",
    "slot_f1": "high",
    "train_accuracy": "high",
    "valid_accuracy": "high",
    "test_accuracy": "high",
    "accuracy_gap": "low",
    "train_perplexity": "low",
    "test_perplexity": "low",
    "entity_f1": "high",
    "recall_at_10": "high",
    "kept_words": "high",
    "kept_texts": "high",
    "log_probability": "high",
    "word_rank": "low",
    "median_rank": "low",
    # No side of these is the better one: they describe texts and histograms.
    "frequency_rank": "low",
    "word_share": "high",
    "density": "high",
    "epsilon": "high",
    "epsilon_lower_bound": "high",
}
# What no metric measures, arm by arm: planted canaries beside controls, the questions an attack asked per secret, and
# whom it accuses at its own line.
TRACES: dict[str, Literal["high", "low"]] = {"trace": "high", "trace_p_value": "low"}
QUERIES: dict[str, Literal["high", "low"]] = {"queries": "low"}
ALARMS: dict[str, Literal["high", "low"]] = {"false_positive_rate": "low"}  # of people who were not used
LARGEST_HALF_WIDTH = 0.2


def better_when(metric: str) -> Literal["high", "low"]:
    """On which side an attacker (or, for utility, a user) is better off."""
    return {**OWNERS_METRICS, **TRACES, **QUERIES, **ALARMS}.get(metric) or load(
        METRICS, metric, Metric, "metric"
    ).leaks_when


def table_verdict(
    metric: str, published: float | None, value: float | None, low: float | None, high: float | None
) -> TableVerdict:
    """Compares an interval with what was published.

    >>> table_verdict("accuracy", 0.5, 0.4, 0.3, 0.6)
    'reproduced'
    >>> table_verdict("hdt", 0.5, 0.1, 0.0, 0.2)
    'better'
    """
    if published is None or value is None or low is None or high is None:
        return "not comparable"
    if low <= published <= high:
        return "reproduced" if (high - low) / 2 <= LARGEST_HALF_WIDTH else "undecided"
    above = low > published
    return "better" if above == (better_when(metric) == "high") else "worse"
