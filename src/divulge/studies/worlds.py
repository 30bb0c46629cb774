"""The house's own study: what each access level buys, in a world that leaks everything and one that leaks nothing.

Paper: none; nothing is published to compare with.
Idea: Stand-in models (`divulge.testing`) that know planted texts, users or sentences by heart, or not at all. Each
    access level is given to the attacks that need no more. In the leaky world an attack that fails is at fault; in the
    silent one an attack that succeeds is.
Cost: seconds at scale smoke; no model is trained for real.
"""

from __future__ import annotations

from typing import Any

from divulge.spec import Study, StudyScale

__all__ = ["LADDER"]

CANARIES: dict[str, Any] = {
    "kind": "canaries",
    "pattern": "the locker of <name> and <name> opens with {color*2}",
    "label": "locker",
}
ROWS_AND_ORACLE = "EmbeddedRowsAccess + EmbeddingOracleAccess"


def _classifier(access: str, *attacks: str) -> dict[str, Any]:
    return {"adversary.access": [access], "attacks": [{"name": attack} for attack in attacks]}


def _users(access: str, *attacks: str) -> dict[str, Any]:
    return {
        "target.kind": "fake-generator",
        "data": {"name": "synthetic-users", "options": {"users": 100, "texts": 8}},
        "secrets": {"kind": "users"},
        "adversary": {"access": [access], "background": {"shadows": 2}},
        "attacks": [{"name": attack} for attack in attacks],
    }


def _rows(access: list[str], *attacks: str) -> dict[str, Any]:
    public = {"name": "synthetic-sentences", "options": {"size": 600, "seed": 1}}
    return {
        "target.kind": "fake-encoder",
        "data": {"name": "synthetic-sentences", "options": {"size": 200}},
        "secrets": {"kind": "rows"},
        "adversary": {"access": access, "background": {"corpus": public}},
        "attacks": [{"name": attack} for attack in attacks],
    }


LADDER = Study(
    name="worlds/ladder",
    paper="worlds",
    title="What each access level buys an adversary, in a world that leaks everything and in one that leaks nothing",
    base={
        "target": {"kind": "fake-classifier"},
        "data": {"name": "synthetic-utterances", "options": {"size": 300}},
        "secrets": CANARIES,
    },
    axes={
        "access": [
            "LabelAccess",
            "LabelLikelihoodAccess",
            "GradientAccess",
            "RankedTokensAccess",
            "EmbeddedRowsAccess",
            ROWS_AND_ORACLE,
        ],
        "world": ["leaky", "silent"],
    },
    variants={
        "access": {
            # At the lowest rung of two ladders no attack fits but the one that never asks.
            "LabelAccess": _classifier("LabelAccess", "random"),
            "LabelLikelihoodAccess": _classifier("LabelLikelihoodAccess", "label-likelihood"),
            "GradientAccess": _classifier("GradientAccess", "soft-token", "discrete-search"),
            "RankedTokensAccess": _users("RankedTokensAccess", "rank-histogram"),
            "EmbeddedRowsAccess": _rows(["EmbeddedRowsAccess"], "random"),
            ROWS_AND_ORACLE: _rows(["EmbeddedRowsAccess", "EmbeddingOracleAccess"], "parallel-decoder"),
        },
        "world": {"leaky": {"target.recipe.leaks": True}, "silent": {"target.recipe.leaks": False}},
    },
    metrics=(
        "accuracy",
        "hdt",
        "exposure",
        "auc",
        "exact",
        "token_accuracy",
        "test_accuracy",
        "recall_at_10",
    ),
    copy_of={"discrete-search": "soft-token"},
    scales=(
        StudyScale(
            name="smoke",
            # The rungs at which something can be asked.
            axes={
                "access": [
                    "LabelLikelihoodAccess",
                    "GradientAccess",
                    "RankedTokensAccess",
                    ROWS_AND_ORACLE,
                ]
            },
            seeds=(0, 1),
            settings={"secrets.count": 6, "secrets.controls": 6},
        ),
        StudyScale(name="quick", seeds=(0, 1, 2, 3, 4), settings={"secrets.count": 20, "secrets.controls": 20}),
        StudyScale(name="paper", seeds=tuple(range(20)), settings={"secrets.count": 20, "secrets.controls": 20}),
    ),
    note="stand-in models, synthetic texts",
)
