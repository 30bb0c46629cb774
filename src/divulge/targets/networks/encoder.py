"""A pretrained transformers encoder that answers in words or word pieces: one vector for each, or one per text.

A word's vector is the mean over its word pieces of the last hidden state; a word of one piece has exactly that state.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from divulge.errors import ExecutionError, InputError
from divulge.targets.networks.pooling import Pooling, Vectors, batches, by_word, pooled
from divulge.targets.networks.static import is_static, static_network
from divulge.targets.networks.tokenizing import load_tokenizer, longest_text, must_start_specially, special_around
from divulge.targets.offline_models import quiet_library, weight_files
from divulge.targets.own.transformers_loading import adapted

__all__ = ["Pooling", "Vectors", "WordEncoder", "load_encoder"]

Answer = Callable[[torch.Tensor, list[int]], Iterable[Vectors]]

NO_WORDS: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
UNUSED = ("pooler.",)  # a layer behind the last hidden state: whether it was trained does not matter here


class _Pieces(NamedTuple):
    """A text in word pieces: their numbers and, if it came in words, which one each is of (-1: a special token)."""

    numbers: list[int]
    words: npt.NDArray[np.int64] = NO_WORDS


class WordEncoder:
    """A network and its tokenizer; texts are tuples of words, and come back in the order asked."""

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self._network, self.tokenizer = network.eval(), tokenizer
        self.width = int(network.config.hidden_size)
        self.longest = longest_text(network, tokenizer)  # in word pieces, special tokens included

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(self.tokenizer.get_vocab())

    @cached_property
    def room(self) -> int:
        """How many word pieces of a text it takes beside the special ones."""
        return self.longest - sum(map(len, self._around))

    @cached_property
    def _around(self) -> tuple[list[int], list[int]]:
        return special_around(self.tokenizer)

    def embed(
        self, texts: Sequence[Sequence[str]], pooling: Pooling = "none", *, in_pieces: bool = False
    ) -> list[Vectors]:
        """Embeds texts: (words, d) each if not pooled, else (d,); `in_pieces`, they are word pieces and not words.

        Pooled, special tokens count as in sentence-transformers: `mean` and `max` go over every position, `cls` is
        the first one, `last` the last. Unpooled rows hold none of them. An empty text has no rows; pooled, it is what
        the special tokens alone give, and zeros where there are none.

        Raises:
            ExecutionError: A text is longer than the encoder takes, or holds a piece that its vocabulary lacks, which
                has none for unknown ones.
        """
        if pooling == "cls":
            must_start_specially(self.tokenizer)
        pieces = self._numbered(texts) if in_pieces else self._split(texts)
        nothing = [np.zeros((len(text), self.width) if pooling == "none" else self.width, np.float32) for text in texts]
        if pooling != "none":
            return self._answers(
                pieces,
                nothing,
                lambda states, places: pooled(
                    states, torch.tensor([len(pieces[place].numbers) for place in places]), pooling
                ),
            )
        if in_pieces:
            first = len(self._around[0])
            return self._answers(
                pieces,
                nothing,
                lambda states, places: (
                    state[first : first + len(texts[place])].copy()
                    for state, place in zip(states.numpy(), places, strict=True)
                ),
            )
        return self._answers(
            pieces,
            nothing,
            lambda states, places: (
                by_word(state, pieces[place].words, len(texts[place]))
                for state, place in zip(states, places, strict=True)
            ),
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
            found = self.tokenizer(list(texts), padding=False, truncation=True, max_length=most, verbose=False)
            pieces = [_Pieces(numbers) for numbers in found["input_ids"]]
        if not all(one.numbers for one in pieces):
            raise ExecutionError("a text is empty to the encoder, which puts no special token around it")
        return self._answers(
            pieces,
            [np.empty(0, np.float32)] * len(texts),
            lambda states, places: (
                pool(state[: len(pieces[place].numbers)]) for state, place in zip(states.numpy(), places, strict=True)
            ),
        )

    def _answers(self, pieces: Sequence[_Pieces], answers: list[Vectors], answer: Answer) -> list[Vectors]:
        """For each text what `answer` makes of the states of a batch (B, T, d); as it was, where nothing is to ask."""
        lengths = np.array([len(one.numbers) for one in pieces], dtype=np.int64)
        self._check_lengths(lengths)
        with _one_thread(), torch.inference_mode():
            for places in batches(lengths):
                states = self._states([pieces[place].numbers for place in places])
                for place, found in zip(places, answer(states, places), strict=True):
                    answers[place] = found
        return answers

    def _numbered(self, texts: Sequence[Sequence[str]], longest: int | None = None) -> list[_Pieces]:
        """Texts that are word pieces already, with special tokens around them."""
        before, after = self._around
        room = None if longest is None else max(0, longest - len(before) - len(after))
        number, found = self._numbers, []
        # What a tokenizer does with what it cannot spell, such as a word that a defence puts in another's place.
        unknown = number.get(self.tokenizer.unk_token)
        for place, text in enumerate(texts):
            numbers = [known for piece in text[:room] if (known := number.get(piece, unknown)) is not None]
            found.append(_Pieces([*before, *numbers, *after]))
            if len(numbers) < len(text[:room]):
                raise ExecutionError(
                    f"the text at position {place} holds a token that is not in the encoder's vocabulary of "
                    f"{len(number)} word pieces: hand it pieces as its tokenizer cuts them, or set unit = 'word'"
                )
        return found

    def _split(self, texts: Sequence[Sequence[str]]) -> list[_Pieces]:
        if not texts:
            return []
        # Padding and truncation may be baked into a tokenizer's file; here they are asked for, never inherited.
        found = self.tokenizer(
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

    def _states(self, numbers: Sequence[Sequence[int]]) -> torch.Tensor:
        """The last hidden states, padded on the right, where a causal model does not see it; (B, T, d)."""
        widest = max(len(one) for one in numbers)
        padding = self.tokenizer.pad_token_id or 0
        filled = np.full((len(numbers), widest), padding, dtype=np.int64)
        mask = np.zeros((len(numbers), widest), dtype=np.int64)
        for row, one in enumerate(numbers):
            filled[row, : len(one)] = one
            mask[row, : len(one)] = 1
        asked = self._network(input_ids=torch.from_numpy(filled), attention_mask=torch.from_numpy(mask), **self._unkept)
        states: torch.Tensor = asked.last_hidden_state
        return states

    @cached_property
    def _unkept(self) -> dict[str, bool]:
        """A causal model would keep keys and values of every layer for a next word that never comes."""
        return {"use_cache": False} if getattr(self._network.config, "use_cache", False) else {}


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
    if is_static(folder):
        return WordEncoder(static_network(folder), tokenizer)
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
    used = ((name, one) for name, one in network.named_parameters() if not name.startswith(UNUSED))
    broken = [name for name, one in used if not torch.isfinite(one).all()]
    if broken:
        # All its vectors would be NaN, and an attack on those would find nothing.
        raise InputError(
            f"{folder}: {len(broken)} parameters of the model hold NaN or infinity, the first is {broken[0]}. Finite "
            "weights are needed: copy or save the model again"
        )
    if network.config.is_encoder_decoder:
        raise InputError(f"{folder}: is an encoder with a decoder, and embeds no text by itself")
    return WordEncoder(network if adapter is None else adapted(network, adapter, folder), tokenizer)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums are then taken in the same order, however many cores there are."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
