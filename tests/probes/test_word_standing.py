"""Where true words stand, by hand, against a slow loop, and in worlds that leak or do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.adapters import Tokens, sentences

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics.intervals import bootstrap
from divulge.probes import word_standing
from divulge.probes.word_standing import WordStanding
from divulge.records import Measurement, Passage, Text
from divulge.testing.generator import FakeGenerator

ALL = ("words", "density", "frequency")
RANKS = {"a": 0, "b": 2, "c": 6}
LOGS = {"a": -0.5, "b": -2.0, "c": -20.0}


class Known(TokenLikelihoodAccess):
    """Each word has a rank and a log-likelihood; after a context it ranks 10 lower and is a nat less likely."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return ("<unk>", "a", "b", "c", "d")

    def _ranks(self, passages: Any) -> Any:
        return [np.array([RANKS.get(t, 99) + 10 * len(p.context) for t in p.tokens]) for p in passages]

    def _best(self, passages: Any) -> Any:
        raise NotImplementedError

    def _log_likelihoods(self, passages: Any) -> Any:
        return [np.array([LOGS.get(t, -9.0) - len(p.context) for t in p.tokens]) for p in passages]

    @property
    def output_limit(self) -> int:
        return 1000


TEXTS = (
    Text(tokens=("a", "a", "a", "b"), user="u"),
    Text(tokens=("a", "b", "c", "x"), user="v"),  # a 4, b 2, c 1; x is not known
    Text(tokens=("a", "c"), user="w", context=("new",), split="test"),
    Text(tokens=("d",), user="w", context=("new",), split="test"),  # d is known, but no training text has it
    Text(tokens=("b",), user="z", context=("new",), split="test"),
    Text(tokens=("a",), split="valid"),
)
Key = tuple[str, tuple[tuple[str, Any], ...]]


def measured(grant: Grant, corpus: Corpus, seed: int = 0, **options: Any) -> dict[Key, Measurement]:
    found = WordStanding(options).measure(grant, corpus, np.random.default_rng(seed))
    named = {(one.metric, tuple(sorted(one.group.items()))): one for one in found}
    assert len(named) == len(found)
    return named


def key(metric: str, **group: Any) -> Key:
    return metric, tuple(sorted(group.items()))


def test_frequent_and_rare_words_seen_and_unseen() -> None:
    """One of three words is frequent (0.4 of 3, rounded): a."""
    found = measured(Grant([Known()]), Corpus(TEXTS), frequent=0.4)
    expected = {
        ("frequent", True): (-0.5, 0.0, 0.0, 4 / 8, 2),
        ("rare", True): (-24 / 3, 10 / 3, 2.0, 3 / 8, 2),  # b b c: -2 - 2 - 20; 2 + 2 + 6, the middle one 2
        ("frequent", False): (-1.5, 10.0, 10.0, 1 / 4, 1),
        ("rare", False): (-24 / 2, 14.0, 14.0, 2 / 4, 2),  # c b: -21 - 3; 16 and 12
    }
    for (words, seen), (log, rank, median, share, people) in expected.items():
        group = {"words": words, "seen": seen}
        values = {"log_probability": log, "word_rank": rank, "median_rank": median, "word_share": share}
        assert {name: found[key(name, **group)].value for name in values} == pytest.approx(values)
        assert found[key("word_rank", **group)].n == people  # who has such words
        assert found[key("word_share", **group)].n == 2  # who has any
    assert len(found) == 16
    assert {one.arm for one in found.values()} == {"utility"}


def test_histograms_have_bins_of_one_nat() -> None:
    """A bin holds its upper end: -2 lies in -3..-2; -20 in the last, which has no end."""
    found = measured(Grant([Known()]), Corpus(TEXTS), frequent=0.4, by=["density"])
    assert len(found) == 4 * 13
    rare = {
        dict(group)["bin"]: one.value
        for (_, group), one in found.items()
        if {("words", "rare"), ("seen", True)} <= set(group)
    }
    assert list(rare)[:2] == ["-inf..-12", "-12..-11"]
    assert list(rare)[-1] == "-1..0"
    assert {name: value for name, value in rare.items() if value} == pytest.approx(
        {"-3..-2": 2 / 3, "-inf..-12": 1 / 3}
    )
    assert found[key("density", words="frequent", seen=True, bin="-1..0")].value == 1.0
    assert found[key("density", words="frequent", seen=False, bin="-2..-1")].value == 1.0


