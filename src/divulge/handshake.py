"""The handshake: a broken adapter must never look like "no leak".

Run by the owner, who knows some texts and their labels, before any attack. It costs the adversary no queries: it calls
the underscore methods. A failed check makes every verdict on that target inconclusive; a check that raises has failed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from divulge import answers
from divulge.errors import AuditError
from divulge.records import Check, Passage, Text
from divulge.trials import half_unit, luck, moved_labels, same_vectors, slopes

if TYPE_CHECKING:
    import torch

    from divulge.access import (
        EmbeddedRowsAccess,
        EmbeddingOracleAccess,
        GradientAccess,
        LabelAccess,
        LabelLikelihoodAccess,
        RankedTokensAccess,
        Supervision,
        TokenLikelihoodAccess,
    )

__all__ = [
    "OwnerSample",
    "check_gradient",
    "check_labels",
    "check_likelihoods",
    "check_oracle",
    "check_ranks",
    "check_rows",
    "check_token_likelihoods",
]

LARGEST_VOCABULARY = 50_000
SLACK = 1e-4
FEWEST_LABELLED = 20
LUCK = 0.01  # how often an adapter that answers at random may pass for one above chance
DIRECTIONS = 4

A = TypeVar("A")


@dataclass(frozen=True)
class OwnerSample:
    """What the owner knows and may try on an access: some texts, and what stands behind some leaked rows."""

    texts: Sequence[Text] = ()
    row_texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    oracle: EmbeddingOracleAccess | None = None
    blurred_rows: bool = False  # a defence changed the rows on purpose: they need not match the oracle


def _guarded(
    level: str, name: str
) -> Callable[[Callable[[A, OwnerSample], list[Check]]], Callable[[A, OwnerSample], list[Check]]]:
    """Makes a check that raises a failed one: an adapter may break in any way."""

    def around(check: Callable[[A, OwnerSample], list[Check]]) -> Callable[[A, OwnerSample], list[Check]]:
        @functools.wraps(check)
        def guarded(access: A, sample: OwnerSample) -> list[Check]:
            try:
                return check(access, sample)
            except AuditError as error:
                return [_failed(level, name, str(error))]
            except Exception as error:  # noqa: BLE001 - its message is somebody else's and may quote the data
                return [_failed(level, name, f"{type(error).__name__} was raised")]

        return guarded

    return around


@_guarded("LabelAccess", "accuracy is above chance")
def check_labels(access: LabelAccess, sample: OwnerSample) -> list[Check]:
    """Accuracy must be above that of always naming the commonest label, and no labels may have changed places."""
    level, name, places = "LabelAccess", "accuracy is above chance", "labels are in their places"
    # Each text once: copies would count one lucky guess several times.
    labelled = list({text.tokens: text for text in sample.texts if text.label is not None}.values())
    known = [text for text in labelled if text.label in access.labels]
    if len(labelled) >= FEWEST_LABELLED and 2 * len(known) < len(labelled):
        return [_failed(level, places, f"the model knows the labels of {len(known)} of {len(labelled)} texts")]
    if len(known) < FEWEST_LABELLED or len({text.label for text in known}) < 2:
        return [_check(level, name, None, f"only {len(known)} labelled texts to try")]
    texts = [text.tokens for text in known]
    said = answers.label_numbers(access._label(texts), len(texts), len(access.labels), "_label")
    true = np.array([access.labels.index(text.label or "") for text in known])
    accuracy, chance = float(np.mean(said == true)), float(np.bincount(true).max() / len(true))
    above = luck(int(np.sum(said == true)), len(true), chance) < LUCK
    moved = moved_labels(true, said)
    again = access._label(texts[:20])
    return [
        _check(level, name, above, f"accuracy {accuracy:.3f}, commonest label {chance:.3f}"),
        _check(level, places, not moved, f"{moved} labels are called by each other's names" if moved else ""),
        _check(level, "same text, same label", bool(np.all(again == said[:20]))),
    ]


@_guarded("LabelLikelihoodAccess", "probabilities normalise")
def check_likelihoods(access: LabelLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """Probabilities must be such as sum to 1, agree with the label, and not depend on the batch."""
    level = "LabelLikelihoodAccess"
    texts = [text.tokens for text in sample.texts[:64]]
    if not texts:
        return [_check(level, "probabilities normalise", None, "no texts to try")]
    size = (len(texts), len(access.labels))
    rows = answers.probabilities(access._likelihoods(texts), *size, "_likelihoods")
    half = half_unit(rows)
    # Rounded on purpose or not: there must be probabilities that sum to 1 and are shown like this.
    least, most = np.maximum(rows - half, 0).sum(axis=1), (rows + half).sum(axis=1)
    normal = bool(np.all(rows >= 0) and np.all(least <= 1.02) and np.all(most >= 0.98))
    said = answers.label_numbers(access._label(texts), *size, "_label")
    agrees = float(np.mean(rows[np.arange(len(texts)), said] >= rows.max(axis=1) - SLACK))
    alone = np.concatenate([np.asarray(access._likelihoods([text])) for text in texts[:4]])
    same = alone.shape == rows[:4].shape and bool(np.all(np.abs(alone - rows[:4]) <= 1e-3 + 2 * half))
    return [
        _check(level, "probabilities normalise", normal),
        _check(level, "label is the likeliest", agrees > 0.9, f"in {agrees:.0%} of texts"),
        _check(level, "same text, same probabilities", same),
    ]


@_guarded("GradientAccess", "gradient matches finite differences")
def check_gradient(access: GradientAccess, sample: OwnerSample) -> list[Check]:
    """The gradient must match finite differences along random directions, for the right label and for a wrong one.

    The loss of what a model is sure of hardly moves, and so shows nothing; that of a wrong label does.
    """
    import torch

    from divulge.access import Supervision

    level, name = "GradientAccess", "gradient matches finite differences"
    # Of a tagger, only texts whose tags it knows: what training never saw has no loss.
    tags = set(access.tag_names)
    known = (t for t in sample.texts if t.label in access.labels and t.tokens)
    texts = [t for t in known if not tags or (t.tags is not None and set(t.tags) <= tags)][:4]
    if not texts:
        return [_check(level, name, None, "no labelled text to try")]
    drawn = torch.Generator().manual_seed(0)
    found = []
    for text in texts:
        inputs = answers.input_vectors(access._vectors(text.tokens), len(text.tokens), "_vectors").detach()
        steps = torch.randn(DIRECTIONS, *inputs.shape, generator=drawn, dtype=torch.float64).to(inputs)
        wrong = access.labels[access.label_index(text.label or "") - 1]
        tried = [_loss_towards(access, Supervision(label, text.tags)) for label in (text.label, wrong)]
        found += [slopes(loss, inputs, steps) for loss in tried]
    by_gradient = np.concatenate([one.by_gradient for one in found])
    by_difference = np.concatenate([one.by_difference for one in found])
    noise = max(one.noise for one in found)
    error, length = float(np.linalg.norm(by_difference - by_gradient)), float(np.linalg.norm(by_difference))
    moves = length > 2 * noise
    detail = f"off by {error:.2e} in {length:.2e}" if moves else "the loss does not move with its inputs"
    tokens = list(dict.fromkeys(token for text in texts for token in text.tokens))
    together, alone = access._vectors(tokens), [access._vectors([token])[0] for token in tokens[:8]]
    same = all(same_vectors(a.detach().numpy(), b.detach().numpy()) for a, b in zip(alone, together, strict=False))
    return [
        _check(level, name, moves and error <= 0.1 * length + noise, detail),
        _check(level, "same token, same vector", same),
    ]


@_guarded("RankedTokensAccess", "the greedy token ranks first")
def check_ranks(access: RankedTokensAccess, sample: OwnerSample) -> list[Check]:
    """The model's own best token must have rank 0, any other a later one, whatever comes after it."""
    level = "RankedTokensAccess"
    passages = _passages(sample, fewest=2)
    if not passages:
        return [_check(level, "the greedy token ranks first", None, "no texts to try")]
    greedy, others, cut = [], [], []
    places: list[int] = []
    vocabulary = access.vocabulary
    best = answers.token_texts(access._best(passages), passages, "_best")
    for passage, tokens in zip(passages, best, strict=True):
        for place, token in enumerate(tokens[:6]):
            # Far apart, so that they are not all rare or all common.
            other = vocabulary[(len(places) * len(vocabulary)) // (6 * len(passages))]
            greedy.append(_replaced(passage, place, token))
            others.append(_replaced(passage, place, other if other != token else vocabulary[-1]))
            cut.append(Passage(context=passage.context, tokens=greedy[-1].tokens[: place + 1]))
            places.append(place)
    first, behind, early = (
        np.array([row[place] for row, place in zip(_ranks(access, asked), places, strict=True)])
        for asked in (greedy, others, cut)
    )
    zero, later, same = float(np.mean(first == 0)), float(np.mean(behind > 0)), float(np.mean(early == first))
    said = f"of {len(places)} positions"
    return [
        _check(level, "the greedy token ranks first", zero > 0.95, f"at {zero:.0%} {said}"),
        _check(level, "other tokens rank behind it", later > 0.95, f"at {later:.0%} {said}"),
        _check(level, "what comes later changes no rank", same > 0.95, f"at {same:.0%} {said}"),
    ]


@_guarded("TokenLikelihoodAccess", "probabilities normalise")
def check_token_likelihoods(access: TokenLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """The probabilities of all tokens at one position must sum to 1; likelier tokens must rank better."""
    level, name = "TokenLikelihoodAccess", "probabilities normalise"
    passages, vocabulary = _passages(sample, fewest=3) or _passages(sample, fewest=1), access.vocabulary
    if not passages or len(vocabulary) > LARGEST_VOCABULARY:
        return [_check(level, name, None, f"{len(passages)} texts, {len(vocabulary)} tokens in the vocabulary")]
    # In the middle, so that answers which belong to the token before or after are noticed.
    place = 1 if len(passages[0].tokens) > 2 else 0
    short = Passage(context=passages[0].context, tokens=passages[0].tokens[:3])
    asked = [_replaced(short, place, token) for token in vocabulary]
    rows = answers.token_numbers(access._log_likelihoods(asked), asked, "_log_likelihoods")
    log_likelihoods = np.array([row[place] for row in rows])
    ranks = np.array([row[place] for row in _ranks(access, asked)])
    total = float(np.exp(log_likelihoods).sum())
    ordered = log_likelihoods[np.argsort(ranks, kind="stable")]
    falling = bool(np.all(ordered[1 : access.output_limit] <= ordered[: access.output_limit - 1] + SLACK))
    return [
        _check(level, name, abs(total - 1) < 0.02, f"sum {total:.4f} over {len(vocabulary)} tokens"),
        _check(level, "likelier tokens rank better", falling),
    ]


@_guarded("EmbeddingOracleAccess", "same text, same vector")
def check_oracle(access: EmbeddingOracleAccess, sample: OwnerSample) -> list[Check]:
    """The same text must give the same vector, whatever else is in the batch; not all texts may give the same."""
    level, name = "EmbeddingOracleAccess", "same text, same vector"
    texts = list(dict.fromkeys(text.tokens for text in sample.texts if text.tokens))[:16]
    if not texts:
        return [_check(level, name, None, "no texts to try")]
    together = answers.vector_rows(access._embed(texts), len(texts), "_embed")
    alone = [access._embed([text])[0] for text in texts[:4]]
    same = all(same_vectors(a, b) for a, b in zip(alone, together, strict=False))
    differs = None if len(texts) < 2 else any(not same_vectors(row, together[0]) for row in together[1:])
    return [_check(level, name, same), _check(level, "other text, other vector", differs)]


@_guarded("EmbeddedRowsAccess", "leaked rows match the oracle")
def check_rows(access: EmbeddedRowsAccess, sample: OwnerSample) -> list[Check]:
    """Leaked rows must be what the oracle makes of the texts behind them."""
    level, name = "EmbeddedRowsAccess", "leaked rows match the oracle"
    numbers = sorted(sample.row_texts)[:16]
    if numbers and numbers[-1] >= access.count:
        return [_failed(level, name, f"{access.count} rows, but the text behind row {numbers[-1]} is known")]
    if not numbers or sample.oracle is None or sample.blurred_rows:
        reason = "a defence changed the rows" if sample.blurred_rows else "no oracle, or no row whose text is known"
        return [_check(level, name, None, reason)]
    rows = answers.vector_rows(access._rows(numbers), len(numbers), "_rows")
    again = sample.oracle._embed([sample.row_texts[number] for number in numbers])
    matching = sum(same_vectors(a, b) for a, b in zip(rows, again, strict=True))
    return [_check(level, name, matching == len(numbers), f"{matching} of {len(numbers)} rows")]


def _loss_towards(access: GradientAccess, towards: Supervision) -> Callable[[torch.Tensor], torch.Tensor]:
    """The loss of inputs (B, T, d) that are all trained towards one thing, its parts summed; (B,)."""
    import torch

    def total(inputs: torch.Tensor) -> torch.Tensor:
        parts = answers.losses(access._loss(inputs, [towards] * len(inputs)), len(inputs), "_loss")
        return torch.stack(list(parts.values())).sum(dim=0)

    return total


def _passages(sample: OwnerSample, fewest: int) -> list[Passage]:
    return [Passage(context=t.context, tokens=t.tokens) for t in sample.texts if len(t.tokens) >= fewest][:8]


def _replaced(passage: Passage, place: int, token: str) -> Passage:
    tokens = (*passage.tokens[:place], token, *passage.tokens[place + 1 :])
    return Passage(context=passage.context, tokens=tokens)


def _ranks(access: RankedTokensAccess, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
    return answers.token_ranks(access._ranks(passages), passages, "_ranks")


def _failed(access: str, name: str, detail: str) -> Check:
    return Check(access=access, name=name, passed=False, detail=detail)


def _check(access: str, name: str, passed: bool | None, detail: str = "") -> Check:  # noqa: FBT001 - a record's field
    return Check(access=access, name=name, passed=passed, detail=detail)
