"""Every registered target, trained on a small made corpus that fits it, and ways to ask it everything."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_files import FILE_RECIPES

from divulge.access import (
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    Supervision,
    TokenLikelihoodAccess,
)
from divulge.data.cases import Case, target_case
from divulge.data.corpus import Corpus
from divulge.data.loading import load_corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.parts import load
from divulge.records import Artefact, Gaps, LeakedRow, Passage, RecordText, Text, UserTexts
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets import TARGETS
from divulge.targets.base import Target

TARGET_CLASSES: dict[str, type[Target]] = {name: load(TARGETS, name, Target, "target") for name in TARGETS}
POOLED = ("vectors",)  # targets whose trial rows are one vector a text
PIN = SecretsSpec(pattern="my pin is {digit*3}", label="PinIntent", count=3, controls=3, copies=2)
MATERIAL: dict[type, tuple[DataSpec, SecretsSpec]] = {
    Gaps: (DataSpec(name="synthetic-utterances", options={"size": 120}), PIN),
    UserTexts: (
        DataSpec(name="synthetic-users", options={"users": 12, "texts": 6}),
        SecretsSpec(kind="users", count=4, controls=4),
    ),
    LeakedRow: (DataSpec(name="synthetic-sentences", options={"size": 60}), SecretsSpec(kind="rows", count=10)),
    RecordText: (
        DataSpec(name="synthetic-topics", options={"size": 120}),
        SecretsSpec(kind="records", held_out="test", count=5, controls=5),
    ),
}
ANSWERING = ("seq2seq-generator",)  # targets whose texts need something that they answer


@dataclass(frozen=True)
class Trained:
    """A target and what it was trained on."""

    target: Target
    case: Case
    artefact: Artefact

    @property
    def corpus(self) -> Corpus:
        """Its training corpus."""
        return self.case.corpus

    def grant(self) -> Grant:
        """Opens it anew."""
        return self.target.open(self.artefact)


def made(name: str) -> Target:
    """Makes a target by its trial recipe; skips the test, with the reason, where an extra is not installed."""
    try:
        return TARGET_CLASSES[name](_recipe(name))
    except InputError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))


@cache
def _recipe(name: str) -> dict[str, Any]:
    """The trial recipe; targets that read files or a model's folder are given such as fit their material."""
    found = TARGET_CLASSES[name]
    if name.startswith("transformers-"):
        return {**found.trial, "path": str(_tiny_folder(name))}
    if name not in FILE_RECIPES:
        return dict(found.trial)
    data, secrets = MATERIAL[found.hints[0]]
    return FILE_RECIPES[name](target_case(secrets, load_corpus(data), 0).corpus)


@cache
def _tiny_folder(name: str) -> Path:
    """A tiny model to start from, without a head."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')
    from tests.tiny_transformers import bytes_of_words, save_bert, save_gpt2

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    texts = load_corpus(MATERIAL[Gaps][0]).texts
    if name == "transformers-generator":
        return save_gpt2(folder, bytes_of_words([" ".join(text.tokens) for text in texts]))
    return save_bert(folder, "none", words=sorted({word for text in texts for word in text.tokens}))


@cache
def trained(name: str, seed: int = 0) -> Trained:
    """Trains a target by its trial recipe."""
    target = made(name)
    data, secrets = MATERIAL[RecordText if name in ANSWERING else target.hints[0]]
    corpus = load_corpus(data)
    if name in ANSWERING:
        corpus = replace(corpus, texts=tuple(replace(text, context=("about", str(text.label))) for text in corpus))
    case = target_case(secrets, target.as_read(corpus), 0)
    return Trained(target, case, target.train(case.corpus, np.random.default_rng(seed)))


def owner_sample(corpus: Corpus, grant: Grant, *, blurred_rows: bool = False) -> OwnerSample:
    """What an owner tries on the target of this corpus."""
    rows = [text.whole for text in corpus.split("train").texts[:8]]
    return OwnerSample(
        texts=[text for text in corpus if not text.planted],
        row_texts=dict(enumerate(rows)),
        oracle=grant.get(EmbeddingOracleAccess),
        blurred_rows=blurred_rows,
    )


def asked(grant: Grant, corpus: Corpus) -> dict[str, list[np.ndarray]]:
    """Every question that a grant allows, about a few texts: the answers by question, text by text."""
    texts = [text for text in corpus if text.tokens and not text.planted][:6]
    return {question: [np.asarray(one) for one in answers] for question, answers in _answers(grant, texts)}


def alike(one: dict[str, list[np.ndarray]], other: dict[str, list[np.ndarray]], rounding: float = 0.0) -> bool:
    """Whether two sets of answers are the same, question by question, up to what rounding may do to numbers."""
    return one.keys() == other.keys() and all(
        len(mine) == len(theirs) and all(_same(a, b, rounding) for a, b in zip(mine, theirs, strict=True))
        for mine, theirs in zip(one.values(), other.values(), strict=True)
    )


def _same(a: np.ndarray, b: np.ndarray, rounding: float) -> bool:
    if rounding and a.shape == b.shape and a.dtype.kind == b.dtype.kind == "f":
        return bool(np.allclose(a, b, rtol=0, atol=rounding))
    return np.array_equal(a, b)


def _answers(grant: Grant, texts: list[Text]) -> Iterator[tuple[str, Any]]:
    tokens = [text.tokens for text in texts]
    passages = [Passage(context=text.context, tokens=text.tokens) for text in texts]
    labels = LabelAccess in grant and grant[LabelAccess].labels
    tags = LabelAccess in grant and grant[LabelAccess].tag_names
    if labels:
        yield "label", grant[LabelAccess].label(tokens)
    if tags:
        yield "tags", grant[LabelAccess].tags(tokens)
    if LabelLikelihoodAccess in grant and labels:
        yield "likelihoods", grant[LabelLikelihoodAccess].likelihoods(tokens)
    if LabelLikelihoodAccess in grant and not labels:
        yield "tag_likelihoods", grant[LabelLikelihoodAccess].tag_likelihoods(tokens)
    if GradientAccess in grant:
        access = grant[GradientAccess]
        inputs = [access.vectors(text.tokens).detach() for text in texts]
        yield "vectors", inputs
        supervised = [[Supervision(text.label, text.tags)] for text in texts]
        found = [access.loss(one[None], towards) for one, towards in zip(inputs, supervised, strict=True)]
        yield "loss", [part.detach() for parts in found for part in parts.values()]
    if RankedTokensAccess in grant:
        yield "ranks", grant[RankedTokensAccess].ranks(passages)
        yield "best", grant[RankedTokensAccess].best(passages)
        yield "output_limit", [grant[RankedTokensAccess].output_limit]
    if TokenLikelihoodAccess in grant:
        yield "log_likelihoods", grant[TokenLikelihoodAccess].log_likelihoods(passages)
    if EmbeddedRowsAccess in grant:
        yield "rows", grant[EmbeddedRowsAccess].rows(range(len(texts)))
    if EmbeddingOracleAccess in grant:
        yield "embed", grant[EmbeddingOracleAccess].embed(tokens)
