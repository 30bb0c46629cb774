"""A text classifier of your own in a transformers folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText, Text
from divulge.targets.base import Target
from divulge.targets.own.likelihoods_kept import KeptLikelihoods, answers_key
from divulge.targets.own.transformers_folder import (
    Head,
    HeadOptions,
    folder_faults,
    folder_hashes,
    must_be_unchanged,
)
from divulge.targets.own.transformers_lengths import overlong, room_for
from divulge.targets.own.transformers_loading import (
    Loaded,
    kept_network,
    load_finished,
    load_for_training,
    load_trained,
    names_of,
)
from divulge.targets.own.transformers_names import known_names, name_misfits
from divulge.targets.own.transformers_parts import Trained, choose_trained
from divulge.targets.own.transformers_words import WordReader
from divulge.targets.training.batches import like_lengths, mixed_batches
from divulge.targets.training.labelled import LabelledTexts, ToLearn, fit_classifier, label_problems, remaining
from divulge.targets.training.recipe import ClassifierRecipe

if TYPE_CHECKING:
    import torch

__all__ = ["TransformersClassifier", "TransformersClassifierAccess"]

HEAD: Head = "sequence-classification"


class TransformersClassifier(Target):
    """Any model that `AutoModelForSequenceClassification` reads, as it lies in its folder or trained further.

    A text is its words with one space between any two, so that odd spacing of the original is lost; a byte-level
    tokenizer reads the first word as one that follows a space. A text of more than `max_tokens` pieces is cut at its
    end. With `epochs` the model learns the corpus; its head is a fresh one where the corpus has other labels. Batches
    are drawn whatever the lengths of their texts. Of a model that is trained in part, the store keeps that part.

    Paper: elmahdy2022, section 7: a pretrained BERT, fine-tuned with AdamW, batches of 32, the weights of the best
    validation performance (here `restore_best`, `best_by` = "accuracy").
    """

    name = "transformers-classifier"
    summary = "a text classifier of your own in a local transformers folder, also with a PEFT adapter"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    learns = False
    revision = 3
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 8, "learning_rate": 3e-3}  # and a path to start from

    class Options(HeadOptions, ClassifierRecipe):
        """The folder, its head's labels, and how much of it is trained.

        `trained` = "all" trains every weight, "no-embeddings" all but the tables of vectors (of words and places),
        "last" the `last_layers` last layers, the pooler and the head, "head" the pooler and the head. With
        `keep_answers` probabilities are kept beside the store, 8 bytes for each text and label: for attacks that scan
        whole vocabularies, several of them at the same places.
        """

        trained: Trained = "all"
        last_layers: Annotated[int, Field(ge=1)] = 2
        keep_answers: bool = False

        @model_validator(mode="after")
        def _is_trained(self) -> Self:
            given = [name for name in ("noise", "unlearn") if getattr(self, name) is not None]
            if given and not self.epochs:
                raise ValueError(f"{' and '.join(given)} is about training, and epochs = 0 trains nothing: set epochs")
            return self

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self.learns = self.options.epochs > 0
        problems = folder_faults(self.options, HEAD)
        if problems:
            raise InputError(problems)

    @property
    def known_labels(self) -> tuple[str, ...]:
        """Those of the recipe, or of the folder's configuration."""
        return known_names(self.options)

    def misfits(self, corpus: Corpus) -> list[str]:
        """Labels of the data that are none of the model's; where it is trained, that there is nothing to learn."""
        unlearnable = label_problems(corpus, self.options, skips=True) if self.learns else []
        return unlearnable + name_misfits(self.options, corpus.labels, "labels")

    def overlong(self, texts: Sequence[TokenTuple]) -> str | None:
        """Tells of texts that are cut at their end."""
        return overlong(HEAD, self.options, texts)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Reads the model, or trains it further on the train split."""
        files = folder_hashes(self.options)
        if not self.options.epochs:
            names = names_of(load_finished(HEAD, self.options).network.config, self.options.labels)
            _must_have_names(names, corpus)
            room = room_for(load_finished(HEAD, self.options), self.options, corpus)
            return Artefact(values={"files": files, "labels": list(names), "pieces_per_word": room})
        from divulge.seeds import settled

        problems = label_problems(corpus, self.options, skips=True)
        if problems:
            raise InputError(problems)
        corpus = remaining(corpus, self.options)
        training = [text for text in corpus.split("train") if text.label is not None]
        with settled(rng):
            loaded, labels = self._to_train({text.label or "" for text in training})
            choose_trained(loaded.network, self.options.trained, self.options.last_layers)
            room = room_for(loaded, self.options, corpus.split("train"))
            reader = WordReader(loaded, self.options.max_tokens, room)
            valid = [text for text in corpus.split("valid") if text.label in labels]

            def make(texts: Sequence[Text]) -> _Labelled:
                return _Labelled(texts, reader, labels, parted=self.options.noise is None)

            learnt = ToLearn(training, valid, labels, make)
            told = fit_classifier(loaded.network, learnt, self.options, rng, cut=mixed_batches, fused=True)
        whole = self.options.trained == "all"
        arrays, shared = kept_network(loaded.network, whole=whole)
        values = {"files": files, "labels": list(labels), "pieces_per_word": room, "training": told, "shared": shared}
        return Artefact(values={**values, "whole": whole}, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the weights: losses and gradients, and with them likelihoods and labels."""
        must_be_unchanged(artefact, self.options)
        loaded = load_trained(HEAD, self.options, artefact) if artefact.arrays else load_finished(HEAD, self.options)
        reader = WordReader(loaded, self.options.max_tokens, artefact.values["pieces_per_word"])
        key = None
        if self.options.keep_answers:
            read = {name: getattr(self.options, name) for name in ("max_tokens", "dtype")}
            key = answers_key(artefact, labels=artefact.values["labels"], **read)
        return Grant([TransformersClassifierAccess(reader, artefact.values["labels"], key)])

    def _to_train(self, wanted: set[str]) -> tuple[Loaded, tuple[str, ...]]:
        """The model with its own head where that knows all labels, else with a fresh one for those of the corpus."""
        if self.options.labels:
            names = self.options.labels
        else:
            config = load_for_training(HEAD, self.options).network.config
            own = names_of(config, ()) if config.num_labels > 1 else ()
            names = own if wanted <= set(own) else tuple(sorted(wanted))
        if not wanted <= set(names):
            raise InputError(f"`labels` names {len(names)} labels, and the corpus has {len(wanted - set(names))} more")
        return load_for_training(HEAD, self.options, names), tuple(names)


