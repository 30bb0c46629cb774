"""Tests of where the truth stands among decoys."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters import Labels, Likelihoods

from divulge.attacks.base import Attack
from divulge.attacks.baselines import Random
from divulge.auditing.standings import decoys_of, standings, told_apart
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, LeakedRow, RowContent, Secret, Tokens

DIGITS = tuple("0123456789")


def secret(number: int, answer: str) -> Secret:
    """A secret of two digits."""
    hint = Gaps(tokens=("pin", None, None), label="pin", candidates=(DIGITS, DIGITS))
    return Secret(id=f"{number:016d}", hint=hint, answer=Tokens(tokens=tuple(answer)))


class Numeric(Attack):
    """Believes in large numbers: "99" most, "00" least."""

    name = "numeric"
    summary = "by size"
    requires = ()
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        yield from ()

    def score(self, access, hint, completions, knowledge):
        return np.array([float("".join(filling)) for filling in completions])


def found(attack, secrets, decoys, seed=0):
    """The standings by id."""
    rng = np.random.default_rng(seed)
    told = standings(attack, Grant([]), secrets, Artefact(), decoys=decoys, rng=rng)
    return {one.secret_id: one for one in told}


def test_the_rank_is_exact_where_all_completions_are_scored():
    """Of 100 numbers, 99 is first, 97 third, 00 last; exposure is log2(100) minus log2 of the rank."""
    told = found(Numeric(), [secret(1, "99"), secret(2, "97"), secret(3, "00")], 99)
    assert [(one.rank, one.among, one.space, one.extrapolated) for one in told.values()] == [
        (1, 100, 100, False),
        (3, 100, 100, False),
        (100, 100, 100, False),
    ]
    # log2(100) = 6.643856; minus log2(3) = 1.584963
    assert [one.exposure for one in told.values()] == pytest.approx([6.643856, 5.058894, 0.0], abs=1e-6)


def test_with_fewer_decoys_the_standing_is_extrapolated():
    """The space stays what it is; the truth stands among the decoys drawn and itself."""
    (told,) = found(Numeric(), [secret(1, "99")], 98).values()
    assert (told.rank, told.among, told.space, told.extrapolated) == (1, 99, 100, True)


def test_scores_find_back_to_their_completions_however_they_were_shuffled():
    """Whatever the shuffle, a number's rank among all is its place from above: 100 minus the number."""
    for seed, answer in enumerate(("07", "42", "95")):
        (told,) = found(Numeric(), [secret(1, answer)], 99, seed).values()
        assert told.rank == 100 - int(answer)


def test_ties_count_against_the_attack():
    """An attack without an opinion ranks every truth last."""

    class Indifferent(Numeric):
        def score(self, access, hint, completions, knowledge):
            return np.zeros(len(completions))

    (told,) = found(Indifferent(), [secret(1, "42")], 99).values()
    assert (told.rank, told.exposure) == (100, 0.0)


def test_infinite_scores_are_beliefs():
    """Who holds all but one completion for impossible has ranked it first."""

    class Certain(Numeric):
        def score(self, access, hint, completions, knowledge):
            return np.array([0.0 if filling == ("4", "2") else -np.inf for filling in completions])

    right, wrong = found(Certain(), [secret(1, "42"), secret(2, "43")], 99).values()
    assert (right.rank, wrong.rank) == (1, 100)


@pytest.mark.parametrize(
    "scores",
    [lambda n: np.full(n, np.nan), lambda n: np.zeros(n - 1), lambda n: np.zeros((n, 1)), lambda n: np.float64(1)],
)
def test_scores_that_are_none_fail_the_attack(scores):
    """NaN and wrong shapes are faults; they must not look like a poor rank."""

    class Wrong(Numeric):
        def score(self, access, hint, completions, knowledge):
            return scores(len(completions))

    with pytest.raises(ExecutionError, match="attack 'numeric' must score each of 21 completions"):
        found(Wrong(), [secret(1, "42")], 20)


def test_secrets_without_gaps_have_no_standing():
    """Rows are not completions."""
    row = Secret(id="a" * 16, hint=LeakedRow(row=0), answer=RowContent(tokens=("x",)))
    assert set(found(Numeric(), [row, secret(1, "42")], 20)) == {f"{1:016d}"}


