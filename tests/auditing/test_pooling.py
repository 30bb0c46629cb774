"""Pooling over models, worked out by hand."""

import numpy as np
import pytest

from divulge.auditing.pooling import Attacked, mean_over_models, measured, pooled, repeated
from divulge.metrics.accuracy import Accuracy
from divulge.metrics.base import Scored
from divulge.metrics.keywords import KeywordCount
from divulge.metrics.membership import AreaUnderCurve
from divulge.metrics.reconstruction import TokenAccuracy
from divulge.records import (
    Arm,
    Gaps,
    LeakedRow,
    Measurement,
    Member,
    Passage,
    Ranking,
    RowContent,
    Tokens,
    UserTexts,
    Verdict,
)

GAPS = Gaps(tokens=("pin", None), candidates=(("1", "2", "3", "4"),))


def guessed(seed: int, hits: list[bool], arm: Arm = "attack") -> Attacked:
    """One model whose canaries, all with the answer 1, were hit or missed; made anew, with ids of their own."""
    ids = [f"s{number}of{seed}" for number in range(len(hits))]
    scored = Scored(
        answers={key: Tokens(tokens=("1",)) for key in ids},
        hints=dict.fromkeys(ids, GAPS),
        guesses={
            key: Ranking(secret_id=key, candidates=(("1",) if hit else ("2",),))
            for key, hit in zip(ids, hits, strict=True)
        },
    )
    return Attacked(seed, f"model {seed}", {arm: scored})


def rows_read(seed: int, found: int) -> Attacked:
    """One model with three rows of one keyword each, of which the first `found` were recovered."""
    ids = [f"r{number}" for number in range(3)]
    scored = Scored(
        answers={key: RowContent(tokens=("at", "paris"), words=("paris",)) for key in ids},
        hints={key: LeakedRow(row=number) for number, key in enumerate(ids)},
        guesses={
            key: Ranking(secret_id=key, candidates=(("paris",) if number < found else ("rome",),))
            for number, key in enumerate(ids)
        },
    )
    return Attacked(seed, f"model {seed}", {"attack": scored})


def test_secrets_of_all_models_are_put_together() -> None:
    """Each secret keeps its own guess and has its model as cluster."""
    both = pooled([guessed(1, [True, False]), guessed(2, [False])], "attack")
    assert both is not None
    assert list(both.answers) == ["1/s0of1", "1/s1of1", "2/s0of2"]
    assert [both.guesses[key].candidates[0] for key in both.answers] == [("1",), ("2",), ("2",)]  # type: ignore[union-attr]
    assert dict(both.clusters) == {"1/s0of1": "model 1", "1/s1of1": "model 1", "2/s0of2": "model 2"}
    assert set(both.hints) == set(both.answers)


def test_an_arm_that_no_model_has_is_absent() -> None:
    """No controls, no control arm."""
    assert pooled([guessed(1, [True])], "control") is None


def test_the_pooled_figure_is_over_all_secrets_and_its_interval_over_models() -> None:
    """Five hits by one model and none of five by the other: half, and models so unlike that all is possible."""
    rng = np.random.default_rng(0)
    (unlike,) = measured(Accuracy(), [guessed(1, [True] * 5), guessed(2, [False] * 5)], "attack", rng)
    (alike,) = measured(Accuracy(), [guessed(s, [True, False] * 3) for s in (1, 2)], "attack", rng)
    assert (unlike.value, unlike.n) == (0.5, 10)
    assert (unlike.low, unlike.high) == (0.0, 1.0)
    # Wilson for 6 of 12: centre 0.5, half-width 1.96 sqrt(0.25 / 12 + 1.96^2 / 576) / (1 + 1.96^2 / 12) = 0.2462
    assert alike.low == pytest.approx(0.5 - 0.2462, abs=1e-3)


def test_chance_stands_for_a_baseline_without_guesses() -> None:
    """One of four candidates, in closed form, over all secrets of all models."""
    parts = [guessed(1, [True, True]), guessed(2, [True])]
    (chance,) = measured(Accuracy(), parts, "baseline", np.random.default_rng(0))
    assert (chance.value, chance.n, chance.arm) == (0.25, 3, "baseline")


