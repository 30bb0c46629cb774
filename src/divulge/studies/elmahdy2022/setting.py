"""What all studies of elmahdy2022 share: one recipe, one way to plant, so that they share their models.

Paper: elmahdy2022, section 7.
Departures: all-MiniLM-L6-v2 (BERT architecture, 6 layers, uncased) in place of BERT base: the only such encoder that
    comes in a package. Reddit self posts of 2013 in place of comments; all classes have as many posts, so that five
    are made rare by keeping half of them. Five canaries in a model, one in each rare class, where the paper plants
    one: intervals are over models. Words are the 21,745 alphabetic whole words of the tokenizer (17,000 in the paper).
    C(v) is counted in the training posts before canaries are planted, in lower case and without punctuation, as the
    tokenizer cuts them. At scale quick 20 posts of 24 words a class, 5 epochs, a learning rate of 1e-4 (100 posts, 10
    epochs and 1e-6 in the paper), so that a third of all training texts are planted (2 % in the paper); further words
    are tried with the likeliest beginning alone, and the 200 that do best there with the other 99. Ten canaries a
    cell, in two models: that all are found shows a rate of 0.34 or more, by an interval over models, and not of 0.95.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.spec import Scale, Study, StudyScale

__all__ = [
    "ATTACKED",
    "CANDIDATES",
    "COPY_OF",
    "DATA_OPTIONS",
    "ENCODER",
    "KS",
    "MEASURED",
    "NOTE",
    "PAPER",
    "POSTS",
    "RARE",
    "READINGS",
    "RECIPE",
    "SEEDS",
    "base",
    "counted_in",
    "looked_for",
    "of_tokens",
    "pattern",
    "scale",
    "smoke",
    "study",
]

PAPER = "elmahdy2022"
POSTS = "reddit-topics"
ENCODER = "all-MiniLM-L6-v2"
SEEDS = (0, 1)  # of five canaries each
KS = (1, 10, 50, 100, 200)
RANKED = 20  # further controls a model, placed among decoys: a scan of the vocabulary costs as much as all of them
WORDS = 10  # of a canary
CANDIDATES = {"word": f"whole-words:{ENCODER}"}

RECIPE: dict[str, Any] = {
    "path": ENCODER,
    "epochs": 5,
    "batch_size": 32,
    "learning_rate": 1e-4,
    "weight_decay": 0.01,
    "restore_best": True,
    "best_by": "accuracy",
    "keep_answers": True,  # attacks scan the same words at the same place
}
DATA_OPTIONS: dict[str, Any] = {
    "each": 20,
    "valid_each": 5,
    "test_each": 5,
    "rare": 5,
    "rare_each": 10,
    "words": 24,
}
RARE = ("AlienBlue", "HailCorporate", "Poetry", "Survival", "ifyoulikeblank")  # by the options
WHOLE_OPTIONS: dict[str, Any] = {"each": 100, "valid_each": 25, "test_each": 25, "rare": 5, "rare_each": 50}

ATTACKED: tuple[dict[str, Any], ...] = (
    {"name": "label-likelihood", "options": {"beam": 200, "shortlist": 200}},
    {"name": "calibrated-likelihood"},
    {"name": "random", "options": {"guesses": max(KS)}},
)
COPY_OF = {"calibrated-likelihood": "label-likelihood"}
MEASURED = ("success", "exposure", "rank", "train_accuracy", "valid_accuracy", "test_accuracy")
READINGS: dict[str, Any] = {"k": {str(k): {"success": {"ks": [k]}} for k in KS}}
SETTINGS = {"R": "secrets.copies", "lambda": "attacks.0.options.penalty", "supporting": "secrets.supporting"}
NOTE = (
    f"{ENCODER} in place of BERT base, posts of 2013 in place of comments; C(v) counted before planting; "
    "calibrated-likelihood is not calibrated against references here, and has no lambda"
)
IN_RARE = f"one canary in each of five classes made rare ({', '.join(RARE)})"
SIZES_SAID = {
    "quick": (
        f"5 canaries in each of {len(SEEDS)} models, which are a third of all training texts; 20 posts of 24 words a "
        "class, 10 of a rare one; 5 epochs, learning rate 1e-4"
    ),
    "paper": "5 canaries in each of 10 models; 100 posts a class, 50 of a rare one",
}
SHORTENED = "label-likelihood tries all further words behind its likeliest beginning, the best 200 behind others"

MADE_UP_WORDS = ("without", "another", "looked", "some", "every", "there", "needed", "until", "which", "about")
MADE_UP: dict[str, Any] = {"name": "synthetic-topics", "options": {"size": 300}}


def counted_in(data: Mapping[str, Any]) -> dict[str, Any]:
    """What C(v) is counted in: the texts trained on, as in the paper, but for the canaries."""
    return {"background": {"corpus": {**data, "splits": ["train"]}}}


def pattern(missing: int) -> str:
    """Ten words, the last of them missing.

    >>> pattern(1), pattern(3)
    ('<word*9> {word}', '<word*7> {word*3}')
    """
    holes = "{word}" if missing == 1 else f"{{word*{missing}}}"
    return f"<word*{WORDS - missing}> {holes}"


def of_tokens(words: Sequence[int] = (1, 2, 3)) -> dict[str, Any]:
    """What the values of the axis `tokens` do: so many words at the end of a canary are missing.

    Ours looks for them among all words; what a shortlist by the gradient loses is in benchmarks/token_search.
    """
    return {
        str(missing): {
            "secrets.pattern": pattern(missing),
            **{f"attacks.1.options.{name}": value for name, value in looked_for(missing).items()},
        }
        for missing in words
    }


def looked_for(missing: int) -> dict[str, Any]:
    """How ours looks for so many words.

    They are drawn from 21,745, so hardly one twice. Two of three make these models sure of the label, so that parts of
    a filling count; the weight was chosen on canaries of table 2.
    """
    return {"prune": False, "repeats": False, "support": 0.3 * (missing > 2)}


def base() -> dict[str, Any]:
    """The audit file that cells start from."""
    data = {"name": POSTS, "options": dict(DATA_OPTIONS)}
    return {
        "target": {"kind": "transformers-classifier", "recipe": dict(RECIPE)},
        "data": data,
        "secrets": {
            "pattern": pattern(1),
            "candidates": dict(CANDIDATES),
            "label_of": "rarest",
            "supporting": "all",
            "copies": 100,
            "count": 5,
            "controls": 1,
            "ranked": RANKED,
            "decoys": 1000,
        },
        "adversary": counted_in(data),
        "attacks": [dict(attack) for attack in ATTACKED],
        "probes": [{"name": "label-accuracy"}],
    }


def study(**fields: Any) -> Study:
    """A study of the paper, with what all of them share unless it is told."""
    shared: dict[str, Any] = {"paper": PAPER, "base": base(), "metrics": MEASURED, "seeds": SEEDS, "copy_of": COPY_OF}
    return Study(**{**shared, "settings": SETTINGS, "readings": READINGS, "note": NOTE, **fields})


def scale(name: Scale, *, copied: bool = True, **fields: Any) -> StudyScale:
    """A scale of a study; the paper's has its sizes, its steps and, where its attack is `copied`, its full search."""
    told = (fields.pop("note", IN_RARE), SIZES_SAID[name], SHORTENED if copied and name == "quick" else "")
    fields["note"] = "; ".join(filter(None, told))
    if name == "paper":
        data = {"name": POSTS, "options": WHOLE_OPTIONS}
        settings = {
            "data": data,
            "adversary": counted_in(data),
            "target.recipe.epochs": 10,
            "target.recipe.learning_rate": 1e-6,
            **({"attacks.0.options.shortlist": None} if copied else {}),
            **fields.pop("settings", {}),
        }
        fields = {"seeds": tuple(range(10)), "settings": settings, **fields}
    return StudyScale(name=name, **fields)


def smoke(axes: Mapping[str, Any], settings: Mapping[str, Any] | None = None, **fields: Any) -> StudyScale:
    """A scale that shows in seconds that all parts fit; its figures mean nothing."""
    small: dict[str, Any] = {"epochs": 10, "width": 32, "layers": 1, "heads": 2, "dropout": 0.0, "learning_rate": 0.003}
    changed: dict[str, Any] = {
        "target": {"kind": "text-classifier", "recipe": small},
        "data": MADE_UP,
        "adversary": counted_in(MADE_UP),
        "secrets.candidates": {"word": [*MADE_UP_WORDS]},
        "secrets.count": 2,
        "secrets.ranked": 3,
        "secrets.decoys": 9,
    }
    return StudyScale(
        name="smoke",
        axes=axes,
        seeds=(0, 1),
        settings={**changed, **(settings or {})},
        note="made-up topics, ten words, a tiny model: shows that all parts fit, nothing else",
        **fields,
    )
