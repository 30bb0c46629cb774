"""What a run would do, cost and be able to show, before it runs."""

from __future__ import annotations

import math
from typing import Literal

from divulge.auditing.cautions import cautions
from divulge.auditing.deletion import deletion_power
from divulge.auditing.one_person import person_power
from divulge.auditing.planning import Plan, Planned
from divulge.auditing.privacy_loss import DEFAULT_DELTA, allowed_epsilon
from divulge.auditing.timing import Costs, TimeForecast, likely_times
from divulge.data.cases import Case
from divulge.metrics.epsilon import largest_provable
from divulge.metrics.intervals import FEWEST_SECRETS, wilson
from divulge.metrics.roc import auc_interval
from divulge.records import Gaps, Member, Record, RecordText, Secret, UserTexts
from divulge.store import Store

__all__ = ["Forecast", "SpecForecast", "TaskForecast", "forecast"]


MANY_QUERIES = 100_000


class TaskForecast(Record):
    """Tasks of one kind: how many, how many are done already, and the time the others may take.

    `borrowed` of them were never done with these parts: their seconds are those of other parts, and may be far off.
    """

    kind: str
    tasks: int
    cached: int
    seconds: float | None  # by what tasks of this kind took before; None if there were none
    borrowed: int = 0


class SpecForecast(Record):
    """One spec: what is asked, and what its numbers can show at best."""

    spec_hash: str
    target: str
    attack: str | None
    models: int = 1
    secrets: int
    controls: int
    queries: int | None
    power: tuple[str, ...]


class Forecast(Record):
    """The whole plan: by kind of task, how long it may take on which engine, and each spec."""

    tasks: tuple[TaskForecast, ...]
    times: tuple[TimeForecast, ...] = ()
    specs: tuple[SpecForecast, ...]


def forecast(plan: Plan, store: Store) -> Forecast:
    """Counts tasks, estimates queries and time, and says what n secrets can tell."""
    costs = Costs(store.entries())
    missing = plan.graph.missing(store)
    wanted = {task.key for task in missing}
    rows = []
    for kind in dict.fromkeys(task.kind for task in plan.graph):
        tasks = [task for task in plan.graph if task.kind == kind]
        left = [task for task in tasks if task.key in wanted]
        known = [costs.of(task) for task in left]
        seconds = None if None in known else round(sum(cost for cost in known if cost is not None), 1)
        borrowed = 0 if seconds is None else sum(costs.of_alike(task) is None for task in left)
        rows.append(
            TaskForecast(kind=kind, tasks=len(tasks), cached=len(tasks) - len(left), seconds=seconds, borrowed=borrowed)
        )
    times = likely_times(plan.graph, missing, costs)
    return Forecast(tasks=tuple(rows), times=times, specs=tuple(_spec(one) for one in plan.planned))


def _spec(one: Planned) -> SpecForecast:
    resolved, models = one.resolved, len(one.members)
    attack = resolved.attack
    return SpecForecast(
        spec_hash=one.spec.hash,
        target=resolved.target.name,
        attack=attack.name if attack is not None else None,
        models=models,
        secrets=_different(one, "secrets"),
        controls=_different(one, "controls"),
        queries=_queries(one),
        power=(*_power(one), *_warnings(one)) if attack is not None else (),
    )


def _warnings(one: Planned) -> list[str]:
    found = [f"warning: {caution}" for caution in cautions(one)] + _asked_again(one)
    queries = _queries(one)
    if queries is not None and queries > MANY_QUERIES:
        found.append(
            f"warning: {queries:,} queries may take long: ask about fewer secrets, or set a smaller beam where the "
            "attack has one"
        )
    return found


def _queries(one: Planned) -> int | None:
    attack, spec, models = one.resolved.attack, one.spec, len(one.members)
    if attack is None or not (attack.requires or attack.requires_one_of):
        return 0
    kind, levels = type(attack), one.resolved.levels
    costs = [kind.cost_at(attack.options, secret.hint, levels) for secret in one.resolved.case.secrets]
    total = sum(cost for cost in costs if cost is not None)
    if any(cost is None for cost in costs):
        return None if spec.adversary.max_queries is None else models * spec.adversary.max_queries
    if attack.asks_about_controls:
        pool = 2 * spec.secrets.count if attack.asks_about_pool else 0  # at most: shadows learn from half of it each
        total += math.ceil((spec.adversary.background.controls + pool) * total / len(costs))  # like those asked about
    return models * (total if spec.adversary.max_queries is None else min(total, spec.adversary.max_queries))


def _asked_again(one: Planned) -> list[str]:
    """How much more may be asked than was counted, where that hangs on the answers; a budget bounds it anyway."""
    attack, resolved = one.resolved.attack, one.resolved
    if attack is None or one.spec.adversary.max_queries is not None:
        return []
    hints = [secret.hint for secret in resolved.case.secrets]
    times = max(type(attack).most_times(attack.options, hint, resolved.levels) for hint in hints)
    said = f"warning: up to {times} times as many queries, by what the model answers at this access"
    return [f"{said}; adversary.max_queries bounds them"] if times > 1 else []


