"""`divulge.judge` and `divulge.compare`: a run held against a policy, and beside another run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divulge.api.result import AuditResult
from divulge.errors import InputError
from divulge.gate.comparing import RunComparison
from divulge.gate.comparing import compare as compared
from divulge.gate.judgements import Judged
from divulge.gate.judging import judge as judged
from divulge.gate.policy import Policy, read_policy
from divulge.gate.sides import known_figures
from divulge.parts import did_you_mean, validate
from divulge.records import RunResults
from divulge.runs import read_results

__all__ = ["Run", "compare", "judge"]

Run = AuditResult | RunResults | Path | str


def judge(run: Run, policy: Policy | Mapping[str, Any] | Path | str, *, against: Run | None = None) -> Judged:
    """Holds a run against a policy, as `divulge gate` does.

    Args:
        run: A result, or a run directory.
        policy: policy.toml, or what would stand in it.
        against: The earlier run, where the policy says how much worse a figure may be.

    Returns:
        The verdict ("passed", "exceeded" or "inconclusive"), the exit code of the command line, and every judgement.
    """
    results = _results(run)
    measured = {one.metric for result in results.results for one in result.measurements}
    wanted = _policy(policy, measured)
    earlier = None if against is None else _results(against)
    if earlier is None and wanted.compares:
        if wanted.against is None:
            raise InputError("the policy says no_worse_by, so that an earlier run is needed: against=...")
        earlier = read_results(Path(wanted.against)) if Path(wanted.against).exists() else None
    return judged(results, wanted, earlier)


def compare(first: Run, second: Run) -> RunComparison:
    """Tells what changed from an earlier run to a later one, with the interval of each difference."""
    return compared(_results(first), _results(second))


def _results(run: Run) -> RunResults:
    if isinstance(run, AuditResult):
        return run.run
    if isinstance(run, RunResults):
        return run
    if isinstance(run, str | Path):
        return read_results(Path(run))
    raise InputError(f"a run must be an AuditResult or the path of a run directory. Got {type(run).__name__}")


def _policy(policy: Any, measured: set[str]) -> Policy:
    if isinstance(policy, str | Path):
        return read_policy(Path(policy), measured)
    found = policy if isinstance(policy, Policy) else validate(Policy, policy, "policy")
    known = {*known_figures(), *measured}
    unknown = [one.metric for one in found.limits if one.metric not in known]
    if unknown:
        raise InputError(f"policy: unknown metric {name!r}.{did_you_mean(name, known)}" for name in unknown)
    return found
