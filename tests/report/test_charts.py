"""Where marks stand."""

import pytest
from tests.report.sample import arms, figure, run
from tests.report.whole_run import UTILITY, deduplicated, leaking, made, silent

from divulge.records import SpecResult
from divulge.report.charts import EDGE, Axis, TradeOff, axis_of, strip, trade_off
from divulge.report.grouping import audits


def test_an_axis_maps_its_ends_to_the_edges() -> None:
    """Nothing is drawn outside; an axis may run backwards."""
    axis = Axis("accuracy", 0.0, 1.0)
    assert [axis.at(value) for value in (0.0, 0.5, 1.0, 7.0, -1.0)] == [EDGE, 50.0, 100 - EDGE, 100 - EDGE, EDGE]
    assert Axis("test_perplexity", 200.0, 0.0).at(50.0) == 73.5  # 3 + 94 * 0.75


@pytest.mark.parametrize(
    ("metric", "values", "ends"),
    [
        ("accuracy", (0.2, 0.1, 0.3), (0.0, 1.0)),
        ("cosine", (0.2, 0.1, 0.3), (0.0, 1.0)),
        ("exposure", (9.0, 8.0, 13.3), (0.0, 20.0)),
        ("exposure", (0.2, 0.1, 0.3), (0.0, 1.0)),
        ("rank", (1.0, 1.0, 501.0), (1.0, 1000.0)),
        ("rank", (1.0, 1.0, 1.0), (1.0, 2.0)),
        ("count", (152.0, 100.0, 200.0), (0.0, 200.0)),
        ("of_my_own", (-3.0, -4.0, 2.0), (-4.0, 2.0)),
    ],
)
def test_axes_hold_all_values(metric: str, values: tuple[float, float, float], ends: tuple[float, float]) -> None:
    """Shares have the whole range, others a round end."""
    axis = axis_of(metric, [figure(metric, *values), None])
    assert (axis.start, axis.end) == ends


def test_a_strip_has_mark_whisker_and_hurdle() -> None:
    """The hurdle is the farther end of baseline and control; chance in closed form has no whisker."""
    (only,) = audits(run(leaking()))
    (entry,) = only.entries
    compared = entry.compared(("accuracy", "{}"))
    axis = Axis("accuracy", 0.0, 1.0)
    drawn = strip(compared.attack, axis, compared)
    assert (drawn.at, drawn.low, drawn.high) == (92.3, 81.02, 96.06)  # 3 + 94 * 0.95, 0.83, 0.99
    assert drawn.beyond == 11.46  # 3 + 94 * 0.09, the end of the control
    chance = strip(compared.baseline, axis, compared)
    assert (chance.arm, chance.low, chance.high, chance.beyond) == ("baseline", None, None, None)
    assert drawn.words.replace("\N{NO-BREAK SPACE}", " ") == (
        "attack: 95 % (83 to 99 %, n = 40), on an axis from 0 % to 100 %"
    )


def test_the_hurdle_of_a_distance_is_its_low_end() -> None:
    """Where lower leaks, the attack must lie below both: 0.81 of the control comes before 0.9."""
    (only,) = audits(run(leaking()))
    compared = only.entries[0].compared(("hdt", "{}"))
    assert strip(compared.attack, Axis("hdt", 0.0, 1.0), compared).beyond == 79.14  # 3 + 94 * 0.81


def drawn(*results: SpecResult) -> TradeOff | None:
    """The trade-off of the only audit."""
    (only,) = audits(run(*results))
    return trade_off(only)


def test_leak_is_drawn_against_utility() -> None:
    """The leaking end is on top, the better end to the right; the strongest attack stands for its setting."""
    weak = made(*arms("accuracy", (0.1, 0.02, 0.2), 0.0001, (0.0, 0.0, 0.09)), *UTILITY, attack="weak")
    chart = drawn(weak, leaking(), silent(defences=deduplicated()))
    first, second = chart.points
    assert [one.entry.attack for one in chart.points] == ["discrete-search", "discrete-search"]
    assert (first.y, second.y) == (7.7, 97.0)  # 100 - (3 + 94 * 0.95), 100 - 3
    assert first.across.at == 80.08  # 3 + 94 * 0.82
    assert chart.utility == "Right answers on new texts"
    assert [one.numbers for one in chart.labels] == ["1", "2"]
    assert "1, no defence: leak 95" in chart.words


def test_where_lower_leaks_lower_is_drawn_on_top() -> None:
    """A distance of nothing is the worst case."""
    results = [
        made(*arms("hdt", (0.0, 0.0, 0.1), 0.9, (0.9, 0.8, 1.0)), *UTILITY),
        made(*arms("hdt", (1.0, 0.9, 1.0), 0.9, (0.9, 0.8, 1.0)), *UTILITY, defences=deduplicated()),
    ]
    chart = drawn(*results)
    assert [one.y for one in chart.points] == [3.0, 97.0]
    assert not chart.leaks_up


def test_points_that_hide_each_other_share_a_label() -> None:
    """A defence that changes nothing stays visible; so does that it is one of two."""
    (label,) = drawn(leaking(), leaking(defences=deduplicated())).labels
    assert label.numbers == "1, 2"
    assert not label.defended


def test_perplexity_runs_backwards() -> None:
    """Lower is better, so that it stands to the right."""
    worth = [figure("test_perplexity", value, value, value, arm="utility") for value in (10.0, 50.0)]
    leak = arms("accuracy", (0.9, 0.8, 1.0), 0.0, (0.0, 0.0, 0.1))
    chart = drawn(made(*leak, worth[0]), made(*leak, worth[1], defences=deduplicated()))
    assert [one.across.at for one in chart.points] == [78.2, 3.0]  # 3 + 94 * 0.8, 3


@pytest.mark.parametrize("results", [[leaking()], [leaking(), made(defences=deduplicated())], [made(attack=None)]])
def test_one_setting_has_no_trade_off(results: list[SpecResult]) -> None:
    """Nor has one without utility or without an attack."""
    assert drawn(*results) is None
