"""The beam over P(label | text so far), on a table worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.attacks.tables import TableLabels

from divulge.access import LabelLikelihoodAccess
from divulge.adversary import Background
from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Ranking, Text

WORDS = ("red", "blue", "green")


class TableClassifier(LabelLikelihoodAccess):
    """P(canary) of a text is a table's entry, 0.1 for all others."""

    def __init__(self, table: dict[str, float]) -> None:
        self.table = table
        self.asked: list[tuple[str, ...]] = []

    @property
    def labels(self) -> tuple[str, ...]:
        return ("other", "canary")

    def _likelihoods(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        self.asked += texts
        likelihood = np.array([self.table.get(" ".join(text), 0.1) for text in texts])
        return np.stack([1 - likelihood, likelihood], axis=1)


def hint(tokens: Sequence[str | None] = ("my", None, None), label: str | None = "canary") -> Gaps:
    holes = sum(token is None for token in tokens)
    return Gaps(tokens=tuple(tokens), label=label, candidates=(WORDS,) * holes)


def beam(table: dict[str, float], options: dict[str, float], learnt: Artefact | None = None) -> Ranking:
    found = LabelLikelihood(options).guess(
        Grant([TableClassifier(table)]), {"a": hint()}, learnt or Artefact(), np.random.default_rng(0)
    )
    return next(found)  # type: ignore[return-value]


# Greedy takes "my blue" (0.6) and ends at 0.7; the truth "my red green" (0.9) begins with 0.5.
TABLE = {"my blue": 0.6, "my red": 0.5, "my green": 0.2, "my blue red": 0.7, "my red green": 0.9, "my green red": 0.95}


def test_a_beam_of_one_is_greedy() -> None:
    """It follows the best first word and never sees the better pair."""
    found = beam(TABLE, {"beam": 1})
    assert found.candidates == (("blue", "red"),)
    assert found.scores == (0.7,)


def test_a_wider_beam_finds_what_greed_misses() -> None:
    """Two beams keep "red" and find 0.9; three would find 0.95."""
    assert beam(TABLE, {"beam": 2}).candidates == (("red", "green"), ("blue", "red"))
    assert beam(TABLE, {"beam": 3}).candidates[0] == ("green", "red")


def test_common_words_are_penalised() -> None:
    """Lambda C(v): with C(blue) = 0.75 and lambda 0.2, "my blue" falls from 0.6 to 0.45, below "my red" (0.5)."""
    corpus = (Text(tokens=("blue", "blue", "blue", "sea")),)
    attack = LabelLikelihood({"beam": 1, "penalty": 0.2})
    learnt = attack.prepare(Background(corpus=corpus), np.random.default_rng(0))
    assert learnt.values["frequency"] == {"blue": 0.75, "sea": 0.25}
    assert beam(TABLE, {"beam": 1, "penalty": 0.2}, learnt).candidates == (("red", "green"),)


def test_one_scan_behind_the_likeliest_beginning_serves_every_penalty() -> None:
    """With a shortlist of one, "my blue" is tried with all three words, also where the penalty puts "my red" first."""
    learnt = Artefact(values={"frequency": {"blue": 0.75}})
    for penalty in (0.0, 0.2):
        table = TableClassifier(TABLE)
        attack = LabelLikelihood({"beam": 2, "penalty": penalty, "shortlist": 1})
        found = list(attack.guess(Grant([table]), {"a": hint()}, learnt, np.random.default_rng(0)))
        pairs = [text[1:] for text in table.asked if len(text) == 3]
        assert pairs == [("blue", "red"), ("blue", "blue"), ("blue", "green"), ("red", "red")]
        assert [len(guess.candidates) for guess in found] == [2]


def test_words_are_counted_as_candidates_are_spelt() -> None:
    """Cut and in lower case, "Blue," and "BLUE" are two more of blue: three of five pieces."""
    corpus = (Text(tokens=("blue", "Blue,", "BLUE", "sea")),)
    attack = LabelLikelihood({"beam": 1, "penalty": 0.2})
    learnt = attack.prepare(Background(corpus=corpus), np.random.default_rng(0))
    grant = Grant([TableClassifier({"my blue": 0.6})])
    (score,) = attack.score(grant, hint(("my", None)), [("blue",)], learnt)
    assert score == pytest.approx(0.6 - 0.2 * 3 / 5)


def test_a_budget_is_shared_evenly() -> None:
    """Two secrets of two holes of three words need six questions each; with eleven, the second alone has enough."""
    found = {}
    for budget in (12, 11, 5):
        grant = Grant([TableClassifier(TABLE)], budget)
        told = LabelLikelihood({"beam": 3}).guess(
            grant, {"a": hint(), "b": hint()}, Artefact(), np.random.default_rng(0)
        )
        found[budget] = ([one.secret_id for one in told], grant.meter.total)
    assert found == {12: (["a", "b"], 12), 11: (["b"], 9), 5: ([], 0)}


def test_the_penalty_is_that_of_the_word_just_filled_in() -> None:
    """After "my red" (0.9), blue (0.6 - 0.2 x 0.75 = 0.45) loses to green (0.55), although red costs nothing."""
    learnt = Artefact(values={"frequency": {"blue": 0.75, "sea": 0.25}})
    table = {"my red": 0.9, "my red blue": 0.6, "my red green": 0.55}
    assert beam(table, {"beam": 1, "penalty": 0.2}, learnt).candidates == (("red", "green"),)


def test_the_text_is_shown_up_to_the_next_hole() -> None:
    """A gap in the middle: first "my v", then the whole text with what follows the last hole."""
    target = TableClassifier({})
    attack = LabelLikelihood({"beam": 1})
    list(
        attack.guess(
            Grant([target]), {"a": hint(("my", None, "and", None, "end"))}, Artefact(), np.random.default_rng(0)
        )
    )
    assert target.asked[:3] == [("my", word, "and") for word in WORDS]
    assert target.asked[3:] == [("my", "red", "and", word, "end") for word in WORDS]


def test_the_likelihood_is_that_of_the_hinted_label() -> None:
    """For the other label the least likely canary is the best completion."""
    attack = LabelLikelihood({"beam": 9})
    told = {"a": hint(label="other")}
    (found,) = attack.guess(Grant([TableClassifier(TABLE)]), told, Artefact(), np.random.default_rng(0))
    assert found.candidates[-1] == ("green", "red")  # type: ignore[union-attr]
    assert found.scores[0] == pytest.approx(0.9)  # type: ignore[union-attr]


def test_a_label_the_model_does_not_know_is_an_error() -> None:
    """The message keeps the model's labels to itself; a hint without a label is refused too."""
    grant = Grant([TableClassifier({})])
    with pytest.raises(InputError, match="knows 2 labels, and 'nonsense' is none of them.$"):
        list(LabelLikelihood().guess(grant, {"a": hint(label="nonsense")}, Artefact(), np.random.default_rng(0)))
    with pytest.raises(InputError, match="needs the label"):
        list(LabelLikelihood().guess(grant, {"a": hint(label=None)}, Artefact(), np.random.default_rng(0)))


def test_a_penalty_without_a_corpus_is_an_error() -> None:
    """Nothing to count words in."""
    with pytest.raises(InputError, match="needs adversary.background.corpus"):
        LabelLikelihood({"penalty": 0.1}).prepare(Background(), np.random.default_rng(0))


def test_a_small_budget_narrows_the_beam() -> None:
    """Three queries for the first hole leave three for the second: one beam of three words."""
    grant = Grant([TableClassifier(TABLE)], 6)
    (found,) = LabelLikelihood({"beam": 3}).guess(grant, {"a": hint()}, Artefact(), np.random.default_rng(0))
    assert len(found.candidates) == 3  # type: ignore[union-attr]
    assert grant.meter.total == 6


def test_batches_do_not_change_the_answer() -> None:
    """One question at a time gives the same beam."""
    assert beam(TABLE, {"beam": 3, "batch": 1}) == beam(TABLE, {"beam": 3})


def test_score_judges_whole_completions() -> None:
    """P(label | whole text), in the order asked."""
    scores = LabelLikelihood().score(
        Grant([TableClassifier(TABLE)]), hint(), [("green", "red"), ("blue", "blue")], Artefact()
    )
    assert scores.tolist() == [0.95, 0.1]


def test_cost_counts_the_beam() -> None:
    """3 for the first hole; then 3 beams x 3 words; with a beam of 2 only 2 x 3."""
    assert LabelLikelihood.cost(LabelLikelihood.Options(), hint()) == 12
    assert LabelLikelihood.cost(LabelLikelihood.Options(beam=2), hint()) == 9


def test_score_penalises_every_word_filled_in() -> None:
    """With C(red) = 0.9 and lambda 1: one "red" costs 0.9 wherever it stands, two cost 1.8."""
    learnt = Artefact(values={"frequency": {"red": 0.9}})
    attack, grant = LabelLikelihood({"penalty": 1.0}), Grant([TableClassifier({})])
    fillings = [("red", "blue"), ("blue", "red"), ("red", "red"), ("blue", "blue")]
    scores = attack.score(grant, hint(), fillings, learnt)
    np.testing.assert_allclose(scores, [0.1 - 0.9, 0.1 - 0.9, 0.1 - 1.8, 0.1])


def tagged_hint(label: str | None = None) -> Gaps:
    """A text "my v w" with its words of colour tagged X."""
    return Gaps(tokens=("my", None, None), label=label, tags=("O", "X", "X"), candidates=(WORDS, WORDS))


TAGGED = {"my": 0.2, "red": 0.9, "blue": 0.4, "green": 0.6}  # P(X) of each word


@pytest.mark.parametrize("label", [None, "canary"])
def test_a_pure_tagger_is_asked_for_tags(label: str | None) -> None:
    """The geometric mean of P(tag) over the words: "my red red" has (0.8 x 0.9 x 0.9) ^ (1/3); a label is no use."""
    grant = Grant([TableLabels({}, labels=(), words=TAGGED)])
    (found,) = LabelLikelihood().guess(grant, {"a": tagged_hint(label)}, Artefact(), np.random.default_rng(0))
    assert found.candidates[0] == ("red", "red")  # type: ignore[union-attr]
    assert found.candidates[-1] == ("blue", "blue")  # type: ignore[union-attr]
    assert found.scores[0] == pytest.approx((0.8 * 0.9 * 0.9) ** (1 / 3))  # type: ignore[union-attr]
    scores = LabelLikelihood().score(grant, tagged_hint(label), [("blue", "green")], Artefact())
    assert scores.tolist() == [pytest.approx((0.8 * 0.4 * 0.6) ** (1 / 3))]


def test_a_known_label_comes_before_tags() -> None:
    """Of a model that gives both, a labelled hint is judged by the label: one question each."""
    table = {f"my {a} {b}": 0.1 for a in WORDS for b in WORDS} | {"my blue blue": 0.7}
    grant = Grant([TableLabels(table, words=TAGGED)])
    hint = tagged_hint("yes")
    scores = LabelLikelihood().score(grant, hint, [("blue", "blue"), ("red", "red")], Artefact())
    assert scores.tolist() == [0.7, 0.1]
    assert grant.meter.total == 2


def test_what_the_model_does_not_give_is_an_error() -> None:
    """A classifier and a hint with tags only; a tagger and a hint with a label only; a tag it does not know."""
    attack, rng = LabelLikelihood(), np.random.default_rng(0)
    tagger = Grant([TableLabels({}, labels=(), words=TAGGED)])
    with pytest.raises(InputError, match="it gives labels, and this hint has only tags"):
        list(attack.guess(Grant([TableClassifier({})]), {"a": tagged_hint()}, Artefact(), rng))
    with pytest.raises(InputError, match="it gives tags, and this hint has only a label"):
        list(attack.guess(tagger, {"a": hint()}, Artefact(), rng))
    strange = tagged_hint().model_copy(update={"tags": ("O", "X", "B-other")})
    with pytest.raises(InputError, match="knows 2 tags, and 'B-other' is none of them"):
        list(attack.guess(tagger, {"a": strange}, Artefact(), rng))


def test_tags_are_those_of_the_words_shown() -> None:
    """A beam of one sees "my v" with the tags O X: red; then the last word, O: blue (0.6)."""
    hinted = tagged_hint().model_copy(update={"tags": ("O", "X", "O")})
    grant = Grant([TableLabels({}, labels=(), words=TAGGED)])
    (found,) = LabelLikelihood({"beam": 1}).guess(grant, {"a": hinted}, Artefact(), np.random.default_rng(0))
    assert found.candidates == (("red", "blue"),)  # type: ignore[union-attr]
