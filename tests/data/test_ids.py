"""Tests of divulge.data.ids."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from divulge.data.corpus import Corpus
from divulge.data.ids import fresh_key, key_from_seed, key_from_texts, opaque_id
from divulge.records import Text

CORPUS = Corpus((Text(("good", "morning"), user="ada"), Text(("good", "night"), user="ben")))


def test_an_id_is_hmac_sha256_of_the_canonical_spelling():
    """The literal was computed outside Python: HMAC-SHA256, key "key", of ["user","ada"]."""
    assert opaque_id(b"key", "user", "ada") == "a08a029286542803"


def test_ids_depend_on_the_key_and_on_every_part():
    """Another key, another part or parts joined otherwise give another id."""
    ids = {
        opaque_id(b"key", "user", "ada"),
        opaque_id(b"other", "user", "ada"),
        opaque_id(b"key", "user", "ben"),
        opaque_id(b"key", "usera", "da"),
        opaque_id(b"key", "userada"),
    }
    assert len(ids) == 5


def test_keys_from_a_seed_differ_by_seed_and_name():
    """Target and practice models, and other seeds, never share a key."""
    keys = {key_from_seed(0), key_from_seed(1), key_from_seed(0, "practice", 0), key_from_seed(0, "practice", 1)}
    assert len(keys) == 4


def test_a_key_from_texts_needs_every_text():
    """Changing one token of one text, or the seed, gives another key; the corpus's name does not matter."""
    key = key_from_texts(CORPUS, 0)
    changed = Corpus((CORPUS.texts[0], replace(CORPUS.texts[1], tokens=("good", "day"))))
    assert key != key_from_texts(changed, 0)
    assert key != key_from_texts(CORPUS, 1)
    assert key == key_from_texts(replace(CORPUS, name="same texts"), 0)


def test_a_key_from_texts_is_not_the_published_fingerprint():
    """Neither the fingerprint nor a hash of it with the seed is the key, since reports show both."""
    key = key_from_texts(CORPUS, 0)
    published = bytes.fromhex(CORPUS.fingerprint)
    assert key not in (published, hashlib.sha256(published).digest(), key_from_seed(0, CORPUS.fingerprint))


def test_fresh_keys_are_long_and_never_the_same():
    """Keys of found secrets are random."""
    keys = {fresh_key() for _ in range(20)}
    assert len(keys) == 20
    assert {len(key) for key in keys} == {32}
