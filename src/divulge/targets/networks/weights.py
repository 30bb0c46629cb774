"""A network's weights as named arrays, so that the store keeps them without pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

__all__ = ["kept_weights", "with_weights"]


def kept_weights(model: torch.nn.Module) -> dict[str, npt.NDArray[Any]]:
    """Copies all weights into arrays."""
    return {name: np.ascontiguousarray(value.detach().cpu().numpy()) for name, value in model.state_dict().items()}


def with_weights(model: torch.nn.Module, arrays: Mapping[str, npt.NDArray[Any]]) -> torch.nn.Module:
    """Puts kept weights into a network of the same shape, ready to answer; nothing in it is trained any more."""
    model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in arrays.items()})
    return model.eval().requires_grad_(False)  # noqa: FBT003 - torch's signature
