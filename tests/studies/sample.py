"""A study small enough to be run in tests, and an attack that always fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from divulge.attacks.base import Attack
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Guess, Hint
from divulge.spec import Published, Study, StudyScale

LEAKY = {"world": "leaky", "R": 1}


class Failing(Attack):
    """Comes to nothing."""

    name = "tests.studies.sample:Failing"
    summary = "fails"
    requires = ()
    hints = (Gaps,)

    def guess(
        self, access: Grant, hints: Mapping[str, Hint], knowledge: Artefact, rng: np.random.Generator
    ) -> Iterator[Guess]:
        raise ExecutionError("this attack always fails")


def study(**changes: Any) -> Study:
    """Two worlds, one number of copies, two attacks, two seeds; twelve completions for each secret."""
    fields: dict[str, Any] = {
        "name": "sample/table1",
        "paper": "sample",
        "title": "A sample",
        "base": {
            "target": {"kind": "fake-classifier"},
            "data": {"name": "synthetic-utterances", "options": {"size": 120}},
            "secrets": {
                "pattern": "the door of <name> is {color}",
                "label": "door",
                "count": 6,
                "controls": 5,
            },
            "attacks": [{"name": "random", "options": {"guesses": 3}}, {"name": "label-likelihood"}],
        },
        "axes": {"world": ["leaky", "silent"], "R": [1], "k": [1, 3]},
        "settings": {"R": "secrets.copies"},
        "variants": {
            "world": {
                "leaky": {"target.recipe.leaks": True},
                "silent": {"target": {"kind": "fake-classifier", "recipe": {"leaks": False}}},
            }
        },
        "readings": {"k": {"1": {"success": {"ks": [1]}}, "3": {"success": {"ks": [3]}}}},
        "metrics": ("accuracy", "hdt", "success", "test_accuracy"),
        "seeds": (3, 4),
        "scales": (
            StudyScale(name="smoke", note="few seeds"),
            StudyScale(name="quick", axes={"R": [1, 2]}, seeds=(3, 4, 5)),
        ),
        "copy_of": {"label-likelihood": "random"},
        "published": (
            Published(cell=LEAKY, attack="label-likelihood", metric="accuracy", value=1.0, note="as printed"),
            Published(cell=LEAKY, attack="label-likelihood", metric="hdt", value=0.9),
            Published(cell={**LEAKY, "k": 3}, attack="random", metric="success", value=0.99),
            Published(cell=LEAKY, attack="random", metric="exposure", value=3.0),
        ),
        "note": "nothing is real",
    }
    return Study(**{**fields, **changes})
