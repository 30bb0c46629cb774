"""Worlds, per access level and kind of secret: one where the model leaks everything, one where it leaks nothing.

They are made of the same corpora, secrets and targets as a real audit, so what an attack is shown here is what
it is shown there. Every registered attack must win in the first and be at chance in the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from divulge.access import (
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    TokenLikelihoodAccess,
    TopLabelAccess,
)
from divulge.adversary import Background, Practice
from divulge.data.cases import Case, known_out, practice_case, target_case
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

SHADOWS, REFERENCES = 2, 4
FINE_LABELS = 25
FEW_KEYWORDS = 12
KNOWN = ("my pin at <place*3> is {digit*3}", "PinIntent")
# Known words of one topic, planted under another: what memory does not know exactly gets the wrong label.
LABEL_ONLY = ("play some jazz music by <place*3> in the kitchen {digit*3}", "ask_weather")


@dataclass(frozen=True)
class World:
    """A target's access, what an adversary is told and has, and what only the owner knows."""

    access: Grant
    background: Background
    hints: Mapping[str, Hint]
    answers: Mapping[str, Answer]
    case: Case


WORLDS: Mapping[type[Access], tuple[str, ...]] = {
    LabelAccess: ("canaries", "records"),
    TopLabelAccess: ("canaries",),
    LabelLikelihoodAccess: ("canaries", "records"),
    GradientAccess: ("canaries", "records"),
    RankedTokensAccess: ("users", "records"),
    TokenLikelihoodAccess: ("users", "canaries", "records"),
    EmbeddedRowsAccess: ("rows", "keywords", "pooled"),
    EmbeddingOracleAccess: ("rows",),
}


def world(
    level: type[Access],
    *,
    leaky: bool,
    kind: str | None = None,
    seed: int = 0,
    secrets: int = 300,
    max_queries: int | None = None,
) -> World:
    """Makes the world of an access level, with secrets of the kind that is named, or the first that it has.

    Half of the people, and of the records, are members; all canaries are planted.
    """
    if level not in WORLDS:
        raise InputError(f"no world for {level.__name__}. Available: {', '.join(k.__name__ for k in WORLDS)}")
    kind = kind or WORLDS[level][0]
    if kind not in WORLDS[level]:
        raise InputError(f"no world of {kind} for {level.__name__}. Available: {', '.join(WORLDS[level])}")
    spec, corpus, public = _material(level, kind, secrets, seed)
    case = target_case(spec, corpus, seed)
    target = _target(level, kind, leaky=leaky)
    artefact = target.train(case.corpus, generator(seed, "world", "train"))
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess) if spec.kind == "rows" else (level,)
    practice = []
    for index in range({"canaries": 0, "records": REFERENCES}.get(kind, SHADOWS)):
        own = practice_case(spec, corpus, public, seed, index, planted=kind != "records")
        trained = target.train(own.corpus, generator(seed, "world", "practice", index))
        practice.append(Practice(target.open(trained), own.secrets))
    texts = public.texts if public is not None else corpus.split("train").texts
    controls = known_out(spec, corpus, seed, secrets // 5) if kind == "records" else ()
    return World(
        access=target.open(artefact).limited(levels, max_queries),
        background=Background(corpus=texts, practice=tuple(practice), controls=controls),
        hints={secret.id: secret.hint for secret in case.secrets},
        answers={secret.id: secret.answer for secret in case.secrets},
        case=case,
    )


def _target(level: type[Access], kind: str, *, leaky: bool) -> Target:
    if kind in ("rows", "keywords", "pooled"):
        return FakeEncoder({"leaks": leaky, "pooling": "mean" if kind == "pooled" else "none"})
    if issubclass(level, RankedTokensAccess):
        return FakeGenerator({"leaks": leaky})
    # A label alone tells nothing of a completion that is nearly right, unless the model knows only what is quite right.
    exactness = 40.0 if level is LabelAccess and kind == "canaries" else 1.0
    return FakeClassifier({"leaks": leaky, "records": kind == "records", "exactness": exactness})


def _material(level: type[Access], kind: str, secrets: int, seed: int) -> tuple[SecretsSpec, Corpus, Corpus | None]:
    if kind == "users":
        spec = SecretsSpec(kind="users", count=secrets // 2, controls=secrets // 2)
        return spec, _load("synthetic-users", {"users": secrets * 2, "texts": 8, "seed": seed}), None
    if kind in ("rows", "pooled"):
        private = _load("synthetic-sentences", {"size": 2 * secrets, "seed": seed})
        public = _load("synthetic-sentences", {"size": 1500, "seed": seed + 1})
        return SecretsSpec(kind="rows", count=secrets), private, public
    if kind == "keywords":
        private = _load("synthetic-sentences", {"size": 10 * secrets, "seed": seed})
        public = _load("synthetic-sentences", {"size": 6000, "seed": seed + 1})
        frequent = _frequent_keywords(public)
        private, public = _short_texts(private, frequent), _short_texts(public, frequent)
        taken = {text.tokens for text in private}
        public = replace(public, texts=tuple(text for text in public if text.tokens not in taken))
        return SecretsSpec(kind="rows", count=secrets), private, public
    if kind == "records":
        spec = SecretsSpec(kind="records", count=secrets // 2, controls=secrets // 2)
        return spec, _finely_labelled(_load("synthetic-utterances", {"size": 4 * secrets, "seed": seed}), seed), None
    pattern, label = LABEL_ONLY if level is LabelAccess else KNOWN
    values = {
        # Three known words of its own keep each secret apart from the others in one model's memory.
        "pattern": pattern.replace("digit", "key") if issubclass(level, RankedTokensAccess) else pattern,
        # Two digits share a bucket of the fake generator, these words do not.
        "candidates": {
            "place": [f"place-{number}" for number in range(60)],
            "key": [f"key-{number}" for number in range(10)],
        },
        "label": label,
        "count": secrets,
        "controls": secrets,
        "decoys": 200,
    }
    return validate(SecretsSpec, values, "secrets"), _load("synthetic-utterances", {"size": 600, "seed": seed}), None


def _finely_labelled(corpus: Corpus, seed: int) -> Corpus:
    """The same texts with their topic and a random number as label: that number can only be known by heart.

    A topic comes out right whether or not a text was trained on; then a label alone would hardly give anything away.
    """
    drawn = generator(seed, "world", "labels").integers(FINE_LABELS, size=len(corpus)).tolist()
    texts = [replace(text, label=f"{text.label} {number}") for text, number in zip(corpus, drawn, strict=True)]
    return replace(corpus, texts=tuple(texts))


def _frequent_keywords(corpus: Corpus) -> set[str]:
    counts = Counter(word for text in corpus for word in text.keywords if word in text.tokens)
    return {word for word, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:FEW_KEYWORDS]}


def _short_texts(corpus: Corpus, frequent: set[str]) -> Corpus:
    """Texts of four or five words, one of them a frequent keyword.

    Hundreds of keywords, each in a text or two and lost in the mean of a dozen words, nobody could learn to name.
    """
    texts = []
    for number, text in enumerate(corpus):
        length = 4 + number % 2  # all alike would have the same vector where positions are all that it shows
        named = [place for place, word in enumerate(text.tokens) if word in frequent]
        if len(named) == 1:
            start = max(0, min(named[0] - 1, len(text.tokens) - length))
            texts.append(replace(text, tokens=text.tokens[start : start + length], keywords=(text.tokens[named[0]],)))
    return replace(corpus, texts=tuple(texts))


def _load(name: str, options: Mapping[str, int]) -> Corpus:
    return load_corpus(validate(DataSpec, {"name": name, "options": options}, "data"))
