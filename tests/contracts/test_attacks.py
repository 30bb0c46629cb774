"""Every registered attack, on worlds that leak everything and on worlds that leak nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import binomtest, kstest

from divulge.access import (
    LEVELS,
    Access,
    EmbeddedRowsAccess,
    GradientAccess,
    LabelAccess,
    RankedTokensAccess,
)
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.auditing.standings import standings
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics import METRICS
from divulge.metrics.base import Metric, Scored
from divulge.parts import load
from divulge.records import Artefact, Gaps, Guess, LeakedRow, Measurement, Secret, UserTexts
from divulge.testing import World, world

NAMES = sorted(ATTACKS)
BASELINES = {"random", "blind"}
ASKING = [name for name in NAMES if name not in BASELINES]
MAIN = {Gaps: "accuracy", UserTexts: "auc", LeakedRow: "token_accuracy"}
LEAKY, SILENT = 100, 300


def attack_class(name: str) -> type[Attack]:
    return load(ATTACKS, name, Attack, "attack")


def level_for(kind: type[Attack]) -> type[Access]:
    if kind.requires:
        return kind.requires[0]
    return {Gaps: GradientAccess, UserTexts: RankedTokensAccess, LeakedRow: EmbeddedRowsAccess}[kind.hints[0]]


@cache
def made(level: type[Access], leaky: bool, secrets: int) -> World:
    return world(level, leaky=leaky, secrets=secrets)


@cache
def knowledge(name: str, leaky: bool, secrets: int) -> Artefact:
    here = made(level_for(attack_class(name)), leaky, secrets)
    return attack_class(name)().prepare(here.background, np.random.default_rng(0))


def guesses(
    name: str, here: World, learnt: Artefact, secrets: tuple[Secret, ...], limit: int | None = None, seed: int = 1
) -> tuple[list[Guess], Grant]:
    granted = here.access.limited(here.access.levels, limit)
    hints = {secret.id: secret.hint for secret in secrets}
    attack = attack_class(name)()
    return list(attack.guess(granted, hints, learnt, np.random.default_rng(seed))), granted


@cache
def measured(name: str, leaky: bool, arm: str = "attack") -> Measurement:
    count = LEAKY if leaky else SILENT
    here = made(level_for(attack_class(name)), leaky, count)
    secrets = here.case.secrets if arm == "attack" else here.case.controls
    found, _ = guesses(name, here, knowledge(name, leaky, count), secrets)
    scored = Scored(
        answers={s.id: s.answer for s in secrets},
        hints={s.id: s.hint for s in secrets},
        guesses={g.secret_id: g for g in found},
    )
    metric = load(METRICS, MAIN[type(secrets[0].hint)], Metric, "metric")()
    figures = metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(2))
    return next(figure for figure in figures if not figure.group)


def is_chance(name: str, leaky: bool, arm: str) -> bool:
    """Chance is in keeping with it: 1 in 1,000 for pins, 0.5 for people, other rows' answers for rows."""
    found = measured(name, leaky, arm)
    kind = attack_class(name).hints[0]
    if kind is Gaps:
        return binomtest(round(found.value * found.n), found.n, 1 / 1000).pvalue > 0.001
    if kind is UserTexts:
        return found.low <= 0.5 <= found.high
    other = measured(name, leaky, "control")
    return found.low <= other.high and other.low <= found.high


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_describes_itself(name: str) -> None:
    """The class carries the registry's name, a summary and the docstring form."""
    kind = attack_class(name)
    assert kind.name == name
    assert kind.summary
    assert kind.hints
    form = " ".join(base.__doc__ or "" for base in kind.__mro__ if issubclass(base, Attack) and base is not Attack)
    assert all(f"{heading}:" in form for heading in ("Paper", "Needs", "Idea", "Cost"))
    assert all(level in LEVELS.values() for level in kind.requires)


