"""Where a canary was not guessed: did the search miss it, or did the model give another completion a lower loss?

    python -m benchmarks.search_misses --store STORE STUDY [STUDY …]

Reads the models and guesses of `discrete-search` that a study at scale quick left in a store, and asks each model for
the loss of the truth and of the first guess. What is counted is kept in results/benchmarks/search-misses.json, study by
study.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.ratios import PLACE
from divulge.access import GradientAccess, Supervision
from divulge.auditing.planning import Planned
from divulge.records import Gaps, Tokens
from divulge.store import Store
from divulge.studies import study_named
from divulge.studies.planning import StudyPlan, plan_study

__all__ = ["Guessed", "counted", "guesses_of", "main"]

KEPT = PLACE / "search-misses.json"
ATTACK = "discrete-search"


class Guessed(NamedTuple):
    """The first guess about one secret: whether it is right, its loss, and that of the truth."""

    right: bool
    loss: float
    true_loss: float


def counted(guesses: Iterable[Guessed]) -> dict[str, int]:
    """How many are right; of the others, how many have a lower loss than the truth, and how many the search missed.

    >>> counted([Guessed(True, 0.1, 0.1), Guessed(False, 0.1, 0.2), Guessed(False, 0.3, 0.2)])
    {'n': 3, 'right': 1, 'lower_loss': 1, 'missed': 1}
    """
    found = list(guesses)
    wrong = [one for one in found if not one.right]
    lower = sum(one.loss < one.true_loss for one in wrong)
    return {"n": len(found), "right": len(found) - len(wrong), "lower_loss": lower, "missed": len(wrong) - lower}


def guesses_of(planned: StudyPlan, one: Planned, store: Store) -> Iterator[Guessed]:
    """What was guessed first about the planted secrets of one model."""
    graph = planned.plan.graph
    attack = graph[graph[one.measure].needs["attack"]]
    (model,) = (key for key in attack.needs.values() if graph[key].kind == "train-target")
    access = one.resolved.target.open(store.get(model))[GradientAccess]
    secrets = {secret.id: secret for secret in one.resolved.case.secrets}
    values: Any = store.get(attack.key).values
    for guess in values["attack"]:
        secret = secrets[guess["secret_id"]]
        assert isinstance(secret.hint, Gaps)
        assert isinstance(secret.answer, Tokens)
        best, truth = tuple(guess["candidates"][0]), secret.answer.tokens
        towards = [Supervision(secret.hint.label, secret.hint.tags)]
        asked = [access.loss(access.vectors(secret.hint.filled(tokens))[None], towards) for tokens in (best, truth)]
        losses = [sum(float(part) for part in parts.values()) for parts in asked]
        yield Guessed(best == truth, *losses)


def main(arguments: list[str] | None = None) -> None:
    """Counts, prints and keeps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("studies", nargs="+")
    chosen = parser.parse_args(arguments)
    store, kept = Store(chosen.store), json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    for name in chosen.studies:
        planned = plan_study(study_named(name), "quick")
        found: dict[str, list[Guessed]] = defaultdict(list)
        for cell in planned.cells:
            for one in cell.specs.get(ATTACK, {}).values():
                found[json.dumps(dict(cell.cell.values))] += guesses_of(planned, one, store)
        kept[name] = [{"cell": json.loads(cell), **counted(guesses)} for cell, guesses in found.items()]
        for row in kept[name]:
            sys.stdout.write(f"{row}\n")
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
