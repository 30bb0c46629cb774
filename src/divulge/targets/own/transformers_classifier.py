"""A text classifier of your own in a transformers folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText, Text
from divulge.targets.base import Target
from divulge.targets.own.transformers_folder import (
    FolderOptions,
    Head,
    folder_faults,
    folder_hashes,
    must_be_unchanged,
    name_misfits,
)
from divulge.targets.own.transformers_loading import (
    Loaded,
    kept_network,
    load_finished,
    load_for_training,
    load_trained,
    names_of,
)
from divulge.targets.own.transformers_words import WordReader

if TYPE_CHECKING:
    import torch

__all__ = ["TransformersClassifier", "TransformersClassifierAccess", "room_for"]

HEAD: Head = "sequence-classification"
FEWEST_PIECES, MOST_PIECES = 8, 16  # of a word, that there is room for where the recipe does not say


class TransformersClassifier(Target):
    """Any model that `AutoModelForSequenceClassification` reads, as it lies in its folder or trained further.

    A text is its words with one space between any two, so that odd spacing of the original is lost; a byte-level
    tokenizer reads the first word as one that follows a space. A text of more than `max_tokens` pieces is cut at its
    end. With `epochs` the model learns the corpus; its head is a fresh one where the corpus has other labels.
    """

    name = "transformers-classifier"
    summary = "a text classifier of your own in a local transformers folder, also with a PEFT adapter"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    learns = False
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 8, "learning_rate": 3e-3}  # and a path to start from

    class Options(FolderOptions):
        """The folder; `labels` names the model's outputs in order, where its configuration does not.

        `pieces_per_word` is how many pieces of a word there is room for in its vector; by default as many as the
        words of the corpus need, from 8 to 16.
        """

        labels: tuple[str, ...] = ()
        pieces_per_word: Annotated[int, Field(ge=1)] | None = None

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self.learns = self.options.epochs > 0
        problems = folder_faults(self.options, HEAD)
        if problems:
            raise InputError(problems)

    def misfits(self, corpus: Corpus) -> list[str]:
        """Labels of the data that are none of the model's."""
        return name_misfits(self.options, corpus.labels, "labels")

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Reads the model, or trains it further on the train split."""
        files = folder_hashes(self.options)
        if not self.options.epochs:
            names = names_of(load_finished(HEAD, self.options).network.config, self.options.labels)
            _must_have_names(names, corpus)
            room = room_for(load_finished(HEAD, self.options), self.options, corpus)
            return Artefact(values={"files": files, "labels": list(names), "pieces_per_word": room})
        from divulge.seeds import settled
        from divulge.targets.training.sgd import fit

        training = [text for text in corpus.split("train") if text.label is not None]
        if len({text.label for text in training}) < 2:
            raise InputError(f"{corpus.name}: a classifier learns from texts of at least 2 labels")
        with settled(rng):
            loaded, labels = self._to_train({text.label or "" for text in training})
            room = room_for(loaded, self.options, corpus.split("train"))
            reader = WordReader(loaded, self.options.max_tokens, room)
            valid = [text for text in corpus.split("valid") if text.label in labels]
            seen, checked = (_Labelled(texts, reader, labels) for texts in (training, valid))
            told = fit(loaded.network, seen, checked, self.options, rng)
        arrays, shared = kept_network(loaded.network)
        values = {"files": files, "labels": list(labels), "pieces_per_word": room, "training": told, "shared": shared}
        return Artefact(values=values, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the weights: losses and gradients, and with them likelihoods and labels."""
        must_be_unchanged(artefact, self.options)
        loaded = load_trained(HEAD, self.options, artefact) if artefact.arrays else load_finished(HEAD, self.options)
        reader = WordReader(loaded, self.options.max_tokens, artefact.values["pieces_per_word"])
        return Grant([TransformersClassifierAccess(reader, artefact.values["labels"])])

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

    def __init__(self, reader: WordReader, labels: Sequence[str]) -> None:
        self._reader, self._labels = reader, tuple(labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the model's outputs."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
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


def room_for(loaded: Loaded, options: TransformersClassifier.Options, corpus: Corpus) -> int:
    """How many pieces of a word its vector has room for."""
    if options.pieces_per_word is not None:
        return options.pieces_per_word
    cut = WordReader(loaded, options.max_tokens, FEWEST_PIECES).pieces(
        sorted({word for text in corpus for word in text.tokens})
    )
    return min(MOST_PIECES, max([FEWEST_PIECES, *map(len, cut)]))


class _Labelled:
    """Labelled texts as examples to train on."""

    def __init__(self, texts: Sequence[Text], reader: WordReader, labels: Sequence[str]) -> None:
        self._reader, self._texts = reader, [reader.read(text.tokens) for text in texts]
        self._wanted = np.array([labels.index(text.label or "") for text in texts], dtype=np.int64)
        self.lengths = np.array([len(text.numbers) for text in self._texts], dtype=np.int64)

    def losses(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The cross-entropy of each text's label; (B,)."""
        import torch

        del model  # the reader has it
        found = torch.zeros(len(numbers))
        for length in np.unique(self.lengths[numbers]):
            rows = np.flatnonzero(self.lengths[numbers] == length)
            if length:
                logits = self._reader.outputs(torch.tensor([self._texts[numbers[row]].numbers for row in rows]))
                wanted = torch.from_numpy(self._wanted[numbers[rows]])
                each = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
                found = found.index_copy(0, torch.from_numpy(rows), each)
        return found


def _must_have_names(names: Sequence[str], corpus: Corpus) -> None:
    """A model whose labels have no names of their own can only be told them: the data's are not in its files."""
    unnamed = all(name == f"LABEL_{number}" for number, name in enumerate(names))
    if unnamed and corpus.labels and not set(names) & set(corpus.labels):
        raise InputError(
            f"the model calls its {len(names)} outputs LABEL_0 to LABEL_{len(names) - 1}, and the data has other "
            "labels: name them in the order of its training by target.recipe.labels = [...]"
        )
