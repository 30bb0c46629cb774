"""What is said of training texts that have fewer than two labels: what was found, and what to do."""

from __future__ import annotations

from divulge.data.corpus import Corpus

__all__ = ["NAME_THEM", "few_labels"]

NAME_THEM = 'name their column where labels have another name (data.columns = { label = "..." })'


def few_labels(training: Corpus) -> str:
    """The end of a sentence about training texts of fewer than two labels; planted ones are counted apart."""
    return f"{_found(training)}: {NAME_THEM}, or give texts of the split 'train' of at least 2 labels"


def _found(training: Corpus) -> str:
    own = [text for text in training if not text.planted]
    labelled, planted = [text.label for text in own if text.label is not None], len(training) - len(own)
    beside = f", beside {planted} planted" if planted else ""
    if not labelled:
        return f"{'no training text has a label' if own else 'there is no training text'}{beside}"
    lacking = len(own) - len(labelled)
    counted = f"{len(labelled)} of {len(own)}" if lacking else f"all {len(own)}"
    others = ", the others none" if lacking else ""
    return f"{counted} training texts have the label {labelled[0]!r}{others}{beside}"
