"""How long texts and words may be for a transformers model: what is cut off, and what there is room for."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.access import TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.targets.offline_models import CONFIGURATION, read_json
from divulge.targets.own.transformers_folder import Head, HeadOptions
from divulge.targets.own.transformers_loading import Loaded, tokenizer_of, unfilled
from divulge.targets.own.transformers_words import WordReader

__all__ = ["overlong", "room_for"]

FEWEST_PIECES, MOST_PIECES = 8, 16  # of a word, that there is room for where the recipe does not say
SPECIAL = 4  # more are put around no text


def room_for(loaded: Loaded, options: HeadOptions, corpus: Corpus) -> int:
    """How many pieces of a word its vector has room for."""
    if options.pieces_per_word is not None:
        return options.pieces_per_word
    cut = WordReader(loaded, options.max_tokens, FEWEST_PIECES).pieces(
        sorted({word for text in corpus for word in text.tokens})
    )
    return min(MOST_PIECES, max([FEWEST_PIECES, *map(len, cut)]))


def overlong(head: Head, options: HeadOptions, texts: Sequence[TokenTuple]) -> str | None:
    """Tells how many texts have more pieces than the model reads, and how many that is; None: none has.

    No piece is shorter than a byte, so that mostly neither library nor tokenizer is needed to know.
    """
    least = min([options.max_tokens or 10**9, *_told(options.folder)])
    longest = max((sum(len(word.encode()) + 1 for word in text) for text in texts), default=0)
    if longest + SPECIAL <= least:
        return None
    reader = _reader(head, options)
    cut = sum(sum(map(len, reader.pieces(text))) > reader.room for text in texts)
    if not cut:
        return None
    return f"reads {reader.room} pieces of a text beside special ones, and {cut} of {len(texts)} are longer"


@lru_cache(maxsize=4)
def _reader(head: Head, options: HeadOptions) -> WordReader:
    """Reads words as the model would, without its weights."""
    with importlib.import_module("torch").device("meta"):
        network = unfilled(head, options)
    return WordReader(Loaded(network, tokenizer_of(head, options)), options.max_tokens, FEWEST_PIECES)


def _told(folder: Path) -> list[int]:
    """What the files of a folder say about the longest text; less is possible, by a few special places."""
    found: list[Any] = []
    for file, names in (
        (CONFIGURATION, ("max_position_embeddings", "n_positions")),
        ("tokenizer_config.json", ("model_max_length",)),
    ):
        try:
            values = read_json(folder / file)
        except InputError:
            continue  # told elsewhere, or not needed
        found += [values.get(name) for name in names] if isinstance(values, dict) else []
    return [int(one) - SPECIAL for one in found if isinstance(one, int | float)] or [0]
