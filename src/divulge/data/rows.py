"""Leaked rows as secrets: which text, and which keywords, stand behind a vector?

Row numbers count the leaked texts: those of the training split, or all texts where the data has no such split (a user
who audits the test split alone). `training_first` puts them in front, so that a row has the same number among the
leaked texts and in the whole corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.data.corpus import Corpus
from divulge.data.ids import opaque_id
from divulge.errors import InputError
from divulge.records import LeakedRow, RowContent, Secret

__all__ = ["control_rows", "row_secrets", "training_first"]


def training_first(corpus: Corpus) -> Corpus:
    """Puts the texts of the training split in front; the order is otherwise kept."""
    return replace(corpus, texts=tuple(sorted(corpus.texts, key=lambda text: text.split != "train")))


def row_secrets(corpus: Corpus, count: int | None, rng: np.random.Generator, key: bytes) -> tuple[Secret, ...]:
    """Makes secrets of `count` rows drawn at random, or of all; the corpus must have its training texts first."""
    leaked = corpus.leaked
    filled = [row for row, text in enumerate(leaked) if text.tokens]
    needed = 1 if count is None else count
    if len(filled) < needed:
        raise InputError(f"{corpus.name}: {needed} {_called(leaked)} are needed (secrets.count). Found {len(filled)}")
    if count is not None:
        filled = sorted(filled[place] for place in rng.permutation(len(filled))[:count])
    return tuple(
        Secret(
            id=opaque_id(key, "row", row),
            hint=LeakedRow(row=row),
            answer=RowContent(tokens=leaked.texts[row].tokens, words=tuple(sorted(set(leaked.texts[row].keywords)))),
        )
        for row in filled
    )


def control_rows(secrets: Sequence[Secret], key: bytes, rng: np.random.Generator) -> tuple[Secret, ...]:
    """Asks about the same rows with the texts of others as answers: what an attack scores there is no leak.

    Rows whose text cannot be exchanged for another one (more than half of all rows hold that same text) are left out.
    """
    mixed = [secrets[place] for place in rng.permutation(len(secrets))]
    texts = [_tokens(secret) for secret in mixed]
    times = Counter(texts)
    # Equal texts side by side, then everybody takes the answer so many places on that no group meets itself.
    first = {text: place for place, text in reversed(list(enumerate(texts)))}
    grouped = sorted(mixed, key=lambda secret: first[_tokens(secret)])
    shift = max(times.values(), default=0)
    controls = [
        Secret(id=opaque_id(key, "control", secret.id), hint=secret.hint, answer=other.answer)
        for secret, other in zip(grouped, grouped[shift:] + grouped[:shift], strict=True)
        if _tokens(secret) != _tokens(other)
    ]
    return tuple(sorted(controls, key=_row))


def _called(leaked: Corpus) -> str:
    return "training texts" if leaked.splits in ((), ("train",)) else "texts"


def _tokens(secret: Secret) -> tuple[str, ...]:
    assert isinstance(secret.answer, RowContent)
    return secret.answer.tokens


def _row(secret: Secret) -> int:
    assert isinstance(secret.hint, LeakedRow)
    return secret.hint.row
