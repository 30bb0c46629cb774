"""What all studies of song2019 share: three tasks, their recipes and people, so that they share their models.

Paper: song2019, section 4 and appendix B.
Departures: bloggers (blog-authorship) in place of Reddit users, speakers of the European Parliament in place of TED's;
    100 people and others instead of 300 at scale quick, with 1,000 tokens, 30 pairs or 40 exchanges each, for 15 or 20
    epochs (30 in the paper), and four shadows (ten). The vocabulary is that of everybody's texts of a data set, members
    or not: taken from the members' texts alone, as in the paper, it tells by itself who they are (study `vocabulary`).
    One character of each film. Luong attention. Fifty more people, known to be out, draw the line of calibrated-ratio.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.spec import Scale, Study, StudyScale

__all__ = [
    "ADJUSTED",
    "ATTACKED",
    "COPY_OF",
    "CROSS",
    "KNOWN_OUT",
    "LINE",
    "MADE_UP",
    "MADE_UP_PUBLIC",
    "MEASURED",
    "MOST",
    "PAPER",
    "SHADOWS",
    "TASKS",
    "USERS",
    "WORDS",
    "base",
    "domains",
    "limited",
    "of_task",
    "people",
    "scale",
    "sized",
    "smoke",
    "study",
    "tasks",
]

PAPER = "song2019"
USERS = 100
KNOWN_OUT = 50
SHADOWS = 4  # ten in the paper

TASKS: dict[str, dict[str, Any]] = {
    "next-word": {
        "target": {
            "kind": "text-generator",
            "recipe": {"epochs": 15, "words_from": "blog-authorship", "keep_answers": True},
        },
        "data": {"name": "blog-authorship"},
    },
    "translation": {
        "target": {
            "kind": "seq2seq-generator",
            "recipe": {"epochs": 20, "words_from": "europarl-en-fr", "keep_answers": True},
        },
        "data": {"name": "europarl-en-fr"},
    },
    "dialog": {
        "target": {
            "kind": "seq2seq-generator",
            "recipe": {
                "epochs": 20,
                "attention": False,
                "shared_vocabulary": True,
                "words_from": "cornell-dialogs",
                "keep_answers": True,
            },
        },
        "data": {"name": "cornell-dialogs"},
    },
}
# Public texts of another domain, cut into users who are nobody.
CROSS: dict[str, dict[str, Any]] = {
    "next-word": {"name": "wikitext", "options": {"tokens": 1000}},
    "translation": {"name": "sated-en-fr"},
    "dialog": {"name": "ubuntu-dialogs"},
}
MOST = {"next-word": 300, "translation": 190, "dialog": 118}  # people that the data allow, at scale paper

ATTACKED: tuple[dict[str, Any], ...] = ({"name": "rank-histogram"}, {"name": "calibrated-ratio"}, {"name": "blind"})
OURS_AT = 1  # the place of calibrated-ratio
COPY_OF = {"calibrated-ratio": "rank-histogram"}
MEASURED = ("auc", "accuracy", "precision", "recall", "tpr_at_fpr_0.05", "tpr_at_fpr_0.01", "false_positive_rate")
WORDS = "5,000 words of everybody's texts, members or not, as vocabulary"
LINE = f"calibrated-ratio accuses at 5 % false alarms, set on {KNOWN_OUT} people known to be out"
ADJUSTED = (
    "calibrated-ratio learns what is usual for a word from the people known to be out, who are of the same domain"
)
MADE_UP: dict[str, Any] = {
    "target": {
        "kind": "text-generator",
        "recipe": {
            "epochs": 10,
            "width": 16,
            "hidden": 16,
            "dropout": 0.0,
            "learning_rate": 0.01,
            "words_from": "synthetic-users",
        },
    },
    "data": {"name": "synthetic-users", "options": {"users": 40, "texts": 8}},
}
MADE_UP_PUBLIC: dict[str, Any] = {"name": "synthetic-users", "options": {"users": 24, "texts": 8, "seed": 7}}


def people(count: int, known_out: int = KNOWN_OUT) -> dict[str, Any]:
    """So many members, as many others, and twice as many for shadows: what a cell with `count` members sets."""
    return {"secrets.count": count, "secrets.controls": count, "data.options.users": 4 * count + known_out}


def of_task(task: str, count: int = USERS) -> dict[str, Any]:
    """What a value of the axis `task` does."""
    return {"target": TASKS[task]["target"], "data": TASKS[task]["data"], **people(count)}


def tasks(*names: str) -> dict[str, Any]:
    """What the values of the axis `task` do."""
    return {name: of_task(name) for name in names or TASKS}


def domains(shadows: int) -> dict[str, Any]:
    """What task and domain do together: where the adversary's own models come from; so many of another domain."""
    found: dict[str, Any] = {f"{name} same": {} for name in TASKS}
    for name in TASKS:
        behind = {
            "adversary.background.corpus": CROSS[name],
            "adversary.background.shadows": shadows,
            f"attacks.{OURS_AT}.options.adjust": "words",
        }
        found[f"{name} cross"] = behind
    return found


