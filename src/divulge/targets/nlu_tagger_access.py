"""What a trained tagger answers, in double precision."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.records import Artefact, FloatArray
from divulge.targets.tagged_texts import Towards
from divulge.targets.training.batches import ordered_batches
from divulge.targets.vectors import WordVectors, reopened
from divulge.targets.words import Words

if TYPE_CHECKING:
    import torch

    from divulge.targets.networks.tagger import TaggerNetwork

__all__ = ["NluTaggerAccess", "network_of"]

TOGETHER = 1024  # texts in one batch of answers


class NluTaggerAccess(GradientAccess):
    """Answers in double precision: losses of what is known by heart are close to zero, and to each other."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        self._values: Mapping[str, Any] = artefact.values
        self._arrays = _below("vectors.", artefact.arrays)
        self._words = Words(artefact.values["words"])
        self._towards = Towards(artefact.values["labels"], artefact.values["tags"])
        self._model = network_of(artefact.values)
        with_weights(self._model, _below("network.", artefact.arrays)).double()
        self._asked = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The intents it was trained on."""
        return self._towards.labels

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The slot tags it was trained on."""
        return self._towards.tags

    @property
    def word_width(self) -> int | None:
        """The width of word vectors, where characters are read beside them."""
        return None if self._values["alphabet"] is None else int(self._values["width"])

    @property
    def reads_single(self) -> bool:
        """A copy of the network in single precision answers; half the time, and good enough to follow a slope."""
        return True

    @property
    def answers_vary(self) -> bool:
        """Whether dropout was left on."""
        return bool(self._values["drops_when_asked"] and self._values["dropout"] > 0)

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found = np.full((len(texts), len(self.labels)), 1 / len(self.labels))  # of a text without words
        for numbers, logits, _ in self._read(texts):
            found[numbers] = logits.softmax(dim=1).numpy()
        return found

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        import torch

        found: list[tuple[str, ...]] = [()] * len(texts)
        for numbers, _, emissions in self._read(texts):
            lengths = torch.tensor([len(texts[number]) for number in numbers])
            for number, path in zip(numbers, self._model.crf.best(emissions, lengths), strict=True):
                found[number] = tuple(self.tag_names[tag] for tag in path)
        return found

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        import torch

        found: list[FloatArray] = [np.empty((0, len(self.tag_names)))] * len(texts)
        for numbers, _, emissions in self._read(texts):
            lengths = [len(texts[number]) for number in numbers]
            marginals = self._model.crf.marginals(emissions, torch.tensor(lengths)).numpy()
            for number, length, row in zip(numbers, lengths, marginals, strict=True):
                found[number] = row[:length]
        return found

    def _read(self, texts: Sequence[TokenTuple]) -> Iterator[tuple[npt.NDArray[np.int64], torch.Tensor, torch.Tensor]]:
        """Intent logits and emissions of texts of like length, batch by batch, with their places."""
        import torch

        filled = np.array([place for place, text in enumerate(texts) if text], dtype=np.int64)
        sizes = np.array([len(texts[place]) for place in filled], dtype=np.int64)
        for chosen in ordered_batches(sizes, TOGETHER):
            numbers, lengths = filled[chosen], torch.from_numpy(sizes[chosen])
            tokens = [token for number in numbers for token in texts[number]]
            inputs = torch.split(self._vectors(tokens), lengths.tolist())
            with torch.no_grad(), self._dropping(self._model):
                padded = torch.nn.utils.rnn.pad_sequence(list(inputs), batch_first=True)
                logits, emissions = self._model.read(padded, lengths)
            yield numbers, logits, emissions

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        """Every token's own vector, also of words that were not trained on, and what its characters add."""
        import torch

        from divulge.targets.networks.characters import spelt_out

        numbers = torch.tensor([self._words.number(token) for token in tokens], dtype=torch.int64)
        found = self._model.embedding.weight[numbers]  # (tokens, d)
        strange = [place for place, number in enumerate(numbers.tolist()) if number == 1]
        if strange and not self._values["tune_vectors"]:
            own = self._source.of([tokens[place] for place in strange])
            found[strange] = torch.from_numpy(own).double()
        if self._model.characters is None or not tokens:
            return found
        with torch.no_grad():
            read = self._model.characters(spelt_out(tokens, self._values["alphabet"]))
        return torch.cat([found, read], dim=1)

    @cached_property
    def _source(self) -> WordVectors:
        return reopened(self._values["vectors"], self._arrays)

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        wanted, tags = self._towards.asked(labels, inputs.shape[1])
        lengths = torch.full((len(inputs),), inputs.shape[1])
        single = inputs.dtype == torch.float32
        model = self._single if single else self._model
        with self._dropping(model):
            return model.losses(inputs if single else inputs.double(), lengths, wanted, tags)

    @cached_property
    def _single(self) -> TaggerNetwork:
        return copy.deepcopy(self._model).float()

    @contextmanager
    def _dropping(self, model: TaggerNetwork) -> Iterator[None]:
        """Where dropout was left on, each answer has a mask of its own; the n-th is the same in every run."""
        import torch

        if not self.answers_vary:
            yield
            return
        self._asked += 1
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._values["mask_seed"] + self._asked)
            model.train()
            try:
                yield
            finally:
                model.eval()


def network_of(values: Mapping[str, Any]) -> TaggerNetwork:
    """The network that an artefact's values describe, with weights yet to be put in."""
    from divulge.targets.networks.tagger import TaggerNetwork

    words = Words(values["words"]).words
    counts = len(values["labels"]), len(values["tags"])
    sizes = {name: values[name] for name in ("width", "hidden", "layers", "dropout", "alphabet")}
    return TaggerNetwork(words, *counts, **sizes)


def _below(prefix: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
