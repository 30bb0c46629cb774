"""What an example is called where its text must not stand: in errors, logs and results.

A plain hash of a short text could be undone by trying: an id is keyed with random bytes that lie beside the store,
readable by its owner alone. The same text has the same id in every run on that store.
"""

from __future__ import annotations

import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path

from divulge.store import ANSWERS, default_root

__all__ = ["example_id"]

KEY_FILE = "example-ids.key"
KEY_BYTES = 32
OWNER_ONLY = 0o600
DIGITS = 12


def example_id(text: str) -> str:
    """Names an example by HMAC-SHA256 of its text; 12 hex digits."""
    key = _key(default_root().expanduser().absolute() / ANSWERS / KEY_FILE)
    return hmac.new(key, text.encode(), "sha256").hexdigest()[:DIGITS]


@lru_cache(maxsize=4)
def _key(path: Path) -> bytes:
    """The key that lies there, made if there is none; where nothing can be written, one for this process."""
    drawn = secrets.token_bytes(KEY_BYTES)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(handle, "wb") as file:
            file.write(drawn)
        try:
            os.link(draft, path)  # whoever comes first decides
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return path.read_bytes()
    except OSError:
        return drawn