def test_words_by_frequency_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a first bin of one word: a; b; c and a word that there is not. Both means are over the same tokens."""
    monkeypatch.setattr(word_standing, "FIRST_BIN", 1)
    found = measured(Grant([Known()]), Corpus(TEXTS), by=["frequency"])
    for name, seen, unseen, rank in (("1-1", 0, 10, 1), ("2-2", 2, 12, 2), ("3-4", 6, 16, 3)):
        assert found[key("word_rank", frequency=name, seen=True)].value == seen
        assert found[key("word_rank", frequency=name, seen=False)].value == unseen
        assert found[key("frequency_rank", frequency=name, seen=True)].value == rank
    assert len(found) == 12


def test_bins_of_frequency_double() -> None:
    """300 words, each once: 1 to 50, 51 to 100, to 200, to 400."""
    words = tuple(f"bucket-{number}" for number in range(300))
    grant = FakeGenerator().open(FakeGenerator({"leaks": False}).train(Corpus(()), np.random.default_rng(0)))
    found = measured(grant, Corpus((Text(tokens=words[:150]), Text(tokens=words[150:]))), by=["frequency"])
    means = {dict(group)["frequency"]: one.value for (name, group), one in found.items() if name == "frequency_rank"}
    assert means == {"1-50": 25.5, "51-100": 75.5, "101-200": 150.5, "201-400": 250.5}


def test_it_agrees_with_a_slow_loop() -> None:
    """Word by word, passage by passage, on a model whose answers depend on what stands before."""
    texts = [
        Text(tokens=one.tokens, user=f"user-{number % 3}", split="test" if number % 4 == 3 else "train")
        for number, one in enumerate(sentences(24))
    ]
    access, slow = Tokens(), _slow(Tokens(), texts, 0.3)
    found = measured(Grant([access]), Corpus(tuple(texts)), frequent=0.3, by=list(ALL))
    assert slow.keys() == {named for named, one in found.items() if named[0] != "density" or one.value}
    assert {named: found[named].value for named in slow} == pytest.approx(slow)


def _slow(access: Tokens, texts: list[Text], share: float) -> Mapping[Key, float]:
    counts: dict[str, int] = {}
    for text in texts:
        for token in text.tokens if text.split == "train" else ():
            counts[token] = counts.get(token, 0) + 1
    order = sorted(counts, key=lambda word: (-counts[word], word))
    values: dict[Key, list[float]] = {}
    for text in texts:
        seen, passage = text.split == "train", Passage(tokens=text.tokens)
        (ranks,), (logs,) = access.ranks([passage]), access.log_likelihoods([passage])
        for token, rank, log in zip(text.tokens, ranks, logs, strict=True):
            kind = "frequent" if order.index(token) < round(share * len(order)) else "rare"
            for metric, value in (("log_probability", log), ("word_rank", rank), ("median_rank", rank)):
                values.setdefault(key(metric, words=kind, seen=seen), []).append(value)
            for other in ("frequent", "rare"):
                values.setdefault(key("word_share", words=other, seen=seen), []).append(other == kind)
            end = int(np.ceil(log))
            values.setdefault(key("density", words=kind, seen=seen, bin=f"{end - 1}..{end}"), []).append(1.0)
            for metric, value in (("word_rank", rank), ("frequency_rank", order.index(token) + 1)):
                values.setdefault(key(metric, frequency="1-50", seen=seen), []).append(value)
    means = {
        named: float(np.median(row) if named[0] == "median_rank" else np.mean(row)) for named, row in values.items()
    }
    for named in means:
        if named[0] == "density":
            group = {name: value for name, value in named[1] if name != "bin"}
            means[named] = len(values[named]) / len(values[key("word_rank", **group)])
    return means


def test_people_are_resampled_not_texts() -> None:
    """Two people whose texts differ, but in the same way: nothing differs between people."""
    texts = [Text(tokens=(word,), user=user) for user in "uv" for word in ("b", "c", "c")]
    known = measured(Grant([Known()]), Corpus(tuple(texts)), by=["frequency"])
    one = known[key("word_rank", frequency="1-50", seen=True)]
    assert (one.value, one.low, one.high, one.n) == pytest.approx((14 / 3, 14 / 3, 14 / 3, 2))
    nobody = Corpus(tuple(Text(tokens=text.tokens) for text in texts))
    other = measured(Grant([Known()]), nobody, by=["frequency"])[key("word_rank", frequency="1-50", seen=True)]
    assert other.n == 6
    assert other.low is not None
    assert other.low < 14 / 3


def test_the_interval_of_a_median_is_that_of_resampled_people() -> None:
    """Near what the medians of resampled people's words spread over; never beside the median itself."""

    class Spelt(Known):
        @property
        def vocabulary(self) -> tuple[str, ...]:
            return tuple(str(number) for number in range(200))

        def _ranks(self, passages: Any) -> Any:
            return [np.array([int(token) for token in passage.tokens]) for passage in passages]

    rng = np.random.default_rng(4)
    rows = [np.clip(rng.normal(rng.integers(60, 140), 15, 6), 1, 199).astype(int) for _ in range(80)]
    texts = tuple(Text(tokens=("0",) * 9 + tuple(map(str, row)), user=str(n)) for n, row in enumerate(rows))
    one = measured(Grant([Spelt()]), Corpus(texts), frequent=0.001)[key("median_rank", words="rare", seen=True)]
    people = np.repeat(np.arange(80), 6)
    ranks = np.concatenate(rows)
    direct = bootstrap(ranks, lambda some: float(np.median(some)), np.random.default_rng(0), clusters=people.tolist())
    assert direct is not None
    assert one.value == np.median(ranks)
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high), abs=2.5)
    assert direct.high - direct.low > 8


