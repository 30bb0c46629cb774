"""Baselines: the same verbs, and never a question. What they reach is not the model's fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import RankedTokensAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.user_queries import UNKNOWN, own_texts, unknown_as_one
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import (
    Artefact,
    FloatArray,
    Gaps,
    Guess,
    Hint,
    LeakedRow,
    Member,
    Ranking,
    Record,
    RecordText,
    UserTexts,
    Verdict,
)

__all__ = ["Blind", "Random", "outside_share"]


class Random(Attack):
    """Draws its answers blindly.

    Paper: the random baseline of all four.
    Needs: nothing; public sentences where a sentence is to be guessed.
    Idea: Gaps are filled uniformly from their candidates, people and records are judged by a coin, rows by a public
        sentence.
    Cost: no queries.
    """

    name = "random"
    summary = "uniform guesses that never ask the model"
    requires = ()
    hints = (Gaps, UserTexts, RecordText, LeakedRow)

    class Options(Record):
        """How many different guesses per secret."""

        guesses: Annotated[int, Field(ge=1)] = 1

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps some public sentences to name."""
        most = min(1000, len(background.corpus))
        chosen = sorted(rng.permutation(len(background.corpus))[:most])
        return Artefact(values={"sentences": [list(background.corpus[place].tokens) for place in chosen]})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields an answer drawn without asking."""
        del access
        sentences = knowledge.values.get("sentences") or [[""]]
        for secret_id, hint in hints.items():
            if isinstance(hint, UserTexts | RecordText):
                yield Verdict(secret_id=secret_id, statistic=float(rng.normal()))
            elif isinstance(hint, LeakedRow):
                drawn = [tuple(sentences[int(rng.integers(len(sentences)))]) for _ in range(self.options.guesses)]
                yield Ranking(secret_id=secret_id, candidates=tuple(drawn))
            else:
                yield Ranking(secret_id=secret_id, candidates=self._fillings(hint, rng))

    def _fillings(self, hint: Gaps, rng: np.random.Generator) -> tuple[tuple[str, ...], ...]:
        wanted = min(self.options.guesses, hint.space)
        drawn: dict[tuple[str, ...], None] = {}
        while len(drawn) < wanted:
            drawn[tuple(words[int(rng.integers(len(words)))] for words in hint.candidates)] = None
        return tuple(drawn)


class Blind(Attack):
    """Judges people by their texts alone.

    Paper: absent from song2019; without it, members who write differently look like a leak.
    Needs: practice models' users and answers; no access.
    Idea: A linear classifier on features that need no model: how much was written, how common the words are in what
        the adversary has (public texts, and those of its own models' users, each of whom is judged by the others'),
        the share of words unknown there, and of words outside of the model's vocabulary, where that is told. If it
        succeeds, the two groups differ by themselves, or the vocabulary alone gives members away, and no verdict about
        what the model learnt is safe.
    Cost: no queries.
    """

    name = "blind"
    revision = 3
    summary = "judges users by their texts without asking the model"
    requires = ()
    hints = (UserTexts,)
    needs_practice = True

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Trains on practice users, whose membership is known."""
        del rng
        from sklearn.linear_model import LogisticRegression

        counts = Counter(token for passage in own_texts(background) for token in passage.tokens)
        rows: list[FloatArray] = []
        used: list[bool] = []
        for practice in background.practice:
            for secret in practice.secrets:
                if isinstance(secret.hint, UserTexts) and isinstance(secret.answer, Member):
                    rows.append(_features(secret.hint, counts, practice.access, counted=True))
                    used.append(secret.answer.used)
        if len(set(used)) < 2:
            raise InputError(f"{self.name} needs practice users of both kinds; set adversary.background.shadows")
        table = np.stack(rows)
        centre, scale = table.mean(axis=0), table.std(axis=0) + 1e-9
        model = LogisticRegression().fit((table - centre) / scale, np.array(used))
        arrays = {"centre": centre, "scale": scale, "direction": model.coef_[0], "offset": model.intercept_}
        return Artefact(values={"counts": dict(sorted(counts.items()))}, arrays=arrays)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the log-odds of membership by text features."""
        del rng
        arrays = knowledge.arrays
        for secret_id, hint in hints.items():
            assert isinstance(hint, UserTexts)
            scaled = (_features(hint, knowledge.values["counts"], access) - arrays["centre"]) / arrays["scale"]
            yield Verdict(secret_id=secret_id, statistic=float(scaled @ arrays["direction"] + arrays["offset"][0]))


def _features(hint: UserTexts, counts: Mapping[str, int], access: Grant, *, counted: bool = False) -> FloatArray:
    """What can be told of a person's texts; what they wrote themselves does not count, if it was counted."""
    tokens = [token for passage in hint.examples for token in passage.tokens]
    own = Counter(token for passage in set(hint.examples) for token in passage.tokens if counted)
    total = max(1, sum(counts.values()) - own.total())
    shares = np.array([max(0, counts.get(token, 0) - own[token]) / total for token in tokens] or [0.0])
    return np.array(
        [
            len(hint.examples),
            len(tokens),
            len(set(tokens)) / max(1, len(tokens)),
            float(np.mean(np.log(shares + 1e-9))),
            float(np.mean(shares == 0.0)),
            outside_share(hint, access),
        ]
    )


def outside_share(hint: Hint, access: Grant) -> float:
    """The share of a person's words that the model does not know; no query, since a vocabulary is told at once."""
    generator = access.get(RankedTokensAccess)
    if generator is None or not isinstance(hint, UserTexts):
        return 0.0
    outside = [token == UNKNOWN for tokens in unknown_as_one(generator, hint.examples) for token in tokens]
    return float(np.mean(outside)) if outside else 0.0
