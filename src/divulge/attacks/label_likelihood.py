"""The attack of elmahdy2022: the word that makes the known label likeliest is the word that was there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from divulge.access import LabelLikelihoodAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.left_to_right import Completion, Scored, beam_cost, best_beginnings, even_share, shown_texts
from divulge.attacks.record_evidence import FLOOR
from divulge.attacks.word_shares import cased_like, word_shares
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record

__all__ = ["LabelLikelihood"]


class LabelLikelihood(Attack):
    """Fills gaps left to right with a beam over P(label | text so far) minus a penalty for common words.

    Paper: elmahdy2022, section 6, equation 1 and its regularised form.
    Needs: LabelLikelihoodAccess; gaps with the label known, or the tags; background corpus for the penalty if
        `penalty` > 0.
    Idea: For each candidate v of the next hole, ask P(y | x_1 .. x_{t-1}, v) - lambda C(v), where C is v's share
        of all words; keep the best k; go on to the next hole.
    Cost: the candidates of the first hole, then k times those of each further hole.
    Differs from the paper: holes may be anywhere; the text is shown up to the next hole, so that with holes at
        the end, as in the paper, the questions are the paper's, unless a shortlist spares most of them: then all
        words are tried behind the likeliest beginning alone, which is hardly ever another for another penalty. C is
        counted in the texts that the adversary is given, which hold no canaries. Of a tagger that gives no labels, or a
        hint that has none, the objective is the geometric mean of the likelihoods of the tags of the words shown.
    """

    name = "label-likelihood"
    summary = "beam search for the words that make the known label likeliest"
    requires = (LabelLikelihoodAccess,)
    hints = (Gaps,)
    revision = 3

    class Options(Record):
        """The beam's width k and the penalty lambda; see `best_beginnings` for the shortlist, None as in the paper."""

        beam: Annotated[int, Field(ge=1)] = 100
        penalty: Annotated[float, Field(ge=0)] = 0.0
        shortlist: Annotated[int, Field(ge=1)] | None = None
        batch: Annotated[int, Field(ge=1)] = 4096

    @property
    def needs_corpus(self) -> bool:
        """The penalty needs texts to count words in."""
        return bool(self.options.penalty > 0)

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Counts words for C(v); nothing else is learnt."""
        del rng
        if self.needs_corpus and not background.corpus:
            raise InputError(f"{self.name} with penalty > 0 needs adversary.background.corpus to count words in")
        shares = word_shares(text.tokens for text in background.corpus) if self.needs_corpus else {}
        return Artefact(values={"frequency": shares})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the final beam of each secret, best first; each secret has an even share of what may be asked."""
        del rng
        target = access[LabelLikelihoodAccess]
        for number, (secret_id, hint) in enumerate(hints.items()):
            assert isinstance(hint, Gaps)
            affordable = even_share(lambda: target.remaining, len(hints) - number)
            common, chosen = self._common(hint, knowledge), self.options
            objective = partial(self._objective, target, hint, common)
            leader = partial(self._likeliest, common)
            beam = best_beginnings(hint, objective, chosen.beam, affordable, shortlist=chosen.shortlist, leader=leader)
            if beam:  # a later secret's share may reach
                scores = tuple(score for score, _ in beam)
                yield Ranking(secret_id=secret_id, candidates=tuple(filling for _, filling in beam), scores=scores)

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores whole completions: P(label | text) minus the penalty of all words filled in."""
        assert isinstance(hint, Gaps)
        common = self._common(hint, knowledge)
        last = self._objective(access[LabelLikelihoodAccess], hint, common, completions)
        earlier = [sum(common.get(word, 0.0) for word in filling[:-1]) for filling in completions]
        return np.asarray(last - self.options.penalty * np.array(earlier), dtype=np.float64)

    def _likeliest(self, common: Mapping[str, float], beam: Sequence[Scored]) -> int:
        """The beginning that is likeliest whatever the penalty, so that one scan behind it serves every penalty."""
        plain = [score + self.options.penalty * common.get(filling[-1], 0.0) for score, filling in beam]
        return int(np.argmax(plain))

    def _common(self, hint: Gaps, knowledge: Artefact) -> Mapping[str, float]:
        """C(v) of the candidates, cased as they are."""
        shares: Any = knowledge.values.get("frequency", {})
        return cased_like((word for options in set(hint.candidates) for word in options), shares) if shares else {}

    def _objective(
        self, target: LabelLikelihoodAccess, hint: Gaps, common: Mapping[str, float], fillings: Sequence[Completion]
    ) -> FloatArray:
        texts = shown_texts(hint, fillings)
        likelihood = np.concatenate(
            [
                self._likelihoods(target, hint, texts[start : start + self.options.batch])
                for start in range(0, len(texts), self.options.batch)
            ]
        )
        penalties = np.array([common.get(filling[-1], 0.0) for filling in fillings])
        return np.asarray(likelihood - self.options.penalty * penalties, dtype=np.float64)

    def _likelihoods(self, target: LabelLikelihoodAccess, hint: Gaps, texts: Sequence[Completion]) -> FloatArray:
        """P(label | text) or, where only tags are known or given, the geometric mean of the likelihoods of the tags.

        A mean over words, and not their product, has the scale of a probability at every length, as the penalty does.
        """
        if hint.label is not None and target.labels:
            return target.likelihoods(texts)[:, target.label_index(hint.label)]
        if hint.tags is not None and target.tag_names:
            places = [_tag_index(target, tag) for tag in hint.tags]
            tables = target.tag_likelihoods(texts)  # each (words shown, tags)
            return np.array([_geometric_mean(table[np.arange(len(table)), places[: len(table)]]) for table in tables])
        if hint.label is None and hint.tags is None:
            raise InputError(
                f"{self.name} needs the label of the text it completes, or its tags; this hint has neither"
            )
        gives, has = ("tags", "a label") if target.tag_names else ("labels", "tags")
        raise InputError(f"{self.name} needs what the model gives: it gives {gives}, and this hint has only {has}")

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """All candidates of the first hole, k times those of each further one."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps)
        return beam_cost(hint, options.beam, options.shortlist)


def _tag_index(target: LabelLikelihoodAccess, tag: str) -> int:
    if tag not in target.tag_names:
        raise InputError(f"the model knows {len(target.tag_names)} tags, and {tag!r} is none of them")
    return target.tag_names.index(tag)


def _geometric_mean(likelihoods: FloatArray) -> float:
    return float(np.exp(np.mean(np.log(np.maximum(likelihoods, FLOOR))))) if len(likelihoods) else 0.0