def test_without_likelihoods_only_ranks_are_told() -> None:
    """A view of ranks has no log-probability and no histogram."""
    found = measured(Grant([Known()]).limited([RankedTokensAccess], None), Corpus(TEXTS), by=list(ALL))
    assert {name for name, _ in found} == {"word_rank", "median_rank", "word_share", "frequency_rank"}


def test_an_impossible_word_has_no_mean_but_a_bin() -> None:
    """Minus infinity lies in the bin without an end."""

    class Certain(Known):
        def _log_likelihoods(self, passages: Any) -> Any:
            return [np.full(len(passage.tokens), -np.inf) for passage in passages]

    found = measured(Grant([Certain()]), Corpus(TEXTS), by=["words", "density"])
    assert found[key("log_probability", words="rare", seen=True)].value is None
    assert found[key("density", words="rare", seen=True, bin="-inf..-12")].value == 1.0


def test_texts_wholly_outside_the_vocabulary_have_no_figures() -> None:
    """Nor has a corpus without training texts; without others, only what was seen is told."""
    grant = Grant([Known()])
    assert measured(grant, Corpus((Text(tokens=("x", "<unk>")),))) == {}
    assert measured(grant, Corpus(TEXTS).split("test")) == {}
    assert {dict(group)["seen"] for _, group in measured(grant, Corpus(TEXTS).split("train"))} == {True}


def test_options_out_of_range_are_refused() -> None:
    """No share of nothing or of all; nothing to tell."""
    for wrong in ({"frequent": 0.0}, {"frequent": 1.0}, {"by": []}, {"by": ["users"]}):
        with pytest.raises(InputError):
            WordStanding(wrong)


@pytest.mark.parametrize("leaks", [True, False])
def test_rare_words_that_were_seen_stand_apart_only_if_the_model_leaks(leaks: bool) -> None:
    """Words drawn by Zipf's law, half of the people trained on."""
    rng = np.random.default_rng(6)
    chances = 1 / (3 + np.arange(400.0))
    drawn = rng.choice(400, (60, 40), p=chances / chances.sum())
    texts = tuple(
        Text(tokens=tuple(f"bucket-{word}" for word in row), user=str(number), split="test" if number % 2 else "train")
        for number, row in enumerate(drawn)
    )
    fake = FakeGenerator({"leaks": leaks})
    found = measured(fake.open(fake.train(Corpus(texts), rng)), Corpus(texts))
    for metric in ("log_probability", "word_rank"):
        seen, unseen = (found[key(metric, words="rare", seen=one)] for one in (True, False))
        assert None not in (seen.low, seen.high, unseen.low, unseen.high)
        apart = seen.low > unseen.high if metric == "log_probability" else seen.high < unseen.low  # type: ignore[operator]
        assert apart == leaks
