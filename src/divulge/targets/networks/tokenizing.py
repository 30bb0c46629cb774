"""The tokenizer of a transformers folder: how it cuts texts into word pieces, and what it puts around them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.errors import InputError
from divulge.targets.networks.static import is_static, static_tokenizer
from divulge.targets.offline_models import quiet_library

__all__ = [
    "load_tokenizer",
    "longest_text",
    "must_start_specially",
    "piece_counts",
    "pieces_of",
    "special_around",
    "whole_vocabulary",
    "words_within",
]

# Files that hold pieces or words; what configures a tokenizer is none.
TOKENIZERS = ("tokenizer.json", "vocab*", "merges*", "*.model", "*.tiktoken", "*.spm", "tekken.json")


def load_tokenizer(folder: Path, *, whole: bool = False, own_code: bool = False) -> Any:
    """Loads a tokenizer from a local folder, once per process; `whole` is for texts as written, not word by word.

    Raises:
        InputError: The folder holds no fast tokenizer.
    """
    files = tuple((one.name, one.stat().st_mtime_ns) for one in sorted(folder.iterdir()))
    return _loaded(folder, whole, own_code, files)


@lru_cache(maxsize=8)
def _loaded(
    folder: Path,
    whole: bool,  # noqa: FBT001 - what is kept is kept by all of these
    own_code: bool,  # noqa: FBT001
    state: tuple[tuple[str, int], ...],
) -> Any:
    del state  # a folder that changed is read again
    if is_static(folder):
        return static_tokenizer(folder)
    if not own_code and not any(one for pattern in TOKENIZERS for one in folder.glob(pattern)):
        # The library would fail in words of its own, or make a tokenizer that knows nothing.
        raise InputError(
            f"{folder}: has no tokenizer. tokenizer.json is needed beside the weights: copy it, or save it there with "
            "the tokenizer's save_pretrained"
        )
    transformers = importlib.import_module("transformers")
    # Words come one by one: tokenizers that mark the start of a word must mark each.
    spaced = {} if whole else {"add_prefix_space": True}
    try:
        with quiet_library():
            found = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=own_code, **spaced
            )
    except Exception as error:  # a folder may be broken in any way, and the library fails in as many
        raise InputError(f"{folder}: cannot be read as a transformers model ({type(error).__name__})") from error
    if not found.is_fast:
        raise InputError(f"{folder}: needs a fast tokenizer (tokenizer.json), which tells the words of word pieces")
    return found


def pieces_of(tokenizer: Any, texts: Sequence[str], most: int | None = None) -> list[tuple[str, ...]]:
    """The word pieces of texts as they are written, without special tokens; at most the first `most` of each."""
    if not texts:
        return []
    # Padding and truncation may be baked into a tokenizer's file; here they are asked for, never inherited.
    found = tokenizer(
        list(texts),
        add_special_tokens=False,
        padding=False,
        truncation=False,
        return_attention_mask=False,
        verbose=False,
    )
    return [tuple(tokenizer.convert_ids_to_tokens(numbers[:most])) for numbers in found["input_ids"]]


def piece_counts(tokenizer: Any, texts: Sequence[Sequence[str]]) -> list[int]:
    """How many word pieces each text has that comes in words, special tokens left out."""
    return [] if not texts else [len(numbers) for numbers in _word_by_word(tokenizer, texts)["input_ids"]]


def words_within(tokenizer: Any, texts: Sequence[Sequence[str]], most: int) -> list[int]:
    """How many words each text begins with whose pieces are all among its first `most`."""
    if not texts:
        return []
    found = _word_by_word(tokenizer, texts)
    owners = [found.word_ids(place) for place in range(len(texts))]
    return [len(text) if len(own) <= most else own[most] for text, own in zip(texts, owners, strict=True)]


def _word_by_word(tokenizer: Any, texts: Sequence[Sequence[str]]) -> Any:
    return tokenizer(
        [list(text) for text in texts],
        is_split_into_words=True,
        add_special_tokens=False,
        padding=False,
        truncation=False,
        return_attention_mask=False,
        verbose=False,
    )


def special_around(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The numbers of the special tokens that go before and behind a text."""
    inner = tokenizer("a", add_special_tokens=False, padding=False, truncation=False)["input_ids"]
    whole = tokenizer("a", add_special_tokens=True, padding=False, truncation=False)["input_ids"]
    for place in range(len(whole) - len(inner) + 1):
        if whole[place : place + len(inner)] == inner:
            return whole[:place], whole[place + len(inner) :]
    raise InputError("the tokenizer puts something between the pieces of a text, which is not read here")


def must_start_specially(tokenizer: Any) -> None:
    """Raises an InputError where no special token stands for a whole text."""
    if tokenizer.cls_token_id is None:
        raise InputError("pooling = 'cls' needs an encoder that puts a special token first. Use 'mean' or 'max'")


def longest_text(network: Any, tokenizer: Any) -> int:
    """How many word pieces of a text, special tokens among them, the network has positions for."""
    positions = getattr(network.config, "max_position_embeddings", None) or tokenizer.model_max_length
    # RoBERTa and its kin count positions from behind the number that stands for padding.
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(min(positions if padding is None else positions - padding - 1, tokenizer.model_max_length))


def whole_vocabulary(tokenizer: Any) -> tuple[str, ...]:
    """Every piece that a text can be made of, by its number; special and unused ones left out."""
    special = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
    special.update(tokenizer.all_special_tokens)
    by_number = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return tuple(piece for piece, _ in by_number if piece not in special and not piece.startswith("[unused"))
