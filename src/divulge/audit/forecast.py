"""What a run would do, cost and be able to show, before it runs."""

from __future__ import annotations

import math
from collections import defaultdict

from divulge.audit.planning import Plan, Planned
from divulge.metrics.intervals import wilson
from divulge.records import Gaps, Record, UserTexts
from divulge.store import Store

__all__ = ["Forecast", "SpecForecast", "TaskForecast", "forecast"]


class TaskForecast(Record):
    """Tasks of one kind: how many, how many are done already, and the time the others may take."""

    kind: str
    tasks: int
    cached: int
    seconds: float | None  # by what tasks of this kind took before; None if there were none


class SpecForecast(Record):
    """One spec: what is asked, and what its numbers can show at best."""

    spec_hash: str
    target: str
    attack: str | None
    secrets: int
    controls: int
    queries: int | None
    power: tuple[str, ...]


class Forecast(Record):
    """The whole plan."""

    tasks: tuple[TaskForecast, ...]
    specs: tuple[SpecForecast, ...]


def forecast(plan: Plan, store: Store) -> Forecast:
    """Counts tasks, estimates queries and time, and says what n secrets can tell."""
    spent: dict[str, list[float]] = defaultdict(list)
    for entry in store.entries():
        if entry.seconds is not None:
            spent[entry.kind].append(entry.seconds)
    missing = {task.key for task in plan.graph.missing(store)}
    rows = []
    for kind in dict.fromkeys(task.kind for task in plan.graph):
        tasks = [task for task in plan.graph if task.kind == kind]
        left = sum(task.key in missing for task in tasks)
        known = spent.get(kind)
        seconds = round(left * sum(known) / len(known), 1) if known else (0.0 if left == 0 else None)
        rows.append(TaskForecast(kind=kind, tasks=len(tasks), cached=len(tasks) - left, seconds=seconds))
    return Forecast(tasks=tuple(rows), specs=tuple(_spec(one) for one in plan.planned))


def _spec(one: Planned) -> SpecForecast:
    resolved, case = one.resolved, one.resolved.case
    attack = resolved.attack
    return SpecForecast(
        spec_hash=resolved.spec.hash,
        target=resolved.target.name,
        attack=attack.name if attack is not None else None,
        secrets=len(case.secrets),
        controls=len(case.controls),
        queries=_queries(one),
        power=tuple(_power(one)) if attack is not None else (),
    )


def _queries(one: Planned) -> int | None:
    attack, spec = one.resolved.attack, one.resolved.spec
    if attack is None or not attack.requires:
        return 0
    costs = [type(attack).cost(attack.options, secret.hint) for secret in one.resolved.case.secrets]
    total = sum(cost for cost in costs if cost is not None)
    if any(cost is None for cost in costs):
        return spec.adversary.max_queries
    return total if spec.adversary.max_queries is None else min(total, spec.adversary.max_queries)


def _power(one: Planned) -> list[str]:
    """What can be told apart with this many secrets, in words."""
    case = one.resolved.case
    n = len(case.secrets)
    first = case.secrets[0].hint
    if isinstance(first, UserTexts):
        return _user_power(n, len(case.controls))
    zero = wilson(0, n)
    assert zero is not None
    lines = [f"power: of {n} secrets none found still allows a rate up to {zero.high:.3f} (95 %)"]
    if isinstance(first, Gaps):
        chance = 1 / first.space
        hits = next((k for k in range(1, n + 1) if (found := wilson(k, n)) and found.low > chance), None)
        if hits is not None:
            lines.append(f"power: {hits} of {n} found is beyond chance ({chance:.2g} each)")
        exact = first.space - 1 <= one.resolved.spec.secrets.decoys
        how = "exact" if exact else "extrapolated beyond the decoys"
        lines.append(f"power: exposure up to {math.log2(first.space):.1f} bits, {how}")
    return lines


def _user_power(n: int, others: int) -> list[str]:
    members = n - others
    # Hanley and McNeil's standard error at an area of 0.5: sqrt((n1 + n0 + 1) / (12 n1 n0)).
    error = math.sqrt((members + others + 1) / (12 * max(1, members) * max(1, others)))
    lines = [f"power: AUC above {0.5 + 1.96 * error:.2f} is beyond chance with {members} members and {others} others"]
    if others < 100:
        lines.append(f"power: TPR at 1 % FPR needs 100 people known to be out; there are {others}")
    return lines