def limited(shown: int) -> dict[str, Any]:
    """What a value of the axis `output` does: 5000 is all."""
    return {"defences": [] if shown >= 5000 else [{"name": "output-limit", "options": {"tokens": shown}}]}


def base() -> dict[str, Any]:
    """The audit file that cells start from."""
    return {
        "target": TASKS["next-word"]["target"],
        "data": {**TASKS["next-word"]["data"], "options": {"users": 4 * USERS + KNOWN_OUT}},
        "secrets": {"kind": "users", "count": USERS, "controls": USERS},
        "adversary": {
            "access": ["RankedTokensAccess"],
            "knows_defence": True,
            "background": {"shadows": SHADOWS, "controls": KNOWN_OUT},
        },
        "attacks": [dict(attack) for attack in ATTACKED],
        "probes": [],
    }


def sized(
    *,
    members: tuple[int, ...] = (USERS,),
    others: int | None = None,
    epochs: tuple[int, ...] = (15,),
    shadows: tuple[int, ...] = (SHADOWS,),
    words: str = WORDS,
) -> str:
    """The note of a scale: what it really has, which a test compares with its cells; no shadows where none attacks."""
    people = f"{_either(members)} members and {'as many' if others is None else others} others"
    trained = f"{_either(epochs)} epochs" + (f", {_either(shadows)} shadows" if shadows else "")
    return "; ".join([f"{people}, {trained}", words, *([LINE] if shadows else [])])


def _either(numbers: tuple[int, ...]) -> str:
    *first, last = map(str, sorted(set(numbers)))
    return f"{', '.join(first)} or {last}" if first else last


def _noted(scale: StudyScale, fields: Mapping[str, Any]) -> StudyScale:
    """The scale with the usual note, unless it has one of its own."""
    if scale.note:
        return scale
    tasks, paper = scale.axes.get("task", fields["axes"].get("task", ())), scale.name == "paper"
    shadows = (10 if paper else SHADOWS,) if fields.get("base", base())["attacks"] else ()
    members = tuple(MOST[task] for task in tasks) if paper and tasks else (USERS,)
    usual = tuple(TASKS[task]["target"]["recipe"]["epochs"] for task in tasks or ("next-word",))
    return scale.model_copy(update={"note": sized(members=members, epochs=(30,) if paper else usual, shadows=shadows)})


def study(**fields: Any) -> Study:
    """A study of the paper, with what all of them share unless it is told."""
    shared: dict[str, Any] = {"paper": PAPER, "base": base(), "metrics": MEASURED, "seeds": (0,), "copy_of": COPY_OF}
    fields["scales"] = tuple(_noted(_for_axes(one, set(fields["axes"])), fields) for one in fields["scales"])
    return Study(**{**shared, **fields})


def scale(name: Scale, **fields: Any) -> StudyScale:
    """A scale of a study; that of the paper has its epochs, and as many people of each task as the data allow."""
    if name == "paper":
        settings = {"target.recipe.epochs": 30, "adversary.background.shadows": 10, **fields.pop("settings", {})}
        variants = {"task": {task: of_task(task, MOST[task]) for task in TASKS}, **fields.pop("variants", {})}
        fields = {"seeds": tuple(range(5)), "settings": settings, "variants": variants, **fields}
    return StudyScale(name=name, **fields)


def _for_axes(scale: StudyScale, axes: set[str]) -> StudyScale:
    """The scale without what it tells of axes that the study does not have."""
    told = {key: value for key, value in scale.variants.items() if axes >= set(key.split())}
    return scale.model_copy(update={"variants": told})


def smoke(axes: Mapping[str, Any], settings: Mapping[str, Any] | None = None, **fields: Any) -> StudyScale:
    """A scale that shows in seconds that all parts fit; its figures mean nothing."""
    changed = {
        **MADE_UP,
        "secrets.count": 6,
        "secrets.controls": 6,
        "adversary.background.shadows": 2,
        "adversary.background.controls": 4,
        **(settings or {}),
    }
    told = {"next-word": MADE_UP}
    both = {"next-word same": {}, "next-word cross": {"adversary.background.corpus": MADE_UP_PUBLIC}}
    variants = {"task": told, "task domain": both, **fields.pop("variants", {})}
    return StudyScale(
        name="smoke",
        axes=axes,
        seeds=(0,),
        settings=changed,
        variants=variants,
        note="made-up people, a tiny model: shows that all parts fit, nothing else",
        **fields,
    )
