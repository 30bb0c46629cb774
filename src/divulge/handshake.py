"""The handshake: a broken adapter must never look like "no leak".

Run by the owner, who knows some texts and their labels, before any attack. It costs the adversary no queries:
it calls the underscore methods. A failed check makes every verdict on that target inconclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from divulge.records import Check, FloatArray, Passage, Text

if TYPE_CHECKING:
    from divulge.access import (
        EmbeddedRowsAccess,
        EmbeddingOracleAccess,
        GradientAccess,
        LabelAccess,
        LabelLikelihoodAccess,
        RankedTokensAccess,
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


@dataclass(frozen=True)
class OwnerSample:
    """What the owner knows and may try on an access: some texts, and what stands behind some leaked rows."""

    texts: Sequence[Text] = ()
    row_texts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    oracle: EmbeddingOracleAccess | None = None
    blurred_rows: bool = False  # a defence changed the rows on purpose: they need not match the oracle


def check_labels(access: LabelAccess, sample: OwnerSample) -> list[Check]:
    """Accuracy must be above that of always naming the commonest label."""
    known = [text for text in sample.texts if text.label in access.labels]
    name = "accuracy is above chance"
    if len(known) < 20 or len({text.label for text in known}) < 2:
        return [_check("LabelAccess", name, None, f"only {len(known)} labelled texts to try")]
    texts = [text.tokens for text in known]
    said = access._label(texts)
    true = np.array([access.labels.index(text.label or "") for text in known])
    accuracy, chance = float(np.mean(said == true)), float(np.bincount(true).max() / len(true))
    again = access._label(texts[:20])
    return [
        _check("LabelAccess", name, accuracy > chance, f"accuracy {accuracy:.3f}, commonest label {chance:.3f}"),
        _check("LabelAccess", "same text, same label", bool(np.all(again == said[:20]))),
    ]


def check_likelihoods(access: LabelLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """Probabilities must lie in [0, 1], sum to 1 and agree with the label."""
    texts = [text.tokens for text in sample.texts[:64]]
    if not texts:
        return [_check("LabelLikelihoodAccess", "probabilities normalise", None, "no texts to try")]
    rows = np.asarray(access._likelihoods(texts))
    normal = bool(np.all(rows >= 0) and np.all(np.abs(rows.sum(axis=1) - 1) < 0.02))
    agrees = float(np.mean(np.argmax(rows, axis=1) == access._label(texts)))
    return [
        _check("LabelLikelihoodAccess", "probabilities normalise", normal),
        _check("LabelLikelihoodAccess", "label is the likeliest", agrees > 0.9, f"in {agrees:.0%} of texts"),
    ]


def check_gradient(access: GradientAccess, sample: OwnerSample) -> list[Check]:
    """The gradient must match finite differences along random directions."""
    import torch

    from divulge.access import Supervision

    name = "gradient matches finite differences"
    text = next((t for t in sample.texts if t.label in access.labels and t.tokens), None)
    if text is None:
        return [_check("GradientAccess", name, None, "no labelled text to try")]
    label = [Supervision(text.label, text.tags)]
    inputs = access._vectors(text.tokens).detach()[None]  # (1, T, d)

    def total(at: torch.Tensor) -> torch.Tensor:
        return torch.stack([part.sum() for part in access._loss(at, label).values()]).sum()

    leaf = inputs.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(total(leaf), leaf)
    drawn = torch.Generator().manual_seed(0)
    steps = torch.randn(8, *inputs.shape[1:], generator=drawn).to(inputs)
    size = 1e-2 * float(inputs.abs().mean() + 1e-6)
    with torch.no_grad():
        differences = [float(total(inputs + size * s) - total(inputs - size * s)) / (2 * size) for s in steps]
    slopes = [float((gradient[0] * step).sum()) for step in steps]
    error = float(np.linalg.norm(np.subtract(differences, slopes)))
    length = float(np.linalg.norm(slopes))
    return [_check("GradientAccess", name, error <= 0.1 * length + 1e-2, f"off by {error:.2e} in {length:.2e}")]


def check_ranks(access: RankedTokensAccess, sample: OwnerSample) -> list[Check]:
    """A passage whose token is replaced by the model's own best token must have rank 0 there."""
    name = "the greedy token ranks first"
    passages = [Passage(context=t.context, tokens=t.tokens) for t in sample.texts[:8] if len(t.tokens) > 1]
    if not passages:
        return [_check("RankedTokensAccess", name, None, "no texts to try")]
    replaced, places = [], []
    for passage, best in zip(passages, access._best(passages), strict=True):
        for place in range(min(len(best), len(passage.tokens), 6)):
            before, after = passage.tokens[:place], passage.tokens[place + 1 :]
            replaced.append(Passage(context=passage.context, tokens=(*before, best[place], *after)))
            places.append(place)
    ranks = [int(row[place]) for row, place in zip(access._ranks(replaced), places, strict=True)]
    first = float(np.mean(np.array(ranks) == 0))
    return [_check("RankedTokensAccess", name, first > 0.95, f"at {first:.0%} of {len(ranks)} positions")]


