"""The state of a training between two epochs: weights, what the optimiser remembers, and what would be drawn next."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from divulge.halfway import halfway
from divulge.records import Artefact

if TYPE_CHECKING:
    import torch

__all__ = ["TrainingState"]

MODEL, OPTIMISER, EXTRA = "model.", "optimiser.", "extra."
DRAWN = "torch"

logger = logging.getLogger(__name__)


class TrainingState:
    """Leaves the state of a training after an epoch, and takes up what an earlier attempt left.

    Which numbers come out is the same with and without an interruption: all that decides them is kept.

    Args:
        model: What is trained, in place.
        optimiser: That of the model, as it begins.
        draws: Every generator that the training draws from, beside torch's own.
    """

    def __init__(
        self, model: torch.nn.Module, optimiser: torch.optim.Optimizer, draws: Sequence[np.random.BitGenerator]
    ) -> None:
        self._model, self._optimiser, self._draws = model, optimiser, draws
        self._part = halfway().part()

    def resume(self) -> tuple[Mapping[str, Any], Mapping[str, npt.NDArray[Any]]]:
        """Takes up what was left, and gives the values and arrays beside it; nothing of both if nothing fits."""
        import torch

        found = self._part.found()
        if found is None:
            return {}, {}
        state = _below(found.arrays, MODEL)
        if {name: value.shape for name, value in state.items()} != _shapes(self._model):
            logger.warning("half-done work is of another model, and is not used")
            return {}, {}
        self._model.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
        remembered: dict[int, dict[str, torch.Tensor]] = {}
        for name, value in _below(found.arrays, OPTIMISER).items():
            number, _, what = name.partition(".")
            remembered.setdefault(int(number), {})[what] = torch.from_numpy(value)
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": remembered, "param_groups": groups})
        torch.set_rng_state(torch.from_numpy(found.arrays[DRAWN]))
        for generator, spelled in zip(self._draws, found.values["draws"], strict=True):
            generator.state = _read(spelled)
        return found.values["beside"], _below(found.arrays, EXTRA)

    def leave(self, values: Mapping[str, Any], arrays: Mapping[str, torch.Tensor] | None = None) -> None:
        """Leaves the state with some values and arrays beside it, if it is time for it."""
        self._part.leave(lambda: self._packed(values, arrays or {}))

    def _packed(self, values: Mapping[str, Any], arrays: Mapping[str, torch.Tensor]) -> Artefact:
        import torch

        kept = {MODEL + name: _array(value) for name, value in self._model.state_dict().items()}
        for number, remembered in self._optimiser.state_dict()["state"].items():
            kept |= {f"{OPTIMISER}{number}.{what}": _array(value) for what, value in remembered.items()}
        kept |= {EXTRA + name: _array(value) for name, value in arrays.items()}
        kept[DRAWN] = torch.get_rng_state().numpy()
        return Artefact({"draws": [_spelled(one.state) for one in self._draws], "beside": dict(values)}, kept)


def _below(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}


def _shapes(model: torch.nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in model.state_dict().items()}


def _array(value: torch.Tensor) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = value.detach().cpu().numpy()
    return found


def _spelled(state: Any) -> Any:
    """A generator's state as JSON has it; its arrays are of 64 bits without a sign."""
    if isinstance(state, Mapping):
        return {name: _spelled(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _read(spelled: Any) -> Any:
    if isinstance(spelled, Mapping):
        return {name: _read(value) for name, value in spelled.items()}
    return np.array(spelled, dtype=np.uint64) if isinstance(spelled, list) else spelled
