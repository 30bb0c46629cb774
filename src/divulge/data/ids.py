"""Opaque names for secrets: stable across runs, and silent about what they name.

An id is a keyed hash. Where the thing named could be guessed (a user's name, a row number, a found PIN), the key
must be something that a reader of a report does not have: the data itself, or random bytes kept in the secrets file.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from divulge.canonical import canonical_json
from divulge.data.corpus import Corpus

__all__ = ["fresh_key", "key_from_seed", "key_from_texts", "opaque_id"]

KEY_BYTES = 32
ID_DIGITS = 16


def opaque_id(key: bytes, *parts: object) -> str:
    """Names something by HMAC-SHA256 of its canonical spelling; 16 hex digits.

    >>> len(opaque_id(b"key", "pattern", 0))
    16
    """
    return hmac.new(key, canonical_json(parts).encode(), hashlib.sha256).hexdigest()[:ID_DIGITS]


def key_from_seed(seed: int, *names: str | int) -> bytes:
    """Makes the key of secrets that are made from the seed: who knows the seed can make them anyway."""
    return hashlib.sha256(canonical_json(["secret ids", seed, *names]).encode()).digest()


def key_from_texts(corpus: Corpus, seed: int, *names: str | int) -> bytes:
    """Makes the key of users and rows: only who has every text of the corpus can make it again.

    The seed and the fingerprint of the corpus stand in reports, so a key made of those would let a reader try
    names one by one. This hash has another beginning than the fingerprint and cannot be computed from it.
    """
    sha = hashlib.sha256(canonical_json(["secret ids of texts", seed, *names]).encode() + b"\n")
    sha.update(corpus.content)
    return sha.digest()


def fresh_key() -> bytes:
    """Makes a random key for found secrets; it lives in their file and nowhere else."""
    return secrets.token_bytes(KEY_BYTES)
