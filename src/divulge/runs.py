"""One run: plan the specs, let an engine do what is missing, gather the results, write the run directory."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from divulge import __version__
from divulge.auditing.forecast import shared_hint
from divulge.auditing.planning import Plan, Planned, plan
from divulge.engine.progress import Progress
from divulge.engine.running import EngineReport, run
from divulge.errors import ExecutionError, InputError
from divulge.parts import validate
from divulge.records import Failure, RunResults, SpecResult
from divulge.spec import AuditSpec
from divulge.store import Store

__all__ = ["EXECUTE", "gather", "read_results", "run_specs", "versions", "write_results"]

EXECUTE = "divulge.auditing.tasks:execute"
REMOVED = "its result was removed from the store while the run was under way; the same command again makes it"
LIBRARIES = ("numpy", "pydantic", "safetensors", "scikit-learn", "scipy", "sacrebleu", "torch", "transformers")


def run_specs(
    specs: Sequence[AuditSpec],
    store: Store,
    *,
    workers: int,
    out: Path | None = None,
    progress: Progress | None = None,
    debug: bool = False,
) -> RunResults:
    """Runs specs and returns what came of them; with `out`, writes the run directory too.

    Nothing is written before every spec has been checked; results.json appears whole or not at all.
    """
    planned = plan(specs)
    log = None
    if out is not None:
        _make_directory(out)
        _set_aside(out / "results.json")
        (out / "report.html").unlink(missing_ok=True)  # it told of those results
        log = out / "log.jsonl"
    report = run(planned.graph, store, workers, EXECUTE, progress=progress, log=log, debug=debug)
    results = gather(planned, store, report)
    if out is not None:
        write_results(out, results)
    return results


def gather(planned: Plan, store: Store, report: EngineReport | None = None) -> RunResults:
    """Collects the results of a plan from the store; a spec without one is a failure with its reason."""
    results, failures = [], []
    reasons: Mapping[str, Any] = report.failures if report is not None else {}
    for one in planned.planned:
        if store.has(one.measure):
            results.append(_result(one, planned, store))
        else:
            failed = reasons.get(one.measure)
            absent = "not computed yet" if report is None else REMOVED
            reason = failed.reason if failed is not None else absent
            failures.append(Failure(spec_hash=one.spec.hash, reason=reason))
    return RunResults(results=tuple(results), failures=tuple(failures))


def write_results(out: Path, results: RunResults) -> Path:
    """Writes results.json in one step: readers see the old file or the new one, never half of it."""
    path = out / "results.json"
    draft = out / f".results.{os.getpid()}.tmp"
    try:
        draft.write_text(results.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def read_results(run_directory: Path) -> RunResults:
    """Reads results.json of a run directory, or of the file itself."""
    path = run_directory / "results.json" if run_directory.is_dir() else run_directory
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be read: {error.strerror}. Make a run with: divulge audit") from None
    except UnicodeDecodeError:
        raise ExecutionError(f"{path}: is not UTF-8 text") from None
    try:
        return RunResults.model_validate_json(text)
    except ValueError:
        raise ExecutionError(f"{path}: is no results file of this version (schema_version 1)") from None


def versions() -> dict[str, str]:
    """The versions that results depend on; a library that is not installed is left out."""
    found = {"divulge": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _result(one: Planned, planned: Plan, store: Store) -> SpecResult:
    measured: Any = store.get(one.measure).values
    notes = []
    if any(check["passed"] is False for check in measured["handshake"]):
        notes.append("The handshake failed: the access is broken, and no verdict can rest on these figures.")
    asked = sum(len(member.case.secrets) for member in one.members)
    if one.attack is not None and measured["answered"] < asked:
        notes.append(f"The attack answered about {measured['answered']} of {asked} secrets; the others count as wrong.")
    shared = shared_hint(one.resolved.case)
    if shared is not None:
        notes.append(f"{shared}.")
    values = {
        "spec": one.spec.model_dump(mode="json"),
        "spec_hash": one.spec.hash,
        "measurements": measured["measurements"],
        "outcomes": measured["outcomes"],
        "queries": measured["queries"],
        "seconds": _seconds(one.measure, planned, store),
        "versions": versions(),
        "data_fingerprint": one.resolved.corpus.fingerprint,
        "handshake": measured["handshake"],
        "notes": notes,
    }
    return validate(SpecResult, values, "results")


def _seconds(key: str, planned: Plan, store: Store) -> float:
    """What all tasks behind a result took, whenever they were done."""
    waiting, seen, total = [key], {key}, 0.0
    while waiting:
        current = waiting.pop()
        info = store.info(current)
        total += float(info.get("seconds", 0.0)) if info else 0.0
        new = set(planned.graph[current].needs.values()) - seen
        seen |= new
        waiting.extend(new)
    return round(total, 3)


def _set_aside(path: Path) -> None:
    """Keeps an earlier result under another name: a run that is cut off must not show it as its own."""
    try:
        path.replace(path.with_name("previous-results.json"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be set aside: {error.strerror}") from None


def _make_directory(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; --out needs a directory")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExecutionError(f"{out}: cannot be made: {error.strerror}") from None
