"""A run directory, from `divulge audit` or from Python: load it, hold it against limits, compare it with another."""

from __future__ import annotations

from pathlib import Path

import divulge


def audited(*, leaks: bool) -> divulge.AuditResult:
    """Stands for your audit: a model that knows its training texts by heart, or not at all."""
    return divulge.audit(
        "fake-classifier",
        recipe={"leaks": leaks},
        data={"name": "synthetic-topics", "options": {"size": 200}},
        secrets={"pattern": "pin {digit*2}", "label": "canary", "count": 12, "controls": 12, "decoys": 99},
        attacks="label-likelihood",
        workers=0,  # in this process: so small an audit is not worth starting others for
    )


audited(leaks=True).save("runs/before")
audited(leaks=False).save("runs/after")

POLICY = {"limits": [{"metric": "exposure", "below": 5.0}]}  # or the path of a policy.toml

for run in (Path("runs/before"), Path("runs/after")):
    result = divulge.AuditResult.load(run)
    judged = divulge.judge(result, POLICY)
    print(run, judged.verdict, judged.exit_code)

for change in divulge.compare("runs/before", "runs/after").changes:
    if change.arm == "attack" and change.difference is not None:
        print(change.metric, dict(change.group), change.verdict, change.difference.value)
