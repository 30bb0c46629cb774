"""What a label alone gives away, on tables worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.tables import TableLabels, record, statistics, verdicts

from divulge.access import LabelAccess
from divulge.adversary import Knowledge
from divulge.attacks.label_match import LabelMatch
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Gaps, Ranking

DIGITS = ("1", "2", "3")
HINT = Gaps(tokens=("pin", None, None), label="yes", candidates=(DIGITS, DIGITS))
# Only "pin 3 1" is labelled "yes"; beginnings are all "no".
TABLE = {f"pin {a} {b}": 0.1 for a in DIGITS for b in DIGITS} | {f"pin {a}": 0.1 for a in DIGITS} | {"pin 3 1": 0.9}


def guess(options: dict[str, int], hint: Gaps = HINT, limit: int | None = None, seed: int = 0) -> list[Ranking]:
    grant = Grant([TableLabels(TABLE)], limit).limited([LabelAccess], limit)
    return list(LabelMatch(options).guess(grant, {"a": hint}, Knowledge(), np.random.default_rng(seed)))  # type: ignore[arg-type]


def test_a_right_label_means_used() -> None:
    """+1 for the right label, -1 for a wrong one or one that the model does not know."""
    target = TableLabels({"a": 0.9, "b": 0.1})
    asked = [record("a"), record("b"), record("b", label="no"), record("a", label="other")]
    assert statistics(LabelMatch(), target, asked) == [1.0, -1.0, 1.0, -1.0]


def test_a_share_of_right_tags_is_compared_with_enough() -> None:
    """Three of four tags right, less 0.95; with the label, 1 more."""
    words = {"a": 0.9, "b": 0.8, "c": 0.1, "d": 0.2}
    asked = [record("a b c d", label=None, tags="X X X O")]
    assert statistics(LabelMatch(), TableLabels({}, labels=(), words=words), asked) == [pytest.approx(0.75 - 0.95)]
    both = TableLabels({"a b c d": 0.9}, words=words)
    asked = [record("a b c d", tags="X X X O"), record("a b c d"), record("a b c d", label=None, tags="X X O O")]
    assert statistics(LabelMatch({"enough": 0.5}), both, asked) == pytest.approx([1.25, 1.0, 0.5])


def test_controls_give_a_p_value() -> None:
    """One of three controls is labelled right as well: (1 + 1) / 4; all reach -1."""
    target = TableLabels({"a": 0.9, "b": 0.1})
    right, wrong = verdicts(
        LabelMatch(), target, [record("a"), record("b")], controls=[record("a"), record("b"), record("b")]
    )
    assert (right.p_value, wrong.p_value) == (pytest.approx(0.5), 1.0)


def test_records_are_asked_in_batches_within_the_budget() -> None:
    """Five records in batches of two; with four queries for them and six controls, two of each."""
    target = TableLabels({"a": 0.9})
    assert len(verdicts(LabelMatch({"batch": 2}), target, [record("a")] * 5)) == 5
    assert target.batches == [2, 2, 1]
    assert len(verdicts(LabelMatch(), target, [record("a")] * 5, controls=[record("a")] * 6, limit=4)) == 2


def test_the_completion_that_gets_the_label_comes_first() -> None:
    """One scores 1, eight tie at 0."""
    (found,) = guess({})
    assert found.candidates[0] == ("3", "1")
    assert found.scores == (1.0, *(0.0,) * 8)


def test_ties_are_named_at_random() -> None:
    """Under a label that fits none of "pin 3 1"'s neighbours less, the first of eight differs from seed to seed."""
    other = HINT.model_copy(update={"label": "no"})
    firsts = {guess({}, other, seed=seed)[0].candidates[0] for seed in range(40)}
    assert len(firsts) > 4
    assert ("3", "1") not in firsts


def test_scores_are_zeros_and_ones() -> None:
    """Whether the filled text gets the label, in the order asked; of a tagger, the share of right tags."""
    scores = LabelMatch().score(Grant([TableLabels(TABLE)]), HINT, [("1", "1"), ("3", "1")], Knowledge())
    assert scores.tolist() == [0.0, 1.0]
    tagger = TableLabels({}, labels=(), words={"pin": 0.1, "1": 0.9, "2": 0.1, "3": 0.8})
    tagged = HINT.model_copy(update={"label": None, "tags": ("O", "X", "X")})
    scores = LabelMatch().score(Grant([tagger]), tagged, [("1", "3"), ("1", "2"), ("2", "2")], Knowledge())
    np.testing.assert_allclose(scores, [1, 2 / 3, 1 / 3])


def test_what_is_too_large_is_searched_by_beam() -> None:
    """Beginnings tie, so a beam of one finds the secret only by luck; a beam of three always does."""
    assert guess({"exhaustive_up_to": 8, "beam": 3})[0].candidates[0] == ("3", "1")
    lucky = [guess({"exhaustive_up_to": 8, "beam": 1}, seed=seed)[0].candidates[0] == ("3", "1") for seed in range(40)]
    assert 0 < sum(lucky) < 30


def test_a_budget_buys_a_beam_or_nothing() -> None:
    """Six queries are one beginning; two are not even the first hole."""
    assert len(guess({}, limit=6)) == 1
    assert guess({}, limit=2) == []


def test_what_cannot_be_compared_is_an_error() -> None:
    """A hint without label and tags, and a label that the model never says."""
    with pytest.raises(InputError, match="needs the label, or the tags"):
        guess({}, HINT.model_copy(update={"label": None}))
    with pytest.raises(InputError, match="knows 3 labels, and 'nonsense' is none of them"):
        guess({}, HINT.model_copy(update={"label": "nonsense"}))


def test_cost_counts_questions() -> None:
    """Nine completions, twice where label and tags are known; one per record."""
    options = LabelMatch.Options()
    assert LabelMatch.cost(options, HINT) == 9
    assert LabelMatch.cost(options, HINT.model_copy(update={"tags": ("O", "X", "X")})) == 18
    assert LabelMatch.cost(LabelMatch.Options(exhaustive_up_to=8), HINT) == 12
    assert [LabelMatch.cost(options, record("a")), LabelMatch.cost(options, record("a", tags="X"))] == [1, 2]
