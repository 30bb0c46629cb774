"""What a caller may hand over as the model: a kind, a folder, a class, an access, a fitted model, a function."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.access import Access
from divulge.api.folders import folder_target
from divulge.api.plain import plain
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import did_you_mean, validate
from divulge.spec import TargetSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target
from divulge.targets.own.handed import Encoder, Finished, Handed, Trainer, fitted_access, takes
from divulge.targets.own.handed_access import HandedProbabilities
from divulge.targets.own.live import KIND

__all__ = ["GivenTarget", "given_target"]

EMBEDS = ("encode", "embed")
ALLOWED = (
    'a kind of `divulge list targets`, "module:Class", a folder of a transformers model, a TargetSpec or dict, a '
    "Target, an Access or a Grant, a model with classes_ and predict_proba (or fit), train(texts, labels), or a "
    "function of texts"
)


@dataclass(frozen=True)
class GivenTarget:
    """The model as a spec and, if only this process has it, as an object held by its token.

    `here` tells that it can only be audited in this process; `hashed` that its key stands for its content, or that its
    owner said so by giving it a name.
    """

    spec: TargetSpec
    live: Handed | None = None
    here: bool = False
    hashed: bool = True


def given_target(
    target: Any,
    *,
    labels: Sequence[str] | None = None,
    name: str | None = None,
    recipe: Mapping[str, Any] | None = None,
    embeds: bool = False,
) -> GivenTarget:
    """Reads what was handed over as the model.

    Args:
        target: The model.
        labels: The labels that a function's answers are about, in their order.
        name: What stands for a live object, so that its results can be kept.
        recipe: Settings, for a target that is named by its kind, its folder or its class.
        embeds: Whether secrets are rows, so that a function is one that embeds.
    """
    named = _named(target, recipe or {}, labels)
    if named is not None:
        if name is not None:
            raise InputError("name is for an object handed over live; this target is known by its content")
        return named
    if recipe:
        raise InputError("recipe is for a target named by its kind, folder or class; a live object is as it is")
    live = _live(target, labels, embeds=embeds)
    token = randomness.token_hex(8) if name is None else f"name {name}"
    settings = {"token": token, "object": live.named}
    spec = validate(TargetSpec, {"kind": KIND, "recipe": settings}, "target")
    return GivenTarget(spec, live, here=True, hashed=name is not None)


def _named(target: Any, recipe: Mapping[str, Any], labels: Sequence[str] | None) -> GivenTarget | None:
    """A target that a spec can name; None for anything else."""
    told: dict[str, Any] = {**plain(recipe), **({} if labels is None else {"labels": [str(label) for label in labels]})}
    if isinstance(target, TargetSpec):
        target = target.model_dump(mode="json")
    if isinstance(target, Mapping):
        target = plain(target)
        values = {**target, "recipe": {**target.get("recipe", {}), **told}} if told else dict(target)
        return GivenTarget(validate(TargetSpec, values, "target"))
    if isinstance(target, Path):
        return GivenTarget(folder_target(target, told))
    if isinstance(target, str):
        return GivenTarget(_by_text(target, told))
    if isinstance(target, Target) or (isinstance(target, type) and issubclass(target, Target)):
        return _by_class(target, told)
    return None


def _by_text(text: str, recipe: Mapping[str, Any]) -> TargetSpec:
    if text in TARGETS or (":" in text and not Path(text).exists()):
        return validate(TargetSpec, {"kind": text, "recipe": recipe}, "target")
    if Path(text).expanduser().exists() or "/" in text:
        return folder_target(Path(text), recipe)
    raise InputError(f"target {text!r} is no kind, no module:Class, and no folder.{did_you_mean(text, TARGETS)}")


def _by_class(target: Target | type[Target], recipe: Mapping[str, Any]) -> GivenTarget:
    """A class says all that it is in its options, so that other processes can open it, too."""
    kind = target if isinstance(target, type) else type(target)
    if "<locals>" in kind.__qualname__ or "." in kind.__qualname__:
        raise InputError(
            f"target {kind.__qualname__}: define the class at the top of a module, so that it can be found"
        )
    given = {} if isinstance(target, type) else target.options.model_dump(mode="json")
    spelt = f"{kind.__module__}:{kind.__qualname__}"
    known = {path: name for name, path in TARGETS.items()}
    spec = validate(TargetSpec, {"kind": known.get(spelt, spelt), "recipe": {**given, **recipe}}, "target")
    typed = kind.__module__ == "__main__"  # at a prompt: no other process has it, and no file tells when it changes
    return GivenTarget(spec, here=typed, hashed=not typed)


def _live(target: Any, labels: Sequence[str] | None, *, embeds: bool) -> Handed:
    named = _called(target)
    accesses = target.accesses if isinstance(target, Grant) else (target,) if isinstance(target, Access) else target
    if isinstance(accesses, list | tuple) and accesses and all(isinstance(one, Access) for one in accesses):
        return Finished(accesses, " and ".join(type(one).__name__ for one in accesses))
    if isinstance(target, type):
        raise InputError(f"target must be {ALLOWED}. Got the class {named}: hand over an object of it")
    method = next((getattr(target, one) for one in EMBEDS if callable(getattr(target, one, None))), None)
    if embeds and (method is not None or callable(target)):
        return Encoder(method or target, named)
    shown = next((one for one in ("predict_proba", "predict") if callable(getattr(target, one, None))), None)
    if shown is not None:
        return _model(target, named, labels, probabilities=shown == "predict_proba")
    if not callable(target) or hasattr(target, "save_pretrained"):
        raise InputError(f"target must be {ALLOWED}. Got {type(target).__name__}{_advice(target)}")
    return _function(target, named, labels)


def _function(target: Any, named: str, labels: Sequence[str] | None) -> Handed:
    if labels is not None:
        return Finished([HandedProbabilities(target, _names(labels), named)], named)
    if takes(target, 2):
        return Trainer(target, named)
    raise InputError(
        f"target {named}: say what the function gives for texts. labels=[...] if it gives probabilities, in the order "
        "of its columns; secrets of kind 'rows' if it gives vectors"
    )


def _model(target: Any, named: str, labels: Sequence[str] | None, *, probabilities: bool) -> Handed:
    """A model as scikit-learn has them: fitted, or one that is fitted here."""
    own = getattr(target, "classes_", None)
    if own is None and labels is None and hasattr(target, "fit"):
        from sklearn.base import clone

        def train(texts: list[str], known: list[str]) -> Any:
            # Not every estimator is one of scikit-learn's; those others are fitted as they are, again and again.
            return clone(target, safe=False).fit(texts, known)

        return Trainer(train, named, probabilities=probabilities)
    if own is None and labels is not None and probabilities:
        return Finished([HandedProbabilities(target.predict_proba, _names(labels), named)], named)
    if labels is not None and own is not None and [str(label) for label in own] != [str(label) for label in labels]:
        raise InputError(f"labels must be the {len(own)} classes_ of {named}, in that order, or be left out")
    return Finished([fitted_access(target, named, probabilities=probabilities)], named)


def _names(labels: Sequence[str]) -> tuple[str, ...]:
    names = tuple(str(label) for label in labels)
    if isinstance(labels, str) or len(names) < 2 or len(set(names)) < len(names):
        raise InputError("labels must be a list of at least two different names, in the order of the answers")
    return names


def _called(target: Any) -> str:
    """What an object is called; never its repr, which may hold anything."""
    kind = type(target)
    named = getattr(target, "__qualname__", None)
    return (
        named if isinstance(named, str) and callable(target) else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    )


def _advice(target: Any) -> str:
    if hasattr(target, "save_pretrained"):
        return ". Save it with its tokenizer (save_pretrained) and give the folder"
    return ""