def _power(one: Planned) -> list[str]:
    """What so many secrets and controls can show, by the rule of the report: intervals that lie apart."""
    case = one.resolved.case
    n, controls = _different(one, "secrets"), _different(one, "controls")
    first = case.secrets[0].hint
    if case.of_person:
        return person_power(case, one.resolved.spec)
    if isinstance(first, UserTexts | RecordText):
        # Of one model: people of several are told apart within each, and many of them are the same.
        used = sum(isinstance(secret.answer, Member) and secret.answer.used for secret in case.secrets)
        who = "people" if isinstance(first, UserTexts) else "records"
        return _member_power(used, len(case.secrets) - used, len(case.controls), who)
    together = len(one.members) > 1 and len(case.secrets) > 1
    if together:  # secrets of one model may stand or fall together: then each model counts for one
        n, controls = len(one.members), min(controls, len(one.members))
    lines = [f"of {n} secrets none found still allows a rate up to {_high(0, n):.3f}"]
    if together:
        lines.insert(0, f"{n} models of {len(case.secrets)} secrets each: if those of a model err together, n is {n}")
    if isinstance(first, Gaps):
        edge = max(1 / first.space, _high(0, controls) if controls else 0.0)
        hits = next((k for k in range(1, n + 1) if _low(k, n) > edge), None)
        beside = f"chance {1 / first.space:.2g} each" + (f", none of {controls} controls" if controls else "")
        told = f"from {hits} of {n} found on" if hits else f"not even by {n} of {n} found"
        lines.append(f"a leak shows {told} ({beside})")
        if one.resolved.attack is not None and one.resolved.attack.can_score():
            exact = first.space - 1 <= one.resolved.spec.secrets.decoys
            how = "exact" if exact else "where the decoys' scores bear extrapolation"
            lines.append(f"exposure up to {math.log2(first.space):.1f} bits, {how}")
            lines += _provable(one)
            lines += deletion_power([member.case for member in one.members])
    return lines + _reservations(n, controls)


def _provable(one: Planned) -> list[str]:
    """The largest epsilon that could be proven, where a coin decided about each canary."""
    case, claim = one.resolved.case, one.spec.target
    if not case.coin:
        return []
    canaries, delta = len(case.secrets) + len(case.controls), DEFAULT_DELTA if claim.delta is None else claim.delta
    copies = case.copies
    claimed = claim.epsilon
    if claimed is not None:  # of one record; of so many copies of it the claim allows more
        grown, claimed = allowed_epsilon(claimed, delta, copies)
        delta, claimed = (delta, None) if grown >= 1 else (grown, claimed)
    most = largest_provable(canaries, delta)
    lines = [f"epsilon of at most {most:.2f} could be proven (delta {delta:.3g}, copies {copies})"]
    decoys = min(one.spec.secrets.decoys, max(1, _space(case) - 1))
    lines.append(f"the owner scores {canaries * (1 + decoys)} further texts for it, outside of any budget")
    if claimed is not None and most < claimed:
        more = "plant more canaries" if copies == 1 else "plant more canaries, once each"
        lines.append(f"warning: too little to refute the claimed epsilon of {claimed:g}: {more}")
    return lines


def _space(case: Case) -> int:
    return max(secret.hint.space for secret in case.secrets if isinstance(secret.hint, Gaps))


def _different(one: Planned, arm: Literal["secrets", "controls"]) -> int:
    """How many secrets there are over all models; people and rows of the same data come back in each."""
    every: list[Secret] = [secret for member in one.members for secret in getattr(member.case, arm)]
    returning = [secret.hint for secret in every if not isinstance(secret.hint, Gaps)]
    return len(every) - len(returning) + len(set(returning))


def _reservations(n: int, controls: int) -> list[str]:
    """What would keep the report from calling anything a leak."""
    lines = [] if controls else ["warning: without controls no leak can be told from luck: set secrets.controls"]
    if n < FEWEST_SECRETS:
        lines.append(
            f"warning: fewer than {FEWEST_SECRETS} secrets show nothing either way: raise secrets.count or run.models"
        )
    return lines


def _member_power(members: int, others: int, controls: int, who: str) -> list[str]:
    half = controls // 2
    edge = max(auc_interval(0.5, members, others).high, auc_interval(0.5, half, controls - half).high if half else 0.0)
    areas = (area / 100 for area in range(50, 101))
    least = next((area for area in areas if auc_interval(area, members, others).low > edge), None)
    told = f"from an AUC of {least:.2f} on" if least else "not even by an AUC of 1"
    lines = [f"a leak shows {told} ({members} members, {others} others)"]
    if others < 100:
        lines.append(f"TPR at 1 % FPR needs 100 {who} known to be out; there are {others}")
    elif others < 1000 and who == "records":
        lines.append(f"TPR at 0.1 % FPR needs 1,000 {who} known to be out; there are {others}")
    return lines


def _low(hits: int, n: int) -> float:
    found = wilson(hits, n)
    return 0.0 if found is None else found.low


def _high(hits: int, n: int) -> float:
    found = wilson(hits, n)
    return 1.0 if found is None else found.high
