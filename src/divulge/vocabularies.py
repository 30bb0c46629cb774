"""Whole words of a tokenizer, as candidates of holes: "whole-words:all-MiniLM-L6-v2", or a folder in place of the name.

Read from the tokenizer's own files, without the libraries that run it; only what cuts texts needs one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.canonical import digest
from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.pretrained import OFFLINE_MODELS, file_in_package

__all__ = ["SCHEME", "fingerprint_of", "pieces_by", "tokenizer_named", "whole_words"]

SCHEME = "whole-words:"
TOKENIZER, WORD_LIST, PAIR_LIST, CONFIGURATION = "tokenizer.json", "vocab.txt", "vocab.json", "tokenizer_config.json"
CONTINUED = "##"
SPACE_MARKS = ("\u0120", "\u2581")  # before a word, as byte-level tokenizers and sentencepiece write a space
LETTERS = re.compile("[A-Za-z]+")


def tokenizer_named(candidates: object) -> str | None:
    """The name or folder in "whole-words:…"; None for candidates that are no such text."""
    return candidates.removeprefix(SCHEME) if isinstance(candidates, str) and candidates.startswith(SCHEME) else None


def whole_words(where: str) -> tuple[str, ...]:
    """The words of letters that are one token of a tokenizer, sorted, spelt as it reads them.

    Args:
        where: The name of a model that an installed package carries, or a local folder.

    Raises:
        InputError: There is no such model or folder, or no tokenizer in it, or none that has whole words.
    """
    return _read(where)[0]


def fingerprint_of(where: str) -> str:
    """A hash of the whole words of a tokenizer."""
    return _read(where)[1]


def pieces_by(where: str, texts: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """The first `most` pieces that a tokenizer cuts each text into.

    Raises:
        InputError: There is no such model or folder, no tokenizer.json in it, or no library to run it.
    """
    file = _folder(where) / TOKENIZER
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise InputError(f"{where}: to cut texts into pieces needs 'tokenizers': pip install 'divulge[hf]'") from error
    if not file.is_file():
        raise InputError(f"{where}: to cut texts into pieces needs a {TOKENIZER}")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [tuple(one.tokens[:most]) for one in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def _read(where: str) -> tuple[tuple[str, ...], str]:
    file = _file(_folder(where))
    beside = file.with_name(CONFIGURATION)
    state = tuple((one.stat().st_size, one.stat().st_mtime_ns) for one in (file, beside) if one.is_file())
    return _words_in(file, state)


def _folder(where: str) -> Path:
    model = OFFLINE_MODELS.get(where)
    if model is not None and not model.unpack:
        return file_in_package(where, model).parent
    if model is not None:
        raise InputError(f"{SCHEME}{where}: it is unpacked before use; name the folder that it was unpacked to instead")
    folder = Path(where).expanduser()
    if not where.strip() or not folder.is_dir():
        raise InputError(
            f"{SCHEME}{where}: is neither a local folder nor the name of a pretrained model."
            f"{did_you_mean(where, (name for name, known in OFFLINE_MODELS.items() if not known.unpack))}"
        )
    return folder


def _file(folder: Path) -> Path:
    for name in (TOKENIZER, WORD_LIST, PAIR_LIST):
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder}: has no tokenizer whose words can be read: no {TOKENIZER}, {WORD_LIST} or {PAIR_LIST}")


@lru_cache(maxsize=16)
def _words_in(file: Path, state: tuple[tuple[int, int], ...]) -> tuple[tuple[str, ...], str]:
    del state  # a file that changed is read again
    lowered = False
    if file.name == TOKENIZER:
        tokenizer = _mapping(file)
        model = tokenizer.get("model")
        if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict | list):
            raise InputError(f"{file}: is no tokenizer: it has no model with a vocabulary")
        lowered = _lowers(tokenizer.get("normalizer"))
        special = {str(one.get("content")) for one in tokenizer.get("added_tokens") or () if one.get("special")}
        candidates = set(_unmarked(model)) - special - {str(model.get("unk_token"))}
    elif file.name == WORD_LIST:
        settings = _mapping(file.with_name(CONFIGURATION)) if file.with_name(CONFIGURATION).is_file() else {}
        lowered = bool(settings.get("do_lower_case", True))  # as its library takes it
        candidates = {token for token in _text(file).splitlines() if not token.startswith(CONTINUED)}
    else:
        candidates = set(_marked(_mapping(file)))
    words = tuple(
        sorted(word for word in candidates if LETTERS.fullmatch(word) and not (lowered and word.lower() != word))
    )
    if sum(len(word) > 1 for word in words) < 2:
        raise InputError(
            f"{file}: has no whole words: its tokens are letters, bytes or parts of words. Name another tokenizer, or "
            "list words in secrets.candidates"
        )
    return words, digest(words)


def _unmarked(model: Mapping[str, Any]) -> Iterator[str]:
    """The tokens of a tokenizer that may stand alone, without what marks that."""
    vocabulary = model["vocab"]
    kind = model.get("type") or ("Unigram" if isinstance(vocabulary, list) else "BPE")
    tokens = [str(one[0]) if isinstance(one, list) and one else str(one) for one in vocabulary]
    if kind == "WordPiece":
        continued = str(model.get("continuing_subword_prefix") or CONTINUED)
        yield from (token for token in tokens if not token.startswith(continued))
    elif kind == "WordLevel":
        yield from tokens
    else:
        yield from _marked(tokens, str(model.get("end_of_word_suffix") or ""))


def _marked(tokens: Iterable[str], end: str = "") -> Iterator[str]:
    """The tokens that begin with a space, or, where ends of words are marked, that end one."""
    for token in tokens:
        if end and token.endswith(end):
            yield token.removesuffix(end)
        elif token.startswith(SPACE_MARKS):
            yield token[1:]


def _lowers(normalizer: Any) -> bool:
    """Whether capitals are made small before a text is cut into tokens."""
    if not isinstance(normalizer, dict):
        return False
    if normalizer.get("type") == "Sequence":
        return any(map(_lowers, normalizer.get("normalizers") or ()))
    return normalizer.get("type") == "Lowercase" or bool(normalizer.get("lowercase"))


def _mapping(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(file))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{file}: cannot be read as a JSON object")
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__})") from None