@pytest.mark.parametrize("name", ASKING)
def test_an_attack_wins_where_everything_leaks(name: str) -> None:
    """Above 0.95 in the leaky world."""
    assert measured(name, leaky=True).value > 0.95


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_is_at_chance_where_nothing_leaks(name: str) -> None:
    """Chance explains what is found in the silent world, with 300 secrets."""
    found = measured(name, leaky=False)
    assert found.n == SILENT
    assert is_chance(name, False, "attack")


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_is_at_chance_on_controls(name: str) -> None:
    """Secrets that were never planted are found by luck alone, even where everything leaks."""
    if attack_class(name).hints[0] is LeakedRow and name not in BASELINES:
        assert measured(name, leaky=True, arm="control").high < 0.2
    else:
        assert is_chance(name, True, "control")


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_a_baseline_never_asks_and_learns_nothing_from_a_leak(name: str) -> None:
    """No query, and chance in the leaky world too."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    _, granted = guesses(name, here, knowledge(name, True, LEAKY), here.case.secrets)
    assert granted.meter.asked == {}
    assert is_chance(name, True, "attack")


@pytest.mark.parametrize("name", ASKING)
def test_an_attack_refuses_other_accesses(name: str) -> None:
    """Without an access it requires, it says what is required and what is granted."""
    kind = attack_class(name)
    here = made(level_for(kind), True, LEAKY)
    other = made(LabelAccess if kind.requires[0] is not GradientAccess else EmbeddedRowsAccess, True, LEAKY)
    with pytest.raises(InputError, match=f"requires {kind.requires[0].__name__}; granted is"):
        list(kind().guess(other.access, here.hints, knowledge(name, True, LEAKY), np.random.default_rng(0)))


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_guesses(name: str) -> None:
    """Two calls with equal generators agree to the last digit."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    learnt, few = knowledge(name, True, LEAKY), here.case.secrets[:5]
    assert guesses(name, here, learnt, few)[0] == guesses(name, here, learnt, few)[0]


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_knowledge(name: str) -> None:
    """Preparing again from the same background gives the same knowledge."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    first, again = (attack_class(name)().prepare(here.background, np.random.default_rng(0)) for _ in range(2))
    assert first.values == again.values
    assert sorted(first.arrays) == sorted(again.arrays)
    assert all(np.array_equal(first.arrays[key], again.arrays[key]) for key in first.arrays)


@pytest.mark.parametrize("name", ASKING)
def test_an_attack_stops_at_its_query_budget(name: str) -> None:
    """With a third of the queries it needs, it asks no more than that, and answers some secrets, not all."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    learnt, few = knowledge(name, True, LEAKY), here.case.secrets[:6]
    everything, free = guesses(name, here, learnt, few)
    limit = free.meter.total // 3
    some, granted = guesses(name, here, learnt, few, limit)
    assert len(everything) == len(few)
    assert 0 < granted.meter.total <= limit
    assert 0 < len(some) < len(few)


@pytest.mark.parametrize("name", ASKING)
def test_a_budget_of_nothing_buys_nothing(name: str) -> None:
    """With no queries at all there is no guess, and no error."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    found, granted = guesses(name, here, knowledge(name, True, LEAKY), here.case.secrets[:3], limit=0)
    assert found == []
    assert granted.meter.total == 0


@pytest.mark.parametrize("name", ASKING)
def test_the_cost_estimate_bounds_what_is_asked(name: str) -> None:
    """`check` promises a number of queries; the attack stays within twice that and uses at least a quarter."""
    kind = attack_class(name)
    here = made(level_for(kind), True, LEAKY)
    few = here.case.secrets[:4]
    _, granted = guesses(name, here, knowledge(name, True, LEAKY), few)
    promised = sum(kind.cost(kind.Options(), secret.hint) for secret in few)
    assert promised / 4 <= granted.meter.total <= 2 * promised


@pytest.mark.parametrize("name", [name for name in NAMES if attack_class(name).can_score()])
def test_scores_put_the_truth_first_where_it_leaks(name: str) -> None:
    """Rank 1 among 200 decoys for nearly every planted secret."""
    here = made(level_for(attack_class(name)), True, LEAKY)
    found = standings(
        attack_class(name)(),
        here.access,
        here.case.secrets,
        knowledge(name, True, LEAKY),
        decoys=200,
        rng=np.random.default_rng(3),
    )
    assert np.mean([one.rank == 1 for one in found]) > 0.95


@pytest.mark.parametrize("name", [name for name in NAMES if attack_class(name).can_score()])
def test_scores_are_uniform_where_nothing_leaks(name: str) -> None:
    """Ranks of the truth among decoys are uniform (Kolmogorov-Smirnov) in the silent world."""
    here = made(level_for(attack_class(name)), False, SILENT)
    rng = np.random.default_rng(4)
    found = standings(
        attack_class(name)(), here.access, here.case.secrets, knowledge(name, False, SILENT), decoys=200, rng=rng
    )
    spread = [(one.rank - rng.random()) / one.among for one in found]
    assert kstest(spread, "uniform").pvalue > 0.001
