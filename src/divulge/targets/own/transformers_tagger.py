"""A tagger of words (as in named entity recognition) of your own in a transformers folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from divulge.access import GradientAccess, Supervision, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText, Text
from divulge.targets.base import Target
from divulge.targets.own.transformers_folder import (
    Head,
    HeadOptions,
    folder_faults,
    folder_hashes,
    must_be_unchanged,
)
from divulge.targets.own.transformers_lengths import overlong, room_for
from divulge.targets.own.transformers_loading import (
    kept_network,
    load_finished,
    load_for_training,
    load_trained,
    names_of,
)
from divulge.targets.own.transformers_names import known_names, name_misfits
from divulge.targets.own.transformers_words import ReadText, WordReader

if TYPE_CHECKING:
    import torch

__all__ = ["TransformersTagger", "TransformersTaggerAccess"]

HEAD: Head = "token-classification"
OUTSIDE = "O"


class TransformersTagger(Target):
    """Any model that `AutoModelForTokenClassification` reads, as it lies in its folder or trained further.

    A word's tag is that of its first piece, as such models are trained; the loss of a text is the mean over its words.
    Words are read with one space between any two. A word that the tokenizer drops, or that lies behind `max_tokens`
    pieces, is not read: all tags are equally likely for it. With `epochs` the model learns the tags of the corpus.
    """

    name = "transformers-tagger"
    summary = "a tagger of words (NER) of your own in a local transformers folder, also with a PEFT adapter"
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    is_tagger = True
    labels_texts = False
    learns = False
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 5, "learning_rate": 3e-3}  # and a path to start from

    class Options(HeadOptions):
        """The folder; `labels` names the model's tags in order, where its configuration does not."""

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self.learns = self.options.epochs > 0
        problems = folder_faults(self.options, HEAD)
        if problems:
            raise InputError(problems)

    @property
    def known_tags(self) -> tuple[str, ...]:
        """Those of the recipe, or of the folder's configuration."""
        return known_names(self.options)

    def misfits(self, corpus: Corpus) -> list[str]:
        """Tags of the data that are none of the model's."""
        return name_misfits(self.options, {tag for text in corpus for tag in text.tags or ()}, "tags")

    def overlong(self, texts: Sequence[TokenTuple]) -> str | None:
        """Tells of texts that are cut at their end."""
        return overlong(HEAD, self.options, texts)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Reads the model, or trains it further on the train split."""
        files = folder_hashes(self.options)
        if not self.options.epochs:
            names = names_of(load_finished(HEAD, self.options).network.config, self.options.labels)
            room = room_for(load_finished(HEAD, self.options), self.options, corpus)
            return Artefact(values={"files": files, "labels": list(names), "pieces_per_word": room})
        from divulge.seeds import settled
        from divulge.targets.training.sgd import fit

        training = _tagged(corpus, "train")
        wanted = {tag for text in training for tag in text.tags or ()}
        if len(wanted) < 2:
            raise InputError(f"{corpus.name}: a tagger learns from tagged texts of at least 2 tags")
        with settled(rng):
            tags = self._tags_to_learn(wanted)
            loaded = load_for_training(HEAD, self.options, tags)
            room = room_for(loaded, self.options, corpus.split("train"))
            reader = WordReader(loaded, self.options.max_tokens, room)
            valid = [text for text in _tagged(corpus, "valid") if set(text.tags or ()) <= set(tags)]
            seen, checked = (_Tagged(texts, reader, tags) for texts in (training, valid))
            told = fit(loaded.network, seen, checked, self.options, rng)
        arrays, shared = kept_network(loaded.network)
        values = {"files": files, "labels": list(tags), "pieces_per_word": room, "training": told, "shared": shared}
        return Artefact(values=values, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the weights: losses and gradients, and with them tags and their likelihoods."""
        must_be_unchanged(artefact, self.options)
        loaded = load_trained(HEAD, self.options, artefact) if artefact.arrays else load_finished(HEAD, self.options)
        reader = WordReader(loaded, self.options.max_tokens, artefact.values["pieces_per_word"])
        return Grant([TransformersTaggerAccess(reader, artefact.values["labels"])])

    def _tags_to_learn(self, wanted: set[str]) -> tuple[str, ...]:
        """The model's own tags where they are enough, else those of the corpus."""
        if self.options.labels:
            if not wanted <= set(self.options.labels):
                raise InputError(f"`labels` names {len(self.options.labels)} tags, and the corpus has others")
            return tuple(self.options.labels)
        config = load_for_training(HEAD, self.options).network.config
        own = names_of(config, ()) if config.num_labels > 1 else ()
        return own if wanted <= set(own) else tuple(sorted(wanted))


