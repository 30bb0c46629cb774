"""The next-word model of song2019."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Passage, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.training.recipe import TrainingRecipe
from divulge.targets.word_generators import (
    Followed,
    Steps,
    WordGeneratorAccess,
    known_words,
    split_passages,
    word_steps,
)
from divulge.targets.words import Words

if TYPE_CHECKING:
    from divulge.targets.networks.generator import GeneratorNetwork

__all__ = ["TextGenerator", "TextGeneratorAccess"]

SIZES = {"cell", "width", "hidden", "layers", "dropout"}


class TextGenerator(Target):
    """An LSTM or GRU that predicts the next word; sizes and training as in song2019, appendix B. Or a transformer.

    What a text answers (its context) is read first, then a mark, then the text; only the text's words are predicted.

    As in the paper, the vocabulary is that of the training users' texts. So it leaks by itself: the share of a
    person's words outside of it tells members from others without any likelihood. A word outside of it is answered
    as the unknown word, no more; how often that happens is what leaks. Give `words` of public text, and what leaks
    then is what the model has learnt.
    """

    name = "text-generator"
    summary = "a next-word model (LSTM, GRU or causal transformer), trained from scratch on its users' texts"
    grants = (TokenLikelihoodAccess,)
    hints = (Gaps, UserTexts, RecordText)
    trial: ClassVar = {"epochs": 3, "width": 16, "hidden": 16, "dropout": 0.0, "learning_rate": 1e-2}

    class Options(TrainingRecipe):
        """The kind of cell, the sizes of the network, and the words it knows: those given, or the most frequent.

        Of a transformer `width` is that of its states, `hidden` that of its feed-forward part; only it has `heads`.
        """

        epochs: Annotated[int, Field(ge=1)] = 30
        batch_size: Annotated[int, Field(ge=1)] = 35
        cell: Literal["lstm", "gru", "transformer"] = "lstm"
        width: Annotated[int, Field(ge=1)] = 128
        hidden: Annotated[int, Field(ge=1)] = 128
        layers: Annotated[int, Field(ge=1)] = 1
        heads: Annotated[int, Field(ge=1)] = 4
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
        most_words: Annotated[int, Field(ge=1)] = 5000
        words: tuple[str, ...] = ()

        @model_validator(mode="after")
        def _heads_fit(self) -> TextGenerator.Options:
            if self.cell == "transformer" and self.width % self.heads:
                raise ValueError(f"width must be a multiple of heads. Got {self.width} and {self.heads}")
            return self

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the training split; the validation split, where there is one, tells when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.weights import kept_weights
        from divulge.targets.training.sgd import fit

        training = split_passages(corpus, "train")
        if not training:
            raise InputError(f"{corpus.name}: a text generator needs training texts, and none here has a word")
        texts = ((*passage.context, *passage.tokens) for passage in training)
        words = known_words(self.options.words, texts, self.options.most_words)
        sized = SIZES | {"heads"} if self.options.cell == "transformer" else SIZES
        sizes = self.options.model_dump(mode="json", include=sized)
        examples, held = (_followed(some, Words(words)) for some in (training, split_passages(corpus, "valid")))
        with settled(rng):
            model = _network(words, sizes)
            told = fit(model, examples, held, self.options, rng)
        return Artefact(values={"words": words, "sizes": sizes, "training": told}, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        return Grant([TextGeneratorAccess(artefact)])


class TextGeneratorAccess(WordGeneratorAccess):
    """Reads a passage's context, a mark and its words as one."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        values: Any = artefact.values
        network = _network(values["words"], values["sizes"])
        super().__init__(with_weights(network, artefact.arrays), Words(values["words"]))

    def _steps(self, passages: Sequence[Passage]) -> Steps:
        return word_steps(passages, self._words)


def _followed(passages: Sequence[Passage], words: Words) -> Followed:
    lengths = np.array([len(p.context) + len(p.tokens) for p in passages], dtype=np.int64)
    return Followed(word_steps(passages, words), lengths)


def _network(words: Sequence[str], sizes: dict[str, Any]) -> GeneratorNetwork:
    from divulge.targets.networks.generator import GeneratorNetwork

    known = len(Words(words))
    return GeneratorNetwork(known + 1, known - 1, **sizes)  # reads the mark too; never says padding
