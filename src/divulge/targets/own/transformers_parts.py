"""Which part of a transformers model is trained: all, the last layers, the head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from divulge.errors import InputError

if TYPE_CHECKING:
    import torch

__all__ = ["Trained", "choose_trained"]

Trained = Literal["all", "no-embeddings", "last", "head"]
POOLER = "pooler"  # belongs to the head: models that were not trained to tell texts apart have none


def choose_trained(network: Any, trained: Trained, last_layers: int) -> None:
    """Lets gradients flow into the chosen part of a network with a head, and nowhere else.

    Raises:
        InputError: Its layers cannot be told apart, or it has fewer.
    """
    import torch

    network.requires_grad_(trained in ("all", "no-embeddings"))
    if trained == "no-embeddings":
        for module in network.modules():
            if isinstance(module, torch.nn.Embedding):
                module.requires_grad_(False)  # noqa: FBT003 - torch's signature
    if trained in ("last", "head"):
        _free(_head(network))
    if trained == "last":
        _free(_last(network, last_layers))


def _head(network: Any) -> list[torch.nn.Parameter]:
    """All that is not the body, and its pooler."""
    body = {id(weight) for name, weight in network.base_model.named_parameters() if POOLER not in name.split(".")}
    return [weight for weight in network.parameters() if id(weight) not in body]


def _last(network: Any, count: int) -> list[torch.nn.Parameter]:
    """The last layers of the body, and what comes behind them (as a norm)."""
    name, layers = _layers(network)
    if count > len(layers):
        raise InputError(f"last_layers must be at most {len(layers)}, the layers of the model. Got {count}")
    found = [weight for layer in list(layers)[len(layers) - count :] for weight in layer.parameters()]
    within = [place for place, (one, _) in enumerate(network.base_model.named_parameters()) if one.startswith(name)]
    return [*found, *(weight for _, weight in list(network.base_model.named_parameters())[max(within) + 1 :])]


def _layers(network: Any) -> tuple[str, Any]:
    """The list of layers of the body, with the beginning of their names."""
    import torch

    count = getattr(network.config, "num_hidden_layers", None)
    found = [
        (f"{name}.", module)
        for name, module in network.base_model.named_modules()
        if isinstance(module, torch.nn.ModuleList) and len(module) == count
    ]
    outermost = [one for one in found if not any(one[0].startswith(other) for other, _ in found if other != one[0])]
    if len(outermost) != 1:
        raise InputError(
            f"trained = 'last' needs a model whose {count} layers are one list, and {len(outermost)} such lists were "
            f"found in {type(network).__name__}: set trained to 'all', 'no-embeddings' or 'head'"
        )
    return outermost[0]


def _free(weights: Iterable[torch.nn.Parameter]) -> None:
    for weight in weights:
        weight.requires_grad_(True)  # noqa: FBT003 - torch's signature
