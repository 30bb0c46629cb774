"""A classifier by word counts, made with scikit-learn: what a function of the user's own may look like."""

from __future__ import annotations

from typing import Any

__all__ = ["train"]


def train(texts: list[str], labels: list[str]) -> Any:
    """Trains a logistic regression on weighted counts of words and pairs of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    counts = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2))  # noqa: S106 - a pattern of words
    return make_pipeline(counts, LogisticRegression(C=100)).fit(texts, labels)