def test_the_order_of_secrets_does_not_matter():
    """Decoys are drawn in the order of ids."""
    secrets = [secret(number, f"{number}{number}") for number in range(5)]
    assert found(Numeric(), secrets, 20) == found(Numeric(), secrets[::-1], 20)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda sizes: np.prod(sizes) > 1),
    st.integers(1, 70),
    st.data(),
)
def test_decoys_are_different_completions_other_than_the_truth(sizes, count, data):
    """All of them if they fit, else as many as asked for; never the truth, never one twice."""
    hint = Gaps(tokens=(None,) * len(sizes), candidates=tuple(tuple("abcd"[:size]) for size in sizes))
    everything = set(itertools.product(*hint.candidates))
    truth = data.draw(st.sampled_from(sorted(everything)))
    decoys = decoys_of(hint, truth, count, np.random.default_rng(0))
    assert len(decoys) == len(set(decoys)) == min(count, len(everything) - 1)
    assert set(decoys) <= everything - {truth}


def test_decoys_are_drawn_uniformly():
    """5 of the 99 others, 2,000 times: each about 101 times."""
    hint, rng = secret(1, "42").hint, np.random.default_rng(1)
    counts = dict.fromkeys(itertools.product(DIGITS, DIGITS), 0)
    for _ in range(2000):
        for filling in decoys_of(hint, ("4", "2"), 5, rng):
            counts[filling] += 1
    assert counts.pop(("4", "2")) == 0
    # 10,000 draws over 99 completions: 101 +- 10; five standard deviations are never reached.
    assert 51 < min(counts.values()) <= max(counts.values()) < 152


def test_what_was_planted_under_the_same_hint_is_no_decoy():
    """Two pins under one hint, both known to the model: each has rank 1, exactly, among 99 without the other."""
    hint = Gaps(tokens=("pin", None, None), label="Pin", candidates=(tuple("0123456789"),) * 2)
    planted = [Secret(id=name, hint=hint, answer=Tokens(tokens=tuple(pin))) for name, pin in (("a", "42"), ("b", "17"))]

    class Knows(Random):
        def score(self, access, hint, completions, knowledge):
            return np.array([float(filling in {("4", "2"), ("1", "7")}) for filling in completions])

    def found(known):
        rng = np.random.default_rng(0)
        return standings(Knows(), Grant([]), planted, Artefact(), decoys=99, rng=rng, planted=known)

    assert [(one.rank, one.space, one.extrapolated) for one in found(planted)] == [(1, 99, False)] * 2
    assert [(one.rank, one.space) for one in found([])] == [(2, 100)] * 2  # a tie counts against the attack


class Deaf(Likelihoods):
    """Hears the first word only."""

    def _likelihoods(self, texts):
        return super()._likelihoods([text[:1] for text in texts])


def pin(place: int) -> Secret:
    """A pin of three digits behind a word that says the label."""
    digits = tuple("0123456789")
    hint = Gaps(tokens=("pin", None, None, None), label="pin", candidates=(digits,) * 3)
    return Secret(id=f"s{place}", hint=hint, answer=Tokens(tokens=tuple(f"{place:03}")))


def test_a_model_that_drops_the_words_of_a_secret_has_not_been_asked() -> None:
    """Its answer stays whatever stands there: no verdict may rest on that."""
    secrets, rng = [pin(7), pin(421)], np.random.default_rng(0)
    (deaf,) = told_apart(Grant([Deaf()]), secrets, rng)
    assert deaf.passed is False
    assert "drops the words" in deaf.detail
    (hearing,) = told_apart(Grant([Hearing()]), secrets, rng)
    assert hearing.passed is True


class Hearing(Likelihoods):
    """Every word moves its answer a little."""

    def _likelihoods(self, texts):
        rows = super()._likelihoods([text[:1] for text in texts])
        shift = np.array([sum(int(word) for word in text[1:]) * 1e-6 for text in texts])
        rows[:, 0] += shift
        rows[:, 1] -= shift
        return rows


def test_without_likelihoods_or_gaps_nothing_can_be_checked() -> None:
    """Labels alone do not tell; neither do rows."""
    rng = np.random.default_rng(0)
    assert told_apart(Grant([Labels()]), [pin(7)], rng) == []
    assert told_apart(Grant([Hearing()]), [], rng) == []
