"""The ROC on logarithmic axes."""

import pytest
from tests.report.sample import figure
from tests.report.whole_run import BROKEN, of_records, of_users

from divulge.records import SpecResult
from divulge.report.curves import EDGE, LogAxis, Roc, roc
from divulge.report.entries import Entry
from divulge.report.findings import finding


def drawn(result: SpecResult) -> Roc | None:
    """The curve of one result."""
    return roc(Entry(result, finding(result)))


def test_an_axis_gives_each_decade_the_same_room() -> None:
    """Three decades between edges of 3 per cent: each has 94 / 3; nothing stands outside."""
    axis = LogAxis(3)
    assert [axis.at(value) for value in (0.001, 0.01, 0.1, 1.0)] == [EDGE, 34.33, 65.67, 97.0]
    assert [axis.at(value) for value in (0.0, 0.00001, 2.0)] == [EDGE, EDGE, 97.0]
    assert [words.replace("\N{NO-BREAK SPACE}", " ") for _, words in axis.ticks] == ["0.1 %", "1 %", "10 %", "100 %"]


def test_curves_have_marks_with_intervals() -> None:
    """From the left and from the top; the smallest rate sets the decades, the attack is drawn last and so on top."""
    made = drawn(of_records())
    assert made is not None
    assert made.axis.decades == 3
    assert [curve.arm for curve in made.curves] == ["baseline", "attack"]
    blind, attack = made.curves
    assert len(attack.marks) == len(blind.marks) == 6
    first = attack.marks[0]  # 0.06 at 0.001: 3 + 94 * (1 + log10(0.06) / 3) = 58.71 from below
    assert (first.x, first.y) == (EDGE, pytest.approx(100 - 58.71, abs=0.02))
    assert first.high < first.y < first.low  # from the top
    assert attack.line.startswith("3.0,41.2")


def test_a_rate_between_powers_begins_at_the_power_below() -> None:
    """0.0003 needs four decades; 0.1 alone still has two."""

    def with_rates(*rates: float) -> SpecResult:
        return of_records().model_copy(
            update={"measurements": tuple(figure("tpr", 0.5, 0.4, 0.6, fpr=rate) for rate in rates)}
        )

    assert [drawn(with_rates(*rates)).axis.decades for rates in ((0.0003, 0.1), (0.0001, 0.1), (0.1, 0.3))] == [4, 4, 2]
    assert drawn(with_rates(0.1)) is None


def test_the_table_and_the_words_say_the_same() -> None:
    """Every rate with every arm that was measured; a control too, although it is not drawn."""
    one = of_records()
    control = figure("tpr", 0.011, 0.005, 0.02, 500, "control", fpr=0.01)
    made = drawn(one.model_copy(update={"measurements": (*one.measurements, control)}))
    assert made.columns == ("the attack", "without the model", "on controls")
    rates = [rate.replace("\N{NO-BREAK SPACE}", " ") for rate, _ in made.rows]
    assert rates == ["0.1 %", "0.3 %", "1 %", "3 %", "10 %", "30 %"]
    assert [figures[2].value for _, figures in made.rows][:3] == ["–", "–", "1.1\N{NO-BREAK SPACE}%"]
    words = made.words.replace("\N{NO-BREAK SPACE}", " ")
    assert "at 0.1 % 6 % (4.8 to 7.2 %)" in words
    assert words.startswith("Share of members that lira finds")
    assert len(made.curves) == 2


def test_chance_in_closed_form_has_no_whisker() -> None:
    """Its ends meet."""
    points = [figure("tpr", 0.5, 0.4, 0.6, fpr=rate) for rate in (0.01, 0.1)]
    points += [figure("tpr", rate, rate, rate, arm="baseline", fpr=rate) for rate in (0.01, 0.1)]
    made = drawn(of_records().model_copy(update={"measurements": tuple(points)}))
    assert [(one.low, one.high) for one in made.curves[0].marks] == [(None, None)] * 2
    assert all(one.low is not None for one in made.curves[1].marks)


def test_without_points_or_sense_there_is_no_curve() -> None:
    """People have none; a broken access has none that means anything."""
    assert drawn(of_users()) is None
    assert drawn(of_records(handshake=(BROKEN,))) is None
