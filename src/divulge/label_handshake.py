"""The handshake of classifiers and taggers: are labels, tags, likelihoods and gradients what they are said to be?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from divulge import answers
from divulge.handshake import OwnerSample, checked, failed, guarded
from divulge.records import Check, Text
from divulge.trials import LUCK, half_unit, luck, moved_labels, same_vectors, slopes

if TYPE_CHECKING:
    import torch

    from divulge.label_access import GradientAccess, LabelAccess, LabelLikelihoodAccess, Supervision, TopLabelAccess

__all__ = ["check_gradient", "check_labels", "check_likelihoods", "check_top"]

SLACK = 1e-4
FEWEST_LABELLED = 20
DIRECTIONS = 4
NOTHING_LEARNT = ": labels are mixed up on the way, or the model learnt nothing, as with much noise or few epochs"
HIDDEN = (
    "the loss moves by less than numbers of single precision tell from rounding, so that its gradient cannot be "
    'compared: where the target has it, set target.recipe.dtype = "float64"'
)


@guarded("LabelAccess", "accuracy is above chance")
def check_labels(access: LabelAccess, sample: OwnerSample) -> list[Check]:
    """Accuracy must be above that of always naming the commonest label, and no labels may have changed places.

    Of a model that gives no labels, the tags are tried instead.
    """
    level, name, places = "LabelAccess", "accuracy is above chance", "labels are in their places"
    if not access.labels:
        return _check_tags(access, sample)
    # Each text once: copies would count one lucky guess several times.
    labelled = list({text.tokens: text for text in sample.texts if text.label is not None}.values())
    known = [text for text in labelled if text.label in access.labels]
    if len(labelled) >= FEWEST_LABELLED and 2 * len(known) < len(labelled):
        return [failed(level, places, f"the model knows the labels of {len(known)} of {len(labelled)} texts")]
    if len(known) < FEWEST_LABELLED or len({text.label for text in known}) < 2:
        return [checked(level, name, None, f"only {len(known)} labelled texts to try")]
    texts = [text.tokens for text in known]
    said = answers.label_numbers(access._label(texts), len(texts), len(access.labels), "_label")
    true = np.array([access.labels.index(text.label or "") for text in known])
    accuracy, chance = float(np.mean(said == true)), float(np.bincount(true).max() / len(true))
    above = luck(int(np.sum(said == true)), len(true), chance) < LUCK
    moved = moved_labels(true, said)
    again = access._label(texts[:20])
    # Much noise in training does that too, and the owner should know which of the two to look for.
    nothing = "" if above else NOTHING_LEARNT
    return [
        checked(level, name, above, f"accuracy {accuracy:.3f}, commonest label {chance:.3f}{nothing}"),
        checked(level, places, not moved, f"{moved} labels are called by each other's names" if moved else ""),
        checked(level, "same text, same label", _repeats(access, same=bool(np.all(again == said[:20])))),
    ]


@guarded("TopLabelAccess", "probability is of the best label")
def check_top(access: TopLabelAccess, sample: OwnerSample) -> list[Check]:
    """The probability must be one that a best label can have, belong to the label said, and not depend on the batch."""
    level, name = "TopLabelAccess", "probability is of the best label"
    texts = [text.tokens for text in sample.texts[:64]]
    if not texts or not access.labels:
        return [checked(level, name, None, "no texts to try, or no labels")]
    numbers, shown = access._top(texts)
    numbers = answers.label_numbers(numbers, len(texts), len(access.labels), "_top")
    shown = answers.top_probabilities(shown, len(texts), "_top")
    half = half_unit(shown)  # it may be rounded on purpose
    possible = bool(np.all(shown + half + SLACK >= 1 / len(access.labels)))
    agrees = float(np.mean(access._label(texts) == numbers))
    alone = np.concatenate([np.asarray(access._top([text])[1]) for text in texts[:4]])
    same = bool(np.all(np.abs(alone - shown[:4]) <= 1e-3 + 2 * half))
    return [
        checked(level, name, possible, f"as low as {shown.min():.3f} with {len(access.labels)} labels"),
        checked(level, "label is the likeliest", _repeats(access, same=agrees > 0.9), f"in {agrees:.0%} of texts"),
        checked(level, "same text, same probability", _repeats(access, same=same)),
    ]


@guarded("LabelLikelihoodAccess", "probabilities normalise")
def check_likelihoods(access: LabelLikelihoodAccess, sample: OwnerSample) -> list[Check]:
    """Probabilities must be such as sum to 1, agree with the label, and not depend on the batch."""
    level = "LabelLikelihoodAccess"
    texts = [text.tokens for text in sample.texts[:64]]
    if not access.labels:
        return _check_tag_likelihoods(access, [text for text in texts if text])
    if not texts:
        return [checked(level, "probabilities normalise", None, "no texts to try")]
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
        checked(level, "probabilities normalise", normal),
        checked(level, "label is the likeliest", _repeats(access, same=agrees > 0.9), f"in {agrees:.0%} of texts"),
        checked(level, "same text, same probabilities", _repeats(access, same=same)),
    ]


@guarded("GradientAccess", "gradient matches finite differences")
def check_gradient(access: GradientAccess, sample: OwnerSample) -> list[Check]:
    """The gradient must match finite differences along random directions, for the right label and for a wrong one.

    The loss of what a model is sure of hardly moves, and so shows nothing; that of a wrong label does. Where neither
    moves by more than rounding does, a gradient as small is not called wrong: single precision cannot tell.
    """
    import torch

    from divulge.label_access import Supervision

    level, name = "GradientAccess", "gradient matches finite differences"
    # Of a tagger, only texts whose tags it knows: what training never saw has no loss.
    tags = set(access.tag_names)
    known = (t for t in sample.texts if t.tokens and (not access.labels or t.label in access.labels))
    texts = [t for t in known if not tags or (t.tags is not None and set(t.tags) <= tags)][:4]
    if not texts:
        return [checked(level, name, None, "no text whose label or tags it knows")]
    if access.answers_vary:
        return [checked(level, name, None, "the model drops units at random when it is asked")]
    drawn = torch.Generator().manual_seed(0)
    found = []
    for text in texts:
        inputs = answers.input_vectors(access._vectors(text.tokens), len(text.tokens), "_vectors").detach()
        steps = torch.randn(DIRECTIONS, *inputs.shape, generator=drawn, dtype=torch.float64).to(inputs)
        tried = [
            _loss_towards(access, towards) for towards in (Supervision(text.label, text.tags), _wrong(access, text))
        ]
        found += [slopes(loss, inputs, steps) for loss in tried]
    by_gradient = np.concatenate([one.by_gradient for one in found])
    by_difference = np.concatenate([one.by_difference for one in found])
    noise = max(one.noise for one in found)
    error, length = float(np.linalg.norm(by_difference - by_gradient)), float(np.linalg.norm(by_difference))
    agrees, moves = error <= 0.1 * length + noise, length > 2 * noise
    # A gradient that is there, and no larger than rounding allows, may be right: of a loss that hardly moves.
    hidden = not moves and agrees and bool(by_gradient.any()) and inputs.dtype != torch.float64
    still = HIDDEN if hidden else "the loss does not move with its inputs"
    detail = f"off by {error:.2e} in {length:.2e}" if moves else still
    tokens = list(dict.fromkeys(token for text in texts for token in text.tokens))
    together, alone = access._vectors(tokens), [access._vectors([token])[0] for token in tokens[:8]]
    same = all(same_vectors(a.detach().numpy(), b.detach().numpy()) for a, b in zip(alone, together, strict=False))
    return [
        checked(level, name, None if hidden else moves and agrees, detail),
        checked(level, "same token, same vector", same),
    ]


def _repeats(access: LabelAccess, *, same: bool) -> bool | None:
    """Whether it gives the same answer again; not asked of a model that is said to drop units at random."""
    return None if access.answers_vary else same


def _check_tags(access: LabelAccess, sample: OwnerSample) -> list[Check]:
    """Of a tagger without labels: its tags must be right more often than the commonest one would be."""
    level, name = "LabelAccess", "tags are above chance"
    tagged = list({text.tokens: text for text in sample.texts if text.tags is not None and text.tokens}.values())
    every = Counter(tag for text in tagged for tag in text.tags or ())
    known = {tag: count for tag, count in every.items() if tag in access.tag_names}
    if tagged and 2 * sum(known.values()) < every.total():
        return [failed(level, "tags are in their places", f"the model knows {len(known)} of the {len(every)} tags")]
    if len(tagged) < FEWEST_LABELLED or len(known) < 2:
        return [checked(level, name, None, f"only {len(tagged)} tagged texts to try")]
    texts = [text.tokens for text in tagged]
    said = answers.word_tags(access._tags(texts), texts, access.tag_names, "_tags")
    right = sum(
        a == b for text, tags in zip(tagged, said, strict=True) for a, b in zip(text.tags or (), tags, strict=True)
    )
    n, chance = every.total(), max(every.values()) / every.total()
    again = answers.word_tags(access._tags(texts[:8]), texts[:8], access.tag_names, "_tags")
    return [
        checked(level, name, luck(right, n, chance) < LUCK, f"{right / n:.3f} right, commonest tag {chance:.3f}"),
        checked(level, "same text, same tags", _repeats(access, same=again == said[:8])),
    ]


def _check_tag_likelihoods(access: LabelLikelihoodAccess, texts: Sequence[tuple[str, ...]]) -> list[Check]:
    level, name = "LabelLikelihoodAccess", "probabilities normalise"
    if not texts:
        return [checked(level, name, None, "no texts to try")]
    count = len(access.tag_names)
    rows = answers.tag_probabilities(access._tag_likelihoods(texts), texts, count, "_tag_likelihoods")
    said = answers.word_tags(access._tags(texts), texts, access.tag_names, "_tags")
    every = np.concatenate(rows)  # (words, tags)
    half = half_unit(every)
    least, most = np.maximum(every - half, 0).sum(axis=1), (every + half).sum(axis=1)
    normal = bool(np.all(every >= 0) and np.all(least <= 1.02) and np.all(most >= 0.98))
    numbers = [access.tag_names.index(tag) for tags in said for tag in tags]
    agrees = float(np.mean(every[np.arange(len(every)), numbers] >= every.max(axis=1) - SLACK))
    alone = [np.asarray(access._tag_likelihoods([text])[0]) for text in texts[:4]]
    same = all(
        a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-3 + 2 * half)) for a, b in zip(alone, rows, strict=False)
    )
    return [
        checked(level, name, normal),
        # A best path over all words, as a CRF takes it, need not be the likeliest tag of each.
        checked(level, "tag is the likeliest", _repeats(access, same=agrees > 0.8), f"at {agrees:.0%} of words"),
        checked(level, "same text, same probabilities", _repeats(access, same=same)),
    ]


def _wrong(access: GradientAccess, text: Text) -> Supervision:
    """Another label, or other tags, than the text has."""
    from divulge.label_access import Supervision

    if access.labels:
        return Supervision(access.labels[access.label_index(text.label or "") - 1], text.tags)
    names = access.tag_names
    return Supervision(text.label, tuple(names[names.index(tag) - 1] for tag in text.tags or ()))


def _loss_towards(access: GradientAccess, towards: Supervision) -> Callable[[torch.Tensor], torch.Tensor]:
    """The loss of inputs (B, T, d) that are all trained towards one thing, its parts summed; (B,)."""
    import torch

    def total(inputs: torch.Tensor) -> torch.Tensor:
        parts = answers.losses(access._loss(inputs, [towards] * len(inputs)), len(inputs), "_loss")
        return torch.stack(list(parts.values())).sum(dim=0)

    return total
