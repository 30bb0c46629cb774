"""A run held against a policy, and beside another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.report.sample import arms, result, run

import divulge
from divulge.api.judging import compare, judge
from divulge.api.result import AuditResult
from divulge.errors import InputError
from divulge.gate.policy import Policy
from divulge.parts import validate
from divulge.records import RunResults

LIMIT: dict[str, Any] = {"limits": [{"metric": "accuracy", "below": 0.5}]}


def accuracy(value: float) -> RunResults:
    """A run whose attack reached so much."""
    return run(result(*arms("accuracy", (value, value - 0.1, value + 0.05), 0.1, (0.08, 0.03, 0.2))))


def test_every_way_to_name_run_and_policy_comes_to_the_same(tmp_path: Path) -> None:
    """A result, its records, its folder; a dict, a policy, a file."""
    found = AuditResult(accuracy(0.9))
    folder = found.save(tmp_path / "run")
    file = tmp_path / "policy.toml"
    file.write_text('[[limits]]\nmetric = "accuracy"\nbelow = 0.5\n', encoding="utf-8")
    every = {
        judge(one, policy)
        for one in (found, found.run, folder, str(folder))
        for policy in (LIMIT, validate(Policy, LIMIT, "policy"), file, str(file))
    }
    (judged,) = every
    assert (judged.verdict, judged.exit_code) == ("exceeded", 100)
    assert judge(accuracy(0.3), LIMIT).verdict == "passed"


def test_no_worse_than_the_last_run(tmp_path: Path) -> None:
    """The earlier run is given, or named by the policy; a policy that needs one and has none is refused."""
    worse = {"limits": [{"metric": "accuracy", "no_worse_by": 0.2}]}
    first, second = accuracy(0.3), accuracy(0.9)
    assert judge(second, worse, against=first).verdict == "exceeded"
    assert judge(first, worse, against=second).verdict == "passed"
    folder = AuditResult(first).save(tmp_path / "last")
    assert judge(second, {**worse, "against": str(folder)}).verdict == "exceeded"
    assert judge(second, {**worse, "against": str(tmp_path / "none")}).verdict == "inconclusive"
    with pytest.raises(InputError, match="an earlier run is needed: against="):
        judge(second, worse)


def test_two_runs_beside_each_other() -> None:
    """The difference is second minus first: 0.9 - 0.3."""
    changes = [one for one in compare(accuracy(0.3), AuditResult(accuracy(0.9))).changes if one.arm == "attack"]
    assert [(one.metric, one.verdict) for one in changes] == [("accuracy", "worse")]
    assert changes[0].difference is not None
    assert changes[0].difference.value == pytest.approx(0.6)


def test_wrong_policies_and_runs_are_told() -> None:
    """An unknown metric, a key that is none, no run at all."""
    with pytest.raises(InputError, match="unknown metric 'acuracy'. Did you mean 'accuracy'"):
        judge(accuracy(0.9), {"limits": [{"metric": "acuracy", "below": 1}]})
    with pytest.raises(InputError, match="unknown key 'limit'"):
        judge(accuracy(0.9), {"limit": []})
    with pytest.raises(InputError, match="Got int"):
        compare(accuracy(0.9), 3)  # type: ignore[arg-type]


def test_they_are_had_from_the_package() -> None:
    """By the names that callers use."""
    assert divulge.judge is judge
    assert divulge.compare is compare
