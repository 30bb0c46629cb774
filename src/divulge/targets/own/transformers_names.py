"""What the outputs of a finished model in a folder are called, and whether the data calls them so too."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from divulge.targets.offline_models import CONFIGURATION
from divulge.targets.own.transformers_folder import folder_of, json_object

__all__ = ["known_names", "name_misfits"]

SHOWN = 5  # names that are told


def _outputs_named(options: Any) -> tuple[str, ...]:
    """What the configuration calls the outputs; nothing where that is seen only when the model is read.

    An adapter may bring outputs of its own. Two outputs without names are not written down.
    """
    file = folder_of(options.path or "") / CONFIGURATION
    if options.epochs or options.adapter is not None or not file.is_file():
        return ()
    told = json_object(file).get("id2label") or dict.fromkeys("01")
    return tuple(str(told[number] or f"LABEL_{number}") for number in sorted(told, key=lambda one: int(str(one))))


def known_names(options: Any) -> tuple[str, ...]:
    """The labels, or tags, of a finished model: those of its recipe, or of its configuration."""
    own = _outputs_named(options)
    return tuple(options.labels) if own and options.labels else own


def name_misfits(options: Any, of_data: Collection[str], what: str) -> list[str]:
    """Why the outputs of a finished model, as its configuration names them, cannot be what the data has."""
    own, strange = _outputs_named(options), sorted(set(of_data) - set(options.labels))
    if options.epochs and options.labels and strange:
        told = ", ".join(map(repr, strange[:SHOWN])) + ", …" * (len(strange) > SHOWN)
        return [f"recipe.labels names {len(options.labels)} {what}, and the data has {len(strange)} more: {told}"]
    if not own or not of_data:
        return []
    if options.labels and len(options.labels) != len(own):
        return [f"recipe.labels must name the {len(own)} outputs of the model in order. Got {len(options.labels)}"]
    names = list(options.labels) or list(own)
    if set(names) & set(of_data):
        return []
    if names == [f"LABEL_{number}" for number in range(len(names))]:
        called = f"LABEL_0 to LABEL_{len(names) - 1}"
        said = f"the model calls its {len(names)} outputs {called}, and the data has other {what}"
        return [f"{said}: name them in the order of its training by target.recipe.labels = [...]"]
    said = (
        f"none of the {len(of_data)} {what} of the data is among the {len(names)} outputs of the model: it was trained"
    )
    return [f"{said} on other data, or spells them otherwise (target.recipe.labels names them in order)"]
