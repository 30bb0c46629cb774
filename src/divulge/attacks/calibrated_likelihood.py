"""Fills gaps by how much a label's odds rise: pruned search over words, at whatever level of access is granted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from divulge.access import Access, GradientAccess, LabelAccess, TopLabelAccess
from divulge.adversary import Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.completion_loss import CompletionLoss
from divulge.attacks.filling_scores import BEHIND, Asked, Completion, FillingScores
from divulge.attacks.filling_search import Effort, FillingSearch, Slopes
from divulge.attacks.label_evidence import LabelEvidence
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, FloatArray, Gaps, Guess, Hint, Ranking, Record

__all__ = ["CalibratedLikelihood"]


class CalibratedLikelihood(Attack):
    """Finds the words that raise the odds of the known label most, anywhere in a text, with few questions.

    Paper: elmahdy2022 sets the goal; score and search are ours.
    Needs: LabelAccess, and uses more where it is granted: the best label's probability, all probabilities, the weights;
        gaps with the label known; with `calibrate: references`, models of the adversary's own.
    Idea: What was memorised of one missing word shows without the other ones, and shows best there: where two words
        have made the model sure of the label, a third moves nothing. So words are ordered by the label's log-odds when
        they stand alone, in every hole that takes them with the other holes left out; then the fillings of the best
        words are tried; with `support`, what they reach with one hole left out counts with what they reach whole. In
        each sweep the best fillings that share no word are filled anew, one hole at a time, and the words of the best
        are brought together. With the weights, the gradient at some random fillings leaves all but a shortlist out
        before anything is asked, and names words in the sweeps. Where only labels are shown, words that get the label
        are told apart by how often they keep it when random words stand behind the text. Where all fillings cost no
        more than a search, all are asked about.
    Cost: with the weights, for each hole the starts and the shortlist, then beam x beam fillings and their parts for
        each further hole, and the sweeps; without them, the candidates in place of the shortlist, once where all holes
        have the same. A query budget is shared evenly by the secrets.
    Differs from the paper: log-odds in place of the probability; no penalty for common words, but, if asked for, what
        models that never saw the text say of it is held against a word; not left to right; pruned.
    """

    name = "calibrated-likelihood"
    summary = "pruned search for the words that raise the odds of the known label most, at any access to labels"
    requires = (LabelAccess,)
    hints = (Gaps,)
    revisions_at: ClassVar[Mapping[type[Access], int]] = {LabelAccess: 2}

    class Options(Record):
        """How to score, how hard to search, how many fillings to name."""

        calibrate: Literal["none", "references"] = "none"
        weight: Annotated[float, Field(ge=0)] = 1.0  # of the references' mean log-odds
        prune: bool = True  # by the gradient, where it is granted
        starts: Annotated[int, Field(ge=1)] = 64  # random fillings whose gradients are averaged
        shortlist: Annotated[int, Field(ge=1)] = 1000  # words of a hole that the gradient leaves
        # Of what a filling reaches with one of its holes left out: for models that some right words make sure.
        support: Annotated[float, Field(ge=0)] = 0.0
        beam: Annotated[int, Field(ge=1)] = 40  # its square, for each further hole, is tried together
        tried: Annotated[int, Field(ge=1)] = 100  # words of one hole, when it is filled anew
        sweeps: Annotated[int, Field(ge=0)] = 3
        repeats: bool = True  # whether one word may fill several holes
        versions: Annotated[int, Field(ge=0)] = 8  # of a text with words behind it, in each round, if only labels show
        keep: Annotated[int, Field(ge=1)] = 200
        batch: Annotated[int, Field(ge=1)] = 4096

    @property
    def asks_practice(self) -> bool:
        """Whether words are compared with models of the adversary's own."""
        return bool(self.options.calibrate == "references")

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        """Yields, secret by secret, the best fillings found; each secret has an even share of what may be asked."""
        effort = _effort(self.options)
        for number, (secret_id, hint) in enumerate(hints.items()):
            assert isinstance(hint, Gaps)
            left = access[LabelAccess].remaining
            budget = None if left is None else left // (len(hints) - number)
            scores = self._scores(access, hint, knowledge, budget)
            if budget == 0:
                continue  # a later secret's share may be larger: what does not divide evenly is for the last
            found = FillingSearch(scores, effort, rng, self._slopes(access, hint)).run(self.options.keep)
            best, best_scores = tuple(filling for _, filling in found), tuple(score for score, _ in found)
            yield Ranking(secret_id=secret_id, candidates=best, scores=best_scores)

    def score(self, access: Grant, hint: Hint, completions: Sequence[Completion], knowledge: Artefact) -> FloatArray:
        """Scores a completion by the label's log-odds with it and with each of its words, less what references say."""
        assert isinstance(hint, Gaps)
        return self._scores(access, hint, knowledge, None)(completions)

    def _scores(self, access: Grant, hint: Gaps, knowledge: Artefact, budget: int | None) -> FillingScores:
        chosen = self.options
        target = LabelEvidence(access, hint, self.name, chosen.batch)
        references = self._references(hint, knowledge, target)
        told = {name: getattr(chosen, name) for name in ("weight", "versions", "support")}
        return FillingScores(hint, target, references, **told, budget=budget)

    def _slopes(self, access: Grant, hint: Gaps) -> Slopes | None:
        """What the gradient says of words, where it is granted; a tagger's loss cannot be had without the tags."""
        weights = access.get(GradientAccess) if self.options.prune else None
        if weights is None or (weights.tag_names and hint.tags is None):
            return None
        return partial(_mean_slopes, CompletionLoss(weights, hint))

    def _references(self, hint: Gaps, knowledge: Artefact, target: LabelEvidence) -> list[Asked]:
        if not self.asks_practice:
            return []
        own = knowledge.practice if isinstance(knowledge, Knowledge) else ()
        knowing = [one.access for one in own if hint.label in one.access[LabelAccess].labels]
        if not knowing:
            raise InputError(
                f"calibrate is 'references', but of {len(own)} models of the adversary's own none knows the label of "
                "the secrets. Set adversary.background.references, with texts of the same labels in "
                "adversary.background.corpus, or adversary.background.shadows or paths; or set calibrate to 'none'"
            )
        return [LabelEvidence(one, hint, self.name, self.options.batch, like=target) for one in knowing]

    @classmethod
    def cost(cls, options: Part.Options, hint: Hint) -> int | None:
        """What is asked without the weights.

        Each text once: `most_times` tells how often it may be asked about where only labels are shown.
        """
        return _questions(options, hint, pruned=False)

    @classmethod
    def cost_at(cls, options: Part.Options, hint: Hint, levels: Sequence[type[Access]]) -> int | None:
        """With the weights, of a hole no more is asked about than its shortlist."""
        assert isinstance(options, cls.Options)
        return _questions(options, hint, pruned=options.prune and GradientAccess in levels)

    @classmethod
    def most_times(cls, options: Part.Options, hint: Hint, levels: Sequence[type[Access]]) -> int:
        """Where only labels are shown, what gets the label is asked about again, with other words behind it."""
        del hint
        assert isinstance(options, cls.Options)
        if any(issubclass(level, TopLabelAccess) for level in levels):
            return 1
        return 1 + len(BEHIND) * options.versions


def _questions(options: Any, hint: Hint, *, pruned: bool) -> int:
    assert isinstance(hint, Gaps)
    sizes = [len(words) for words in hint.candidates]
    search = _effort(options).questions(sizes, pruned=pruned)
    if hint.space > search:
        return search
    # All fillings, as the search itself decides, and where parts count, all fillings of all holes but one.
    parts = sum(hint.space // size for size in sizes) if options.support and len(sizes) > 1 else 0
    return hint.space + parts


def _effort(options: Any) -> Effort:
    told = {name: getattr(options, name) for name in Effort._fields if name != "parts"}
    return Effort(**told, parts=options.support > 0)


def _mean_slopes(loss: CompletionLoss, fillings: Sequence[Completion], hole: int) -> FloatArray:
    """How much better, to first order, each candidate of a hole would be than what is there; (candidates,).

    The loss is minus the label's log-likelihood.
    """
    return np.asarray(-loss.slopes(loss.numbers(fillings), hole).mean(axis=0), dtype=np.float64)