def check_token_likelihoods(access: TokenLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """The probabilities of all tokens at one position must sum to 1; likelier tokens must rank better."""
    level, name = "TokenLikelihoodAccess", "probabilities normalise"
    passages = [Passage(context=t.context, tokens=t.tokens) for t in sample.texts[:8] if t.tokens]
    vocabulary = access.vocabulary
    if not passages or len(vocabulary) > LARGEST_VOCABULARY:
        return [_check(level, name, None, f"{len(passages)} texts, {len(vocabulary)} tokens in the vocabulary")]
    single = [Passage(context=passages[0].context, tokens=(token,)) for token in vocabulary]
    log_likelihoods = np.array([row[0] for row in access._log_likelihoods(single)])
    ranks = np.array([row[0] for row in access._ranks(single)])
    total = float(np.exp(log_likelihoods).sum())
    ordered = log_likelihoods[np.argsort(ranks, kind="stable")]
    falling = bool(np.all(np.diff(ordered[: access.output_limit]) <= SLACK))
    return [
        _check(level, name, abs(total - 1) < 0.02, f"sum {total:.4f} over {len(vocabulary)} tokens"),
        _check(level, "likelier tokens rank better", falling),
    ]


def check_oracle(access: EmbeddingOracleAccess, sample: OwnerSample) -> list[Check]:
    """The same text must give the same vector, whatever else is in the batch."""
    level, name = "EmbeddingOracleAccess", "same text, same vector"
    texts = [text.tokens for text in sample.texts[:16] if text.tokens]
    if not texts:
        return [_check(level, name, None, "no texts to try")]
    together = access._embed(texts)
    alone = [access._embed([text])[0] for text in texts[:4]]
    same = all(_close(a, b) for a, b in zip(alone, together, strict=False))
    finite = all(bool(np.isfinite(row).all()) for row in together)
    return [_check(level, name, same), _check(level, "vectors are finite", finite)]


def check_rows(access: EmbeddedRowsAccess, sample: OwnerSample) -> list[Check]:
    """Leaked rows must be what the oracle makes of the texts behind them."""
    level, name = "EmbeddedRowsAccess", "leaked rows match the oracle"
    numbers = sorted(number for number in sample.row_texts if 0 <= number < access.count)[:16]
    if not numbers or sample.oracle is None or sample.blurred_rows:
        reason = "a defence changed the rows" if sample.blurred_rows else "no oracle, or no row whose text is known"
        return [_check(level, name, None, reason)]
    rows = access._rows(numbers)
    again = sample.oracle._embed([sample.row_texts[number] for number in numbers])
    matching = sum(_close(a, b) for a, b in zip(rows, again, strict=True))
    return [_check(level, name, matching == len(numbers), f"{matching} of {len(numbers)} rows")]


def _close(a: FloatArray, b: FloatArray) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-2, atol=1e-3))


def _check(access: str, name: str, passed: bool | None, detail: str = "") -> Check:  # noqa: FBT001 - a record's field
    return Check(access=access, name=name, passed=passed, detail=detail)
