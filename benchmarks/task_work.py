"""How much a task has to do, so that seconds of one scale tell of another: words to learn, questions to ask.

Training reads its texts' words once an epoch, or, federated, those of the users drawn in each round; with DP-SGD a word
costs what was measured for it. An attack asks so many questions about each secret; preparing reads public texts, or
asks about the people of the adversary's own models. Beside that, tasks of one kind and label take as long at every
scale: their networks are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from divulge.auditing.unpacking import (
    attack_of,
    changed,
    owners_corpus,
    practice_case_of,
    public_texts_of,
    target_case_of,
)
from divulge.canonical import canonical_json
from divulge.data.corpus import Corpus
from divulge.graph import Task
from divulge.records import Text
from divulge.targets.training.generator_recipe import Federated

__all__ = ["PRIVATE", "Works"]

# How many times the processor's seconds a word costs with DP-SGD, of such a target: measured on an epoch of the private
# and of the plain training of parikh2022/table3 and elmahdy2022/defences (there the last layers alone) at scale quick.
PRIVATE: Mapping[str, float] = {"nlu-tagger": 4.5, "transformers-classifier": 0.7}
DRAWN = ("seed", "index")  # of a task: what changes which texts it has, not how many


class Works:
    """Work by task, in units that compare between tasks of one kind and label; None where nothing is known of it."""

    def __init__(self) -> None:
        self._known: dict[str, float | None] = {}

    def of(self, task: Task) -> float | None:
        """What `task` has to do."""
        payload: Any = task.payload
        count = COUNTED.get(task.kind)
        if count is None or not isinstance(payload, Mapping):
            return None
        alike = f"{task.kind} {_alike(payload)}"
        if alike not in self._known:
            self._known[alike] = count(payload)
        return self._known[alike]


def _alike(payload: Any) -> str:
    """The same for all that have as much to do: they differ in what was drawn."""
    return canonical_json(_undrawn(payload))


def _undrawn(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {name: _undrawn(inner) for name, inner in part.items() if name not in DRAWN}
    return [_undrawn(inner) for inner in part] if isinstance(part, list | tuple) else part


def _training(payload: Any) -> float | None:
    return _learnt(payload, changed(owners_corpus(payload), payload))


def _practising(payload: Any) -> float | None:
    if payload["path"] is not None:
        return None  # a finished model is read
    return _learnt(payload, changed(practice_case_of(payload, payload).corpus, payload))


def _learnt(payload: Any, corpus: Corpus) -> float | None:
    target, training = payload["target"], corpus.split("train")
    recipe = target["recipe"]
    if recipe.get("federated"):
        return _federated(Federated.model_validate(recipe["federated"]), training)
    times = PRIVATE.get(target["kind"], 1.0) if recipe.get("noise") else 1.0
    return float(times * recipe["epochs"] * _words(training)) if recipe.get("epochs") else None


def _federated(recipe: Federated, training: Corpus) -> float:
    """The words that all rounds together read, on average, as if all users had as many texts."""
    each = len(training) / len(training.users)
    share = min(1.0, (recipe.local_texts or each) / each)
    return recipe.rounds * recipe.user_rate * recipe.local_epochs * share * _words(training)


def _words(texts: Iterable[Text]) -> int:
    return sum(len(text.tokens) for text in texts)


def _attacking(payload: Any) -> float | None:
    attack, case = attack_of(payload["attack"]), target_case_of(payload)
    costs = [type(attack).cost(attack.options, secret.hint) for secret in (*case.secrets, *case.controls)]
    return float(sum(cost or 1 for cost in costs))


def _preparing(payload: Any) -> float | None:
    epochs = payload["attack"]["options"].get("epochs")
    own = {_alike(one): one for one in payload["own"] if one["path"] is None}
    count = Counter(_alike(one) for one in payload["own"])
    people = sum(count[key] * len(practice_case_of(payload["practice"], one).secrets) for key, one in own.items())
    if people and not epochs:
        return float(people)  # own models are asked; public texts went into them, and are not read again
    return float((epochs or 1) * (people + _words(public_texts_of(payload)))) or None


COUNTED: Mapping[str, Callable[[Any], float | None]] = {
    "train-target": _training,
    "train-practice": _practising,
    "attack": _attacking,
    "prepare": _preparing,
}
