"""The intent and slot tagger of parikh2022, small enough to train on a laptop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, RecordText
from divulge.targets.base import Target
from divulge.targets.tagged_texts import TaggedTexts, Towards, tagged
from divulge.targets.training.batches import ordered_batches
from divulge.targets.training.recipe import TrainingRecipe
from divulge.targets.word_vectors import random_vectors
from divulge.targets.words import Words, frequent_words

if TYPE_CHECKING:
    import torch

    from divulge.targets.networks.tagger import TaggerNetwork

__all__ = ["NluTagger", "NluTaggerAccess"]

TOGETHER = 1024  # texts in one batch of answers


class NluTagger(Target):
    """Word vectors -> bidirectional LSTM -> intent softmax and a CRF over slot tags; loss = the sum of both.

    Paper: parikh2022, section 3. Epochs, hidden and batch size are not printed there; the recipe says what is used.
    Vectors are drawn at random, by the word's own name, so that every word has one; `tune_vectors` trains them too.
    Then words outside the training texts share one vector, and no loss can tell them apart.
    """

    name = "nlu-tagger"
    summary = "an intent and slot tagger: word vectors, bidirectional LSTM, intent head and CRF"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    is_tagger = True
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 8, "width": 24, "hidden": 12, "layers": 1, "learning_rate": 0.02}

    class Options(TrainingRecipe):
        """The training recipe, and the size of the network."""

        width: Annotated[int, Field(ge=1)] = 100  # of a word's vector
        hidden: Annotated[int, Field(ge=1)] = 64  # in each direction
        layers: Annotated[int, Field(ge=1)] = 2
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
        tune_vectors: bool = False

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the train split; the valid split only decides when to stop."""
        import torch

        from divulge.targets.networks.weights import kept_weights
        from divulge.targets.training.sgd import fit, settled

        training = tagged(corpus.split("train").texts)
        values = {
            "words": frequent_words(text.tokens for text in training),
            "labels": sorted({text.label or "" for text in training}),
            "tags": sorted({tag for text in training for tag in text.tags or ()}),
            "vectors_seed": int(rng.integers(2**32)),
            **{name: getattr(self.options, name) for name in ("width", "hidden", "layers", "tune_vectors")},
        }
        words, towards = Words(values["words"]), Towards(values["labels"], values["tags"])
        valid = [text for text in corpus.split("valid").texts if towards.covers(text)]
        with settled(rng):
            model = _network(values, self.options.dropout)
            drawn = random_vectors(words.words[1:], self.options.width, values["vectors_seed"])
            with torch.no_grad():
                model.embedding.weight[1:] = torch.from_numpy(drawn)
            model.embedding.weight.requires_grad_(self.options.tune_vectors)
            seen, checked = (TaggedTexts(texts, words, towards) for texts in (training, valid))
            history = fit(model, seen, checked, self.options, rng)
        return Artefact(values={**values, "training": history}, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants the weights: losses and gradients, and with them likelihoods, labels and tags."""
        return Grant([NluTaggerAccess(artefact)])


class NluTaggerAccess(GradientAccess):
    """Answers in double precision: losses of what is known by heart are close to zero, and to each other."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        self._values: Mapping[str, Any] = artefact.values
        self._words = Words(artefact.values["words"])
        self._towards = Towards(artefact.values["labels"], artefact.values["tags"])
        self._model = _network(artefact.values, 0.0)
        with_weights(self._model, artefact.arrays).double()

    @property
    def labels(self) -> tuple[str, ...]:
        """The intents it was trained on."""
        return self._towards.labels

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The slot tags it was trained on."""
        return self._towards.tags

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
            inputs = [self._vectors(texts[number]) for number in numbers]
            with torch.no_grad():
                padded = torch.nn.utils.rnn.pad_sequence(inputs, batch_first=True)
                logits, emissions = self._model.read(padded, lengths)
            yield numbers, logits, emissions

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        import torch

        ids = torch.tensor([self._words.number(token) for token in tokens], dtype=torch.int64)
        found = self._model.embedding.weight[ids]  # (tokens, d)
        strange = [place for place, number in enumerate(ids.tolist()) if number == 1]
        if strange and not self._values["tune_vectors"]:
            names = [tokens[place] for place in strange]
            drawn = random_vectors(names, self._values["width"], self._values["vectors_seed"])
            found[strange] = torch.from_numpy(drawn).double()
        return found

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        for item in labels:
            self.label_index(item.label or "")
        self._towards.must_know(labels, inputs.shape[1])
        wanted, tags = self._towards.numbers(labels, inputs.shape[1])
        lengths = torch.full((len(inputs),), inputs.shape[1])
        return self._model.losses(inputs.double(), lengths, wanted, tags)


def _network(values: Mapping[str, Any], dropout: float) -> TaggerNetwork:
    from divulge.targets.networks.tagger import TaggerNetwork

    counts = len(values["words"]) + 2, len(values["labels"]), len(values["tags"])
    sizes = {name: values[name] for name in ("width", "hidden", "layers")}
    return TaggerNetwork(*counts, **sizes, dropout=dropout)
