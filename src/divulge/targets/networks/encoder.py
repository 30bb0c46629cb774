"""A pretrained transformers encoder that answers in words or word pieces: one vector for each, or one per text.

A word's vector is the mean over its word pieces of the last hidden state; a word of one piece has exactly that state.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from divulge.errors import ExecutionError, InputError
from divulge.targets.networks.tokenizing import load_tokenizer, special_around
from divulge.targets.offline_models import quiet_library, weight_files
from divulge.targets.own.transformers_loading import adapted
from divulge.targets.training.batches import ordered_batches

__all__ = ["Pooling", "Vectors", "WordEncoder", "load_encoder"]

Pooling = Literal["none", "mean", "cls", "max"]
Vectors = npt.NDArray[np.float32]

BATCH = 64
UNUSED = ("pooler.",)  # a layer behind the last hidden state: whether it was trained does not matter here


class _Pieces(NamedTuple):
    """A text in word pieces: their numbers, and which word each belongs to (-1: a special token)."""

    numbers: list[int]
    words: npt.NDArray[np.int64]


class WordEncoder:
    """A network and its tokenizer; texts are tuples of words, and come back in the order asked."""

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self._tokenizer = network.eval(), tokenizer
        self.width = int(network.config.hidden_size)
        positions = getattr(network.config, "max_position_embeddings", None) or tokenizer.model_max_length
        self.longest = int(min(positions, tokenizer.model_max_length))  # in word pieces, special tokens included

    def embed(
        self, texts: Sequence[Sequence[str]], pooling: Pooling = "none", *, in_pieces: bool = False
    ) -> list[Vectors]:
        """Embeds texts: (words, d) each if not pooled, else (d,); `in_pieces`, they are word pieces and not words.

        Pooled, special tokens count as in sentence-transformers: `mean` and `max` go over every position, `cls` is
        the first one. Unpooled rows hold none of them. An empty text has no rows; pooled, it is what the special
        tokens alone give.

        Raises:
            ExecutionError: A text is longer than the encoder takes.
        """
        if pooling == "cls" and self._tokenizer.cls_token_id is None:
            raise InputError("pooling = 'cls' needs an encoder that puts a special token first. Use 'mean' or 'max'")
        pieces = self._numbered(texts) if in_pieces else self._split(texts)
        return self._answers(
            pieces,
            [np.zeros((len(text), self.width) if pooling == "none" else self.width, np.float32) for text in texts],
            lambda kept, place: (
                _by_word(kept, pieces[place].words, len(texts[place])) if pooling == "none" else _pooled(kept, pooling)
            ).numpy(),
        )

    def embed_whole(
        self,
        texts: Sequence[str] | Sequence[Sequence[str]],
        pool: Callable[[Vectors], Vectors],
        longest: int | None = None,
        *,
        in_pieces: bool = False,
    ) -> list[Vectors]:
        """Embeds texts as they are written: what `pool` makes of all states of each, special ones included.

        A text of more pieces than the encoder takes is cut, as sentence-transformers does.
        """
        if not texts:
            return []
        most = min(self.longest, longest or self.longest)
        if in_pieces:
            pieces = self._numbered(texts, most)
        else:
            found = self._tokenizer(list(texts), padding=False, truncation=True, max_length=most, verbose=False)
            pieces = [_Pieces(numbers, np.empty(0, np.int64)) for numbers in found["input_ids"]]
        if not all(one.numbers for one in pieces):
            raise ExecutionError("a text is empty to the encoder, which puts no special token around it")
        nothing = [np.empty(0, np.float32)] * len(texts)
        return self._answers(pieces, nothing, lambda kept, _: pool(kept.numpy()))

    def _answers(
        self,
        pieces: Sequence[_Pieces],
        answers: list[Vectors],
        answer: Callable[[torch.Tensor, int], Vectors],
    ) -> list[Vectors]:
        """For each text what `answer` makes of its states (pieces, d); as it was, where there is nothing to ask."""
        lengths = np.array([len(one.numbers) for one in pieces], dtype=np.int64)
        self._check_lengths(lengths)
        with _one_thread(), torch.inference_mode():
            for batch in ordered_batches(lengths, BATCH):
                asked = [place for place in batch.tolist() if lengths[place]]
                if not asked:
                    continue  # no word and no special token: nothing to ask
                states, mask = self._states([pieces[place] for place in asked])
                for place, state, shown in zip(asked, states, mask, strict=True):
                    answers[place] = answer(state[shown], place)
        return answers

    def _numbered(self, texts: Sequence[Sequence[str]], longest: int | None = None) -> list[_Pieces]:
        """Texts that are word pieces already, with special tokens around them; (special, 0, 1, …, special)."""
        before, after = special_around(self._tokenizer)
        room = None if longest is None else max(0, longest - len(before) - len(after))
        found = []
        for text in texts:
            numbers = self._tokenizer.convert_tokens_to_ids(list(text[:room]))
            if any(number is None for number in numbers):
                raise ExecutionError("a text holds a token that is not in the encoder's vocabulary")
            owners = [*[-1] * len(before), *range(len(numbers)), *[-1] * len(after)]
            found.append(_Pieces([*before, *numbers, *after], np.array(owners, dtype=np.int64)))
        return found

    def _split(self, texts: Sequence[Sequence[str]]) -> list[_Pieces]:
        if not texts:
            return []
        # Padding and truncation may be baked into a tokenizer's file; here they are asked for, never inherited.
        found = self._tokenizer(
            [list(text) for text in texts],
            is_split_into_words=True,
            padding=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        words = [[-1 if word is None else word for word in found.word_ids(place)] for place in range(len(texts))]
        return [
            _Pieces(numbers, np.array(owners, dtype=np.int64))
            for numbers, owners in zip(found["input_ids"], words, strict=True)
        ]

    def _check_lengths(self, lengths: npt.NDArray[np.int64]) -> None:
        over = np.flatnonzero(lengths > self.longest)
        if over.size:
            raise ExecutionError(
                f"{over.size} of {len(lengths)} texts are longer than the {self.longest} word pieces that the encoder "
                f"takes, the first at position {over[0]} with {lengths[over[0]]}: shorten them, or lower `tokens`"
            )

    def _states(self, pieces: Sequence[_Pieces]) -> tuple[torch.Tensor, torch.Tensor]:
        """The last hidden states, padded on the right, and which of them are real; (B, T, d) and (B, T)."""
        widest = max(len(one.numbers) for one in pieces)
        padding = self._tokenizer.pad_token_id or 0
        numbers = torch.full((len(pieces), widest), padding, dtype=torch.long)
        mask = torch.zeros((len(pieces), widest), dtype=torch.bool)
        for row, one in enumerate(pieces):
            numbers[row, : len(one.numbers)] = torch.tensor(one.numbers)
            mask[row, : len(one.numbers)] = True
        return self._network(input_ids=numbers, attention_mask=mask.long()).last_hidden_state, mask


def load_encoder(
    folder: Path, adapter: Path | None = None, *, whole: bool = False, own_code: bool = False
) -> WordEncoder:
    """Loads an encoder from a local folder, once per process; reads no network, and no code of the folder unless told.

    `whole` is for texts as they are written, not word by word; `adapter` is the folder of a PEFT adapter.

    Raises:
        InputError: The folder holds no encoder that can be used here.
    """
    files = [file for place in (folder, adapter) if place is not None for file in sorted(place.iterdir())]
    return _loaded(folder, adapter, whole, own_code, tuple((one.name, one.stat().st_mtime_ns) for one in files))


@lru_cache(maxsize=2)
def _loaded(
    folder: Path,
    adapter: Path | None,
    whole: bool,  # noqa: FBT001 - what is kept is kept by all of these
    own_code: bool,  # noqa: FBT001
    state: tuple[tuple[str, int], ...],
) -> WordEncoder:
    del state  # a folder that changed is read again
    transformers = importlib.import_module("transformers")  # by name: its own types would take a minute to check
    safe = {"local_files_only": True, "trust_remote_code": own_code}
    tokenizer = load_tokenizer(folder, whole=whole, own_code=own_code)
    try:
        with quiet_library():
            network, found = transformers.AutoModel.from_pretrained(
                folder,
                use_safetensors=bool(weight_files(folder)),
                dtype=torch.float32,
                output_loading_info=True,
                **safe,
            )
    except Exception as error:  # a folder may be broken in any way, and the library fails in as many
        raise InputError(f"{folder}: cannot be read as a transformers model ({type(error).__name__})") from error
    lacking = [name for name in found["missing_keys"] if not name.startswith(UNUSED)]
    if lacking or found["mismatched_keys"]:
        # They would be filled at random, and a random encoder looks like one that gives nothing away.
        count = len(lacking) + len(found["mismatched_keys"])
        raise InputError(f"{folder}: {count} parameters of the model are not in its weights, or in another shape")
    if network.config.is_encoder_decoder:
        raise InputError(f"{folder}: is an encoder with a decoder, and embeds no text by itself")
    return WordEncoder(network if adapter is None else adapted(network, adapter, folder), tokenizer)


def _by_word(states: torch.Tensor, owners: npt.NDArray[np.int64], count: int) -> torch.Tensor:
    """The mean over each word's pieces; zeros for a word that the tokenizer drops; (words, d)."""
    content = owners >= 0
    places = torch.from_numpy(owners[content])
    sums = torch.zeros(count, states.shape[1]).index_add_(0, places, states[torch.from_numpy(content)])
    return sums / torch.bincount(places, minlength=count).clamp(min=1)[:, None]


def _pooled(states: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    if pooling == "cls":
        return states[0].clone()
    return states.amax(dim=0) if pooling == "max" else states.mean(dim=0)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums are then taken in the same order, however many cores there are."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
