"""A small text classifier, trained from scratch in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, RecordText, Text
from divulge.targets.base import Target
from divulge.targets.training.labelled import LabelledTexts, ToLearn, fit_classifier, label_problems, remaining
from divulge.targets.training.recipe import ClassifierRecipe
from divulge.targets.words import PADDING, UNKNOWN, Words, frequent_words

if TYPE_CHECKING:
    import torch

    from divulge.targets.networks.classifier import ClassifierNetwork

__all__ = ["TextClassifier", "TextClassifierAccess"]

MOST_TOKENS = 16_384  # read at once when asked


class TextClassifier(Target):
    """Word vectors and places, a small transformer, the mean of its states, a label.

    Its words are those of the training split; all others are one unknown word to it. So which words it tells apart
    is itself something that it gives away: choose candidates among common words where that is not the question.
    """

    name = "text-classifier"
    summary = "a small transformer classifier, trained from scratch in seconds"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    trial: ClassVar = {"epochs": 12, "width": 16, "layers": 1, "heads": 2, "dropout": 0.0, "learning_rate": 1e-2}

    class Options(ClassifierRecipe):
        """The sizes of the network; `most_words` keeps only the most frequent words apart."""

        width: Annotated[int, Field(ge=2)] = 64
        layers: Annotated[int, Field(ge=1)] = 2
        heads: Annotated[int, Field(ge=1)] = 4
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.1
        pooling: Literal["mean", "attention"] = "mean"
        most_words: Annotated[int, Field(ge=1)] | None = None

        @model_validator(mode="after")
        def _heads_fit(self) -> TextClassifier.Options:
            if self.width % self.heads:
                raise ValueError(f"width must be a multiple of heads. Got {self.width} and {self.heads}")
            return self

    def misfits(self, corpus: Corpus) -> list[str]:
        """That there is nothing to learn: every training text must have a label, and there must be two of them."""
        return label_problems(corpus, self.options, skips=False)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the training split; the validation split, where there is one, tells when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.weights import kept_weights

        problems = self.misfits(corpus)
        if problems:
            raise InputError(problems)
        corpus = remaining(corpus, self.options)
        training = corpus.split("train")
        labels = list(training.labels)
        listed = frequent_words((text.tokens for text in training), self.options.most_words)
        words = [word for word in listed if word not in (PADDING, UNKNOWN)]
        sizes = self.options.model_dump(mode="json", include={"width", "layers", "heads", "dropout", "pooling"})
        known = [text for text in corpus.split("valid") if text.label in labels]
        numbered = Words(words)

        def make(texts: Sequence[Text]) -> _Labelled:
            return _Labelled(texts, numbered, labels)

        with settled(rng):
            model = _network(words, labels, sizes)
            told = fit_classifier(model, ToLearn(training.texts, known, labels, make), self.options, rng)
        values = {"labels": labels, "words": words, "sizes": sizes, "training": told}
        return Artefact(values=values, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants the gradient, and with it all that is weaker."""
        return Grant([TextClassifierAccess(artefact)])


class TextClassifierAccess(GradientAccess):
    """Answers with double precision: what a sure model holds against a word is far behind the comma."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        values: Any = artefact.values
        self._labels = tuple(values["labels"])
        self._words = Words(values["words"])
        self._model: Any = with_weights(
            _network(values["words"], self._labels, values["sizes"]), artefact.arrays
        ).double()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it was trained on, sorted."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        import torch

        found = np.empty((len(texts), len(self._labels)))
        with torch.no_grad():
            for places in _of_one_length([len(text) or 1 for text in texts]):
                numbers = torch.from_numpy(self._words.numbers([_readable(texts[place]) for place in places]))
                found[places] = self._model.read(self._model.embedding(numbers)).softmax(dim=1).numpy()
        return found

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        import torch

        numbers = torch.tensor([self._words.number(token) for token in tokens], dtype=torch.int64)
        vectors: torch.Tensor = self._model.embedding(numbers)
        return vectors

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        wanted = torch.tensor([self.label_index(item.label or "") for item in labels])
        logits = self._model.read(inputs.double())
        return {"label": torch.nn.functional.cross_entropy(logits, wanted, reduction="none")}


class _Labelled(LabelledTexts):
    """Labelled texts as examples to train on."""

    def __init__(self, texts: Sequence[Text], words: Words, labels: Sequence[str]) -> None:
        super().__init__(texts, [len(text.tokens) or 1 for text in texts], labels)
        self._numbers = words.numbers([_readable(text.tokens) for text in texts])  # (texts, longest)

    def logits(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """What the network puts out; (B, labels)."""
        import torch

        lengths = torch.from_numpy(self.lengths[numbers])
        shown = torch.from_numpy(self._numbers[numbers, : int(lengths.max())])
        logits: torch.Tensor = model.read(model.embedding(shown), lengths)
        return logits


def _network(words: Sequence[str], labels: Sequence[str], sizes: dict[str, Any]) -> ClassifierNetwork:
    from divulge.targets.networks.classifier import ClassifierNetwork

    return ClassifierNetwork(len(Words(words)), len(labels), **sizes)


def _readable(tokens: TokenTuple) -> TokenTuple:
    """A text of no words is read as one unknown word: there must be something to read."""
    return tokens or (UNKNOWN,)


def _of_one_length(lengths: Sequence[int]) -> list[npt.NDArray[np.int64]]:
    """The places of texts of exactly one length, a batch at a time: no padding, so no answer hangs on its batch."""
    every, batches = np.array(lengths, dtype=np.int64), []
    for length in np.unique(every):
        places, most = np.flatnonzero(every == length), max(1, MOST_TOKENS // int(length))
        batches += [places[start : start + most] for start in range(0, len(places), most)]
    return batches
