"""Leak against utility, from a table made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.report.study_sample import row, study, table

from divulge.cli.app import run
from divulge.errors import InputError
from divulge.report.study_trade_offs import study_trade_off
from divulge.studies.rows import StudyRow


def cell(defence: str, strength: float | None, adversary: str, **more: Any) -> dict[str, Any]:
    return {"defence": defence, "strength": strength, "adversary": adversary, **more}


def rows() -> list[StudyRow]:
    """No defence and two strengths of noise, two adversaries; the second attack is stronger under noise."""
    found = []
    for adversary, gain in (("static", 0.0), ("adaptive", 0.2)):
        for (defence, strength), leak, worth in (
            (("none", None), 0.9, 0.95),
            (("noise", 1.0), round(0.4 + gain, 2), 0.8),
            (("noise", 2.0), round(0.1 + gain, 2), 0.5),
        ):
            here = cell(defence, strength, adversary)
            found += [
                row(here, "ours", leak, metric="token_accuracy"),
                row(here, "theirs", round(leak + (0.05 if strength else -0.3), 2), metric="token_accuracy"),
                row(here, "random", 0.99, metric="token_accuracy"),
                row({**here, "choice": "oracle"}, "ours", 0.98, metric="token_accuracy"),
                row(here, None, worth, metric="entity_f1", arm="utility"),
                row(here, None, worth, metric="recall_at_10", arm="utility"),
            ]
    return found


def test_the_strongest_attack_stands_against_what_is_left() -> None:
    """By adversary; guessing, and choices that look at the truth, are no attack; one number for each defence."""
    found = study_trade_off(study(), table(*rows()))
    assert found is not None
    assert (found.up.metric, found.across.metric) == ("token_accuracy", "entity_f1")
    assert found.names == {1: "none", 2: "noise 1.0", 3: "noise 2.0"}
    assert [
        (side.title, [(one.number, one.leak.attack, one.leak.value, one.utility.value) for one in side.points])
        for side in found.sides
    ] == [
        ("static", [(1, "ours", 0.9, 0.95), (2, "theirs", 0.45, 0.8), (3, "theirs", 0.15, 0.5)]),
        ("adaptive", [(1, "ours", 0.9, 0.95), (2, "theirs", 0.65, 0.8), (3, "theirs", 0.35, 0.5)]),
    ]


def test_where_a_small_value_leaks_the_smallest_is_the_strongest() -> None:
    """hdt: the adversary's better end is low."""
    here = [cell("none", None, "static"), cell("noise", 1.0, "static")]
    made = [row(one, name, value) for one in here for name, value in (("ours", 0.2), ("theirs", 0.6))]
    made += [row(one, None, 0.9, metric="slot_f1", arm="utility") for one in here]
    found = study_trade_off(study(), table(*made))
    assert found is not None
    assert not found.leaks_up
    assert [one.leak.value for one in found.sides[0].points] == [0.2, 0.2]


@pytest.mark.parametrize("kept", ["no defence", "one defence", "no utility"])
def test_without_two_defences_and_their_utility_there_is_nothing_to_draw(kept: str) -> None:
    """None, not an empty picture."""
    every = {
        "no defence": [
            one.model_copy(update={"cell": {k: v for k, v in one.cell.items() if k != "defence"}}) for one in rows()
        ],
        "one defence": [one for one in rows() if one.cell["defence"] == "none"],
        "no utility": [one for one in rows() if one.arm != "utility"],
    }
    assert study_trade_off(study(), table(*every[kept])) is None


def test_a_metric_that_no_attack_has_is_refused() -> None:
    """By name, with what there is."""
    with pytest.raises(InputError, match="token_accuracy"):
        study_trade_off(study(), table(*rows()), "token_acuracy")


def test_studies_of_defences_are_drawn_so_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One with defences gives a picture, one without says that it has none."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(Path(__file__).parents[2] / "results"))
    written = tmp_path / "plot.svg"
    assert run(["study", "plot", "gu2023/figure4", "--against-utility", "-o", str(written)]) == 0
    assert "count against entity_f1" in written.read_text(encoding="utf-8")
    assert run(["study", "plot", "gu2023/table1", "--against-utility", "-o", str(written)]) == 2
    assert "--against-utility" in capsys.readouterr().err
