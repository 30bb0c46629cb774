"""A finished tagger of your own (named entities, slots): any callable or class that gives tags to words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from divulge.access import Access, LabelAccess, LabelLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText
from divulge.targets.base import Target
from divulge.targets.own.callables import CallableRecipe, Named, Names, OwnCallable, can_be_made
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.predicting import strange_names
from divulge.targets.own.spelled import array_of, bytes_of, names_from, names_of, one_each, probability_rows

__all__ = ["OwnTagger"]

METHODS = ("tag",)
FEW = 2  # texts that it is tried on when it is read


class OwnTagger(Target):
    """Calls `tag(texts)` with lists of words; it answers, text by text, with one tag a word or with probabilities.

    Probabilities are (words, tags), in the order of `tags`. A class, or an object, is asked by its method `tag`.
    """

    name = "own-tagger"
    summary = "a tagger of words of your own, by any callable or class: recipe.tag = 'module:name'"
    grants = (LabelLikelihoodAccess,)
    hints = (Gaps, RecordText)
    is_tagger = True
    labels_texts = False
    learns = False
    trial: ClassVar[Mapping[str, Any]] = {"tag": "divulge.testing.callables:WordTagger", "answers": "probabilities"}

    class Options(CallableRecipe):
        """What tags, with which tags, and what it shows. Without `tags` those of the model count, its `tags`."""

        tag: Named
        tags: Names = ()
        answers: Literal["tags", "probabilities"] = "tags"

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """Tags alone, where that is all it shows."""
        return (LabelAccess,) if self.options.answers == "tags" else self.grants

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        can_be_made(self.options, "tag", METHODS)

    @property
    def known_tags(self) -> tuple[str, ...]:
        """Those of the recipe, where that tells them."""
        return tuple(self.options.tags)

    def misfits(self, corpus: Corpus) -> list[str]:
        """Tags that are not those of the data."""
        return strange_names("tags", self.options.tags, _tags_in(corpus))

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Tries the finished model on a few texts; nothing is learnt."""
        del rng
        access = self._access()
        problems = strange_names("tags", access.tag_names, _tags_in(corpus))
        if problems:
            raise InputError(problems)
        access.tags([text.tokens for text in corpus.texts if text.tokens][:FEW])
        return Artefact(values={"tags": list(access.tag_names)})

    def open(self, artefact: Artefact) -> Grant:
        """Grants what the model shows."""
        del artefact
        return Grant([self._access()])

    def _access(self) -> LabelAccess:
        return _Tags(self.options) if self.options.answers == "tags" else _TagLikelihoods(self.options)


class _Tags(LabelAccess):
    """Asks for one tag a word."""

    def __init__(self, recipe: OwnTagger.Options) -> None:
        self._asked = OwnCallable(
            recipe, "tag", METHODS, read=self._read, pack=names_of, unpack=names_from, spell=" ".join
        )
        self._names = _tags_of(recipe, self._asked.model)

    @property
    def labels(self) -> tuple[str, ...]:
        """None: it gives tags to words alone."""
        return ()

    @property
    def tag_names(self) -> tuple[str, ...]:
        """Those of the recipe."""
        return self._names

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        raise _no_labels(texts)

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        return _spread(self._asked.ask([list(text) for text in texts if text]), texts, ())

    def _read(self, answer: Any, texts: Sequence[Sequence[str]], named: str) -> list[tuple[str, ...]]:
        found = one_each(answer, len(texts), named)
        rows = [tuple(str(tag) for tag in one_each(row, len(row), named)) for row in found]
        for row, words in zip(rows, texts, strict=True):
            if len(row) != len(words) or not set(row) <= set(self._names):
                raise ExecutionError(
                    f"{named} must answer with one of its {len(self._names)} tags (recipe.tags) for each word. "
                    f"It gave {len(row)} tags for {len(words)} words, {len(set(row) - set(self._names))} of them "
                    f"unknown, at example {example_id(' '.join(words))}"
                )
        return rows


class _TagLikelihoods(LabelLikelihoodAccess):
    """Asks for the probabilities of all tags of every word."""

    def __init__(self, recipe: OwnTagger.Options) -> None:
        self._asked = OwnCallable(
            recipe, "tag", METHODS, read=self._read, pack=bytes_of, unpack=array_of, spell=" ".join
        )
        self._names = _tags_of(recipe, self._asked.model)

    @property
    def labels(self) -> tuple[str, ...]:
        """None: it gives tags to words alone."""
        return ()

    @property
    def tag_names(self) -> tuple[str, ...]:
        """Those of the recipe."""
        return self._names

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        raise _no_labels(texts)

    def _tag_likelihoods(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return _spread(self._asked.ask([list(text) for text in texts if text]), texts, np.empty((0, len(self._names))))

    def _tags(self, texts: Sequence[TokenTuple]) -> list[tuple[str, ...]]:
        return [tuple(self._names[place] for place in row.argmax(axis=1)) for row in self._tag_likelihoods(texts)]

    def _read(self, answer: Any, texts: Sequence[Sequence[str]], named: str) -> list[FloatArray]:
        rows, found = [], one_each(answer, len(texts), named)
        for row, words in zip(found, texts, strict=True):
            try:
                rows.append(probability_rows(row, (len(words), len(self._names)), "tags (recipe.tags)", named))
            except ExecutionError as error:
                raise ExecutionError(f"{error}; at example {example_id(' '.join(words))}") from None
        return rows


def _tags_in(corpus: Corpus) -> set[str]:
    return {tag for text in corpus for tag in text.tags or ()}


def _tags_of(recipe: OwnTagger.Options, model: Any) -> tuple[str, ...]:
    own = tuple(str(tag) for tag in getattr(model, "tags", ()))
    if not own and not recipe.tags:
        raise InputError(
            f"{recipe.tag} has no attribute tags: tell them in the order of its answers, recipe.tags = [...]"
        )
    return recipe.tags or own


def _spread(answers: Sequence[Any], texts: Sequence[TokenTuple], empty: Any) -> list[Any]:
    """The answers in their places; a text without words has nothing to tag, and is not asked about."""
    left = iter(answers)
    return [next(left) if text else empty for text in texts]


def _no_labels(texts: Sequence[TokenTuple]) -> InputError:
    del texts
    return InputError("this model gives tags to words, and no labels to texts")
