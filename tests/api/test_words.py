"""A run in plain words."""

from __future__ import annotations

from tests.report.sample import SECRET, arms, result, run

from divulge.api.words import WIDTH, summary_of
from divulge.records import Check, Failure

LEAK = arms("accuracy", (0.93, 0.81, 0.98), 0.1, (0.08, 0.03, 0.2))


def test_a_leak_is_told_with_its_figure_and_what_to_do() -> None:
    """The verdict first; the figure with its interval, beside what needs no model and beside controls."""
    said = summary_of(run(result(*LEAK)))
    first, *others = said.splitlines()
    assert first == "The audit found a leak."
    flat = " ".join(" ".join(others).split())
    for part in (
        "soft-token, no defence: A leak was found",
        "93",
        "81 to 98",
        "10",
        "without the model",
        "on controls",
    ):
        assert part in flat
    assert "What to do: - Take secrets out before training." in flat
    assert SECRET not in said
    assert all(len(line) <= WIDTH for line in said.splitlines())


def test_a_broken_access_has_no_figure() -> None:
    """The handshake failed: what is told is that, and nothing measured."""
    broken = Check(access="LabelAccess", name="accuracy is above chance", passed=False)
    said = " ".join(summary_of(run(result(*LEAK, handshake=(broken,), notes=("Look here.",)))).split())
    assert "the handshake failed" in said
    assert "93" not in said
    assert "Note: Look here." in said


def test_failures_are_told() -> None:
    """With their reasons."""
    said = summary_of(run(failures=(Failure(spec_hash="1" * 16, reason="the disk is full"),)))
    assert said.splitlines()[-2:] == ["Failed:", "   - the disk is full"]
