"""Where tasks run and for how long: the options that `divulge audit` and `divulge study run` share."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divulge.errors import InputError
from divulge.parts import did_you_mean

if TYPE_CHECKING:
    from divulge.engine.requests import Cluster

__all__ = ["Address", "Chosen", "Engine", "MaxTime", "Workers", "chosen_engine", "duration"]

WORKERS = "DIVULGE_WORKERS"  # an environment variable, for machines where one per core is too many
ENGINES = ("local", "ray")
SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")
Engine = Annotated[str, typer.Option(help="Where tasks run: local (this machine) or ray (a cluster).")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=0,
        help=f"Worker processes, one thread each; 0: in this process. Default: {WORKERS}, or one per core. With the "
        "engine ray: tasks at once; default: as many as fit.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="The Ray cluster; local starts one for this run. Default: RAY_ADDRESS, or the one on this machine.",
    ),
]
MaxTime = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Stop after so long (90, 30m, 1h30m) with exit code 1; finished work is kept, the same command goes on.",
    ),
]


@dataclass(frozen=True)
class Chosen:
    """What was chosen: worker processes of this machine or a cluster, and the time there is."""

    workers: int
    cluster: Cluster | None = None
    seconds: float | None = None


def chosen_engine(
    engine: str,
    workers: int | None,
    address: str | None = None,
    max_time: str | None = None,
    resources: Mapping[str, Any] | None = None,
) -> Chosen:
    """Checks the options, and what tasks ask of a node; all that needs no cluster."""
    if engine not in ENGINES:
        raise InputError(f"unknown engine {engine!r}.{did_you_mean(engine, ENGINES)}")
    seconds = None if max_time is None else duration(max_time)
    requests = _requests(resources or {})
    if engine == "local":
        if address is not None:
            raise InputError("--address is for the engine ray: add --engine ray, or leave it out")
        return Chosen(_workers(workers), None, seconds)
    if workers == 0:
        raise InputError("--workers must be at least 1 with the engine ray. Got 0")
    from divulge.engine.requests import Cluster

    return Chosen(0, Cluster(address or "auto", workers, requests), seconds)


def duration(text: str) -> float:
    """Seconds of "90", "90s", "30m", "1h30m" or "2d"."""
    found = SPAN.fullmatch(text.strip())
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if total <= 0:
        raise InputError(f"--max-time must be a time above 0, as in 90, 30m or 1h30m. Got {text!r}")
    return float(total)


def _workers(workers: int | None) -> int:
    if workers is not None:
        return workers
    told = os.environ.get(WORKERS)
    if told is None:
        return os.cpu_count() or 1
    if not told.isdecimal():
        raise InputError(f"{WORKERS} must be a whole number, 0 or more. Got {told!r}")
    return int(told)


def _requests(resources: Mapping[str, Any]) -> dict[str, Any]:
    if not resources:
        return {}
    from divulge.auditing.tasks import KINDS
    from divulge.engine.requests import requests_from

    return requests_from(resources, KINDS)
