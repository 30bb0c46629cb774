"""Figure 8 and section 6: a next-word model trained with user-level differential privacy, and the audit of it.

Paper: song2019, section 6. Claims: epsilon 4.129 at delta 1e-4 with 5,000 users, accuracy 15 % against 20 %, the audit
    at chance; ranks of words are the same in training texts and in others'.
Departures: see `setting`; 700 users, with an epsilon of our own: a network of 32 units, 60 rounds, 15 texts of a user
    in a round, clip 3, noise 0.767. With so few users more noise leaves nothing to audit. These rates were chosen on
    bloggers too, which epsilon does not cover. Beside it the same network trained as usual (`none`), and by federated
    averaging without noise (`federated`), to tell what noise does from what so few rounds do. A static auditor's
    shadows are trained as usual, an adaptive one's as the target is. At scale quick two of them.
    Words are those of film dialogs: other studies take them from everybody's texts, nearly half of whom would be
    members here, and no epsilon would cover that.
Cost: at scale quick three targets of 700 people and six shadows of 281.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import private

__all__ = ["FIGURE8"]

USERS, OTHERS = 700, 100
PUBLIC = "cornell-dialogs"  # no blogger's: epsilon is of the training, and would not cover a vocabulary of theirs
WORDS = "5,000 words of film dialogs as vocabulary; the private model has 60 rounds and no epochs"
SMALL = {"width": 32, "hidden": 32, "dropout": 0.0, "words_from": PUBLIC}
NOISY: dict[str, Any] = {
    "rounds": 60,
    "rate": 0.1,
    "clip": 3.0,
    "noise": 0.767,
    "local_texts": 15,
    "local_batch": 4,
    "local_rate": 6.0,
    "server_rate": 1.5,
    "delta": 1e-4,
}
NAMES = {"noise": "user_noise", "clip": "user_clip", "rate": "user_rate"}


def _trained(target: dict[str, Any], rounds: int = NOISY["rounds"]) -> dict[str, Any]:
    """How the target is trained, and whether the auditor's own models are trained likewise."""
    noisy = {**NOISY, "rounds": rounds}
    federated = {NAMES.get(name, name): value for name, value in {**noisy, "noise": 0.0}.items()}
    private = {"defences": [{"name": "dp-fedavg", "options": noisy}]}
    as_usual = {"adversary.background.target": target}
    return {
        "none static": {},
        "federated static": {"target.recipe.federated": federated, **as_usual},
        "federated adaptive": {"target.recipe.federated": federated},
        "DP static": private,
        "DP adaptive": {**private, "adversary.knows_defence": True},
    }


def _base(**recipe: Any) -> dict[str, Any]:
    cell = setting.base()
    target = cell["target"]
    return {
        **cell,
        "target": {**target, "recipe": {**target["recipe"], **SMALL, **recipe}},
        "data": {"name": "blog-authorship", "options": {"users": USERS + OTHERS + setting.KNOWN_OUT + 2 * 281}},
        "secrets": {"kind": "users", "count": USERS, "controls": OTHERS},
        "adversary": {
            "access": ["RankedTokensAccess"],
            "background": {"shadows": 2, "controls": setting.KNOWN_OUT},
        },
        "probes": [{"name": "token-accuracy"}, {"name": "word-standing", "options": {"by": ["frequency"]}}],
    }


FIGURE8 = setting.study(
    name="song2019/figure8",
    title="A model that was trained with differential privacy of whole users",
    base=_base(),
    axes={"defence": ("none", "federated", "DP"), "adversary": ("static", "adaptive")},
    grids=({"defence": ("none",), "adversary": ("static",)}, {"defence": ("federated", "DP")}),
    settings={"defence": (), "adversary": ()},
    variants={"defence adversary": _trained(_base()["target"])},
    metrics=(*setting.MEASURED, "train_accuracy", "test_accuracy", "epsilon", "word_rank", "frequency_rank"),
    published=private({"defence": "DP", "adversary": "static"}),
    scales=(
        setting.smoke(
            {},
            {"adversary.background.shadows": 1},
            variants={"defence adversary": _trained(setting.MADE_UP["target"], 2)},
        ),
        setting.scale("quick", note=setting.sized(members=(USERS,), others=OTHERS, shadows=(2,), words=WORDS)),
        setting.scale(
            "paper",
            variants={"defence adversary": _trained(_base(epochs=30)["target"])},
            note=setting.sized(members=(USERS,), others=OTHERS, epochs=(30,), shadows=(10,), words=WORDS),
        ),
    ),
)
