"""Keywords recovered from rows, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.base import Scored
from divulge.metrics.intervals import wilson
from divulge.metrics.keywords import (
    STOP_WORDS,
    KeywordCount,
    UniqueKeywordCount,
    kept_words,
    recovered,
    words_of,
)
from divulge.records import Keywords, LeakedRow, Measurement, Ranking, RowContent

Rows = list[tuple[tuple[str, ...], str]]


def rows(found: Rows, models: int = 0) -> Scored:
    """Rows with their keywords and the sentence guessed."""
    names = [f"r{number}" for number in range(len(found))]
    return Scored(
        answers={name: Keywords(words=tuple(sorted(words))) for name, (words, _) in zip(names, found, strict=True)},
        hints={name: LeakedRow(row=number) for number, name in enumerate(names)},
        guesses={
            name: Ranking(secret_id=name, candidates=(tuple(guess.split()),))
            for name, (_, guess) in zip(names, found, strict=True)
            if guess
        },
        clusters={name: str(number % models) for number, name in enumerate(names)} if models else {},
    )


def measured(metric, scored: Scored) -> Measurement:
    """The one figure of a metric."""
    (found,) = metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(0))
    return found


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ("the ab ##dom ##en hurts", ["the", "abdomen", "hurts"]),
        ("ĠHong ĠKong Ġair port", ["hong", "kong", "airport"]),
        ("▁bl ood ▁test", ["blood", "test"]),
        ("[CLS] x - ray . [SEP] [PAD]", ["x", "ray"]),
        ("arm, leg_or", ["arm", "leg", "or"]),
    ],
)
def test_pieces_are_joined_into_words(pieces: str, expected: list[str]) -> None:
    """Whatever marks a piece, words come out in lower case and without punctuation."""
    assert words_of(pieces.split()) == expected


def test_the_most_frequent_words_are_kept() -> None:
    """Counted over all guesses, stop words left out; of equals the earlier."""
    guesses = [("the", "flight", "to", "london"), ("the", "bus", "to", "london"), ("the", "the", "paris")]
    assert kept_words(guesses, 1) == {"london"}
    assert kept_words(guesses, 2) == {"london", "flight"}
    assert kept_words(guesses, 20) == {"london", "flight", "bus", "paris"}


def test_a_keyword_needs_all_its_words() -> None:
    """Hong Kong is not recovered by "kong" alone; stop words inside a keyword are not asked for."""
    words = frozenset({"kong", "isle", "man", "x", "ray"})
    assert recovered(["Hong Kong", "Isle of Man", "X-ray", "king"], words) == ("Isle of Man", "X-ray")
    assert recovered(["Hong Kong"], words | {"hong"}) == ("Hong Kong",)


def test_nothing_is_recovered_by_an_empty_need() -> None:
    """A keyword of stop words or signs alone is never free."""
    assert recovered(["of", "-"], frozenset({"london"})) == ()


def test_stop_words_are_lower_case_words() -> None:
    """Every stop word is a word that `words_of` can give back."""
    assert all(words_of([word]) == [word] for word in STOP_WORDS)


def test_count_and_unique_by_hand() -> None:
    """London twice, Paris once, Rome not: three in all, two different, of four and three."""
    scored = rows(
        [
            (("london",), "a flight to london"),
            (("london", "paris"), "from paris to london"),
            (("rome",), "a flight to paris"),
        ]
    )
    count, unique = measured(KeywordCount(), scored), measured(UniqueKeywordCount(), scored)
    assert [outcome.value for outcome in KeywordCount().outcomes(scored)] == [1.0, 2.0, 0.0]
    assert (count.value, count.n) == (3.0, 3)
    assert (unique.value, unique.n) == (2.0, 3)
    for found, most in ((count, 4), (unique, 3)):
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low < found.high <= most


def test_a_word_that_is_no_keyword_of_its_row_does_not_count() -> None:
    """Paris guessed for a row about Rome is a false positive."""
    assert measured(KeywordCount(), rows([(("rome",), "paris"), (("paris",), "rome")])).value == 0


def test_nothing_or_everything_is_no_certainty() -> None:
    """None, or all, of six keywords: Wilson's interval times six."""
    for guess, value in (("nothing here", 0), ("london", 6)):
        found = measured(KeywordCount(), rows([(("london",), guess)] * 6))
        expected = wilson(value, 6)
        assert expected is not None
        assert (found.value, found.low, found.high) == pytest.approx((value, 6 * expected.low, 6 * expected.high))


def test_kept_limits_what_is_examined() -> None:
    """With one word kept only the most frequent one counts."""
    scored = rows([(("london", "paris"), "london london paris")])
    assert measured(KeywordCount({"kept": 1}), scored).value == 1
    assert measured(KeywordCount({"kept": 2}), scored).value == 2


def test_the_spread_of_unique_lies_around_its_value() -> None:
    """Forty keywords found once each: resampling loses a third of them, the interval does not."""
    towns = [f"town{number}" for number in range(60)]
    found = measured(UniqueKeywordCount(), rows([((town,), town if n < 40 else "x") for n, town in enumerate(towns)]))
    assert found.value == 40
    assert found.low is not None
    assert found.high is not None
    assert 30 < found.low < 40 < found.high < 50


def test_shared_models_widen_counts() -> None:
    """One model of four gives everything away, the others nothing."""
    secrets = [((f"town{number}",), f"town{number}" if number % 4 == 0 else "x") for number in range(40)]
    for metric in (KeywordCount(), UniqueKeywordCount()):
        plain, clustered = measured(metric, rows(secrets)), measured(metric, rows(secrets, models=4))
        assert plain.value == clustered.value == 10
        assert None not in (plain.low, plain.high, clustered.low, clustered.high)
        assert clustered.high - clustered.low > plain.high - plain.low


def test_rows_with_keywords_only() -> None:
    """A set of rows without any keyword has nothing to count."""
    bare = Scored(answers={"a": RowContent(tokens=("x",))}, hints={"a": LeakedRow(row=0)})
    assert not KeywordCount().applies(bare)
    assert KeywordCount().applies(rows([(("london",), "")]))


def test_a_handful_of_finds_has_the_spread_of_a_rare_event() -> None:
    """One town of a hundred: Wilson's [0.0018, 0.0545] of a hundred, and not one more or one less."""
    towns = [f"town{number}" for number in range(100)]
    found = measured(UniqueKeywordCount(), rows([((town,), town if n < 1 else "x") for n, town in enumerate(towns)]))
    assert found.value == 1
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.18
    assert 5.4 < found.high < 5.5


def test_only_named_keywords_are_counted() -> None:
    """Of London twice and Paris once, found all: 2 and 1 for London alone, spelt as one likes; most is 2 then."""
    scored = rows([(("london",), "london"), (("london", "paris"), "paris london"), (("rome",), "x")])
    count, unique = (measured(kind({"only": ["London"]}), scored) for kind in (KeywordCount, UniqueKeywordCount))
    assert (count.value, unique.value) == (2.0, 1.0)
    assert count.high is not None
    assert count.high <= 2
    assert measured(KeywordCount({"only": ["x-ray"]}), rows([(("X-Ray",), "x ray")])).value == 1
    assert measured(KeywordCount({"only": ["oslo"]}), scored).value == 0
