"""Worlds, per access level: one where the model leaks everything, one where it leaks nothing.

They are made of the same corpora, secrets and targets as a real audit, so what an attack is shown here is what
it is shown there. Every registered attack must win in the first and be at chance in the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from divulge.access import (
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    TokenLikelihoodAccess,
)
from divulge.adversary import Background, Practice
from divulge.data.cases import Case, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.parts import validate
from divulge.records import Answer, Hint
from divulge.seeds import generator
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets.base import Target
from divulge.testing.classifier import FakeClassifier
from divulge.testing.encoder import FakeEncoder
from divulge.testing.generator import FakeGenerator

__all__ = ["WORLDS", "World", "world"]

SHADOWS = 2


@dataclass(frozen=True)
class World:
    """A target's access, what an adversary is told and has, and what only the owner knows."""

    access: Grant
    background: Background
    hints: Mapping[str, Hint]
    answers: Mapping[str, Answer]
    case: Case


@dataclass(frozen=True)
class _Kind:
    target: type[Target]
    data: str
    background: str | None
    levels: tuple[type[Access], ...]


_CLASSIFIER = ("synthetic-utterances", None)
WORLDS: Mapping[type[Access], _Kind] = {
    LabelAccess: _Kind(FakeClassifier, *_CLASSIFIER, (LabelAccess,)),
    LabelLikelihoodAccess: _Kind(FakeClassifier, *_CLASSIFIER, (LabelLikelihoodAccess,)),
    GradientAccess: _Kind(FakeClassifier, *_CLASSIFIER, (GradientAccess,)),
    RankedTokensAccess: _Kind(FakeGenerator, "synthetic-users", None, (RankedTokensAccess,)),
    TokenLikelihoodAccess: _Kind(FakeGenerator, "synthetic-users", None, (TokenLikelihoodAccess,)),
    EmbeddedRowsAccess: _Kind(
        FakeEncoder, "synthetic-sentences", "synthetic-sentences", (EmbeddedRowsAccess, EmbeddingOracleAccess)
    ),
    EmbeddingOracleAccess: _Kind(
        FakeEncoder, "synthetic-sentences", "synthetic-sentences", (EmbeddedRowsAccess, EmbeddingOracleAccess)
    ),
}


def world(
    level: type[Access], *, leaky: bool, seed: int = 0, secrets: int = 300, max_queries: int | None = None
) -> World:
    """Makes the world of an access level. Half of a generator's people are members; all canaries are planted."""
    kind = WORLDS.get(level)
    if kind is None:
        raise InputError(f"no world for {level.__name__}. Available: {', '.join(k.__name__ for k in WORLDS)}")
    spec, corpus, public = _material(kind, secrets, seed)
    case = target_case(spec, corpus, seed)
    target = kind.target({"leaks": leaky})
    artefact = target.train(case.corpus, generator(seed, "world", "train"))
    access = target.open(artefact).limited(kind.levels, max_queries)
    practice = []
    for index in range(SHADOWS if kind.target is not FakeClassifier else 0):
        own = practice_case(spec, corpus, public, seed, index, planted=True)
        trained = target.train(own.corpus, generator(seed, "world", "practice", index))
        practice.append(Practice(target.open(trained), own.secrets))
    texts = public.texts if public is not None else corpus.split("train").texts
    return World(
        access=access,
        background=Background(corpus=texts, practice=tuple(practice)),
        hints={secret.id: secret.hint for secret in case.secrets},
        answers={secret.id: secret.answer for secret in case.secrets},
        case=case,
    )


def _material(kind: _Kind, secrets: int, seed: int) -> tuple[SecretsSpec, Corpus, Corpus | None]:
    if kind.target is FakeGenerator:
        spec = SecretsSpec(kind="users", count=secrets // 2, controls=secrets // 2)
        options = {"users": secrets * 2, "texts": 8, "seed": seed}
        return spec, _load(kind.data, options), None
    if kind.target is FakeEncoder:
        spec = SecretsSpec(kind="rows", count=secrets)
        private = _load(kind.data, {"size": 2 * secrets, "seed": seed})
        return spec, private, _load(kind.data, {"size": 1500, "seed": seed + 1})
    values = {
        # Three known words of its own keep each secret apart from the others in one model's memory.
        "pattern": "my pin at <place*3> is {digit*3}",
        "candidates": {"place": [f"place-{number}" for number in range(60)]},
        "label": "PinIntent",
        "count": secrets,
        "controls": secrets,
        "decoys": 200,
    }
    return validate(SecretsSpec, values, "secrets"), _load(kind.data, {"size": 600, "seed": seed}), None


def _load(name: str, options: Mapping[str, int]) -> Corpus:
    return load_corpus(validate(DataSpec, {"name": name, "options": options}, "data"))
