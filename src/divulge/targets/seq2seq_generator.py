"""The translator and the dialog model of song2019: a source is read, then the text is said word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Passage, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.own.likelihoods_kept import answers_key
from divulge.targets.training.generator_recipe import GeneratorRecipe
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
    from divulge.targets.networks.seq2seq import Seq2SeqNetwork

__all__ = ["Seq2SeqGenerator", "Seq2SeqGeneratorAccess"]

SIZES = {"cell", "width", "hidden", "layers", "dropout", "attention"}
NEEDED = "This model says a text in answer to another: give each text what it translates or answers as its context"


class Seq2SeqGenerator(Target):
    """An encoder and a decoder (LSTM or GRU); sizes and training as in song2019, appendix B.

    What a text translates or answers (its context) is the source; only the text's words are predicted. With attention
    it is the paper's translator, without its dialog model.

    As in the paper, the vocabularies are those of the training users' texts, which leak by themselves: see the text
    generator. `words` of public text are the words that it can say; `source_words`, unless the vocabulary is shared,
    those that it can read. Training that keeps whole users private (`federated`) is the text generator's alone.
    """

    name = "seq2seq-generator"
    summary = "an encoder and decoder (LSTM or GRU) for translation or dialog, trained from scratch on users' texts"
    grants = (TokenLikelihoodAccess,)
    hints = (UserTexts, RecordText)
    trial: ClassVar = {"epochs": 3, "width": 16, "hidden": 16, "dropout": 0.0, "learning_rate": 1e-2}

    class Options(GeneratorRecipe):
        """The cell, the sizes, whether it attends to the source, and the words of either side.

        A shared vocabulary is for a source in the same language: one list of words, and one vector for each.
        """

        epochs: Annotated[int, Field(ge=1)] = 30
        batch_size: Annotated[int, Field(ge=1)] = 20
        cell: Literal["lstm", "gru"] = "lstm"
        attention: bool = True
        width: Annotated[int, Field(ge=1)] = 128
        hidden: Annotated[int, Field(ge=1)] = 128
        layers: Annotated[int, Field(ge=1)] = 1
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
        most_words: Annotated[int, Field(ge=1)] = 5000
        shared_vocabulary: bool = False
        words: tuple[str, ...] = ()
        keep_answers: bool = False  # ranks, beside the store: for audits that ask the same at several output limits
        words_from: str | None = None  # public texts, by name, or a file: an audit puts their words into `words`
        source_words: tuple[str, ...] = ()

        @model_validator(mode="after")
        def _has_one_list_if_shared(self) -> Seq2SeqGenerator.Options:
            if self.shared_vocabulary and self.source_words:
                raise ValueError(
                    "source_words are for a vocabulary of the source's own: leave them out, or set "
                    "shared_vocabulary = false"
                )
            return self

    def misfits(self, corpus: Corpus) -> list[str]:
        """Texts without a context: there is nothing that they translate or answer."""
        spoken = [text for text in corpus if text.tokens]
        lacking = sum(not text.context for text in spoken)
        return [f"{corpus.name}: {lacking} of {len(spoken)} texts have no context. {NEEDED}"] if lacking else []

    @property
    def told_words(self) -> frozenset[str] | None:
        """The words of its recipe; without them its vocabulary is that of the texts it learns from."""
        return frozenset(self.options.words) or None

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the training split; the validation split, where there is one, tells when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.weights import kept_weights
        from divulge.targets.training.batches import even_batches
        from divulge.targets.training.sgd import fit

        training, held = (split_passages(corpus, split) for split in ("train", "valid"))
        if not training:
            raise InputError(f"{corpus.name}: a generator needs training texts, and none here has a word")
        lacking = sum(not passage.context for passage in (*training, *held))
        if lacking:
            said = f"{lacking} of {len(training) + len(held)} training and validation texts have no context"
            raise InputError(f"{corpus.name}: {said}. {NEEDED}")
        words, sources = self._vocabularies(training)
        sizes = self.options.model_dump(mode="json", include=SIZES)
        with settled(rng):
            model = _network(words, sources, sizes)
            examples, checked = (_followed(some, words, sources) for some in (training, held))
            told = fit(model, examples, checked, self.options, rng, cut=even_batches, fused=True)
        values = {"words": words, "source_words": sources, "sizes": sizes, "training": told}
        return Artefact(values=values, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        access = Seq2SeqGeneratorAccess(artefact)
        if self.options.keep_answers:
            access.keeping(answers_key(artefact, told={"words": artefact.values["words"], "kind": self.name}))
        return Grant([access])

    def _vocabularies(self, training: Sequence[Passage]) -> tuple[list[str], list[str] | None]:
        """The words of the text, and those of the source; None where they are the same."""
        options, texts, sources = self.options, [p.tokens for p in training], [p.context for p in training]
        if options.shared_vocabulary:
            return known_words(options.words, [*sources, *texts], options.most_words), None
        return (
            known_words(options.words, texts, options.most_words),
            known_words(options.source_words, sources, options.most_words),
        )


class Seq2SeqGeneratorAccess(WordGeneratorAccess):
    """Reads a passage's context as the source; a passage without one is refused."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        values: Any = artefact.values
        network = _network(values["words"], values["source_words"], values["sizes"])
        super().__init__(with_weights(network, artefact.arrays), Words(values["words"]))
        self._sources = self._words if values["source_words"] is None else Words(values["source_words"])

    def _steps(self, passages: Sequence[Passage]) -> Steps:
        if not all(passage.context for passage in passages):
            raise InputError(f"there are texts without a context among those that are asked about. {NEEDED}")
        return _steps(passages, self._words, self._sources)


def _followed(passages: Sequence[Passage], words: Sequence[str], sources: Sequence[str] | None) -> Followed:
    said = Words(words)
    read = said if sources is None else Words(sources)
    # Sources of one length need no packing, whatever the lengths of what is said.
    return Followed(_steps(passages, said, read), np.array([len(p.context) for p in passages], dtype=np.int64))


def _steps(passages: Sequence[Passage], words: Words, sources: Words) -> Steps:
    said = word_steps([Passage(tokens=passage.tokens) for passage in passages], words)
    return said._replace(shown=(sources.numbers([passage.context for passage in passages]), *said.shown))


def _network(words: Sequence[str], sources: Sequence[str] | None, sizes: dict[str, Any]) -> Seq2SeqNetwork:
    from divulge.targets.networks.seq2seq import Seq2SeqNetwork

    known = len(Words(words))
    read = None if sources is None else len(Words(sources))
    return Seq2SeqNetwork(read, known + 1, known - 1, **sizes)  # is shown the mark too; never says padding
