"""The attack of elmahdy2022: the word that makes the known label likeliest is the word that was there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import LabelLikelihoodAccess
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record

__all__ = ["LabelLikelihood"]

Completion = tuple[str, ...]


class LabelLikelihood(Attack):
    """Fills gaps left to right with a beam over P(label | text so far) minus a penalty for common words.

    Paper: elmahdy2022, section 6, equation 1 and its regularised form.
    Needs: LabelLikelihoodAccess; gaps with the label known; background corpus for the penalty if `penalty` > 0.
    Idea: For each candidate v of the next hole, ask P(y | x_1 .. x_{t-1}, v) - lambda C(v), where C is v's share
        of all words; keep the best k; go on to the next hole.
    Cost: the candidates of the first hole, then k times those of each further hole.
    Differs from the paper: holes may be anywhere; the text is shown up to the next hole, so that with holes at
        the end, as in the paper, the questions are the paper's.
    """

    name = "label-likelihood"
    summary = "beam search for the words that make the known label likeliest"
    requires = (LabelLikelihoodAccess,)
    hints = (Gaps,)

    class Options(Record):
        """The beam's width k and the penalty lambda."""

        beam: Annotated[int, Field(ge=1)] = 100
        penalty: Annotated[float, Field(ge=0)] = 0.0
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
        counts = Counter(token for text in background.corpus for token in text.tokens) if self.needs_corpus else {}
        total = max(1, sum(counts.values()))
        return Artefact(values={"frequency": {word: count / total for word, count in sorted(counts.items())}})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields the final beam of each secret, best first."""
        del rng
        target = access[LabelLikelihoodAccess]
        for secret_id, hint in hints.items():
            assert isinstance(hint, Gaps)
            beam: list[tuple[float, Completion]] = [(0.0, ())]
            for hole in range(len(hint.holes)):
                beam = self._extend(target, hint, hole, beam, knowledge)
                if not beam:
                    return  # the budget is spent
            scores = tuple(score for score, _ in beam)
            yield Ranking(secret_id=secret_id, candidates=tuple(filling for _, filling in beam), scores=scores)

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores whole completions: P(label | text) minus the penalty of all words filled in."""
        assert isinstance(hint, Gaps)
        last = self._objective(access[LabelLikelihoodAccess], hint, completions, knowledge)
        frequency = knowledge.values.get("frequency", {})
        earlier = [sum(frequency.get(word, 0.0) for word in filling[:-1]) for filling in completions]
        return np.asarray(last - self.options.penalty * np.array(earlier), dtype=np.float64)

    def _extend(
        self,
        target: LabelLikelihoodAccess,
        hint: Gaps,
        hole: int,
        beam: list[tuple[float, Completion]],
        knowledge: Artefact,
    ) -> list[tuple[float, Completion]]:
        options = hint.candidates[hole]
        if target.remaining is not None:
            beam = beam[: target.remaining // len(options)]
        grown = [(*filling, word) for _, filling in beam for word in options]
        if not grown:
            return []
        scores = self._objective(target, hint, grown, knowledge)
        order = np.argsort(-scores, kind="stable")[: self.options.beam]
        return [(float(scores[place]), grown[place]) for place in order]

    def _objective(
        self, target: LabelLikelihoodAccess, hint: Gaps, fillings: Sequence[Completion], knowledge: Artefact
    ) -> FloatArray:
        if hint.label is None:
            raise InputError(f"{self.name} needs the label of the text it completes; this hint has none")
        label, frequency = target.label_index(hint.label), knowledge.values.get("frequency", {})
        texts = [_shown(hint, filling) for filling in fillings]
        likelihood = np.concatenate(
            [
                target.likelihoods(texts[start : start + self.options.batch])[:, label]
                for start in range(0, len(texts), self.options.batch)
            ]
        )
        common = np.array([frequency.get(filling[-1], 0.0) for filling in fillings])
        return np.asarray(likelihood - self.options.penalty * common, dtype=np.float64)

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """All candidates of the first hole, k times those of each further one."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps)
        width, total = 1, 0
        for words in hint.candidates:
            total += width * len(words)
            width = min(options.beam, width * len(words))
        return total


def _shown(hint: Gaps, filling: Completion) -> Completion:
    """The text with the first holes filled, cut before the next open one."""
    holes = hint.holes
    end = holes[len(filling)] if len(filling) < len(holes) else len(hint.tokens)
    remaining = iter(filling)
    return tuple(next(remaining) if token is None else token for token in hint.tokens[:end])
