"""Words for a transformers model: how they are cut into pieces, read in batches, and given as vectors.

Texts are tuples of words, and are read with one space between any two, as taggers are trained
(`is_split_into_words`): each word is cut by itself, the first as one that follows a space. What stood between the words
in the original text is lost. Texts of exactly one length are read together, so that there is no padding, and no answer
hangs on what it was asked with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.offline_models import quiet_library
from divulge.targets.own.transformers_loading import Loaded

if TYPE_CHECKING:
    import torch

__all__ = ["ReadText", "WordReader", "longest_of", "of_one_length"]

MOST_PIECES = 8192  # read at once
USUAL_LONGEST = 4096  # where neither model nor tokenizer has a limit


class ReadText(NamedTuple):
    """A text as the model reads it: numbers of pieces, and where each word's first piece is (-1: it is not read)."""

    numbers: list[int]
    firsts: list[int]


class WordReader:
    """A network with a head and its tokenizer; texts are tuples of words."""

    def __init__(self, loaded: Loaded, max_tokens: int | None, pieces_per_word: int) -> None:
        self.network, self._tokenizer = loaded
        self._known: dict[str, list[int]] = {}
        self._apart = ""
        probe = self._probe()
        if self._tokenizer.decode(self._cut([probe])[0] * 2).strip() == probe * 2:
            self._apart = " "  # this tokenizer marks words by the space before, and was not told of any
        around = self._tokenizer([[probe]], is_split_into_words=True, **_plain(special=True))
        own = [place for place, word in enumerate(around.word_ids(0)) if word is not None]
        numbers = around["input_ids"][0]
        self._before, self._after = numbers[: own[0]], numbers[own[-1] + 1 :]
        kinds = around.get("token_type_ids")
        self._kinds = None if kinds is None else (kinds[0][: own[0]], kinds[0][own[0]], kinds[0][own[-1] + 1 :])
        self._pieces_per_word = pieces_per_word
        longest = longest_of(self.network, self._tokenizer)
        self.room = min(longest, max_tokens or longest) - len(self._before) - len(self._after)
        if getattr(self.network.config, "pad_token_id", None) is None:
            self.network.config.pad_token_id = -1  # none of the pieces is padding: there never is any
        self._tried = [*self._before, *self._cut([probe])[0], *self._after]

    @property
    def width(self) -> int:
        """Of the vector of a word: for each piece that it may have its vector, and a mark that it is there."""
        return self._pieces_per_word * (int(self.network.get_input_embeddings().weight.shape[1]) + 1)

    def read(self, words: Sequence[str]) -> ReadText:
        """Cuts a text into pieces, special ones around them; what does not fit is left out at the end."""
        numbers: list[int] = []
        firsts: list[int] = []
        for pieces in self.pieces(words):
            firsts.append(len(self._before) + len(numbers) if pieces and len(numbers) < self.room else -1)
            numbers += pieces
        return ReadText([*self._before, *numbers[: self.room], *self._after], firsts)

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """The numbers of each word's pieces; none for a word that the tokenizer drops."""
        new = sorted({word for word in words if word not in self._known})
        self._known |= dict(zip(new, self._cut(new), strict=True))
        return [self._known[word] for word in words]

    def batches(self, texts: Sequence[ReadText]) -> Iterator[tuple[npt.NDArray[np.int64], torch.Tensor]]:
        """The places of texts of one length and what the network puts out for them, a batch at a time."""
        import torch

        with torch.no_grad():
            for places in of_one_length([len(text.numbers) for text in texts], MOST_PIECES):
                yield places, self.outputs(torch.tensor([texts[place].numbers for place in places]))

    def outputs(self, numbers: torch.Tensor) -> torch.Tensor:
        """The logits of texts of one length; (B, T) -> (B, outputs) or (B, T, outputs)."""
        return self._asked(numbers.shape[0], numbers.shape[1], input_ids=numbers)

    @cached_property
    def pads(self) -> bool:
        """Whether texts of several lengths can be read together: not all models know what is padding."""
        import torch

        if self._tokenizer.pad_token_id is None or not self._tried:
            return False
        middle = self._tried[len(self._before) : len(self._tried) - len(self._after)]
        longer = [*self._before, *(middle * 4), *self._after]
        trained = self.network.training
        self.network.eval()
        with torch.no_grad():
            alone = self.outputs(torch.tensor([self._tried]))[0]
            beside = self.padded([self._tried, longer])[0]
        self.network.train(trained)
        return bool(torch.allclose(alone, beside[: len(alone)], atol=1e-4))

    def padded(self, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        """The logits of texts of several lengths, in numbers of pieces: for training, where speed counts most."""
        import torch

        longest = max(map(len, texts))
        numbers = torch.full((len(texts), longest), self._tokenizer.pad_token_id)
        mask = torch.zeros(len(texts), longest, dtype=torch.int64)
        for row, text in enumerate(texts):
            numbers[row, : len(text)] = torch.tensor(text)
            mask[row, : len(text)] = 1
        inputs = {"input_ids": numbers, "attention_mask": mask}
        if self._kinds is not None:
            inputs["token_type_ids"] = torch.tensor(
                [[*self._kinds_of(len(text)), *[0] * (longest - len(text))] for text in texts]
            )
        with quiet_library():
            logits: torch.Tensor = self.network(**inputs).logits
        return logits

    def vectors(self, words: Sequence[str]) -> torch.Tensor:
        """The vectors of words; (words, width).

        Raises:
            InputError: A word has more pieces than a vector has room for.
        """
        import torch

        cut = self.pieces(words)
        most = max((len(pieces) for pieces in cut), default=0)
        if most > self._pieces_per_word:
            raise InputError(
                f"a word is cut into {most} pieces, and pieces_per_word = {self._pieces_per_word} leaves room for no "
                f"more: set it to {most}, or split long words in the data"
            )
        table = self.network.get_input_embeddings()
        found = torch.zeros(len(words), self._pieces_per_word, table.weight.shape[1] + 1, dtype=table.weight.dtype)
        for row, pieces in zip(found, cut, strict=True):
            if pieces:
                row[: len(pieces), :-1] = table(torch.tensor(pieces))
                row[: len(pieces), -1] = 1.0
        return found.reshape(len(words), -1)

    def from_vectors(
        self, inputs: torch.Tensor
    ) -> Iterator[tuple[npt.NDArray[np.int64], torch.Tensor, list[list[int]]]]:
        """What the network puts out for texts of word vectors (B, T, width), differentiable in them.

        Batch by batch: the places of texts of as many pieces, the logits, and where the first piece of each word is.
        """
        import torch

        table = self.network.get_input_embeddings()
        split = inputs.to(table.weight.dtype).reshape(*inputs.shape[:2], self._pieces_per_word, -1)
        marks = split[..., -1].detach() > 0.5  # (B, T, P)
        counts = marks.sum(dim=2)  # (B, T)
        starts = counts.cumsum(dim=1) - counts
        read = (counts > 0) & (starts < self.room)
        firsts = torch.where(read, starts + len(self._before), torch.full_like(starts, -1)).tolist()
        before, after = (table(torch.tensor(part, dtype=torch.int64)) for part in (self._before, self._after))
        sizes = [min(self.room, size) + len(before) + len(after) for size in counts.sum(dim=1).tolist()]
        for places in of_one_length(sizes, MOST_PIECES):
            if not sizes[places[0]]:
                continue  # nothing to read
            rows = [
                torch.cat([before, split[place][marks[place]][: self.room, :-1], after]) for place in places.tolist()
            ]
            logits = self._asked(len(rows), len(rows[0]), inputs_embeds=torch.stack(rows))
            yield places, logits, [firsts[place] for place in places]

    def _asked(self, count: int, length: int, **inputs: torch.Tensor) -> torch.Tensor:
        import torch

        if self._kinds is not None:
            inputs["token_type_ids"] = torch.tensor([self._kinds_of(length)] * count)
        with quiet_library():
            logits: torch.Tensor = self.network(
                attention_mask=torch.ones(count, length, dtype=torch.int64), **inputs
            ).logits
        return logits

    def _kinds_of(self, length: int) -> list[int]:
        before, within, after = self._kinds or ([], 0, [])
        return [*before, *[within] * (length - len(before) - len(after)), *after]

    def _probe(self) -> str:
        """A word that the tokenizer does not drop."""
        tried = ("no", "a", "1", *sorted(self._tokenizer.get_vocab())[:100])
        found: str | None = next((word for word in tried if word.strip() and self._cut([word])[0]), None)
        if found is None:
            raise InputError("the tokenizer makes nothing of any word")
        return found

    def _cut(self, words: Sequence[str]) -> list[list[int]]:
        if not words:
            return []
        found = self._tokenizer([[self._apart + word] for word in words], is_split_into_words=True, **_plain())
        return [list(numbers) for numbers in found["input_ids"]]


def longest_of(network: Any, tokenizer: Any) -> int:
    """How many pieces the model reads at most, special ones included."""
    positions = getattr(network.config, "max_position_embeddings", None) or USUAL_LONGEST
    for name, module in network.named_modules():
        # Some models count positions from behind that of padding.
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions = module.num_embeddings - module.padding_idx - 1
    return int(min(positions, tokenizer.model_max_length))


def of_one_length(lengths: Sequence[int], most: int) -> Iterator[npt.NDArray[np.int64]]:
    """The places of exactly one length, a batch of at most so many pieces at a time."""
    every = np.array(lengths, dtype=np.int64)
    for length in np.unique(every):
        places, size = np.flatnonzero(every == length), max(1, most // max(1, int(length)))
        yield from (places[start : start + size] for start in range(0, len(places), size))


def _plain(*, special: bool = False) -> dict[str, bool]:
    """Padding and truncation may be baked into a tokenizer's file; here they are asked for, never inherited."""
    return {"padding": False, "truncation": False, "add_special_tokens": special, "verbose": False}