def test_counts_are_averaged_over_models() -> None:
    """Two keywords from one model and one from another make 1.5 for a model, not 3; the rows are the same three."""
    parts = [rows_read(1, 2), rows_read(2, 1)]
    (counted,) = measured(KeywordCount(), parts, "attack", np.random.default_rng(0))
    assert (counted.value, counted.n) == (1.5, 3)
    (single,) = measured(KeywordCount(), parts[:1], "attack", np.random.default_rng(0))
    assert single.value == 2


def test_rows_that_come_back_are_counted_once() -> None:
    """Three rows asked of two models are three rows; of one model they are what they are."""
    parts = [rows_read(1, 2), rows_read(2, 1)]
    (exact,) = measured(TokenAccuracy(), parts, "attack", np.random.default_rng(0))
    assert exact.n == 3
    assert repeated(parts, "attack")
    assert not repeated(parts[:1], "attack")
    assert not repeated([guessed(1, [True, True]), guessed(2, [True])], "attack")


def test_chance_counts_rows_once_too() -> None:
    """A baseline in closed form is about the same people as the attack: two users, asked of two models each."""
    (chance,) = measured(AreaUnderCurve(), [asked_users(1), asked_users(2)], "baseline", np.random.default_rng(0))
    assert (chance.value, chance.n) == (0.5, 2)


def asked_users(seed: int) -> Attacked:
    """One model and two people, of whom the first was used; ids differ by seed."""
    ids = [f"{seed}-{number}" for number in range(2)]
    scored = Scored(
        answers={key: Member(used=number == 0) for number, key in enumerate(ids)},
        hints={key: UserTexts(examples=(Passage(tokens=(f"w{number}",)),)) for number, key in enumerate(ids)},
        guesses={key: Verdict(secret_id=key, statistic=1.0 - number) for number, key in enumerate(ids)},
    )
    return Attacked(seed, f"model {seed}", {"attack": scored})


def test_a_metric_that_does_not_apply_gives_no_figure() -> None:
    """Keywords are not asked of gaps."""
    assert measured(KeywordCount(), [guessed(1, [True])], "attack", np.random.default_rng(0)) == ()


def figure(value: float | None, low: float | None, high: float | None, **more: object) -> Measurement:
    """A measurement of a probe."""
    fields = {"metric": "test_accuracy", "value": value, "low": low, "high": high, "n": 10, "arm": "utility", **more}
    return Measurement.model_validate(fields)


def test_figures_of_models_are_averaged() -> None:
    """(0.2 + 0.4) / 2 = 0.3; models alone would give [0.2, 0.4], their own intervals in the mean give [0.1, 0.95]."""
    (mean,) = mean_over_models([figure(0.2, 0.0, 0.9), figure(0.4, 0.2, 1.0)], np.random.default_rng(0))
    assert mean.value == pytest.approx(0.3)
    assert (mean.low, mean.high) == (pytest.approx(0.1), pytest.approx(0.95))
    assert mean.n == 10  # the same texts for each model
    (narrow,) = mean_over_models([figure(0.2, 0.2, 0.2), figure(0.4, 0.4, 0.4)], np.random.default_rng(0))
    assert (narrow.low, narrow.high) == (pytest.approx(0.2), pytest.approx(0.4))


def test_one_model_keeps_its_own_interval() -> None:
    """There is nothing to average."""
    only = figure(0.2, 0.1, 0.4)
    assert mean_over_models([only], np.random.default_rng(0)) == (only,)
    assert mean_over_models([figure(None, None, None), only], np.random.default_rng(0)) == (only,)


def test_groups_metrics_and_arms_are_averaged_apart() -> None:
    """Only figures that differ in nothing but the model are put together."""
    figures = [
        figure(0.2, 0.1, 0.3, group={"words": "rare"}),
        figure(0.4, 0.3, 0.5, group={"words": "frequent"}),
        figure(0.6, 0.5, 0.7, group={"words": "rare"}),
        figure(0.9, 0.8, 1.0, metric="train_accuracy"),
    ]
    means = mean_over_models(figures, np.random.default_rng(0))
    assert [(mean.metric, dict(mean.group), mean.value) for mean in means] == [
        ("test_accuracy", {"words": "rare"}, pytest.approx(0.4)),
        ("test_accuracy", {"words": "frequent"}, 0.4),
        ("train_accuracy", {}, 0.9),
    ]
