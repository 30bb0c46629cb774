"""Looks for secrets in a user's data and writes them to a secrets file, with controls to judge their ranks by."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from divulge.data.corpus import Corpus
from divulge.data.finding import find_matches, find_secrets
from divulge.data.ids import fresh_key, key_from_seed
from divulge.data.loading import load_corpus
from divulge.data.planting.drafts import place_problems
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import EvidenceError, InputError
from divulge.records import Record, Secret
from divulge.seeds import generator
from divulge.spec import DataSpec

__all__ = ["PatternCount", "SearchPlan", "Searched", "search_data"]

ENTROPY_BITS = 256
NONE = (
    "There are no controls. An audit tells the exposure of each secret, but claims no leak: a model may prefer a true "
    "secret without having seen it, merely because it is plausible. Give data that it was not trained on, with "
    "--held-out, and the secrets in it show how often that happens."
)
FOUND = (
    "Controls are secrets of the same patterns in {where}, which the model was not trained on: what ranks above them "
    "is remembered, not guessed. If it was trained on them, they hide the leak."
)


@dataclass(frozen=True)
class SearchPlan:
    """What to look for, how many to keep of each pattern, and where controls come from."""

    patterns: tuple[str, ...]
    limit: int = 100
    decoys: int = 1000
    held_out: str | None = None
    split: str = "train"
    seed: int | None = None


class PatternCount(Record):
    """How many secrets of one pattern were found in the data, how many are kept, and with how many controls."""

    pattern: str
    found: int
    kept: int
    controls: int


class Searched(Record):
    """What was found, without a word of it."""

    data: str
    secrets: str
    split: str
    patterns: tuple[PatternCount, ...]
    kept: int
    controls: int
    controls_are: str
    fingerprint: str


def search_data(data: DataSpec, out: Path, plan: SearchPlan) -> Searched:
    """Finds secrets and writes their file; if there are none, writes nothing and says so."""
    problems = place_problems(out, "--secrets")
    for what in plan.patterns:
        try:
            find_matches(Corpus(()), what)
        except InputError as error:
            problems += [f"--pattern {problem}" for problem in error.problems]
    if problems:
        raise InputError(problems)
    corpus = load_corpus(data)
    if plan.split not in corpus.splits:
        raise InputError(f"the data has no split {plan.split!r} (--split). It has {_listed(corpus.splits)}")
    others, where = _held_out(data, corpus, plan)
    key = fresh_key() if plan.seed is None else key_from_seed(plan.seed, "found")
    seed = randomness.randbits(ENTROPY_BITS) if plan.seed is None else plan.seed
    secrets: dict[str, Secret] = {}
    controls: dict[str, Secret] = {}
    counts = []
    for what in dict.fromkeys(plan.patterns):
        rng = generator(seed, "found", what)
        matches = find_matches(corpus, what, splits=(plan.split,))
        kept = _new(_find(corpus, what, key, rng, plan), secrets) if matches else []
        judged: list[Secret] = []
        if others is not None:
            told = frozenset(answer for _, answer in matches)
            judged = _new(_find(others, what, key, rng, plan, exclude=told), controls) if kept else []
        secrets |= {secret.id: secret for secret in kept}
        controls |= {secret.id: secret for secret in judged}
        counts.append(PatternCount(pattern=what, found=len(matches), kept=len(kept), controls=len(judged)))
    if secrets and others is not None and not controls:
        raise EvidenceError(
            f"{len(secrets)} secrets were found, but none of these patterns in {where} to judge them by. "
            "Give other data to --held-out, or leave it out: then there are no controls"
        )
    if secrets:
        write_secrets(out, SecretsFile(corpus.fingerprint, key, tuple(secrets.values()), tuple(controls.values())))
    return Searched(
        data=str(data.path),
        secrets=str(out),
        split=plan.split,
        patterns=tuple(counts),
        kept=len(secrets),
        controls=len(controls),
        controls_are=NONE if others is None else FOUND.format(where=where),
        fingerprint=corpus.fingerprint,
    )


def _find(
    corpus: Corpus,
    what: str,
    key: bytes,
    rng: np.random.Generator,
    plan: SearchPlan,
    *,
    exclude: Collection[tuple[str, ...]] | None = None,
) -> tuple[Secret, ...]:
    """Secrets of the trained split; with `exclude`, those of a corpus that is held out as a whole."""
    splits = (plan.split,) if exclude is None else corpus.splits
    return find_secrets(
        corpus, what, key, rng, limit=plan.limit, decoys=plan.decoys, splits=splits, exclude=exclude or ()
    )


def _new(found: Iterable[Secret], known: Collection[str]) -> list[Secret]:
    """Without what another pattern has found before."""
    return [secret for secret in found if secret.id not in known]


def _held_out(data: DataSpec, corpus: Corpus, plan: SearchPlan) -> tuple[Corpus | None, str]:
    """The texts that controls are looked for in, and what they are called."""
    if plan.held_out is None:
        return None, ""
    if plan.held_out == plan.split:
        raise InputError(f"--held-out {plan.held_out} is the split that the model was trained on. Give another")
    if plan.held_out in corpus.splits:
        return corpus.split(plan.held_out), f"the split {plan.held_out!r}"
    if not Path(plan.held_out).expanduser().exists():
        raise InputError(
            f"--held-out {plan.held_out}: is neither a split of the data ({_listed(corpus.splits)}) nor a file"
        )
    others = load_corpus(data.model_copy(update={"path": plan.held_out}))
    if others.fingerprint == corpus.fingerprint:
        raise InputError(
            f"--held-out {plan.held_out}: is the data itself. Give texts that the model was not trained on"
        )
    return others, plan.held_out


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
