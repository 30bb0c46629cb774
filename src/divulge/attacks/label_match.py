"""The bottom of the ladder: only the predicted label is seen, so all that can be asked is whether it is right."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from divulge.access import LabelAccess, TokenTuple
from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.left_to_right import Completion, beam_cost, best_beginnings, best_first, even_share, shown_texts
from divulge.attacks.record_attack import BoolArray, kept_controls, known_controls, p_value, within_budget
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record, RecordText, Verdict

__all__ = ["LabelMatch"]

Known = Gaps | RecordText


class LabelMatch(Attack):
    """Believes what the model gives the right label, or the right tags.

    Paper: Yeom et al. 2018, "Privacy Risk in Machine Learning" (the gap attack), for records; for gaps, the label-only
        rung below elmahdy2022.
    Needs: LabelAccess; the label or the tags of the text known. Records known to be out give a p-value.
    Idea: A record is held to be used if its label comes out right: +1, else -1; of taggers, the share of right tags
        less `enough`. A completion scores 1 if the text gets its known label, else 0; of taggers, the share of right
        tags. A model with labels and tags has the sum of both.
    Cost: one query per record and control, two if label and tags are asked for. Gaps: as many per completion; all of
        them, or a beam from left to right.
    Differs from the paper: most completions and records tie. Ties are named in random order, and count against the
        attack in ranks: what this reports is the least that any adversary gets.
    """

    name = "label-match"
    summary = "whether the predicted label, or the tags, are right: all that a label alone gives away"
    requires = (LabelAccess,)
    hints = (Gaps, RecordText)
    asks_about_controls = True
    revision = 2

    class Options(Record):
        """The share of tags that must be right; how far to search exhaustively, and how beyond that."""

        enough: Annotated[float, Field(ge=0, le=1)] = 0.95
        exhaustive_up_to: Annotated[int, Field(ge=1)] = 20_000
        beam: Annotated[int, Field(ge=1)] = 100
        keep: Annotated[int, Field(ge=1)] = 100
        batch: Annotated[int, Field(ge=1)] = 1024

    def prepare(self, background: Background, rng: np.random.Generator) -> Artefact:
        """Keeps the records known to be out."""
        del rng
        return Artefact(values={"controls": kept_controls(background)})

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields a verdict per record, and the matching completions of each text with gaps."""
        target = access[LabelAccess]
        yield from self._verdicts(target, hints, knowledge)
        gaps = {secret_id: hint for secret_id, hint in hints.items() if isinstance(hint, Gaps)}
        for number, (secret_id, hint) in enumerate(gaps.items()):
            share = even_share(lambda: target.remaining, len(gaps) - number)
            found = self._search(target, hint, share, rng)[: self.options.keep]
            if found:  # a later secret's share may reach
                scores = tuple(score for score, _ in found)
                yield Ranking(secret_id=secret_id, candidates=tuple(filling for _, filling in found), scores=scores)

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores a completion by whether the text gets its label, and by the share of right tags."""
        del knowledge
        assert isinstance(hint, Gaps)
        return self._objective(access[LabelAccess], hint, completions)

    def _verdicts(self, target: LabelAccess, hints: Mapping[str, Hint], knowledge: Artefact) -> Iterator[Guess]:
        named = [(secret_id, hint) for secret_id, hint in hints.items() if isinstance(hint, RecordText)]
        if not named:
            return
        controls = known_controls(knowledge)
        each = max(sum(_asked_for(target, hint)) for hint in (*(hint for _, hint in named), *controls))
        left = None if target.remaining is None else target.remaining // max(1, each)
        asked, kept = within_budget(left, len(named), len(controls))
        if asked == 0:
            return  # the budget is spent
        chosen = [hint for _, hint in named[:asked]] + controls[:kept]
        label, tags = self._matches(target, chosen, [hint.tokens for hint in chosen])
        statistics = np.nansum([2 * label - 1, tags - self.options.enough], axis=0)
        for (secret_id, _), found in zip(named[:asked], statistics[:asked].tolist(), strict=True):
            yield Verdict(secret_id=secret_id, statistic=found, p_value=p_value(found, statistics[asked:]))

    def _search(
        self, target: LabelAccess, hint: Gaps, share: Callable[[], int | None], rng: np.random.Generator
    ) -> list[tuple[float, Completion]]:
        each = max(1, sum(_asked_for(target, hint)))

        def affordable() -> int | None:
            left = share()
            return None if left is None else left // each

        def objective(fillings: Sequence[Completion]) -> FloatArray:
            return self._objective(target, hint, fillings)

        left = affordable()
        if hint.space <= self.options.exhaustive_up_to and (left is None or hint.space <= left):
            completions = list(itertools.product(*hint.candidates))
            scores = objective(completions)
            return [(float(scores[place]), completions[place]) for place in best_first(scores, rng)]
        return best_beginnings(hint, objective, self.options.beam, affordable, rng)

    def _objective(self, target: LabelAccess, hint: Gaps, fillings: Sequence[Completion]) -> FloatArray:
        if hint.label is not None and target.labels:
            target.label_index(hint.label)  # of a label that the model never says, every completion would be as poor
        texts = shown_texts(hint, fillings)
        return np.asarray(np.nansum(self._matches(target, [hint] * len(texts), texts), axis=0), dtype=np.float64)

    def _matches(
        self, target: LabelAccess, hints: Sequence[Known], texts: Sequence[TokenTuple]
    ) -> tuple[FloatArray, FloatArray]:
        """Whether each text gets its label, and its share of right tags; NaN where the model, or the hint, has none."""
        asked = np.array([_asked_for(target, hint) for hint in hints])  # (texts, 2)
        if not asked.any():
            raise InputError(
                f"{self.name} needs the label, or the tags, that the model gives; the hints have none of them"
            )
        label, tags = np.full(len(texts), np.nan), np.full(len(texts), np.nan)
        for start in range(0, len(texts), self.options.batch):
            for place, said in self._said(target.label, asked[:, 0], texts, start):
                label[place] = target.labels[int(said)] == hints[place].label
            for place, words in self._said(target.tags, asked[:, 1], texts, start):
                tags[place] = _right_share(words, hints[place].tags)
        return label, tags

    def _said(
        self, ask: Callable[[Sequence[TokenTuple]], Any], wanted: BoolArray, texts: Sequence[TokenTuple], start: int
    ) -> Iterator[tuple[int, Any]]:
        """What is answered to one batch of the texts that it is to be asked about."""
        places = [int(place) for place in np.flatnonzero(wanted[start : start + self.options.batch]) + start]
        return zip(places, ask([texts[place] for place in places]), strict=True) if places else iter(())

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """One question, or two, for each text asked about."""
        assert isinstance(options, cls.Options)
        assert isinstance(hint, Gaps | RecordText)
        each = 1 + (hint.label is not None and hint.tags is not None)
        if isinstance(hint, RecordText):
            return each
        return each * (hint.space if hint.space <= options.exhaustive_up_to else beam_cost(hint, options.beam))


def _asked_for(target: LabelAccess, hint: Known) -> tuple[bool, bool]:
    return hint.label is not None and bool(target.labels), hint.tags is not None and bool(target.tag_names)


def _right_share(said: Sequence[str], known: Sequence[str] | None) -> float:
    """The share of words with their known tag; a text that is cut short is compared as far as it goes."""
    right = [one == other for one, other in zip(said, known or (), strict=False)]
    return float(np.mean(right)) if right else 0.0