class TransformersTaggerAccess(GradientAccess):
    """Answers for the first piece of each word, its logits in double precision from there on."""

    def __init__(self, reader: WordReader, tags: Sequence[str]) -> None:
        self._reader, self._names = reader, tuple(tags)

    @property
    def labels(self) -> tuple[str, ...]:
        """None: texts have no label here."""
        return ()

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The names of the model's outputs."""
        return self._names

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        del texts
        raise ExecutionError("this model gives tags to words, and no labels to texts")

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [rows for rows, _ in self._answers(texts)]

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        unread = OUTSIDE if OUTSIDE in self._names else self._names[0]
        return [
            tuple(
                unread if first < 0 else self._names[number]
                for number, first in zip(rows.argmax(axis=1), firsts, strict=True)
            )
            for rows, firsts in self._answers(texts)
        ]

    def _answers(self, texts: Sequence[TokenTuple]) -> list[tuple[FloatArray, list[int]]]:
        """For each text the likelihoods of tags (words, tags), and which words were read."""
        read = [self._reader.read(text) for text in texts]
        found = [np.full((len(text), len(self._names)), 1 / len(self._names)) for text in texts]
        filled = [place for place, text in enumerate(read) if any(first >= 0 for first in text.firsts)]
        for places, logits in self._reader.batches([read[place] for place in filled]):
            for place, rows in zip(places, logits.double().softmax(dim=2).numpy(), strict=True):
                firsts = np.array(read[filled[place]].firsts)
                found[filled[place]][firsts >= 0] = rows[firsts[firsts >= 0]]
        return [(rows, text.firsts) for rows, text in zip(found, read, strict=True)]

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        return self._reader.vectors(tokens)

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        import torch

        wanted = self._wanted(labels, inputs.shape[1])
        found = inputs.sum(dim=(1, 2)).double() * 0
        for places, logits, firsts in self._reader.from_vectors(inputs):
            each = _mean_losses(logits.double(), firsts, [wanted[place] for place in places])
            found = found.index_copy(0, torch.from_numpy(places), each)
        return {"tags": found}

    def _wanted(self, labels: Sequence[Supervision], words: int) -> list[list[int]]:
        numbers = {tag: number for number, tag in enumerate(self._names)}
        for item in labels:
            given = item.tags or ()
            if len(given) != words:
                raise InputError(f"the loss of a tagger needs one tag per word: {words} words, {len(given)} tags")
            unknown = len(set(given) - set(numbers))
            if unknown:
                raise InputError(f"the model knows {len(numbers)} tags, and {unknown} of those asked about are none")
        return [[numbers[tag] for tag in item.tags or ()] for item in labels]


class _Tagged:
    """Tagged texts as examples to train on."""

    def __init__(self, texts: Sequence[Text], reader: WordReader, tags: Sequence[str]) -> None:
        numbers = {tag: number for number, tag in enumerate(tags)}
        self._reader, self._texts = reader, [reader.read(text.tokens) for text in texts]
        self._wanted = [[numbers[tag] for tag in text.tags or ()] for text in texts]
        self.lengths = np.array([len(text.numbers) for text in self._texts], dtype=np.int64)

    def losses(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The mean cross-entropy over the words of each text; (B,)."""
        import torch

        del model  # the reader has it
        found = torch.zeros(len(numbers))
        for length in np.unique(self.lengths[numbers]):
            rows = np.flatnonzero(self.lengths[numbers] == length)
            texts: list[ReadText] = [self._texts[number] for number in numbers[rows]]
            logits = self._reader.outputs(torch.tensor([text.numbers for text in texts]))
            wanted = [self._wanted[number] for number in numbers[rows]]
            each = _mean_losses(logits, [text.firsts for text in texts], wanted)
            found = found.index_copy(0, torch.from_numpy(rows), each)
        return found


def _tagged(corpus: Corpus, split: str) -> list[Text]:
    return [text for text in corpus.split(split) if text.tokens and text.tags is not None]


def _mean_losses(
    logits: torch.Tensor, firsts: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]]
) -> torch.Tensor:
    """The mean over the words that were read of what their first pieces lose; (B, T, tags) -> (B,)."""
    import torch

    widest = max(len(row) for row in firsts)
    asked = torch.tensor([[*row, *[-1] * (widest - len(row))] for row in firsts])  # (B, words)
    tags = torch.tensor([[*row, *[0] * (widest - len(row))] for row in wanted])
    read = asked >= 0
    # (B, words, tags), whatever stands for words that were not read
    at_words = logits.gather(1, asked.clamp(min=0)[:, :, None].expand(-1, -1, logits.shape[2]))
    each = torch.nn.functional.cross_entropy(at_words.transpose(1, 2), tags, reduction="none")
    return (each * read).sum(dim=1) / read.sum(dim=1).clamp(min=1)
