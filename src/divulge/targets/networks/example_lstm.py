"""A bidirectional LSTM whose gradients can be had example by example.

Opacus refuses `nn.LSTM`, and its own stand-in adds up one tensor per example, weight and step of time. Here both
weights of a layer are plain `nn.Linear` layers that are called once for the whole text, whose gradients (and their
lengths) Opacus knows how to take in one go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

__all__ = ["ExampleLstm", "example_names", "plain_names"]

PLAIN = re.compile(r"(weight|bias)_(ih|hh)_l(\d+)(_reverse)?")
OWN = re.compile(r"layers\.(\d+)\.(ih|hh)\.(0|1)\.(weight|bias)")
Outputs = tuple[torch.Tensor | PackedSequence, tuple[torch.Tensor, None]]


class ExampleLstm(nn.Module):
    """Computes what a bidirectional, batch-first `nn.LSTM` of the same sizes and weights does, dropout included."""

    def __init__(self, width: int, hidden: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        widths = [width, *[2 * hidden] * (layers - 1)]
        self.layers = nn.ModuleList(_BothWays(one, hidden) for one in widths)
        self.drop = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor | PackedSequence) -> Outputs:
        """Reads texts (B, T, width), or packed ones; returns outputs likewise and the last states (2 layers, B, H)."""
        if isinstance(inputs, PackedSequence):
            padded, lengths = pad_packed_sequence(inputs, batch_first=True)
            real = torch.arange(padded.shape[1])[None] < lengths[:, None]
            found, last = self._read(padded, real)
            return pack_padded_sequence(found, lengths, batch_first=True, enforce_sorted=False), (last, None)
        found, last = self._read(inputs, None)
        return found, (last, None)

    def _read(self, inputs: torch.Tensor, real: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        last = []
        for number, layer in enumerate(self.layers):
            inputs, ends = layer(self.drop(inputs) if number else inputs, real)
            last.append(ends)
        return inputs, torch.cat(last)


class _BothWays(nn.Module):
    """One layer: forwards and backwards side by side."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.ih = nn.ModuleList(nn.Linear(width, 4 * hidden) for _ in range(2))
        self.hh = nn.ModuleList(nn.Linear(hidden, 4 * hidden) for _ in range(2))

    def forward(self, inputs: torch.Tensor, real: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Outputs (B, T, 2 H) and the last states of both directions (2, B, H)."""
        gates = _ordered([layer(inputs) for layer in self.ih])  # (2, T, B, 4 H)
        again: list[nn.Linear] = [layer for layer in self.hh if isinstance(layer, nn.Linear)]
        weight = torch.stack([layer.weight.detach().T for layer in again])  # (2, H, 4 H)
        bias = torch.stack([layer.bias.detach() for layer in again])[:, None, None]
        mask = None if real is None else torch.stack([real.T, real.T.flip(0)])[..., None]  # (2, T, B, 1)
        with torch.no_grad():
            states = _states(gates + bias, weight, mask)
        before = nn.functional.pad(states[:, :-1], (0, 0, 0, 0, 1, 0))  # the state that each step starts from
        own = _ordered([layer(one) for layer, one in zip(again, _unordered(before), strict=True)])
        # Adds nothing to the gates. But the slope along them, through all later steps, so reaches the weights as well.
        found = _states(gates + bias + (own - own.detach()), weight, mask)
        return torch.cat(_unordered(found), dim=2), found[:, -1]


def _states(gates: torch.Tensor, weight: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """The hidden states after each step, (2, T, B, H); a step over padding leaves the state as it is."""
    hidden = cell = gates.new_zeros(2, gates.shape[2], weight.shape[1])
    found = []
    for place, entering in enumerate(gates.unbind(1)):
        enter, keep, new, show = torch.baddbmm(entering, hidden, weight).chunk(4, dim=2)
        ahead = keep.sigmoid() * cell + enter.sigmoid() * new.tanh()
        shown = show.sigmoid() * ahead.tanh()
        if mask is not None:
            ahead, shown = torch.where(mask[:, place], ahead, cell), torch.where(mask[:, place], shown, hidden)
        hidden, cell = shown, ahead
        found.append(hidden)
    return torch.stack(found, dim=1)


def _ordered(parts: list[torch.Tensor]) -> torch.Tensor:
    """Both directions in the order of their own time: 2 x (B, T, d) -> (2, T, B, d)."""
    ahead, back = (part.transpose(0, 1) for part in parts)
    return torch.stack([ahead, back.flip(0)])


def _unordered(parts: torch.Tensor) -> list[torch.Tensor]:
    """Both directions in the order of the text: (2, T, B, d) -> 2 x (B, T, d)."""
    return [parts[0].transpose(0, 1), parts[1].flip(0).transpose(0, 1)]


def example_names(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of an `nn.LSTM` under the names that they have in an `ExampleLstm`."""
    found = {}
    for name, value in weights.items():
        kind, part, layer, back = PLAIN.fullmatch(name).groups()  # type: ignore[union-attr]
        found[f"layers.{layer}.{part}.{1 if back else 0}.{kind}"] = value
    return found


def plain_names(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of an `ExampleLstm` under the names that they have in an `nn.LSTM`."""
    found = {}
    for name, value in weights.items():
        layer, part, back, kind = OWN.fullmatch(name).groups()  # type: ignore[union-attr]
        found[f"{kind}_{part}_l{layer}{'_reverse' if back == '1' else ''}"] = value
    return found
