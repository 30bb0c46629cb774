"""Results that are there whole or not at all: made under another name beside their place, moved there at the end."""

from __future__ import annotations

import os
import secrets as randomness
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from divulge.errors import ExecutionError

__all__ = ["draft_of", "place_problems"]


@contextmanager
def draft_of(out: Path) -> Iterator[Path]:
    """Gives the name to write under; whatever still has it in the end, after a fault or an interrupt, is removed."""
    draft = out.parent / f".{randomness.token_hex(8)}.{out.name}"  # the ending stays: it tells the format
    try:
        yield draft
    except OSError as error:
        raise ExecutionError(f"{out}: cannot be made: {error.filename or out}: {error.strerror or 'fails'}") from None
    finally:
        if draft.is_dir():
            shutil.rmtree(draft)
        draft.unlink(missing_ok=True)


def place_problems(out: Path, said: str) -> list[str]:
    """What is wrong with a place to write to; nothing is ever written over."""
    if out.exists() or out.is_symlink():
        return [f"{out}: is there already, and nothing is written over ({said}). Choose another name, or remove it"]
    if not out.parent.is_dir():
        return [f"{out}: the folder around it does not exist ({said}). Make it first"]
    if not os.access(out.parent, os.W_OK | os.X_OK):
        return [f"{out}: the folder around it may not be written to ({said}). Choose another place"]
    return []
