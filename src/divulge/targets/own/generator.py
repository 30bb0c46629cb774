"""A finished text generator of your own: any callable or class that scores the tokens of texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from divulge.access import Access, RankedTokensAccess, TokenLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Passage, Record, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.own.callables import CallableRecipe, Named, OwnCallable, can_be_made
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.loading import loaded
from divulge.targets.own.scored import Scored
from divulge.targets.own.spelled import one_each

__all__ = ["OwnGenerator"]

METHODS = ("score",)
FEW = 2  # texts that it is tried on when it is read
BETWEEN = "\t"  # of context and text, where both are spelt as one


class OwnGenerator(Target):
    """Calls `score(pairs)` with pairs (context, text); it answers with one `Scored`, or a dict like it, for each.

    A class, or an object, is asked by its method `score`. The vocabulary, all tokens that the model can put out, is an
    attribute `vocabulary` of it, or what `recipe.vocabulary` = "module:name" names: a list, or a function that gives
    one. Likelihoods without ranks are not enough: attacks by rank would have to guess at them.
    """

    name = "own-generator"
    summary = "a text generator of your own, by any callable or class: recipe.score = 'module:name'"
    grants = (TokenLikelihoodAccess,)
    hints = (UserTexts, Gaps, RecordText)
    labels_texts = False
    learns = False
    trial: ClassVar[Mapping[str, Any]] = {"score": "divulge.testing.callables:WordModel"}

    class Options(CallableRecipe):
        """What scores, where its vocabulary is, and what it shows."""

        score: Named
        vocabulary: Named | None = None
        answers: Literal["likelihoods", "ranks"] = "likelihoods"

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        can_be_made(self.options, "score", METHODS)
        if self.options.vocabulary is not None:
            loaded(self.options.vocabulary, "vocabulary")

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """Ranks alone, where that is all it shows."""
        return (RankedTokensAccess,) if self.options.answers == "ranks" else self.grants

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Tries the finished model on a few texts; nothing is learnt."""
        del rng
        access = self._access()
        texts = [text for text in corpus.texts if text.tokens][:FEW]
        access.pieces([Passage(context=text.context, tokens=text.tokens) for text in texts])
        return Artefact(values={"vocabulary size": len(access.vocabulary)})

    def open(self, artefact: Artefact) -> Grant:
        """Grants what the model shows."""
        del artefact
        return Grant([self._access()])

    def _access(self) -> RankedTokensAccess:
        return _Ranks(self.options) if self.options.answers == "ranks" else _Likelihoods(self.options)


class _Ranks(RankedTokensAccess):
    """Asks for the pieces of texts, their ranks and the best ones."""

    def __init__(self, recipe: OwnGenerator.Options) -> None:
        self._shows_numbers = recipe.answers == "likelihoods"
        self._asked = OwnCallable(
            recipe, "score", METHODS, read=self._read, pack=_packed, unpack=_unpacked, spell=BETWEEN.join
        )
        self._words = _vocabulary(recipe, self._asked)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All tokens that the model can put out."""
        return self._words

    def pieces(self, passages: Sequence[Passage]) -> list[TokenTuple]:
        """The tokens that the model reads each passage in."""
        return [tuple(one.pieces) for one in self._scored(passages)]

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        return [np.array(one.ranks, dtype=np.int64) for one in self._scored(passages)]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        return [tuple(one.best) for one in self._scored(passages)]

    def _scored(self, passages: Sequence[Passage]) -> list[Scored]:
        return self._asked.ask([(" ".join(one.context), " ".join(one.tokens)) for one in passages])

    def _read(self, answer: Any, pairs: Sequence[tuple[str, str]], named: str) -> list[Scored]:
        found = []
        for raw, pair in zip(one_each(answer, len(pairs), named), pairs, strict=True):
            problem, scored = _scored(raw, numbers=self._shows_numbers)
            if scored is None:
                raise ExecutionError(f"{named} must answer with {problem}, at example {example_id(BETWEEN.join(pair))}")
            found.append(scored)
        return found


class _Likelihoods(_Ranks, TokenLikelihoodAccess):
    """Asks for the log-likelihoods besides."""

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        return [np.array(one.log_likelihoods, dtype=np.float64) for one in self._scored(passages)]


def _vocabulary(recipe: OwnGenerator.Options, asked: OwnCallable[Scored]) -> tuple[str, ...]:
    named = recipe.vocabulary
    found = getattr(asked.model, "vocabulary", None) if named is None else loaded(named, "vocabulary")
    found = found() if callable(found) else found
    if found is None or isinstance(found, str) or not all(isinstance(token, str) for token in found) or not len(found):
        raise InputError(
            f"{named or asked.named} must give the vocabulary, a list of texts: as its attribute `vocabulary`, or by "
            "recipe.vocabulary = 'module:name'"
        )
    return tuple(found)


def _scored(raw: Any, *, numbers: bool) -> tuple[str, Scored | None]:
    """One answer checked, or what it must be."""
    given = asdict(raw) if isinstance(raw, Scored) else dict(raw) if isinstance(raw, Mapping) else {}
    wanted = ("pieces", "ranks", "best", *(("log_likelihoods",) if numbers else ()))
    missing = [name for name in wanted if given.get(name) is None]
    if missing:
        return f"{', '.join(wanted)} for each text ({', '.join(missing)} missing)", None
    lists = {name: list(given[name]) for name in wanted}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        return f"lists of one length for each text (got {lengths})", None
    ranks = np.asarray(lists["ranks"])
    if ranks.size and (ranks.dtype.kind not in "iu" or ranks.min() < 0):
        return "ranks that are whole numbers from 0 on", None
    likely = np.asarray(lists.get("log_likelihoods", []), dtype=np.float64)
    if np.isnan(likely).any() or (likely > 1e-6).any():
        return "natural logarithms of probabilities: none may be above 0, or NaN", None
    texts = {name: tuple(str(token) for token in lists[name]) for name in ("pieces", "best")}
    numbers_said = tuple(float(one) for one in np.minimum(likely, 0.0)) if numbers else None
    return "", Scored(texts["pieces"], tuple(int(rank) for rank in ranks), texts["best"], numbers_said)


def _packed(scored: Scored) -> bytes:
    return json.dumps(asdict(scored)).encode()


def _unpacked(content: bytes) -> Scored:
    return Scored(**json.loads(content))
