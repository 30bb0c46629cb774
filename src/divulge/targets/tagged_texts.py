"""Tagged texts as numbers: what a tagger is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from divulge.access import Supervision
from divulge.errors import InputError
from divulge.label_access import unknown_label
from divulge.records import Text
from divulge.targets.words import Words

if TYPE_CHECKING:
    import torch

__all__ = ["TaggedTexts", "Towards", "tagged"]


def tagged(texts: Sequence[Text]) -> list[Text]:
    """The texts that have words; every one of them must have a label and tags."""
    found = [text for text in texts if text.tokens]
    without = sum(text.label is None or text.tags is None for text in found)
    if without or not found:
        said = f"{without} of {len(found)} have none" if found else "there are none"
        raise InputError(f"a tagger needs training texts with a label and tags each; {said}")
    return found


class Towards:
    """The labels and tags of a tagger, by number."""

    def __init__(self, labels: Sequence[str], tags: Sequence[str]) -> None:
        self.labels, self.tags = tuple(labels), tuple(tags)
        self._label = {label: number for number, label in enumerate(labels)}
        self._tag = {tag: number for number, tag in enumerate(tags)}

    def covers(self, text: Text) -> bool:
        """Whether the label and all tags are known; what training never saw has no loss."""
        return bool(text.tokens) and text.label in self._label and set(text.tags or ("",)) <= set(self._tag)

    def numbers(self, items: Sequence[Supervision], width: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Label numbers (B,) and tag numbers padded with 0 (B, width)."""
        import torch

        tags = np.zeros((len(items), width), dtype=np.int64)
        for row, item in zip(tags, items, strict=True):
            row[: len(item.tags or ())] = [self._tag[tag] for tag in item.tags or ()]
        return torch.tensor([self._label[item.label or ""] for item in items]), torch.from_numpy(tags)

    def asked(self, items: Sequence[Supervision], length: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The numbers of what is asked about, checked; a search asks thousands of times about the same."""
        import torch

        different = {id(item): item for item in items}
        self.must_know(list(different.values()), length)
        labels, tags = self.numbers(list(different.values()), length)
        place = {key: number for number, key in enumerate(different)}
        if len(different) == 1:
            return labels.expand(len(items)), tags.expand(len(items), -1)
        places = torch.tensor([place[id(item)] for item in items])
        return labels[places], tags[places]

    def must_know(self, items: Sequence[Supervision], length: int) -> None:
        """Refuses a question about a label or tag it does not have, or without one tag per word."""
        for item in items:
            given = item.tags or ()
            if item.label not in self._label:
                raise InputError(unknown_label(item.label or "", self.labels))
            if len(given) != length:
                raise InputError(f"the loss of a tagger needs one tag per word: {length} words, {len(given)} tags")
            unknown = len(set(given) - set(self._tag))
            if unknown:
                raise InputError(f"the model knows {len(self.tags)} tags, and {unknown} of those asked about are none")


class TaggedTexts:
    """Texts with labels and tags as a trainer sees them: lengths, and a loss for each."""

    def __init__(self, texts: Sequence[Text], words: Words, towards: Towards) -> None:
        self.lengths = np.array([len(text.tokens) for text in texts], dtype=np.int64)
        width = int(self.lengths.max(initial=0))
        # Looked up once, not in every epoch; 0 beyond the end.
        self.numbers = np.zeros((len(texts), width), dtype=np.int64)
        for row, text in zip(self.numbers, texts, strict=True):
            row[: len(text.tokens)] = [words.number(token) for token in text.tokens]
        labels, tags = towards.numbers([Supervision(text.label, text.tags) for text in texts], width)
        self.labels, self.tags = labels.numpy(), tags.numpy()

    def losses(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The sum of the intent's and the slots' loss, for each of these texts; (B,)."""
        import torch

        from divulge.targets.networks.tagger import TaggerNetwork

        assert isinstance(model, TaggerNetwork)
        width = int(self.lengths[numbers].max())
        ids, labels, tags, lengths = (
            torch.from_numpy(part)
            for part in (
                self.numbers[numbers, :width],
                self.labels[numbers],
                self.tags[numbers, :width],
                self.lengths[numbers],
            )
        )
        parts = model.losses(model.inputs(ids), lengths, labels, tags)
        return torch.stack(list(parts.values())).sum(dim=0)
