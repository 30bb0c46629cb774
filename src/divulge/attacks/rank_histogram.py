"""The audit of song2019: a model ranks the words of the people it learnt from higher."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import RankedTokensAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.record_attack import p_value
from divulge.attacks.user_queries import Selection, chosen_texts, even_texts, kept_users, known_users, word_counts
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, Member, Passage, Record, UserTexts, Verdict

__all__ = ["RankHistogram"]


class RankHistogram(Attack):
    """Tells members from others by a linear classifier on the histogram of their words' ranks.

    Paper: song2019, section 3 and algorithm 1.
    Needs: RankedTokensAccess, however many tokens it shows; shadow models whose members are known.
    Idea: Ask a model for the rank of each true word of a user's texts and count the ranks in d bins, with one
        more for words not among those shown. A linear support vector machine learns on the shadows' users what
        a member's histogram looks like; the distance to its plane is the statistic.
        With controls, people known to be out, the statistic gets a p-value: the share of controls, and of the
        user itself, that reach it.
    Cost: one query per text of the user, and of each control. A budget is shared evenly: of everybody as many texts.
    Differs from the paper: ranks start at 0, so that the last rank falls into the last bin; the number of bins
        is not stated there. Where the output is limited, bins are as many and narrower (the paper's have one width).
        Where only some texts may be asked about, the classifier learns on as many texts of each shadow's users (there
        on all). Up to 20,000 rounds for its plane instead of 1,000.
    """

    name = "rank-histogram"
    summary = "histogram of word ranks per user, judged by a classifier trained on shadow models"
    requires = (RankedTokensAccess,)
    hints = (UserTexts,)
    needs_practice = True
    asks_about_controls = True
    revision = 2

    class Options(Record):
        """The number of bins, the most texts to ask per user and which, and the classifier's regularisation."""

        bins: Annotated[int, Field(ge=2)] = 100
        max_texts: Annotated[int, Field(ge=1)] | None = None
        selection: Selection = "random"
        regularisation: Annotated[float, Field(gt=0)] = 1.0

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Trains the audit classifier on every shadow's users."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        rows: list[FloatArray] = []
        used: list[bool] = []
        counts = word_counts(background) if self.options.selection == "rarest" else {}
        for practice in background.practice:
            shadow = practice.access[RankedTokensAccess]
            for secret in practice.secrets:
                if isinstance(secret.hint, UserTexts) and isinstance(secret.answer, Member):
                    chosen = self._chosen(shadow, secret.hint, self.options.max_texts, counts, rng)
                    rows.append(self._features(shadow, chosen))
                    used.append(secret.answer.used)
        if len(set(used)) < 2:
            raise InputError(
                f"{self.name} needs shadow models with known members and non-members; "
                "set adversary.background.shadows to 1 or more"
            )
        machine = LinearSVC(C=self.options.regularisation, random_state=0, max_iter=20_000)
        with warnings.catch_warnings():
            # Raw counts, as published, are badly scaled; the plane found by then is used as it is.
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(np.stack(rows), np.array(used))
        plane = {"direction": machine.coef_[0], "offset": np.asarray(machine.intercept_, dtype=np.float64)}
        told = {"users": len(used), "members": sum(used), "controls": kept_users(background), "counts": counts}
        return Artefact(values=told, arrays=plane)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one verdict per user, with a p-value if there are controls."""
        target = access[RankedTokensAccess]
        people = known_users(knowledge)
        each, others = even_texts(target.remaining, len(hints), len(people))
        most = min((n for n in (each, self.options.max_texts) if n is not None), default=None)
        reached = [self._statistic(target, hint, most, knowledge, rng) for hint in people[:others]]
        null = np.array([statistic for statistic in reached if statistic is not None])
        for secret_id, hint in hints.items():
            assert isinstance(hint, UserTexts)
            statistic = self._statistic(target, hint, most, knowledge, rng)
            if statistic is None:
                return  # the budget is spent
            yield Verdict(secret_id=secret_id, statistic=statistic, p_value=p_value(statistic, null))

    def _statistic(
        self,
        target: RankedTokensAccess,
        hint: UserTexts,
        most: int | None,
        knowledge: Artefact,
        rng: np.random.Generator,
    ) -> float | None:
        """The signed distance to the classifier's plane; None if no query is left."""
        if target.remaining is not None and target.remaining < 1:
            return None
        chosen = self._chosen(target, hint, most, knowledge.values.get("counts", {}), rng)
        arrays = knowledge.arrays
        return float(self._features(target, chosen) @ arrays["direction"] + arrays["offset"][0])

    def _chosen(
        self,
        access: RankedTokensAccess,
        hint: UserTexts,
        most: int | None,
        counts: Mapping[str, int],
        rng: np.random.Generator,
    ) -> Sequence[Passage]:
        return chosen_texts(hint, most, access, rng, selection=self.options.selection, counts=counts)

    def _features(self, access: RankedTokensAccess, passages: Sequence[Passage]) -> FloatArray:
        """Counts of ranks in bins of equal width below the output limit, then the count beyond it; (bins + 1,)."""
        limit, bins = access.output_limit, self.options.bins
        ranks = np.concatenate(access.ranks(passages))
        shown = ranks[ranks < limit]
        counts = np.bincount(shown * bins // limit, minlength=bins)
        return np.append(counts, len(ranks) - len(shown)).astype(np.float64)

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One query per text asked."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, UserTexts)
        return min(len(hint.examples), options.max_texts or len(hint.examples))
