"""One battery over every registered metric: direction, interval, silence, order, seed."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from divulge.metrics import METRICS
from divulge.metrics.base import Metric, Scored
from divulge.parts import load
from divulge.records import (
    Answer,
    Gaps,
    Guess,
    Hint,
    LeakedRow,
    Measurement,
    Member,
    Ranking,
    RecordText,
    RowContent,
    Standing,
    Tokens,
    UserTexts,
    Verdict,
)

CONTRACT = (
    "accuracy hdt exposure rank success auc precision recall tpr_at_fpr_0.05 tpr_at_fpr_0.01 tpr_at_fpr_0.001 tpr "
    "cosine order order_printed bleu bleu2 rouge exact token_accuracy token_f1 count unique"
)
# Of members, or of the accused, who are as many here.
OF_MEMBERS = {"precision", "recall", "tpr_at_fpr_0.05", "tpr_at_fpr_0.01", "tpr_at_fpr_0.001", "tpr"}
OF_PAIRS = {"keyword_found"}  # of a row and a keyword of it: two for each row here
QUALITIES = ("perfect", "mixed", "worst")
SPACE = 5**4


def _is_right(number: int, quality: str) -> bool:
    return quality == "perfect" or (quality == "mixed" and number % 3 == 0)


def gaps_world(quality: str) -> Scored:
    """Forty pins of four digits among five, with guesses and standings."""
    answers: dict[str, Answer] = {}
    hints: dict[str, Hint] = {}
    guesses: dict[str, Guess] = {}
    standings = {}
    for number in range(40):
        name = f"g{number:02}"
        pin = tuple(str((number * step) % 5) for step in (1, 2, 3, 7))
        wrong = tuple(str((int(digit) + 1) % 5) for digit in pin)
        right = _is_right(number, quality)
        answers[name] = Tokens(tokens=pin)
        hints[name] = Gaps(tokens=(None,) * 4, candidates=(tuple("01234"),) * 4)
        guesses[name] = Ranking(secret_id=name, candidates=(pin if right else wrong,))
        rank = 1 if right else SPACE
        bits = float(np.log2(SPACE / rank))
        standings[name] = Standing(secret_id=name, rank=rank, among=SPACE, space=SPACE, exposure=bits)
    return Scored(answers=answers, hints=hints, guesses=guesses, standings=standings)


def users_world(quality: str) -> Scored:
    """Two hundred members and as many others."""
    names = [f"u{number:03}" for number in range(400)]
    signs = {name: 1.0 if number % 2 else -1.0 for number, name in enumerate(names)}
    told = {name: 1.0 if _is_right(number // 2, quality) else -1.0 for number, name in enumerate(names)}
    return Scored(
        answers={name: Member(used=sign > 0) for name, sign in signs.items()},
        hints=dict.fromkeys(names, UserTexts(examples=())),
        guesses={name: Verdict(secret_id=name, statistic=signs[name] * told[name]) for name in names},
    )


def rows_world(quality: str) -> Scored:
    """Thirty sentences, each with a keyword of its own and a shared one."""
    answers: dict[str, Answer] = {}
    guesses: dict[str, Guess] = {}
    for number in range(30):
        name = f"r{number:02}"
        sentence = ("flight", "from", "london", "to", f"town{number}", "today")
        answers[name] = RowContent(tokens=sentence, words=("london", f"town{number}"))
        guess = sentence if _is_right(number, quality) else ("quite", "another", "thing")
        guesses[name] = Ranking(secret_id=name, candidates=(guess,))
    hints: dict[str, Hint] = {name: LeakedRow(row=number) for number, name in enumerate(answers)}
    return Scored(answers=answers, hints=hints, guesses=guesses)


def records_world(quality: str) -> Scored:
    """Two hundred records that were used and two thousand that were not: a thousand for each of two models."""
    names = [f"c{number:04}" for number in range(2200)]
    used = {name: number % 11 == 0 for number, name in enumerate(names)}
    told = {name: 1.0 if _is_right(number // 11, quality) else -1.0 for number, name in enumerate(names)}
    return Scored(
        answers={name: Member(used=one) for name, one in used.items()},
        hints={name: RecordText(tokens=(name,)) for name in names},
        guesses={name: Verdict(secret_id=name, statistic=(2 * used[name] - 1) * told[name]) for name in names},
    )


WORLDS = {"records": records_world, "gaps": gaps_world, "users": users_world, "rows": rows_world}
METRIC_CLASSES = {name: load(METRICS, name, Metric, "metric") for name in METRICS}
CASES = [
    (name, world)
    for name, metric in METRIC_CLASSES.items()
    for world, make in WORLDS.items()
    if metric().applies(make("mixed")) and not (world == "records" and metric().applies(users_world("mixed")))
]  # what is about people too is tried on fewer: resampling is slow


def measured(metric: Metric, scored: Scored, seed: int = 0) -> tuple[Measurement, ...]:
    """All figures of a metric."""
    return metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(seed))


def worth(metric: Metric, value: float | None) -> float:
    """Larger means more of a leak, whatever the metric's direction."""
    assert value is not None
    return value if metric.leaks_when == "high" else -value


def test_the_registry_has_the_names_of_the_contract() -> None:
    """Scripts rely on these names, whatever else there is; each is the name of its class."""
    assert set(CONTRACT.split()) <= set(METRICS)
    assert {name: metric.name for name, metric in METRIC_CLASSES.items()} == {name: name for name in METRICS}


