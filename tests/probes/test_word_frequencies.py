"""Words by frequency and figures by person, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import Pieces, Tokens

from divulge.metrics.intervals import Interval
from divulge.probes.word_frequencies import Frequencies, mean_figure, reading, share_figure, sums_by_person
from divulge.records import Text

TRAINING = (("b", "a", "a", "<unk>"), ("c", "b", "a", "strange"))  # a 3, b 2, c 1


def test_words_rank_by_count() -> None:
    """1 is the most frequent; what is unknown, stands for the unknown, or never occurs has no rank."""
    found = Frequencies(TRAINING, ("<unk>", "c", "b", "a", "d", "a"))
    assert len(found) == 3
    assert found.ranks([("a", "b"), ("c", "d", "<unk>", "strange")]).tolist() == [1, 2, 3, 0, 0, 0]


def test_ties_go_by_the_alphabet() -> None:
    """So that the same texts always give the same groups."""
    assert Frequencies([("z", "y")], ("z", "y")).ranks([("y", "z")]).tolist() == [1, 2]


@pytest.mark.parametrize(("share", "frequent"), [(0.01, 1), (0.4, 1), (0.6, 2)])
def test_frequent_words_are_a_share_of_words_and_at_least_one(share: float, frequent: int) -> None:
    """0.4 of three words is one, 0.6 are two; words without a rank are in neither group."""
    ranks = np.array([0, 1, 2, 3])
    found = Frequencies(TRAINING, "abc").groups(ranks, share)
    assert found["frequent"].tolist() == [False, *(rank <= frequent for rank in (1, 2, 3))]
    assert found["rare"].tolist() == [False, *(rank > frequent for rank in (1, 2, 3))]


def test_tokens_know_their_person() -> None:
    """Texts of one user are of one person, a text of nobody's of its own; empty texts are left out."""
    texts = [
        Text(tokens=("dog", "sat"), user="1"),
        Text(tokens=("cat",)),
        Text(tokens=(), user="2"),
        Text(tokens=("mat",)),
        Text(tokens=("on",), user="1", context=("a",)),
    ]
    found = reading(texts, Tokens())
    assert found.tokens == [("dog", "sat"), ("cat",), ("mat",), ("on",)]
    assert found.passages[3].context == ("a",)
    first, _, cat, mat, last = found.person
    assert first == last
    assert len({first, cat, mat}) == 3


def test_pieces_of_words_are_the_tokens_where_a_model_reads_them() -> None:
    """Three pieces of two words, all of one person."""
    found = reading([Text(tokens=("abc", "de"))], Pieces())
    assert found.tokens == [("ab", "c.", "de.")]
    assert found.person.tolist() == [0, 0, 0]


def test_sums_leave_out_people_who_have_nothing() -> None:
    """Person 1 has no token that counts."""
    found = sums_by_person(np.array([0, 0, 1, 2]), [1.0, 2.0, 0.0, 5.0], [1, 1, 0, 1])
    assert found.tolist() == [[3.0, 2.0], [5.0, 1.0]]


def test_a_mean_has_people_as_its_n() -> None:
    """(3 + 5) / (2 + 1), two people; minus infinity has no mean; one person has no interval."""
    rng = np.random.default_rng(0)
    one = mean_figure("word_rank", np.array([[3.0, 2.0], [5.0, 1.0]]), {"seen": True}, rng)
    assert (one.value, one.n, one.arm, dict(one.group)) == (pytest.approx(8 / 3), 2, "utility", {"seen": True})
    assert (one.low, one.high) == pytest.approx((1.5, 5.0))  # two people: from the one to the other
    none = mean_figure("log_probability", np.array([[-np.inf, 2.0], [-5.0, 1.0]]), {}, rng)
    assert (none.value, none.low, none.n) == (None, None, 2)
    alone = mean_figure("word_rank", np.array([[3.0, 2.0]]), {}, rng)
    assert (alone.value, alone.low, alone.high) == (1.5, None, None)


def test_a_share_that_all_people_have_alike_is_still_not_certain() -> None:
    """None of 10 words: Wilson's upper end is 0.2775; one person alone has no interval."""
    rng = np.random.default_rng(0)
    none = share_figure("density", np.array([[0.0, 4.0], [0.0, 6.0]]), {}, rng)
    assert (none.value, none.low, none.high) == pytest.approx((0.0, 0.0, 0.2775), abs=1e-4)
    assert share_figure("density", np.array([[0.0, 10.0]]), {}, rng).high is None


def test_a_share_is_no_surer_than_something_else_allows() -> None:
    """An interval over draws reaches farther than that over people."""
    given = np.array([[40.0, 100.0], [40.0, 100.0], [40.0, 100.0]])
    found = share_figure("train_accuracy", given, {}, np.random.default_rng(0), Interval(0.1, 0.41))
    assert found.low == 0.1
    assert found.high is not None
    assert found.high > 0.45  # 120 of 300: Wilson's upper end is 0.456
