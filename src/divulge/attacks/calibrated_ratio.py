"""Was a person's text used? How much better the model knows their words than models that never saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.adversary import Background, Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.record_attack import p_value
from divulge.attacks.user_queries import Selection, chosen_texts, kept_users, known_users, word_counts
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, Passage, Record, UserTexts, Verdict

__all__ = ["CalibratedRatio"]

LEAST_LOG = -50.0  # of a word that a model finds impossible


class CalibratedRatio(Attack):
    """Compares, word by word, what the model makes of a person's texts with what reference models make of them.

    Paper: song2019 asks the question; the statistic is ours, a likelihood ratio or, from ranks, its nearest kin.
    Needs: RankedTokensAccess, however few words it shows; models of the adversary's own, one is enough, that never saw
        the person; people known to be out give a p-value.
    Idea: Of each word, the mean over references of log(1 + rank), less that of the model, each rank cut where the
        model's output is: a word that is rare anywhere, and high up here, counts most. Where likelihoods are granted,
        the log-likelihood takes the place of ranks. The statistic is the mean over all words asked about, each
        weighted by how far down references have it to the power of `rare`.
    Cost: one query per text of the person, and of each control; the adversary's own models are asked for free.
    Differs from the paper: no classifier is trained, so that no members need to be known; references only must not
        have seen the person.
    """

    name = "calibrated-ratio"
    summary = "how much better the model knows a person's words than reference models do, with a p-value"
    requires = (RankedTokensAccess,)
    hints = (UserTexts,)
    needs_practice = True
    asks_practice = True
    asks_about_controls = True

    class Options(Record):
        """What to compare, how many texts to ask about and which, and how much rare words count."""

        evidence: Literal["best", "ranks"] = "best"  # best: likelihoods where they are granted
        max_texts: Annotated[int, Field(ge=1)] | None = None
        selection: Selection = "random"
        rare: Annotated[float, Field(ge=0)] = 0.0

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps the people known to be out, and how rare words are where that decides which texts are asked about."""
        del rng
        counts = word_counts(background) if self.options.selection == "rarest" else {}
        return Artefact(values={"controls": kept_users(background), "counts": counts})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one verdict per person, with a p-value if there are controls."""
        references = [one.access for one in knowledge.practice] if isinstance(knowledge, Knowledge) else []
        if not references:
            raise InputError(
                f"attack {self.name!r} compares with models that never saw the person: set "
                "adversary.background.references or shadows to 1 or more"
            )
        reached = [self._statistic(access, references, hint, knowledge, rng) for hint in known_users(knowledge)]
        null = np.array([one for one in reached if one is not None])
        for secret_id, hint in hints.items():
            assert isinstance(hint, UserTexts)
            found = self._statistic(access, references, hint, knowledge, rng)
            if found is None:
                return  # the budget is spent
            yield Verdict(secret_id=secret_id, statistic=found, p_value=p_value(found, null))

    def _statistic(
        self, access: Grant, references: Sequence[Grant], hint: UserTexts, knowledge: Artefact, rng: np.random.Generator
    ) -> float | None:
        """The weighted mean over words; None if no query is left."""
        left = access[RankedTokensAccess].remaining
        most = min((n for n in (left, self.options.max_texts) if n is not None), default=None)
        chosen = chosen_texts(hint, most, self.options.selection, knowledge.values["counts"], rng)
        if not chosen:
            return None
        limit = access[RankedTokensAccess].output_limit
        likely = self.options.evidence == "best" and all(TokenLikelihoodAccess in one for one in (access, *references))
        mine = _surprise(access, chosen, None if likely else limit)
        usual = [_surprise(one, chosen, None if likely else limit) for one in references]
        if all(len(one) == len(text) for model in usual for one, text in zip(model, mine, strict=True)):
            expected = np.mean([np.concatenate(model) for model in usual], axis=0)  # (words,)
            gaps = expected - np.concatenate(mine)
        else:
            # Other tokenizers cut other pieces: only whole texts compare.
            expected = np.mean([[text.sum() for text in model] for model in usual], axis=0)  # (texts,)
            gaps = expected - np.array([text.sum() for text in mine])
        weights = np.maximum(expected, 0.0) ** self.options.rare
        return float(gaps @ weights / weights.sum()) if weights.sum() > 0 else 0.0

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One query per text asked about."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, UserTexts)
        return min(len(hint.examples), options.max_texts or len(hint.examples))


def _surprise(access: Grant, passages: Sequence[Passage], limit: int | None) -> list[FloatArray]:
    """How far from expected each token of each text is: log(1 + rank), cut at the limit; or minus its log-likelihood.

    Ranks of a model that shows more than the limit are cut to it, so that like is compared with like.
    """
    if limit is None:
        rows = access[TokenLikelihoodAccess].log_likelihoods(passages)
        return [-np.maximum(row, LEAST_LOG) for row in rows]
    return [np.log1p(np.minimum(row, limit)) for row in access[RankedTokensAccess].ranks(passages)]
