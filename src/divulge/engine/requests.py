"""What tasks ask of the machines of a cluster, and which cluster: plain values, known before one is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from divulge.errors import InputError
from divulge.parts import did_you_mean, validate
from divulge.records import Record

__all__ = ["Cluster", "Request", "requests_from"]

GIGABYTE = 10**9
DIGITS = 4  # how finely Ray counts cores and graphics cards


class Request(Record):
    """What one task needs while it runs; no part of its key, since it changes no result.

    Attributes:
        cpus: Cores set aside for it; its numerical libraries use one thread all the same.
        memory_gb: Memory set aside for it; None sets none aside.
        gpus: Graphics cards, or a share of one; left out where a cluster has none.
    """

    cpus: Annotated[float, Field(ge=0, le=4096)] = 1.0
    memory_gb: Annotated[float, Field(gt=0, le=65536)] | None = None
    gpus: Annotated[float, Field(ge=0, le=64)] = 0.0

    @field_validator("cpus", "gpus")
    @classmethod
    def _countable(cls, amount: float, about: ValidationInfo) -> float:
        if round(amount, DIGITS) != amount:
            raise ValueError(f"must be a multiple of {10**-DIGITS}")
        if about.field_name == "gpus" and amount > 1 and not amount.is_integer():
            raise ValueError("must be a whole number, or a share of one below 1")
        return amount

    @property
    def memory(self) -> int | None:
        """The memory in bytes."""
        return None if self.memory_gb is None else int(self.memory_gb * GIGABYTE)


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster to run on.

    Attributes:
        address: HOST:PORT; "auto" is the one that runs on this machine or that RAY_ADDRESS names; "local" starts one
            here for the time of the run.
        most: How many tasks may be handed to it at once; None follows its size.
        requests: What tasks of a kind need; others need one core.
    """

    address: str = "auto"
    most: int | None = None
    requests: Mapping[str, Request] = field(default_factory=dict)

    def request(self, kind: str) -> Request:
        """What a task of this kind needs."""
        return self.requests.get(kind, Request())


def requests_from(values: Mapping[str, Any], kinds: Iterable[str]) -> dict[str, Request]:
    """Reads what a file says under [run.resources]: kind of task to what it needs; all problems in one error."""
    known, found, problems = sorted(kinds), {}, []
    for kind, wanted in values.items():
        where = f"run.resources.{kind}"
        if kind not in known:
            problems.append(f"{where}: unknown kind of task.{did_you_mean(kind, known)}")
        elif not isinstance(wanted, Mapping):
            problems.append(f"{where}: must be a table, as in {{cpus = 2, memory_gb = 4, gpus = 1}}")
        else:
            try:
                found[kind] = validate(Request, wanted, where)
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return found