@pytest.mark.parametrize("name", METRICS)
def test_it_says_what_it_is(name: str) -> None:
    """A summary of one sentence, a unit and a direction."""
    metric = METRIC_CLASSES[name]
    assert metric.summary.endswith(".")
    assert metric.summary.count(". ") == 0
    assert metric.unit in {"share", "similarity", "bits", "rank", "count"}
    if name in CONTRACT.split():
        assert metric.leaks_when == ("low" if name in {"hdt", "rank"} else "high")


@pytest.mark.parametrize("name", METRICS)
def test_it_is_about_something_and_not_about_everything(name: str) -> None:
    """It applies to some world, and never to no secrets at all."""
    assert name in {case for case, _ in CASES}
    assert not METRIC_CLASSES[name]().applies(Scored(answers={}, hints={}))
    assert len([case for case, _ in CASES if case == name]) < len(WORLDS)


@pytest.mark.parametrize(("name", "world"), CASES)
def test_perfect_guesses_score_best_and_reversed_ones_worst(name: str, world: str) -> None:
    """The figure, and every outcome, moves in the direction the metric names; chance lies in between."""
    metric = METRIC_CLASSES[name]()
    figures = {quality: measured(metric, WORLDS[world](quality)) for quality in QUALITIES}
    for best, middle, worst in zip(*(figures[quality] for quality in QUALITIES), strict=True):
        assert worth(metric, best.value) > worth(metric, worst.value)
        assert worth(metric, best.value) >= worth(metric, middle.value) >= worth(metric, worst.value)
        for chance in metric.baseline(WORLDS[world]("mixed")):
            assert chance.arm == "baseline"
            assert worth(metric, best.value) > worth(metric, chance.value) > worth(metric, worst.value)
    values = [[worth(metric, o.value) for o in metric.outcomes(WORLDS[world](quality))] for quality in QUALITIES]
    assert all(best >= worst for best, _, worst in zip(*values, strict=True))
    assert sum(values[0]) > sum(values[2])


@pytest.mark.parametrize("models", [0, 2])
@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize(("name", "world"), CASES)
def test_the_value_lies_in_its_interval(name: str, world: str, quality: str, models: int) -> None:
    """Finite, low <= value <= high, some width, n = those it is about, valid JSON; clusters or not."""
    scored = WORLDS[world](quality)
    if models:
        scored = replace(scored, clusters={name: str(n // 2 % models) for n, name in enumerate(scored.answers)})
    for found in measured(METRIC_CLASSES[name](), scored):
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high
        assert found.low < found.high or name == "rank"  # a median of forty equal ranks is certain
        assert found.n == (200 if name in OF_MEMBERS else len(scored.answers) * (2 if name in OF_PAIRS else 1))
        assert Measurement.model_validate_json(json.dumps(found.model_dump(mode="json"), allow_nan=False)) == found


@pytest.mark.parametrize(("name", "world"), CASES)
def test_the_same_seed_gives_the_same_figures(name: str, world: str) -> None:
    """All randomness comes from the generator that is passed in."""
    metric, scored = METRIC_CLASSES[name](), WORLDS[world]("mixed")
    scored = replace(scored, clusters={name: str(n % 4) for n, name in enumerate(scored.answers)})
    assert measured(metric, scored, 5) == measured(METRIC_CLASSES[name](), scored, 5)


@pytest.mark.parametrize(("name", "world"), CASES)
def test_the_order_of_secrets_does_not_matter(name: str, world: str) -> None:
    """Shuffled secrets have the same outcomes, each at its new place, and the same figures."""
    metric, scored = METRIC_CLASSES[name](), WORLDS[world]("mixed")
    names = random.Random(1).sample(sorted(scored.answers), len(scored.answers))
    shuffled = replace(scored, answers={name: scored.answers[name] for name in names})
    assert [outcome.secret_id for outcome in metric.outcomes(shuffled)] == names
    assert {o.secret_id: o.value for o in metric.outcomes(shuffled)} == {
        o.secret_id: o.value for o in metric.outcomes(scored)
    }
    for before, after in zip(measured(metric, scored), measured(metric, shuffled), strict=True):
        assert (after.value, after.low, after.high) == pytest.approx((before.value, before.low, before.high))


@pytest.mark.parametrize(("name", "world"), CASES)
def test_silence_is_the_worst_guess(name: str, world: str) -> None:
    """A secret without guess and standing comes off no better than with the worst guess, and the figure with it."""
    metric = METRIC_CLASSES[name]()
    scored, worst = WORLDS[world]("perfect"), WORLDS[world]("worst")
    expected = {outcome.secret_id: outcome.value for outcome in metric.outcomes(worst)}
    best = [worth(metric, found.value) for found in measured(metric, scored)]
    for silent in list(scored.answers)[:2]:  # of the users, one member and one other
        muted = replace(
            scored,
            guesses={name: guess for name, guess in scored.guesses.items() if name != silent},
            standings={name: place for name, place in scored.standings.items() if name != silent},
        )
        outcomes = {outcome.secret_id: outcome.value for outcome in metric.outcomes(muted)}
        assert len(outcomes) == len(scored.answers)
        assert worth(metric, outcomes[silent]) <= worth(metric, expected[silent])
        now = [worth(metric, found.value) for found in measured(metric, muted)]
        assert all(after <= before for after, before in zip(now, best, strict=True))
