"""From a name to a part, from a data spec to its corpus, and from a path to what lies there."""

from __future__ import annotations

import hashlib
import inspect
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.auditing.public_words import with_public_words
from divulge.data.corpus import Corpus
from divulge.data.loading import data_root, load_corpus
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.parts import load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.spec import DataSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target

__all__ = [
    "attack_named",
    "content_fingerprint",
    "corpus_of",
    "defence_named",
    "probe_named",
    "source_number",
    "target_named",
]


def target_named(kind: str, recipe: Any = None) -> Target:
    """A target by kind, with its recipe; where that names public texts for its words, with these words."""
    found = load(TARGETS, kind, Target, "target")
    return found(with_public_words(recipe, found.Options.model_fields, corpus_of))


def attack_named(name: str, options: Any = None) -> Attack:
    """An attack by name, with its options."""
    return load(ATTACKS, name, Attack, "attack")(options)


def defence_named(name: str, options: Any = None) -> Defence:
    """A defence by name, with its options."""
    return load(DEFENCES, name, Defence, "defence")(options)


def probe_named(name: str, options: Any = None) -> Probe:
    """A probe by name, with its options."""
    return load(PROBES, name, Probe, "probe")(options)


def corpus_of(spec: DataSpec) -> Corpus:
    """Loads a corpus once per process: tasks of one run mostly share it. A file that changed is read again."""
    return _corpus(spec, _state(spec))


def content_fingerprint(path: object) -> str | None:
    """SHA-256 of the file, or of all files below the folder, that something is read from: a model, found secrets.

    None where nothing lies: a target may know its path as a name on a hub, or as an address.
    """
    root = Path(path) if isinstance(path, str) else None
    if root is None or not root.exists():
        return None
    files = (root,) if root.is_file() else tuple(sorted(one for one in root.rglob("*") if one.is_file()))
    return _hashed(root, files, tuple((one.stat().st_size, one.stat().st_mtime_ns) for one in files))


def source_number(kind: type) -> int:
    """A number that changes with the file a class is written in; 0 for one that was typed at a prompt."""
    try:
        source = inspect.getsourcefile(kind)
        content = Path(source).read_bytes() if source is not None else b""
    except (OSError, TypeError):
        content = b""
    return int(hashlib.sha256(content).hexdigest()[:12], 16) if content else 0


@lru_cache(maxsize=8)
def _hashed(root: Path, files: tuple[Path, ...], states: tuple[tuple[int, int], ...]) -> str:
    del states  # a file that changed is hashed again
    whole = hashlib.sha256()
    for one in files:
        with one.open("rb") as file:
            whole.update(f"{one.relative_to(root)}\n{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()


@lru_cache(maxsize=16)  # a study of three tasks has texts, words and public texts of each
def _corpus(spec: DataSpec, state: tuple[object, ...]) -> Corpus:
    del state
    return load_corpus(spec)


def _state(spec: DataSpec) -> tuple[object, ...]:
    """What a corpus depends on beside its spec: which file it is, and since when; or where all data sets are."""
    if spec.path is None:
        return (data_root(),)
    try:
        facts = Path(spec.path).stat()
    except OSError:
        return ()
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size
