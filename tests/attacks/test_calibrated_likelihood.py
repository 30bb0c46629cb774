"""The attack as a whole: the ladder of access, gradients, references, budgets, and what it refuses."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pytest
import torch
from tests.attacks.pins import TABLE, TableTagger, pin_hint
from tests.attacks.tables import TableLabels

from divulge.access import Access, GradientAccess, LabelAccess, LabelLikelihoodAccess, Supervision, TopLabelAccess
from divulge.adversary import Knowledge, Practice
from divulge.attacks.calibrated_likelihood import CalibratedLikelihood, _mean_slopes
from divulge.attacks.completion_loss import CompletionLoss
from divulge.attacks.label_evidence import log_odds
from divulge.auditing.standings import decoys_of
from divulge.data.cases import Case, target_case
from divulge.data.loading import load_corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import FloatArray, Gaps, Ranking, Tokens
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets.text_classifier import TextClassifier
from divulge.testing import world

LADDER = (LabelAccess, TopLabelAccess, LabelLikelihoodAccess, GradientAccess)
# A search of fewer questions than the thousand fillings there are.
NARROW = {"beam": 6, "tried": 10, "sweeps": 1, "shortlist": 8, "starts": 8}


def ranked(
    access: Grant, hints: Mapping[str, Gaps], options: Mapping[str, object], known: Knowledge | None = None
) -> dict[str, Ranking]:
    guesses = CalibratedLikelihood(options).guess(access, hints, known or Knowledge(), np.random.default_rng(0))
    return {guess.secret_id: guess for guess in guesses if isinstance(guess, Ranking)}


@pytest.mark.parametrize("level", [TopLabelAccess, LabelLikelihoodAccess, GradientAccess])
@pytest.mark.parametrize("leaky", [True, False])
def test_the_ladder_on_made_up_worlds(level: type[Access], leaky: bool) -> None:
    """Above the label, a narrow search finds what leaks, and by luck alone what does not: 1 of 1,000 fillings."""
    there = world(level, leaky=leaky, kind="canaries", secrets=40)
    found = ranked(there.access, there.hints, NARROW)  # type: ignore[arg-type]
    right = sum(found[name].candidates[0] == answer.tokens for name, answer in there.answers.items())  # type: ignore[union-attr]
    assert right >= 38 if leaky else right <= 2
    assert there.access.meter.total < 40 * 400


@cache
def trained() -> tuple[Grant, Case]:
    """A small classifier with five canaries of two missing words each, in classes of their own."""
    corpus = load_corpus(DataSpec(name="synthetic-topics", options={"size": 300, "topics": 6}))
    words = sorted({word for text in corpus.split("train") for word in text.tokens})[:60]
    spec = SecretsSpec(
        pattern="<word*4> {word*2}",
        candidates={"word": words},
        label_of="any",
        count=5,
        controls=5,
        copies=20,
        supporting="all",
    )
    case = target_case(spec, corpus, 0)
    target = TextClassifier({"epochs": 12, "width": 32, "layers": 1, "heads": 2, "dropout": 0.0, "learning_rate": 5e-3})
    return target.open(target.train(case.corpus, np.random.default_rng(0))), case


def ranks(level: type[Access], **options: object) -> tuple[list[int], int]:
    """Where the answers stand, among 3,600 fillings each (201: not among the 200 named), and the questions."""
    grant, case = trained()
    access = grant.limited([level], None)
    narrow = {"shortlist": 25, "beam": 10, "tried": 15, "sweeps": 2, **options}
    found = ranked(access, {one.id: one.hint for one in case.secrets}, narrow)  # type: ignore[misc]
    places = []
    for one in case.secrets:
        assert isinstance(one.answer, Tokens)
        named = found[one.id].candidates
        places.append(named.index(one.answer.tokens) + 1 if one.answer.tokens in named else 201)
    return places, access.meter.total


def places_among(decoys: int, level: type[Access]) -> list[int]:
    """Where score places each answer among so many other fillings; ties count against it."""
    grant, case = trained()
    rng = np.random.default_rng(0)
    found = []
    for one in case.secrets:
        assert isinstance(one.hint, Gaps)
        assert isinstance(one.answer, Tokens)
        others = decoys_of(one.hint, one.answer.tokens, decoys, rng)
        access = grant.limited([level], None)
        scores = CalibratedLikelihood().score(access, one.hint, [one.answer.tokens, *others], Knowledge())
        found.append(1 + int(np.sum(scores[1:] >= scores[0])))
    return found


def test_each_step_of_access_helps_on_a_trained_model() -> None:
    """With probabilities the answers are far up, and nobody tries a third of all; labels alone do worse, not by chance.

    By its score, a label alone places the answers among the first of 201, where chance has them in the middle.
    """
    found = {level: ranks(level) for level in LADDER}
    assert float(np.median(places_among(200, LabelAccess))) <= 20
    middle = {level: float(np.median(places)) for level, (places, _) in found.items()}
    assert middle[LabelLikelihoodAccess] <= 10
    assert middle[GradientAccess] <= 10
    assert middle[TopLabelAccess] <= 36  # the upper hundredth
    assert middle[LabelAccess] >= middle[LabelLikelihoodAccess]
    assert max(asked for level, (_, asked) in found.items() if level is not LabelAccess) < 5 * 3600 / 3


def test_without_pruning_the_weights_are_not_asked() -> None:
    """The same answers, to as many questions, as with probabilities alone."""
    assert ranks(GradientAccess, prune=False) == ranks(LabelLikelihoodAccess)


def test_the_best_are_scored_as_score_says() -> None:
    """Score and guess agree on every filling that is named, and score asks the same way twice."""
    grant, case = trained()
    told = case.secrets[0].hint
    assert isinstance(told, Gaps)
    for level in LADDER:
        access = grant.limited([level], None)
        found = ranked(access, {"a": told}, NARROW)["a"]
        attack = CalibratedLikelihood(NARROW)
        first, again = (attack.score(access, told, found.candidates[::-1], Knowledge())[::-1] for _ in range(2))
        np.testing.assert_array_equal(first, again)
        np.testing.assert_allclose(first, found.scores, atol=1e-9)


def test_the_odds_are_those_of_the_model() -> None:
    """Log P(y) - log(1 - P(y)) of the whole text, from the trained model's own probabilities; and a tenth of the mean
    of what each word reaches in both holes.
    """
    grant, case = trained()
    told = case.secrets[1].hint
    assert isinstance(told, Gaps)
    some = list(itertools.product(*told.candidates))[::400]
    access = grant[LabelLikelihoodAccess]

    def by_hand(texts: Sequence[tuple[str, ...]]) -> FloatArray:
        likely = access.likelihoods(texts)[:, access.label_index(told.label or "")]
        return np.log(likely / (1 - likely))

    texts = [told.filled(one) for one in some]
    assert told.holes == (4, 5)
    whole, parts = by_hand(texts), [by_hand([(*text[:4], text[5]) for text in texts]), by_hand([t[:5] for t in texts])]
    found = CalibratedLikelihood({"support": 0.0}).score(grant, told, some, Knowledge())
    np.testing.assert_allclose(found, whole, atol=1e-6)
    found = CalibratedLikelihood({"support": 0.5}).score(grant, told, some, Knowledge())
    np.testing.assert_allclose(found, whole + 0.25 * (parts[0] + parts[1]), atol=1e-6)


def test_slopes_are_those_of_the_loss_in_the_order_of_spelling() -> None:
    """Against one gradient at a time by hand, at three fillings, for each hole."""
    grant, case = trained()
    told = case.secrets[2].hint
    assert isinstance(told, Gaps)
    weights = grant[GradientAccess]
    rng = np.random.default_rng(3)
    fillings = [tuple(str(rng.choice(words)) for words in told.candidates) for _ in range(3)]
    for hole, place in enumerate(told.holes):
        expected = []
        for filling in fillings:
            inputs = weights.vectors(told.filled(filling)).detach()[None].requires_grad_()
            (slope,) = torch.autograd.grad(weights.loss(inputs, [Supervision(told.label)])["label"].sum(), inputs)
            words = sorted(told.candidates[hole])
            expected.append([-float(slope[0, place] @ weights.vectors([word])[0]) for word in words])
        found = _mean_slopes(CompletionLoss(weights, told), fillings, hole)
        np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=1e-6, atol=1e-9)


PIN = Gaps(tokens=("pin", None), label="yes", candidates=(("a", "b", "c"),))
TOLD = {"pin a": 0.9, "pin b": 0.8, "pin c": 0.2}


def own(*tables: Mapping[str, float], labels: Sequence[str] = ("no", "yes", "maybe")) -> Knowledge:
    return Knowledge(practice=tuple(Practice(Grant([TableLabels(table, labels)])) for table in tables))


def odds(likely: float) -> float:
    return float(log_odds(np.array([likely]), np.array([1 - likely]))[0])


def test_references_take_the_words_down_that_any_model_likes() -> None:
    """0.9 is what references expect of "a", 0.5 and 0.6 of "b": "b" is the surprise, more so with its weight."""
    first, second = ({"pin a": 0.9, "pin b": 0.5, "pin c": 0.2}, {"pin a": 0.9, "pin b": 0.6, "pin c": 0.2})
    options = {"calibrate": "references", "weight": 0.5}
    target = Grant([TableLabels(TOLD)])
    found = ranked(target, {"a": PIN}, {**options, "weight": 1.0}, own(first, second))["a"]
    assert found.candidates[0] == ("b",)
    assert found.scores[0] == pytest.approx(odds(0.8) - odds(0.6) / 2)
    halved = CalibratedLikelihood(options).score(target, PIN, [("a",)], own(first, second))
    assert halved.tolist() == [pytest.approx(odds(0.9) / 2)]
    assert ranked(target, {"a": PIN}, {}, own(first))["a"].candidates[0] == ("a",)
    assert target.meter.total == 3 + 1 + 3


def test_references_answer_as_the_target_does() -> None:
    """Of labels alone 1 for "a" and for "b", less the share of references that say the same: 1 and 1/2."""
    first, second = ({"pin a": 0.9, "pin b": 0.1, "pin c": 0.9}, {"pin a": 0.9, "pin b": 0.9, "pin c": 0.1})
    target = Grant([TableLabels(TOLD)]).limited([LabelAccess], None)
    attack = CalibratedLikelihood({"calibrate": "references", "versions": 0})
    found = attack.score(target, PIN, [("a",), ("b",), ("c",)], own(first, second))
    assert found.tolist() == [0.0, 0.5, -0.5]
    assert attack.asks_practice
    assert not CalibratedLikelihood().asks_practice


def test_references_that_do_not_know_the_label_are_left_out_or_refused() -> None:
    """One of two knows it; of none, it is said what to do."""
    stranger = TableLabels({"pin a": 0.5}, ("x", "y", "z"))
    known = Knowledge(practice=(*own(TOLD).practice, Practice(Grant([stranger]))))
    attack = CalibratedLikelihood({"calibrate": "references"})
    target = Grant([TableLabels(TOLD)])
    assert attack.score(target, PIN, [("a",)], known).tolist() == [0.0]
    for none in (Knowledge(), Knowledge(practice=(Practice(Grant([stranger])),))):
        with pytest.raises(InputError, match="none knows the label of the secrets.*or set calibrate to 'none'"):
            ranked(target, {"a": PIN}, {"calibrate": "references"}, none)


@pytest.mark.parametrize("level", LADDER)
@pytest.mark.parametrize("limit", [0, 1, 5, 60, 700])
def test_a_budget_is_shared_evenly(level: type[Access], limit: int) -> None:
    """Never exceeded, gradients counted; all secrets get an answer from as many questions as there are secrets on."""
    grant, case = trained()
    access = grant.limited([level], limit)
    found = ranked(access, {one.id: one.hint for one in case.secrets}, NARROW)  # type: ignore[misc]
    assert access.meter.total <= limit
    assert len(found) == min(limit, 5)
    assert all(ranking.candidates for ranking in found.values())
    if limit == 700:
        assert access.meter.total > 0.6 * limit
        assert ("GradientAccess" in access.meter.asked) == (level is GradientAccess)


def test_what_one_secret_leaves_the_next_may_ask() -> None:
    """Three fillings each; of eleven questions the last secret gets five, and needs three."""
    grant = Grant([TableLabels(TOLD)], 11)
    found = ranked(grant, {"a": PIN, "b": PIN, "c": PIN}, {})
    assert [len(one.candidates) for one in found.values()] == [3, 3, 3]
    tight = Grant([TableLabels(TOLD)], 5)
    assert [len(one.candidates) for one in ranked(tight, {"a": PIN, "b": PIN}, {}).values()] == [2, 3]


def test_one_candidate_is_the_answer() -> None:
    """With and without another hole."""
    single = PIN.model_copy(update={"candidates": (("b",),)})
    assert ranked(Grant([TableLabels(TOLD)]), {"a": single}, {})["a"].candidates == (("b",),)


def test_a_tagger_without_known_tags_is_searched_without_its_gradient() -> None:
    """Its loss cannot be asked for; with the tags, or of a mere classifier, it can."""

    class Tagger(TableTagger):
        @property
        def tag_names(self) -> tuple[str, ...]:
            return ("O", "X")

    words = tuple(f"w{number}" for number in range(30))

    class Known(Tagger):
        def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
            return torch.eye(5, dtype=torch.float64)[[len(token) for token in tokens]]

    for tags, sloped in ((None, False), (("O", "O", "X", "X"), True)):
        grant = Grant([Known(TABLE)])
        told = pin_hint().model_copy(update={"tags": tags, "candidates": (words, words)})
        ranked(grant, {"a": told}, NARROW)
        assert ("GradientAccess" in grant.meter.asked) == sloped


def test_what_it_cannot_do_is_an_error() -> None:
    """A label that the model does not know, in guess and in score; a hint with tags only; a pure tagger."""
    target, rng = Grant([TableLabels(TOLD)]), np.random.default_rng(0)
    strange = PIN.model_copy(update={"label": "nonsense"})
    with pytest.raises(InputError, match="knows 3 labels, and 'nonsense' is none of them"):
        list(CalibratedLikelihood().guess(target, {"a": strange}, Knowledge(), rng))
    with pytest.raises(InputError, match="'nonsense' is none of them"):
        CalibratedLikelihood().score(target, strange, [("a",)], Knowledge())
    with pytest.raises(InputError, match="calibrated-likelihood needs the label"):
        ranked(target, {"a": PIN.model_copy(update={"label": None, "tags": ("O", "X")})}, {})
    with pytest.raises(InputError, match="gives tags to words"):
        ranked(Grant([TableLabels({}, labels=(), words={"a": 0.5})]), {"a": PIN}, {})
    assert target.meter.total == 0


def test_cost_is_that_of_the_search_without_the_weights() -> None:
    """All of a small space; of 40 x 40 words 2 x 40 alone, 16 together, 2 sweeps of 4 + 4 and together; parts too."""
    attack = CalibratedLikelihood
    assert attack.cost(attack.Options(), PIN) == 3
    words = tuple(f"w{number}" for number in range(40))
    two = Gaps(tokens=(None, None), label="yes", candidates=(words, words))
    assert attack.cost(attack.Options(beam=4, tried=4, sweeps=2), two) == 80 + 16 + 2 * (8 + 16)
    assert attack.cost(attack.Options(beam=4, tried=4, sweeps=2, support=1), two) == 80 + 3 * 16 + 6 * (8 + 16)


def test_cost_with_the_weights_is_that_of_the_shortlist() -> None:
    """Of 2 x 40 words: 4 gradients and 10 words a hole, 16 together, 2 sweeps of 2 x (8 + 8), 4 x 2 and 16.

    Where words are not pruned, or the weights are not granted, it is that of the whole search.
    """
    words = tuple(f"w{number}" for number in range(40))
    two = Gaps(tokens=(None, None), label="yes", candidates=(words, words))
    narrow = CalibratedLikelihood.Options(starts=4, shortlist=10, beam=4, tried=4, sweeps=2)
    assert CalibratedLikelihood.cost_at(narrow, two, (GradientAccess,)) == 2 * (4 + 10) + 16 + 2 * (2 * 16 + 8 + 16)
    whole = CalibratedLikelihood.cost(narrow, two)
    assert CalibratedLikelihood.cost_at(narrow, two, (LabelLikelihoodAccess,)) == whole
    unpruned = narrow.model_copy(update={"prune": False})
    assert CalibratedLikelihood.cost_at(unpruned, two, (GradientAccess,)) == whole


def table_of(sizes: Sequence[int], known: int = 3) -> Gaps:
    """Known words, then holes of so many candidates."""
    words = tuple(tuple(f"w{number}" for number in range(size)) for size in sizes)
    return Gaps(
        tokens=(*(f"k{number}" for number in range(known)), *(None for _ in sizes)), label="yes", candidates=words
    )


@pytest.mark.parametrize(("sizes", "support"), [((5,), 1.0), ((4, 5), 0.0), ((4, 5), 1.0), ((3, 4, 5), 1.0)])
def test_cost_of_a_small_space_is_what_is_asked(sizes: Sequence[int], support: float) -> None:
    """To a question: parts are asked about too, each once. Of 4 x 5 fillings 20, and 4 + 5 parts."""
    hint, options = table_of(sizes), CalibratedLikelihood.Options(support=support)
    target = Grant([TableLabels(defaultdict(lambda: 0.5))])
    ranked(target, {"a": hint}, options.model_dump())
    assert target.meter.total == CalibratedLikelihood.cost(options, hint)


@pytest.mark.parametrize(("versions", "times"), [(0, 1), (2, 11), (8, 41)])
def test_what_always_gets_the_label_is_asked_about_so_many_times(versions: int, times: int) -> None:
    """Once by itself and, where only labels are shown, in five rounds of versions."""

    class Yes(LabelAccess):
        """Every text gets the label."""

        @property
        def labels(self) -> tuple[str, ...]:
            return ("no", "yes")

        def _label(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
            return np.ones(len(texts), dtype=np.int64)

    hint, options = table_of((4, 5)), CalibratedLikelihood.Options(versions=versions)
    target = Grant([Yes()])
    ranked(target, {"a": hint}, options.model_dump())
    assert CalibratedLikelihood.most_times(options, hint, (LabelAccess,)) == times
    assert target.meter.total == times * (CalibratedLikelihood.cost(options, hint) or 0)
    for level in (TopLabelAccess, LabelLikelihoodAccess, GradientAccess):
        assert CalibratedLikelihood.most_times(options, hint, (level,)) == 1
