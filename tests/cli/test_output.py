"""Tests of what commands print."""

from __future__ import annotations

import json
import os

import pytest

from divulge.cli.output import debugging, print_json, print_table, show_traces


def test_json_is_ascii_and_finite(capsys):
    """Every pipe can carry it, and NaN is refused."""
    print_json({"name": "Zoë", "value": 0.5, "absent": None})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out) == {"name": "Zoë", "value": 0.5, "absent": None}
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"value": float("nan")})
    assert capsys.readouterr().out == ""


def test_a_table_has_a_line_per_row_and_a_word_for_what_is_absent(capsys):
    """Cells are shown as they are: brackets are no markup."""
    rows = [
        {"name": "one", "levels": ["A", "B"], "here": True, "low": "[0, 1]"},
        {"name": "two", "levels": (), "here": False, "low": "[bold]x[/bold]"},
    ]
    print_table(["name", "levels", "here", "low", "more"], rows, title="[red]all[/red]")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["[red]all[/red]"],
        ["name", "levels", "here", "low", "more"],
        ["one", "A,", "B", "yes", "[0,", "1]", "–"],
        ["two", "no", "[bold]x[/bold]", "–"],
    ]


def test_a_pipe_is_not_cut_to_the_width_of_a_terminal(capsys, monkeypatch):
    """A hundred letters stay on one line."""
    monkeypatch.setenv("COLUMNS", "40")
    print_table(["name"], [{"name": "x" * 100}])
    assert "x" * 100 in capsys.readouterr().out


def test_traces_are_shown_for_a_while(monkeypatch):
    """And the environment is left as it was found."""
    monkeypatch.delenv("DIVULGE_DEBUG", raising=False)
    with show_traces(wanted=False):
        assert not debugging()
    with show_traces(wanted=True):
        assert debugging()
    assert "DIVULGE_DEBUG" not in os.environ
    monkeypatch.setenv("DIVULGE_DEBUG", "1")
    with show_traces(wanted=False):
        assert debugging()
    assert os.environ["DIVULGE_DEBUG"] == "1"