class TransformersClassifierAccess(GradientAccess):
    """Answers as the model does, its logits in double precision from there on."""

    def __init__(self, reader: WordReader, labels: Sequence[str], key: str | None = None) -> None:
        self._reader, self._labels = reader, tuple(labels)
        self._ask = self._asked if key is None else KeptLikelihoods(key, self._asked)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the model's outputs."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        return self._ask(texts)

    def _asked(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found = np.full((len(texts), len(self._labels)), 1 / len(self._labels))  # of a text with nothing to read
        read = [self._reader.read(text) for text in texts]
        filled = [place for place, text in enumerate(read) if text.numbers]
        for places, logits in self._reader.batches([read[place] for place in filled]):
            found[[filled[place] for place in places]] = logits.double().softmax(dim=1).numpy()
        return found

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        return self._reader.vectors(tokens)

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        wanted = torch.tensor([self.label_index(item.label or "") for item in labels])
        found = inputs.sum(dim=(1, 2)).double() * 0 + np.log(len(self._labels))
        for places, logits, _ in self._reader.from_vectors(inputs):
            rows = torch.from_numpy(places)
            each = torch.nn.functional.cross_entropy(logits.double(), wanted[rows], reduction="none")
            found = found.index_copy(0, rows, each)
        return {"label": found}


class _Labelled(LabelledTexts):
    """Labelled texts as examples to train on, cut to what the model reads.

    Those that are `parted` are read in groups of like length; noise is added to what one pass gives.
    """

    def __init__(self, texts: Sequence[Text], reader: WordReader, labels: Sequence[str], *, parted: bool) -> None:
        self._reader, self._texts = reader, [reader.read(text.tokens).numbers for text in texts]
        self._parted = parted
        super().__init__(texts, [len(text) for text in self._texts], labels)
        self._outputs = len(labels)
        self.pads = reader.pads

    def logits(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """What the network puts out; a text with nothing to read has no opinion."""
        import torch

        del model  # the reader has it
        found = torch.zeros(len(numbers), self._outputs)
        for rows in self._passes(self.lengths[numbers]):
            texts = [self._texts[number] for number in numbers[rows]]
            each = self._reader.padded(texts) if self.pads else self._reader.outputs(torch.tensor(texts))
            found = found.index_copy(0, torch.from_numpy(rows), each)
        return found

    def _passes(self, lengths: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
        """Which texts of a batch are read together: few passes where the network knows padding, else one a length."""
        filled = np.flatnonzero(lengths)
        if not self.pads:
            return [np.flatnonzero(lengths == length) for length in np.unique(lengths[filled])]
        return [filled[group] for group in like_lengths(lengths[filled])] if self._parted else [filled]


def _must_have_names(names: Sequence[str], corpus: Corpus) -> None:
    """A model whose labels have no names of their own can only be told them: the data's are not in its files."""
    unnamed = all(name == f"LABEL_{number}" for number, name in enumerate(names))
    if unnamed and corpus.labels and not set(names) & set(corpus.labels):
        raise InputError(
            f"the model calls its {len(names)} outputs LABEL_0 to LABEL_{len(names) - 1}, and the data has other "
            "labels: name them in the order of its training by target.recipe.labels = [...]"
        )
