"""From a name to a part, and from a data spec to its corpus."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data.corpus import Corpus
from divulge.data.loading import data_root, load_corpus
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.errors import InputError
from divulge.parts import Part, load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.spec import DataSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target

__all__ = ["attack_named", "corpus_of", "defence_named", "probe_named", "target_named"]

P = TypeVar("P", bound=Part)


def target_named(kind: str, recipe: Any = None) -> Target:
    """A target by kind, with its recipe."""
    return _usable(load(TARGETS, kind, Target, "target"), "target", "grants", "hints")(recipe)


def attack_named(name: str, options: Any = None) -> Attack:
    """An attack by name, with its options."""
    return _usable(load(ATTACKS, name, Attack, "attack"), "attack", "requires", "hints")(options)


def defence_named(name: str, options: Any = None) -> Defence:
    """A defence by name, with its options."""
    return _usable(load(DEFENCES, name, Defence, "defence"), "defence")(options)


def probe_named(name: str, options: Any = None) -> Probe:
    """A probe by name, with its options."""
    return _usable(load(PROBES, name, Probe, "probe"), "probe", "requires")(options)


def corpus_of(spec: DataSpec) -> Corpus:
    """Loads a corpus once per process: tasks of one run mostly share it. A file that changed is read again."""
    return _corpus(spec, _state(spec))


def _usable(kind: type[P], role: str, *facts: str) -> type[P]:
    """Somebody's own class may have been left half written."""
    missing = [fact for fact in ("name", *facts) if not hasattr(kind, fact)]
    if missing:
        raise InputError(
            f"{role} {kind.__module__}:{kind.__qualname__} must say its {', '.join(missing)} as class attributes"
        )
    return kind


@lru_cache(maxsize=8)
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
