"""Was a person's text used? How much better the model knows their words than models that never saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.adversary import Background, Knowledge, Practice
from divulge.attacks.base import Attack
from divulge.attacks.pool_people import pool_people
from divulge.attacks.record_attack import line_through, p_value
from divulge.attacks.telling import telling_words
from divulge.attacks.user_queries import Selection, chosen_texts, even_texts, kept_users, known_users, word_counts
from divulge.attacks.word_evidence import WordEvidence, fit_evidence, pool_words
from divulge.attacks.word_offsets import AskedWords, CrossFitted
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Guess, Hint, Passage, Record, Telling, UserTexts, Verdict

__all__ = ["CalibratedRatio"]

LEAST_LOG = -50.0  # of a word that a model finds impossible
FEWEST_TO_ADJUST = 20  # people known to be out; of fewer, offsets are mostly noise
# Options that came later, with what they are where nothing is said of them.
LATER = {"adjust": "auto", "calibrated_on": "known", "weigh": "gap"}


class CalibratedRatio(Attack):
    """Compares, word by word, what the model makes of a person's texts with what reference models make of them.

    Paper: song2019 asks the question; the statistic is ours, a likelihood ratio or, from ranks, its nearest kin.
    Needs: RankedTokensAccess, however few words it shows; models of the adversary's own, one is enough, that never saw
        the person; people known to be out give a p-value.
    Idea: Of each word, the mean over references of log(1 + rank), less that of the model, each rank cut where the
        model's output is: a word that is rare anywhere, and high up here, counts most. Where likelihoods are granted,
        the log-likelihood takes the place of ranks. The statistic is the mean over all words asked about, each
        weighted by how far down references have it to the power of `rare`.
        Above zero it accuses: with people known to be out, the line is drawn so that at most `false_alarms` of such
        people would be above it. Where few texts may be asked about, "surprising" takes those that references find
        least likely in all: long texts of rare words, in which a model that saw them stands out most.
        References of another domain find each person's manner strange by another amount. So what is usual for a word,
        and for a word after another, is then learnt from the people known to be out (`adjust`), each of whom is judged
        by the others. Few people known to be out draw a line that may lie far from where it should. With
        `calibrated_on` = "pool" the people of the adversary's own models are such people too, each compared with those
        models alone that did not learn from them: fewer references make a statistic spread a little wider, so that
        the line errs, if at all, on the side of the accused.
        With `weigh` = "learnt" the statistic is the sum of what the words' gaps are worth as evidence: how much oftener
        a gap, of a word that is so far expected, stands in texts that a model of the adversary's own learnt from than
        in others. That is worth having where few words may be asked about.
    Cost: one query per text of the person, and of each control; the adversary's own models are asked for free. A
        budget is shared evenly: of everybody as many texts.
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
    revision = 2

    class Options(Record):
        """What to compare, how many texts to ask about and which, and how much rare words count."""

        evidence: Literal["best", "ranks"] = "best"  # best: likelihoods where they are granted
        max_texts: Annotated[int, Field(ge=1)] | None = None
        selection: Selection | Literal["surprising"] = "random"
        rare: Annotated[float, Field(ge=0)] = 0.0
        false_alarms: Annotated[float, Field(gt=0, lt=1)] = 0.05
        adjust: Literal["auto", "words", "none"] = "auto"  # auto: words, where the adversary's texts are of elsewhere
        weigh: Literal["gap", "learnt"] = "gap"  # learnt: what a gap is worth, told by two shadows or more
        calibrated_on: Literal["known", "pool"] = "known"  # pool: also on those whom some of its own models left out

        @model_validator(mode="after")
        def _one_weight(self) -> Self:
            if self.weigh == "learnt" and self.rare > 0:
                raise ValueError("rare weighs gaps, and weigh = 'learnt' learns what they are worth: leave rare out")
            return self

        @model_serializer(mode="wrap")
        def _as_before(self, spell: SerializerFunctionWrapHandler) -> dict[str, Any]:
            """Leaves out what came later and says nothing: keys of what was kept before must not change."""
            told: dict[str, Any] = spell(self)
            return {name: value for name, value in told.items() if LATER.get(name) != value}

    @property
    def fewest_controls(self) -> int:
        """Enough people to learn from what is usual, where that is asked for."""
        return FEWEST_TO_ADJUST if self.options.adjust == "words" else 0

    @property
    def learns_from_pool(self) -> bool:
        """Whether it learns from one model of the adversary's own what a gap to the others is worth."""
        return bool(self.options.weigh == "learnt")

    @property
    def asks_about_pool(self) -> bool:
        """Whether people of the adversary's own models help to draw the line."""
        return bool(self.options.calibrated_on == "pool")

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps the people known to be out, and how rare words are where that decides which texts are asked about."""
        del rng
        counts = word_counts(background) if self.options.selection == "rarest" else {}
        elsewhere = bool(background.corpus)
        return Artefact(values={"controls": kept_users(background), "counts": counts, "elsewhere": elsewhere})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields one verdict per person, with a p-value if there are controls."""
        practice = knowledge.practice if isinstance(knowledge, Knowledge) else ()
        references = [one.access for one in practice]
        if not references:
            raise InputError(
                f"attack {self.name!r} compares with models that never saw the person: set "
                "adversary.background.references or shadows to 1 or more"
            )
        people = [(hint, references) for hint in known_users(knowledge)]
        if self.asks_about_pool:
            pool = pool_people(practice)
            people += [(one.hint, [references[place] for place in one.unseen_by]) for one in pool]
        each, others = even_texts(access[RankedTokensAccess].remaining, len(hints), len(people))
        most = min((n for n in (each, self.options.max_texts) if n is not None), default=None)
        people = people[:others]
        # Decided once for all: statistics of words and of whole texts are no null for each other.
        by_words = cut_alike((access, *references), [*(hint for hint, _ in people), *hints.values()])
        ask = partial(self._asked, access, knowledge, rng, most=most, by_words=by_words)
        out = [found for found in (ask(*one) for one in people) if found is not None]
        offsets = self._offsets(out, knowledge, by_words=by_words)
        worth = self._worth(access, practice, by_words=by_words)
        usual = [one.expected for one in out] if offsets is None else offsets.of_people
        null = np.array([self._statistic(one.found, expected, worth) for one, expected in zip(out, usual, strict=True)])
        line = line_through(null, self.options.false_alarms) if len(null) else 0.0
        for secret_id, hint in hints.items():
            assert isinstance(hint, UserTexts)
            asked = ask(hint, references)
            if asked is None:
                return  # the budget is spent
            expected = asked.expected if offsets is None else offsets.expected(asked)
            found = self._statistic(asked.found, expected, worth)
            # Where one person is the question.
            told = self._telling(access, references, hint, asked, expected) if len(hints) == 1 else ()
            yield Verdict(secret_id=secret_id, statistic=found - line, p_value=p_value(found, null), telling=told)

    def _offsets(self, out: Sequence[AskedWords], knowledge: Artefact, *, by_words: bool) -> CrossFitted | None:
        """What is usual for each word, where that is learnt from people known to be out."""
        told, enough = self.options.adjust == "words", len(out) >= FEWEST_TO_ADJUST
        if told and not (by_words and enough):
            why = f"{len(out)} people known to be out could be asked about, and {FEWEST_TO_ADJUST} are needed"
            cut = "the models cut texts in different pieces, so that only whole texts compare"
            raise InputError(f"adjust is 'words', but {why if by_words else cut}: set it to 'auto' or 'none'")
        wanted = told or (self.options.adjust == "auto" and knowledge.values.get("elsewhere"))
        return CrossFitted(out) if wanted and by_words and enough else None

    def _asked(
        self,
        access: Grant,
        knowledge: Artefact,
        rng: np.random.Generator,
        hint: UserTexts,
        references: Sequence[Grant],
        *,
        most: int | None,
        by_words: bool,
    ) -> AskedWords | None:
        """What references and the model make of a person's words; None if no query is left.

        Other tokenizers cut other pieces. Then only whole texts compare, and there are no words to be told.
        """
        left = access[RankedTokensAccess].remaining
        if left is not None and left < 1:
            return None
        chosen = self._chosen((access, *references), hint, most, knowledge, rng)
        limit = self._limit(access, references)
        mine = _surprise(access, chosen, limit)
        usual = [_surprise(one, chosen, limit) for one in references]
        if by_words:
            expected = np.mean([np.concatenate(model) for model in usual], axis=0)  # (words,)
            return AskedWords(expected, np.concatenate(mine), tuple(access[RankedTokensAccess].pieces(chosen)), chosen)
        expected = np.mean([[text.sum() for text in model] for model in usual], axis=0)  # (texts,)
        return AskedWords(expected, np.array([text.sum() for text in mine]), (), chosen)

    def _likely(self, access: Grant, references: Sequence[Grant]) -> bool:
        return self.options.evidence == "best" and all(TokenLikelihoodAccess in one for one in (access, *references))

    def _worth(self, access: Grant, practice: Sequence[Practice], *, by_words: bool) -> WordEvidence | None:
        """What gaps are worth, where that is asked for: learnt here, since it hangs on what the model shows."""
        if self.options.weigh == "gap":
            return None
        limit = self._limit(access, [one.access for one in practice])
        told = pool_words(practice, lambda one, texts: np.concatenate(_surprise(one, texts, limit))) if by_words else ()
        learnt = fit_evidence(told)
        if learnt is None:
            cut = "the models cut texts in different pieces, so that only whole texts compare"
            few = "its own models share too few people to learn from: raise adversary.background.shadows"
            raise InputError(f"weigh is 'learnt', but {few if by_words else cut}, or set it to 'gap'")
        return learnt

    def _limit(self, access: Grant, references: Sequence[Grant]) -> int | None:
        """Where ranks are cut; None where likelihoods take their place."""
        return None if self._likely(access, references) else access[RankedTokensAccess].output_limit

    def _statistic(self, found: FloatArray, expected: FloatArray, worth: WordEvidence | None) -> float:
        """The weighted mean over words, or texts; or what the words are worth together."""
        if worth is not None:
            return float(worth.of(expected, found).sum())
        weights = np.maximum(expected, 0.0) ** self.options.rare
        return float((expected - found) @ weights / weights.sum()) if weights.sum() > 0 else 0.0

    def _telling(
        self, access: Grant, references: Sequence[Grant], hint: UserTexts, asked: AskedWords, expected: FloatArray
    ) -> tuple[Telling, ...]:
        """Which words tell most."""
        if not asked.texts:
            return ()
        kind: Any = "chance" if self._likely(access, references) else "rank"
        ends = np.cumsum([len(text) for text in asked.texts])[:-1]
        usual, mine = np.split(expected, ends), np.split(asked.found, ends)
        return telling_words(hint, asked.chosen, asked.texts, usual, mine, by=kind, rare=self.options.rare)

    def _chosen(
        self,
        models: Sequence[Grant],
        hint: UserTexts,
        most: int | None,
        knowledge: Artefact,
        rng: np.random.Generator,
    ) -> Sequence[Passage]:
        """The texts to ask about; the adversary's own models may be asked about all of them beforehand."""
        (access, *references), texts, how = models, hint.examples, self.options.selection
        if how != "surprising":
            return chosen_texts(
                hint, most, access[RankedTokensAccess], rng, selection=how, counts=knowledge.values["counts"]
            )
        if most is None or most >= len(texts):
            return texts
        limits = [one[RankedTokensAccess].output_limit for one in references]
        usual = [_surprise(one, texts, limit) for one, limit in zip(references, limits, strict=True)]
        in_all = np.mean([[row.sum() for row in model] for model in usual], axis=0)  # (texts,)
        return [texts[place] for place in sorted(np.argsort(-in_all, kind="stable")[:most].tolist())]

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One query per text asked about."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, UserTexts)
        return min(len(hint.examples), options.max_texts or len(hint.examples))


def cut_alike(models: Sequence[Grant], people: Sequence[Hint]) -> bool:
    """Whether all models read every text of these people in as many pieces; that is told without a question."""
    texts = [text for hint in people if isinstance(hint, UserTexts) for text in hint.examples]
    lengths = [[len(cut) for cut in one[RankedTokensAccess].pieces(texts)] for one in models]
    return all(one == lengths[0] for one in lengths)


def _surprise(access: Grant, passages: Sequence[Passage], limit: int | None) -> list[FloatArray]:
    """How far from expected each token of each text is: log(1 + rank), cut at the limit; or minus its log-likelihood.

    Ranks of a model that shows more than the limit are cut to it, so that like is compared with like.
    """
    if limit is None:
        rows = access[TokenLikelihoodAccess].log_likelihoods(passages)
        return [-np.maximum(row, LEAST_LOG) for row in rows]
    return [np.log1p(np.minimum(row, limit)) for row in access[RankedTokensAccess].ranks(passages)]
