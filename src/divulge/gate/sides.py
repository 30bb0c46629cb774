"""Which side of a figure is the worse one, and which figures are shares: for metrics and the owner's figures alike."""

from __future__ import annotations

from typing import Literal

from divulge.metrics import METRICS
from divulge.report.findings import SHARES, metric_called
from divulge.report.wording import LOWER_IS_BETTER

__all__ = ["OTHER_FIGURES", "Side", "is_share", "known_figures", "tells_of_leak", "worse_side"]

Side = Literal["high", "low"]
# What results may hold beside the metrics of `divulge list metrics`, and which side of it is the worse one.
OTHER_FIGURES: dict[str, Side] = {
    "intent_accuracy": "low",
    "slot_f1": "low",
    "entity_f1": "low",
    "train_accuracy": "low",
    "valid_accuracy": "low",
    "test_accuracy": "low",
    "accuracy_gap": "high",
    "train_perplexity": "high",
    "test_perplexity": "high",
    "recall_at_10": "low",
    "kept_words": "low",
    "kept_texts": "low",
    "log_probability": "low",
    "word_rank": "high",
    "median_rank": "high",
    "frequency_rank": "high",
    "word_share": "low",
    "density": "low",
    "tpr": "high",
    "tpr_at_fpr_0.001": "high",
    "epsilon": "high",
    "epsilon_lower_bound": "high",
    "trace": "high",
    "trace_p_value": "low",
    "p_value": "low",
    "blind_p_value": "low",
    "trait_p_value": "low",
    "false_positive_rate": "high",
    "statistic": "high",
}
OF_LEAKS = ("tpr", "tpr_at_fpr_0.001", "epsilon", "epsilon_lower_bound", "trace", "trace_p_value", "p_value")
SHARE_ENDINGS = (
    "accuracy",
    "f1",
    "recall_at_10",
    "coverage",
    "word_share",
    "kept_words",
    "kept_texts",
    "density",
    "tpr",
    "tpr_at_fpr_0.001",
    "trace",
    "p_value",
)


def known_figures() -> list[str]:
    """Every name that a limit may be about, sorted."""
    return sorted({*METRICS, *OTHER_FIGURES})


def worse_side(metric: str) -> Side:
    """Where the owner is worse off: where more leaks, or the model is of less use.

    >>> worse_side("exposure"), worse_side("hdt"), worse_side("test_accuracy"), worse_side("test_perplexity")
    ('high', 'low', 'low', 'high')
    """
    if metric in METRICS:
        return metric_called(metric).leaks_when
    return OTHER_FIGURES.get(metric, "high" if metric.endswith(LOWER_IS_BETTER) else "low")


def tells_of_leak(metric: str) -> bool:
    """Whether a figure tells what leaks, and not what a model is worth."""
    return metric in METRICS or metric in OF_LEAKS


def is_share(metric: str) -> bool:
    """Whether a figure lies between 0 and 1 by its nature."""
    if metric in METRICS:
        return metric_called(metric).unit in SHARES
    return metric.endswith(SHARE_ENDINGS)
