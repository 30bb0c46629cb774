"""The intent and slot tagger of parikh2022, small enough to train on a laptop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from divulge.access import GradientAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, RecordText
from divulge.targets.base import Target
from divulge.targets.nlu_tagger_access import NluTaggerAccess, network_of
from divulge.targets.tagged_texts import TaggedTexts, Towards, tagged
from divulge.targets.training.recipe import PrivateRecipe, private_problems
from divulge.targets.vectors import WordVectors, files_of, make_vectors
from divulge.targets.words import Words, frequent_words

if TYPE_CHECKING:
    from divulge.targets.networks.tagger import TaggerNetwork

__all__ = ["NluTagger"]

SIZES = ("width", "hidden", "layers", "dropout", "tune_vectors", "drops_when_asked")


class NluTagger(Target):
    """Word vectors -> two bidirectional LSTM layers -> intent softmax and a CRF over slot tags; loss = the sum of both.

    Paper: parikh2022, section 4.1. Epochs, hidden and batch size are not printed there; the recipe says what is used.
    `vectors` names where word vectors come from: "random" (drawn by the word's own name, so that every word has one),
    "glove" (a data set), "fasttext" (trained on the corpus itself), or a file. They stay as they are unless
    `tune_vectors` trains them too; then words outside the training texts share one vector, and no loss can tell them
    apart. `characters` appends what a character CNN reads of each word. `drops_when_asked` leaves dropout on when the
    model answers.
    """

    name = "nlu-tagger"
    summary = "an intent and slot tagger: word vectors, bidirectional LSTM, intent head and CRF"
    revision = 2
    grants = (GradientAccess,)
    hints = (Gaps, RecordText)
    is_tagger = True
    trial: ClassVar[Mapping[str, Any]] = {"epochs": 8, "width": 24, "hidden": 12, "layers": 1, "learning_rate": 0.02}

    class Options(PrivateRecipe):
        """The training recipe, and the size of the network."""

        width: Annotated[int, Field(ge=1)] = 100  # of a word's vector
        hidden: Annotated[int, Field(ge=1)] = 64  # in each direction
        layers: Annotated[int, Field(ge=1)] = 2
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
        vectors: str = "random"
        vectors_seed: int = 0  # of drawn vectors: as public ones are, they are the same in all models
        tune_vectors: bool = False
        characters: bool = False
        drops_when_asked: bool = False

        @model_validator(mode="after")
        def _is_private_throughout(self) -> Self:
            problems = private_problems(
                self, tune_vectors=self.tune_vectors, characters=self.characters, vectors=self.vectors
            )
            if problems:
                raise ValueError("; ".join(problems))
            return self

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of word vectors, where they come from one."""
        return files_of(self.options.vectors)

    def misfits(self, corpus: Corpus) -> list[str]:
        """A vector file that is none, or of another width."""
        del corpus
        try:
            if self.files:
                make_vectors(self.options.vectors, (), self.options.width, 0)
        except InputError as error:
            return list(error.problems)
        return []

    def cautions(self, corpus: Corpus, words: Sequence[str], what: str) -> list[str]:
        """Words without a vector of their own."""
        if self.options.tune_vectors:
            seen = {token for text in corpus if text.split == "train" for token in text.tokens}
            strange = sum(word not in seen for word in words)
            said = "are in no training text and share one vector, that of the unknown word: no loss can tell them apart"
        elif self.files:
            strange = len(make_vectors(self.options.vectors, (), self.options.width, 0).lacking(words))
            said = f"have no vector in {self.options.vectors}: theirs are drawn at random"
        else:
            return []
        return [f"{strange} of {len(words)} {what} {said}"] if strange else []

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the train split; the valid split only decides when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.characters import alphabet_of
        from divulge.targets.networks.weights import kept_weights

        training = tagged(corpus.split("train").texts)
        texts = [text.tokens for text in training]
        known = frequent_words(texts)
        vectors = make_vectors(self.options.vectors, texts, self.options.width, self.options.vectors_seed)
        kept, arrays = vectors.kept()
        values = {
            "words": known,
            "labels": sorted({text.label or "" for text in training}),
            "tags": sorted({tag for text in training for tag in text.tags or ()}),
            "vectors": kept,
            "alphabet": alphabet_of(known) if self.options.characters else None,
            **{name: getattr(self.options, name) for name in SIZES},
            "mask_seed": int(rng.integers(2**32)),
        }
        words, towards = Words(values["words"]), Towards(values["labels"], values["tags"])
        valid = [text for text in corpus.split("valid").texts if towards.covers(text)]
        with settled(rng):
            model = self._started(values, vectors, words)
            seen, checked = (TaggedTexts(chosen, words, towards) for chosen in (training, valid))
            history = self._fit(model, seen, checked, rng)
        weights = {f"network.{name}": array for name, array in kept_weights(model).items()}
        named = {f"vectors.{name}": array for name, array in arrays.items()}
        return Artefact(values={**values, "training": history}, arrays={**weights, **named})

    def open(self, artefact: Artefact) -> Grant:
        """Grants the weights: losses and gradients, and with them likelihoods, labels and tags."""
        return Grant([NluTaggerAccess(artefact)])

    def _started(self, values: Mapping[str, Any], vectors: WordVectors, words: Words) -> TaggerNetwork:
        import torch

        model = network_of(values)
        with torch.no_grad():
            model.embedding.weight[1:] = torch.from_numpy(vectors.of(words.words[1:]))
        model.embedding.weight.requires_grad_(self.options.tune_vectors)
        return model

    def _fit(
        self, model: TaggerNetwork, training: TaggedTexts, validation: TaggedTexts, rng: np.random.Generator
    ) -> dict[str, Any]:
        if self.options.noise is not None:
            from divulge.targets.training.dp_sgd import fit_privately

            return fit_privately(model, training, self.options, rng)
        from divulge.targets.training.batches import even_batches
        from divulge.targets.training.sgd import fit

        return fit(model, training, validation, self.options, rng, cut=even_batches)
