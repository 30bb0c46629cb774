"""Ranking all 10^4 completions of a PIN against the published attack, and against asking about them one by one.

    python -m benchmarks.completion_search --size full --save

The three look for the same canary in the same trained tagger, in turn, each on all threads that torch takes by itself
(`OMP_NUM_THREADS=1` gives each one; batches gain from threads, a single text does not):

- discrete-search, which is exhaustive here, and is asked to name all completions;
- soft-token-32: 32 restarts of 250 steps in one batch;
- a loop that asks for the loss of one completion at a time, on a sample that is scaled up. It looks up the vectors of
  all words once, before its clock starts.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
import torch

from benchmarks.ratios import Ratio, Result, main
from divulge.access import GradientAccess, Supervision
from divulge.adversary import Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.discrete_search import DiscreteSearch
from divulge.attacks.soft_token import SoftTokenRestarted
from divulge.data.cases import target_case
from divulge.data.loading import load_corpus
from divulge.errors import ExecutionError
from divulge.grants import Grant
from divulge.records import Gaps, Ranking, Secret
from divulge.spec import DataSpec, SecretsSpec
from divulge.studies.parikh2022.setting import RECIPE, family
from divulge.targets.nlu_tagger import NluTagger

__all__ = ["SIZES", "Setting", "measure"]

T = TypeVar("T")
SMALL = {"width": 24, "hidden": 16, "layers": 1, "epochs": 8, "batch_size": 16, "learning_rate": 0.02}


@dataclass(frozen=True)
class Setting:
    """The model, the canary, and how much is measured."""

    data: dict[str, Any]
    recipe: dict[str, Any]
    copies: int
    digits: int = 4
    steps: int = 250
    restarts: int = 32
    sample: int = 300  # completions that the loop asks about
    repeats: int = 3  # of which the median counts
    seed: int = 0


SIZES = {
    "small": Setting({"name": "synthetic-utterances", "options": {"size": 200}}, {**RECIPE, **SMALL}, copies=10),
    "full": Setting({"name": "snips"}, dict(RECIPE), copies=100),
}


def measure(size: str, setting: Setting | None = None) -> Result:
    """Trains the tagger, then times the three."""
    chosen = setting or SIZES[size]
    grant, secret = _trained(chosen)
    hint = secret.hint
    assert isinstance(hint, Gaps)
    search = DiscreteSearch({"exhaustive_up_to": hint.space})
    whole = DiscreteSearch({"exhaustive_up_to": hint.space, "keep": hint.space})  # not timed: to compare every loss
    relaxed = SoftTokenRestarted({"steps": chosen.steps, "restarts": chosen.restarts})
    rng = np.random.default_rng(chosen.seed)
    places = np.sort(rng.permutation(hint.space)[: chosen.sample])
    every = list(itertools.product(*hint.candidates))
    sample = [every[place] for place in places]
    ranked, one_by_one = _guess(search, grant, secret), _loop(grant, hint, sample)
    times: dict[str, list[float]] = {"exhaustive": [], "soft-token-32": [], "one by one": []}
    for _ in range(chosen.repeats):  # in turn, so that what else the machine does falls on all of them
        best = _timed(ranked, times["exhaustive"])
        _timed(_guess(relaxed, grant, secret), times["soft-token-32"])
        losses = _timed(one_by_one, times["one by one"])
    seconds = {name: statistics.median(found) for name, found in times.items()}
    seconds["one by one"] *= hint.space / len(sample)
    ranking = _guess(whole, grant, secret)()
    found = dict(zip(ranking.candidates, ranking.scores, strict=True))
    if best.candidates != ranking.candidates[: len(best.candidates)]:
        raise ExecutionError("the best completions by themselves are not the best of all completions")
    apart = max(abs(-found[words] - loss) for words, loss in zip(sample, losses, strict=True))
    return Result(
        name="completion-search",
        size=size,
        seconds=seconds,
        ratios=(
            Ratio("exhaustive / soft-token-32", seconds["exhaustive"] / seconds["soft-token-32"], 1.0, "below"),
            Ratio("one by one / exhaustive", seconds["one by one"] / seconds["exhaustive"], 20.0, "at least"),
        ),
        agreement={"largest difference of a loss, exhaustive and one by one": apart, "completions": len(found)},
        setting=asdict(chosen),
        notes=(
            f"one by one: measured on {len(sample)} of {hint.space} completions and scaled up",
            f"{torch.get_num_threads()} threads each; the median of {chosen.repeats}",
            "training is not in these seconds",
        ),
    )


def _trained(chosen: Setting) -> tuple[Grant, Secret]:
    told = family("pin", chosen.digits)
    secrets = SecretsSpec(**told, count=1, controls=0, copies=chosen.copies)
    case = target_case(secrets, load_corpus(DataSpec(**chosen.data)), chosen.seed)
    target = NluTagger(chosen.recipe)
    return target.open(target.train(case.corpus, np.random.default_rng(chosen.seed))), case.secrets[0]


def _guess(attack: Attack, grant: Grant, secret: Secret) -> Callable[[], Ranking]:
    def ask() -> Ranking:
        (found,) = attack.guess(grant, {secret.id: secret.hint}, Knowledge(), np.random.default_rng(0))
        assert isinstance(found, Ranking)
        return found

    return ask


def _loop(grant: Grant, hint: Gaps, completions: list[tuple[str, ...]]) -> Callable[[], list[float]]:
    """The loop that anybody would write first."""
    access, towards = grant[GradientAccess], [Supervision(hint.label, hint.tags)]
    texts = [hint.filled(words) for words in completions]
    words = sorted({word for text in texts for word in text})
    vectors = dict(zip(words, access.vectors(words).detach(), strict=True))

    def ask() -> list[float]:
        found = []
        with torch.no_grad():
            for text in texts:
                parts = access.loss(torch.stack([vectors[word] for word in text])[None], towards)
                found.append(sum(float(part[0]) for part in parts.values()))
        return found

    return ask


def _timed(what: Callable[[], T], times: list[float]) -> T:
    begin = time.perf_counter()
    found = what()
    times.append(time.perf_counter() - begin)
    return found


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
