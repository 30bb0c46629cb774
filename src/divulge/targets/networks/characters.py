"""Words read from their characters: a convolution and the largest value of each filter (Ma and Hovy 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

__all__ = ["CharacterCnn", "alphabet_of", "spelt_out"]

LONGEST = 25  # characters read of a word
CHARACTER_WIDTH = 30
FILTERS = 30
WINDOW = 3


class CharacterCnn(nn.Module):
    """Characters (words, longest) -> (words, FILTERS); a word without characters is all zeros.

    It sees one word at a time, never its neighbours: a token's input vector stays a matter of the token alone, so that
    an attack can mix the vectors of candidates, characters included.
    """

    def __init__(self, characters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters + 2, CHARACTER_WIDTH, padding_idx=0)  # 0 padding, 1 unknown
        self.convolution = nn.Conv1d(CHARACTER_WIDTH, FILTERS, WINDOW, padding=WINDOW // 2)

    def forward(self, spellings: torch.Tensor) -> torch.Tensor:
        """Reads spellings, padded with 0."""
        read = self.convolution(self.embedding(spellings).transpose(1, 2))  # (words, FILTERS, longest)
        beyond = (spellings == 0)[:, None]
        largest = read.masked_fill(beyond, -torch.inf).max(dim=2).values
        return torch.where((spellings > 0).any(dim=1, keepdim=True), largest, torch.zeros_like(largest))


def alphabet_of(words: Sequence[str]) -> str:
    """The characters of these words, in order, as one text."""
    return "".join(sorted({character for word in words for character in word[:LONGEST]}))


def spelt_out(words: Sequence[str], alphabet: str) -> torch.Tensor:
    """The numbers of each word's characters, from 2 on; 1 is a character not in the alphabet; (words, longest)."""
    place = {character: number + 2 for number, character in enumerate(alphabet)}
    longest = max([WINDOW, *(min(len(word), LONGEST) for word in words)])
    spellings = np.zeros((len(words), longest), dtype=np.int64)
    for row, word in zip(spellings, words, strict=True):
        row[: min(len(word), LONGEST)] = [place.get(character, 1) for character in word[:LONGEST]]
    return torch.from_numpy(spellings)
