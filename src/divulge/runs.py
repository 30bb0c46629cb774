"""One run: plan the specs, let an engine do what is missing, gather the results, write the run directory."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from divulge import __version__
from divulge.auditing.cautions import cautions
from divulge.auditing.planning import Plan, Planned, plan
from divulge.auditing.privacy_loss import refutation
from divulge.canonical import canonical_json
from divulge.engine.progress import Progress
from divulge.engine.requests import Cluster
from divulge.engine.running import EngineReport, run
from divulge.errors import ExecutionError, InputError
from divulge.outcomes import SCHEMA_VERSION
from divulge.parts import validate
from divulge.records import Failure, Measurement, RunResults, SpecResult
from divulge.spec import AuditSpec
from divulge.store import Store

__all__ = ["EXECUTE", "gather", "read_results", "run_specs", "versions", "write_results"]

EXECUTE = "divulge.auditing.tasks:execute"
REMOVED = "its result was removed from the store while the run was under way; the same command again makes it"
AGAIN = "Make the run again with: divulge audit"
# From a schema version, the function that makes the next one of it; results.json comes and goes as plain values.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
LIBRARIES = ("numpy", "pydantic", "safetensors", "scikit-learn", "scipy", "sacrebleu", "torch", "transformers")


def run_specs(
    specs: Sequence[AuditSpec],
    store: Store,
    *,
    workers: int,
    out: Path | None = None,
    progress: Progress | None = None,
    debug: bool = False,
    cluster: Cluster | None = None,
    seconds: float | None = None,
) -> RunResults:
    """Runs specs and returns what came of them; with `out`, writes the run directory too.

    Nothing is written before every spec has been checked; results.json appears whole or not at all.
    """
    planned = plan(specs)
    log = None
    if out is not None:
        _make_directory(out)
        _set_aside(out / "results.json")
        for told in ("report.html", "evidence.html", "evidence.json"):  # of those results
            (out / told).unlink(missing_ok=True)
        log = out / "log.jsonl"
    how: Any = {"progress": progress, "log": log, "debug": debug, "cluster": cluster, "seconds": seconds}
    report = run(planned.graph, store, workers, EXECUTE, **how)
    results = gather(planned, store, report)
    if out is not None:
        write_results(out, results)
    _refuse_person(planned, report)
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
    """Reads results.json of a run directory, or of the file itself; one of an older schema is brought up to date."""
    path = run_directory / "results.json" if run_directory.is_dir() else run_directory
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be read: {error.strerror}. Make a run with: divulge audit") from None
    except UnicodeDecodeError:
        raise ExecutionError(f"{path}: is not UTF-8 text") from None
    try:
        return RunResults.model_validate_json(_migrated(text))
    except ValidationError as error:
        places = dict.fromkeys(
            ".".join(str(step) for step in item["loc"]) for item in error.errors(include_input=False)
        )
        said = ", ".join(list(places)[:3]) + (" and more" if len(places) > 3 else "")
        raise ExecutionError(f"{path}: is no sound results file: wrong or missing at {said}. {AGAIN}") from None
    except ValueError as error:
        raise ExecutionError(f"{path}: {error}. {AGAIN}") from None


def versions() -> dict[str, str]:
    """The versions that results depend on; a library that is not installed is left out."""
    found = {"divulge": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _migrated(text: str) -> str:
    """The text of results.json in today's schema; a ValueError says why it cannot be read."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(_why_not_json(text, error)) from None
    except RecursionError:
        raise ValueError("is not JSON that anything wrote here: too deep") from None
    version: Any = values.get("schema_version") if isinstance(values, dict) else None
    if type(version) is not int:
        raise ValueError(f"does not tell its schema_version, which must be a whole number (now {SCHEMA_VERSION})")
    if version > SCHEMA_VERSION:
        newer = f"has schema_version {version}, which is newer than {SCHEMA_VERSION}, the newest that divulge"
        raise ValueError(f"{newer} {__version__} reads: use the version of Divulge that wrote it, or a newer one")
    if version == SCHEMA_VERSION:
        return text
    while version < SCHEMA_VERSION:
        if version not in MIGRATIONS:
            readable = min([*MIGRATIONS, SCHEMA_VERSION])
            raise ValueError(f"has schema_version {version}, older than {readable}, the oldest that can be read")
        values = MIGRATIONS[version](values)
        version += 1
    return canonical_json({**values, "schema_version": version})


def _why_not_json(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "is empty"
    # Where the end comes too early the fault is there, or at most the length of a cut word (fals) before it.
    at_end = error.pos >= len(text.rstrip()) - 4 or "Unterminated string" in error.msg
    return "is cut off: not all of it is there" if text.lstrip().startswith("{") and at_end else "is not JSON"


def _refuse_person(planned: Plan, report: EngineReport) -> None:
    """A person whom the model cannot read is the caller's mistake, though only the opened model can tell it."""
    asked = [one.measure for one in planned.planned if one.resolved.case.of_person]
    failed = [report.failures[key] for key in asked if key in report.failures]
    first = [report.failures.get(one.cause, one) for one in failed]  # without what followed from it
    wrong = [one.reason for one in first if one.exit_code == InputError.exit_code]
    if wrong:
        raise InputError(dict.fromkeys(wrong))


def _result(one: Planned, planned: Plan, store: Store) -> SpecResult:
    measured: Any = store.get(one.measure).values
    notes = []
    if any(check["passed"] is False for check in measured["handshake"]):
        notes.append("The handshake failed: the access is broken. It was not attacked, and its figures mean nothing.")
    asked = sum(len(member.case.secrets) for member in one.members)
    if one.attack is not None and not notes and measured["answered"] < asked:
        notes.append(f"The attack answered about {measured['answered']} of {asked} secrets; the others count as wrong.")
    refuted = refutation([validate(Measurement, figure, "results") for figure in measured["measurements"]])
    if refuted is not None:
        notes.insert(0, refuted)
    for caution in cautions(one):
        ended = caution if caution.endswith("?") else f"{caution}."
        notes.append(f"{ended[:1].upper()}{ended[1:]}")
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
