"""A causal language model of your own in a transformers folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from divulge.access import TokenLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Passage, Record, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.own.transformers_folder import FolderOptions, Head, folder_faults, folder_hashes, must_be_unchanged
from divulge.targets.own.transformers_loading import (
    Loaded,
    kept_network,
    load_finished,
    load_for_training,
    load_trained,
)
from divulge.targets.own.transformers_passages import PassageReader
from divulge.targets.own.transformers_words import of_one_length
from divulge.targets.scored_tokens import Answer, ScoredTokensAccess

if TYPE_CHECKING:
    import torch

__all__ = ["TransformersGenerator", "TransformersGeneratorAccess"]

HEAD: Head = "causal-lm"


class TransformersGenerator(Target):
    """Any model that `AutoModelForCausalLM` reads, as it lies in its folder or trained further.

    A text is its words with one space between any two, after its context and one more space; ranks and likelihoods are
    given for the pieces that the model's own tokenizer cuts it into. Before all of it stands the token that begins a
    text or, where the tokenizer has none, that which ends one. Without either, nothing tells what a text begins with:
    all pieces are equally likely for its first place. What does not fit into `max_tokens` is left out: first of the
    context, from its start, then of the text, from its end.
    """

    name = "transformers-generator"
    summary = "a causal language model of your own in a local transformers folder, also with a PEFT adapter"
    grants = (TokenLikelihoodAccess,)
    hints = (Gaps, UserTexts, RecordText)
    learns = False
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 2, "learning_rate": 3e-3}  # and a path to start from

    class Options(FolderOptions):
        """The folder, and how the model is trained further."""

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self.learns = self.options.epochs > 0
        problems = folder_faults(self.options, HEAD)
        if problems:
            raise InputError(problems)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Reads the model, or trains it further on the train split."""
        files = folder_hashes(self.options)
        if not self.options.epochs:
            _must_be_causal(load_finished(HEAD, self.options), self.options.path)
            return Artefact(values={"files": files})
        from divulge.seeds import settled
        from divulge.targets.training.sgd import fit

        training = _passages(corpus, "train")
        if not training:
            raise InputError(f"{corpus.name}: a generator needs training texts, and none here has a word")
        with settled(rng):
            loaded = load_for_training(HEAD, self.options)
            _must_be_causal(loaded, self.options.path)
            reader = PassageReader(loaded, self.options.max_tokens)
            seen, checked = (_Followed(some, reader) for some in (training, _passages(corpus, "valid")))
            told = fit(loaded.network, seen, checked, self.options, rng)
        arrays, shared = kept_network(loaded.network)
        return Artefact(values={"files": files, "training": told, "shared": shared}, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        must_be_unchanged(artefact, self.options)
        loaded = load_trained(HEAD, self.options, artefact) if artefact.arrays else load_finished(HEAD, self.options)
        return Grant([TransformersGeneratorAccess(PassageReader(loaded, self.options.max_tokens))])


class TransformersGeneratorAccess(ScoredTokensAccess):
    """Answers from one pass over each passage, never holding the scores of more than a few positions."""

    def __init__(self, reader: PassageReader) -> None:
        self._reader = reader

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokenizer's pieces by number; numbers that it has none for have a name that spells no text."""
        return self._reader.names

    def pieces(self, passages: Sequence[Passage]) -> list[TokenTuple]:
        """The pieces that the tokenizer cuts each passage into, as they are spelt in its vocabulary."""
        names = self._reader.names
        return [tuple(names[number] for number in read.text) for read in self._reader.read(passages)]

    def _answers(self, passages: Sequence[Passage], answer: Answer) -> list[npt.NDArray[Any]]:
        """For each passage what `answer` makes of the scores (N, pieces) and the true piece (N,) at its positions."""
        import torch

        found: list[npt.NDArray[Any]] = [np.empty(0)] * len(passages)
        read, reader = self._reader.read(passages), self._reader
        filled = [place for place, one in enumerate(read) if one.text]
        lengths = [len(read[place].before) + len(read[place].text) for place in filled]
        with torch.no_grad():
            for chosen in of_one_length(lengths, reader.at_once):
                places = [filled[number] for number in chosen]
                for place, row in zip(places, reader.scored([read[place] for place in places], answer), strict=True):
                    found[place] = row
        return found


class _Followed:
    """Passages as examples to train on."""

    def __init__(self, passages: Sequence[Passage], reader: PassageReader) -> None:
        self._reader, self._read = reader, [one for one in reader.read(passages) if one.text]
        self.lengths = np.array([len(one.before) + len(one.text) for one in self._read], dtype=np.int64)
        # So that the mean over texts is a mean over pieces, and a long text weighs as much as its pieces do.
        self._usual = sum(len(one.text) for one in self._read) / max(1, len(self._read))

    def losses(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The summed cross-entropy of each text's pieces, in units of a text of usual length; (B,)."""
        import torch

        del model  # the reader has it
        found = torch.zeros(len(numbers))
        for length in np.unique(self.lengths[numbers]):
            rows = np.flatnonzero(self.lengths[numbers] == length)
            each = self._reader.loss([self._read[number] for number in numbers[rows]])
            found = found.index_copy(0, torch.from_numpy(rows), each)
        return found / self._usual


def _passages(corpus: Corpus, split: str) -> list[Passage]:
    return [Passage(context=text.context, tokens=text.tokens) for text in corpus.split(split) if text.tokens]


def _must_be_causal(loaded: Loaded, path: str) -> None:
    """What comes later must not change what is said before: a model that reads both ways predicts nothing."""
    import torch

    training = loaded.network.training
    loaded.network.eval()
    with torch.no_grad():
        one, other = (loaded.network(input_ids=torch.tensor([row])).logits[0, 0] for row in ([0, 1, 2], [0, 2, 1]))
    loaded.network.train(training)
    if not torch.allclose(one, other, rtol=1e-3, atol=1e-4):
        raise InputError(f"{path}: reads a text both ways, so that it is no causal language model")
