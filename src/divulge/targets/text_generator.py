"""The next-word model of song2019."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Passage, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.own.likelihoods_kept import answers_key
from divulge.targets.training.generator_recipe import Federated, GeneratorRecipe, federated_problems
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

    class Options(GeneratorRecipe):
        """The kind of cell, the sizes of the network, and the words it knows: those given, or the most frequent.

        Of a transformer `width` is that of its states, `hidden` that of its feed-forward part; only it has `heads`.
        Trained `federated`, epochs, batch size, learning rate, clip and optimizer are those of users, told there.
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
        keep_answers: bool = False  # ranks, beside the store: for audits that ask the same at several output limits
        words_from: str | None = None  # public texts, by name, or a file: an audit puts their words into `words`
        federated: Federated | None = None

        @field_validator("federated", mode="before")
        @classmethod
        def _read(cls, value: Any) -> Any:
            """A table; what a validator has looked at before is no JSON any more, and would be refused."""
            return Federated.model_validate(value) if isinstance(value, dict) else value

        @model_validator(mode="after")
        def _fits_together(self) -> Self:
            public = bool(self.words) or self.words_from is not None
            problems = federated_problems(self, self.federated, public_words=public)
            if self.cell == "transformer" and self.width % self.heads:
                problems.append(f"width must be a multiple of heads. Got {self.width} and {self.heads}")
            if problems:
                raise ValueError("; ".join(problems))
            return self

    @property
    def told_words(self) -> frozenset[str] | None:
        """The words of its recipe; without them its vocabulary is that of the texts it learns from."""
        return frozenset(self.options.words) or None

    @property
    def is_private(self) -> bool:
        """Whether it is trained with noise that hides its users."""
        return self.options.federated is not None and self.options.federated.is_private

    def misfits(self, corpus: Corpus) -> list[str]:
        """Texts of nobody, where it is trained user by user."""
        training = [text for text in corpus.split("train") if text.tokens]
        nobodys = sum(text.user is None for text in training)
        if self.options.federated is None or not nobodys:
            return []
        said = f"{nobodys} of {len(training)} training texts have no user, and federated training goes by users"
        todo = "Give each text its user (canaries have none: ask about users), or set federated = null"
        return [f"{corpus.name}: {said}. {todo}"]

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the training split, user by user if federated; else the validation split may tell when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.weights import kept_weights
        from divulge.targets.training.dp_fedavg import fit_federated
        from divulge.targets.training.sgd import fit

        training = split_passages(corpus, "train")
        if not training:
            raise InputError(f"{corpus.name}: a text generator needs training texts, and none here has a word")
        problems = self.misfits(corpus)
        if self.is_private and not self.options.words:
            problems.append("the words of `words_from` are put into `words` by an audit: trained without, give `words`")
        if problems:
            raise InputError(problems)
        texts = ((*passage.context, *passage.tokens) for passage in training)
        words = known_words(self.options.words, texts, self.options.most_words)
        known = Words(words)
        sized = SIZES | {"heads"} if self.options.cell == "transformer" else SIZES
        sizes = self.options.model_dump(mode="json", include=sized)
        with settled(rng):
            model = _network(words, sizes)
            if self.options.federated is not None:
                told = fit_federated(model, _apart(corpus, known), self.options.federated, rng)
            else:
                held = _followed(split_passages(corpus, "valid"), known)
                told = fit(model, _followed(training, known), held, self.options, rng)
        return Artefact(values={"words": words, "sizes": sizes, "training": told}, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        access = TextGeneratorAccess(artefact)
        if self.options.keep_answers:
            access.keeping(answers_key(artefact, told={"words": artefact.values["words"], "kind": self.name}))
        return Grant([access])


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


def _apart(corpus: Corpus, words: Words) -> list[Followed]:
    """Each user's training texts on their own, so that nobody's loss depends on what others wrote."""
    own: dict[str, list[Passage]] = {}
    for text in corpus.split("train"):
        if text.tokens and text.user is not None:
            own.setdefault(text.user, []).append(Passage(context=text.context, tokens=text.tokens))
    return [_followed(own[user], words) for user in sorted(own)]


def _network(words: Sequence[str], sizes: dict[str, Any]) -> GeneratorNetwork:
    from divulge.targets.networks.generator import GeneratorNetwork

    known = len(Words(words))
    return GeneratorNetwork(known + 1, known - 1, **sizes)  # reads the mark too; never says padding
