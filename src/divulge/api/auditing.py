"""`divulge.audit` and `divulge.check`: the audits of the command line, of anything that Python can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.api.asked import Parts
from divulge.api.reading import Reading, Request
from divulge.api.result import AuditResult
from divulge.auditing.forecast import Forecast, forecast
from divulge.auditing.planning import plan
from divulge.engine.progress import progress_for
from divulge.errors import ExecutionError
from divulge.records import RunResults
from divulge.runs import run_specs, write_results
from divulge.spec import AdversarySpec, SecretsSpec
from divulge.store import Store

__all__ = ["audit", "check"]

LIVE = (
    "The model was an object handed over in Python: it was audited in that process, and nothing but its owner's word "
    "tells which model it was."
)


def audit(
    target: Any,
    *,
    data: Any,
    secrets: SecretsSpec | Mapping[str, Any] | Path | str | None = None,
    attacks: Parts | None = None,
    defences: Parts = (),
    adversary: AdversarySpec | Mapping[str, Any] | None = None,
    probes: Parts = (),
    seed: int = 0,
    models: int = 1,
    labels: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    recipe: Mapping[str, Any] | None = None,
    name: str | None = None,
    workers: int | None = None,
    store: Store | Path | str | None = None,
    out: Path | str | None = None,
    progress: bool = False,
) -> AuditResult:
    """Audits a model and returns what came of it.

    Args:
        target: The model: a kind of `divulge list targets`, "module:Class", the folder of a transformers or
            sentence-transformers model, a TargetSpec or dict, a Target; or an object that lives in this process: an
            Access or a Grant, a fitted classifier (`classes_` with `predict_proba` or `predict`), one that can be
            fitted, a function `train(texts, labels)`, a function of texts with `labels`, an encoder for rows.
        data: The texts: a path, the name of a data set, a DataSpec or dict, a list of texts, (text, label) pairs,
            dicts or records.Text, a DataFrame, or a dict of these by split. Texts in memory lie in a private file
            while the call runs, and nowhere afterwards.
        secrets: What to look for: a SecretsSpec or dict, or the path of a secrets file.
        attacks: Names, dicts or PartSpecs. By default the strongest that the access allows: for canaries one of
            discrete-search, text-likelihood, label-likelihood, label-match; for records rmia or lira if there are
            reference models, and record-loss or label-match; for users rank-histogram; for rows parallel-decoder.
        defences: Applied together, in order.
        adversary: Who attacks: access, queries, background.
        probes: How the model's worth is measured; by default all that fit.
        seed: Of all that is drawn.
        models: How many models to train, each with secrets of its own.
        labels: The labels that a function's probabilities are of, in order.
        columns: Which column holds the text, the label and so on.
        recipe: Settings of a target that is named by kind, folder or class.
        name: Stands for a live object. Its results are then kept in the store: you vouch that the name means this very
            object, and give another name to another one. Without a name they are kept as long as the result is.
        workers: Processes; 0 is this one. By default one per core, for live objects 0.
        store: Where finished work is kept; by default that of the command line.
        out: The run directory to write: results.json, report.html, log.jsonl.
        progress: Whether to tell on stderr how far it is.

    Raises:
        InputError: Something is wrong with what was given; every problem in one error.
        ExecutionError: Nothing came to a result. What failed beside others is in `failures`.
    """
    asked = Reading(
        Request(
            target=target,
            data=data,
            secrets=secrets,
            attacks=attacks,
            defences=defences,
            adversary=adversary,
            probes=probes,
            labels=labels,
            columns=columns,
            recipe=recipe,
            name=name,
            store=store,
        )
    )
    number = asked.workers(workers)
    folder = None if out is None else Path(out)
    with asked.session.opened():
        specs = asked.specs(seed, models)
        reporter = progress_for() if progress else None
        results = run_specs(specs, asked.session.store, workers=number, out=folder, progress=reporter)
    if not results.results:
        reasons = "\n".join(f"  - {failure.reason}" for failure in results.failures)
        raise ExecutionError(f"all of the {len(specs)} specs failed:\n{reasons}")
    if asked.target.live is not None:
        results = _noted(results)
        if folder is not None:
            write_results(folder, results)
    found = AuditResult(results, session=asked.session)
    if folder is not None:
        found.report(folder / "report.html")
    return found


def check(
    target: Any,
    *,
    data: Any,
    secrets: SecretsSpec | Mapping[str, Any] | Path | str | None = None,
    attacks: Parts | None = None,
    defences: Parts = (),
    adversary: AdversarySpec | Mapping[str, Any] | None = None,
    probes: Parts = (),
    seed: int = 0,
    models: int = 1,
    labels: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    recipe: Mapping[str, Any] | None = None,
    name: str | None = None,
    store: Store | Path | str | None = None,
) -> Forecast:
    """Tells what `audit` with the same arguments would do, ask and be able to show; runs nothing."""
    asked = Reading(
        Request(
            target=target,
            data=data,
            secrets=secrets,
            attacks=attacks,
            defences=defences,
            adversary=adversary,
            probes=probes,
            labels=labels,
            columns=columns,
            recipe=recipe,
            name=name,
            store=store,
        )
    )
    with asked.session.opened():
        return forecast(plan(asked.specs(seed, models)), asked.session.store)


def _noted(results: RunResults) -> RunResults:
    """The results with a note on what the model was."""
    noted = [one.model_copy(update={"notes": (*one.notes, LIVE)}) for one in results.results]
    return results.model_copy(update={"results": tuple(noted)})
