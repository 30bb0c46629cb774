"""Which class a canary is planted in: one of the rarest, the most frequent, or any, and each in one of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from divulge.data.canaries import Drawn, make_canaries
from divulge.data.corpus import Corpus
from divulge.data.few_labels import few_labels
from divulge.data.ids import key_from_seed
from divulge.errors import InputError
from divulge.records import Gaps, Secret
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["chosen_classes", "further_canaries", "spread", "with_labels"]


def chosen_classes(spec: SecretsSpec, corpus: Corpus, seed: int, *role: str | int) -> tuple[str, ...]:
    """As many classes of the training split as canaries are planted; of equally frequent ones the first by name.

    Raises:
        InputError: There are not so many, or no text has a label.
    """
    sizes = Counter(text.label for text in corpus if text.split == "train" and text.label is not None)
    if len(sizes) < min(2, spec.count):
        said = few_labels(corpus.split("train"))
        raise InputError(f"{corpus.name}: secrets.label_of chooses among the classes of the data, and {said}")
    if len(sizes) < spec.count:
        raise InputError(
            f"secrets.label_of gives each of {spec.count} canaries (secrets.count) a class of its own. The training "
            f"split has {len(sizes)} classes: lower secrets.count (and raise run.models), or set secrets.label"
        )
    if spec.label_of == "any":
        names = sorted(sizes)
        places = generator(seed, "secrets", "classes", *role).permutation(len(names))[: spec.count]
        return tuple(names[place] for place in places)
    sign = -1 if spec.label_of == "most-frequent" else 1
    return tuple(sorted(sizes, key=lambda label: (sign * sizes[label], label))[: spec.count])


def with_labels(drawn: Drawn, spec: SecretsSpec, corpus: Corpus, seed: int, *role: str | int) -> Drawn:
    """The canaries with the classes that `spec.label_of` says, in random order; as they are, if it says nothing.

    Planted canaries have each class once, and controls have the same classes in turn. Where coins decide what is
    planted, all canaries have them in turn: a class must tell nothing about the coin.
    """
    if spec.label_of is None:
        return drawn
    classes, rng = chosen_classes(spec, corpus, seed, *role), generator(seed, "secrets", "labels", *role)
    arms = [(*drawn.secrets, *drawn.controls)] if spec.coin else [drawn.secrets, drawn.controls]
    label_of: dict[str, str] = {}
    for arm in arms:
        names = sorted(secret.id for secret in arm)
        label_of |= dict(zip(names, spread(classes, len(names), rng), strict=True))
    return Drawn(_labelled(drawn.secrets, label_of), _labelled(drawn.controls, label_of), drawn.family)


def further_canaries(
    spec: SecretsSpec, corpus: Corpus, seed: int, count: int, role: str, *, tagged: bool, taken: Sequence[Secret]
) -> tuple[Secret, ...]:
    """Canaries of the same pattern, in the same classes, that are none of those taken: neither planted nor controls."""
    rng, key = generator(seed, "secrets", role), key_from_seed(seed, role)
    found = make_canaries(spec, count, rng, key, tagged=tagged, exclude=taken)
    if spec.label_of is None:
        return found
    labels = spread(chosen_classes(spec, corpus, seed, "target"), count, rng)
    return _labelled(found, {one.id: label for one, label in zip(found, labels, strict=True)})


def spread(classes: tuple[str, ...], count: int, rng: np.random.Generator) -> list[str]:
    """So many labels: all classes in random order, and again in another until there are enough."""
    labels: list[str] = []
    while len(labels) < count:
        labels += [classes[place] for place in rng.permutation(len(classes))]
    return labels[:count]


def _labelled(secrets: Iterable[Secret], label_of: dict[str, str]) -> tuple[Secret, ...]:
    return tuple(
        secret.model_copy(update={"hint": secret.hint.model_copy(update={"label": label_of[secret.id]})})
        if isinstance(secret.hint, Gaps)
        else secret
        for secret in secrets
    )
