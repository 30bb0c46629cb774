"""The pruned search for the missing words of a canary against the full beam search of elmahdy2022.

    python -m benchmarks.token_search --size full --save

All look for the same canaries, two words missing, in the same trained classifiers, and name twenty fillings each:

- label-likelihood with a beam of 20, which tries every word of the second hole behind each of its beams;
- the same with a shortlist of a hundredth of the words, as the studies have it at scale quick: what it loses;
- calibrated-likelihood with the weights (GradientAccess), and with a twentieth of those questions for its budget;
- calibrated-likelihood with probabilities alone (`prune = false`), for which no ratio is demanded: to try every word of
  each hole once is already a tenth of the full search.

What each model gave at size full is kept in the store, so that an interrupted run goes on with the next one.

Beside that, the likelihoods of all candidates at one position: as the access batches them, and in a plain loop over
padded batches of 32. Whole words are one piece each, so that the loop has nothing to pad either: both should be alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch

from benchmarks.ratios import Ratio, Result, is_busy, machine, main
from divulge.access import Access, GradientAccess, LabelLikelihoodAccess
from divulge.adversary import Knowledge
from divulge.attacks.base import Attack
from divulge.attacks.calibrated_likelihood import CalibratedLikelihood
from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.canonical import digest
from divulge.data.cases import Case, target_case
from divulge.data.loading import load_corpus
from divulge.grants import Grant
from divulge.parts import load
from divulge.records import Artefact, Gaps, Ranking, Tokens
from divulge.spec import DataSpec, SecretsSpec
from divulge.store import Store
from divulge.targets import TARGETS
from divulge.targets.base import Target
from divulge.targets.text_classifier import TextClassifierAccess
from divulge.vocabularies import whole_words

__all__ = ["SIZES", "Setting", "measure", "plain_loop"]

ENCODER = "all-MiniLM-L6-v2"
MOST = 1 / 20  # of the questions of the full search
NARROW = {"starts": 32, "shortlist": 300, "beam": 20, "tried": 30, "sweeps": 2}


@dataclass(frozen=True)
class Setting:
    """The models, the canaries in them, and how hard the pruned search tries."""

    data: dict[str, Any]
    target: str
    recipe: dict[str, Any]
    words: int | None  # candidates of a hole; None: all words of the training texts
    vocabulary: str | None = ENCODER  # whose whole words canaries are made of; None: those of the training texts
    known: int = 8
    models: int = 4
    canaries: int = 5  # in each model
    copies: int = 100
    beam: int = 20
    shortlist: int = 20
    effort: dict[str, Any] = field(default_factory=lambda: dict(NARROW))
    batch: int = 32  # of the plain loop
    repeats: int = 3  # of the scan
    seed: int = 0
    keep: bool = False  # what a model gave, in the store: hours of work that may be interrupted


SIZES = {
    "small": Setting(
        {"name": "synthetic-topics", "options": {"size": 600, "topics": 8}},
        "text-classifier",
        {"epochs": 20, "width": 32, "layers": 1, "heads": 2, "dropout": 0.0, "learning_rate": 5e-3},
        words=300,
        vocabulary=None,
        models=1,
        copies=8,
        effort={**NARROW, "shortlist": 50, "tried": 15},
    ),
    "full": Setting(
        {"name": "reddit-topics", "options": {"each": 20, "rare": 5, "rare_each": 10, "words": 24}},
        "transformers-classifier",
        {"path": ENCODER, "epochs": 5, "learning_rate": 1e-4, "batch_size": 32},
        words=2000,
        keep=True,
    ),
}
Searches = Mapping[str, tuple[Attack, type[Access]]]


def measure(size: str, setting: Setting | None = None) -> Result:
    """Trains each model, and searches it in four ways."""
    chosen = setting or SIZES[size]
    searches = _searches(chosen)
    parts = [_kept(chosen, number, searches) for number in range(chosen.models)]
    seconds = {name: sum(part["seconds"][name] for part in parts) for name in searches}
    asked = {name: sum(part["asked"][name] for part in parts) for name in searches}
    found = {
        name: {f"{number} {one}" for number, part in enumerate(parts) for one in part["found"][name]}
        for name in searches
    }
    speed, apart = parts[-1]["speed"], parts[-1]["apart"]
    busy = sum(part["busy"] for part in parts)
    every, again = chosen.models * chosen.canaries, {name: _again(found[name], found["full"]) for name in searches}
    return Result(
        name="token-search",
        size=size,
        seconds=seconds | speed,
        ratios=(
            Ratio("found by the pruned search, of what the full one finds", again["pruned"], 0.95, "at least"),
            Ratio("questions, pruned / full", asked["pruned"] / asked["full"], MOST, "at most"),
            Ratio("all words at one position / plain loop", speed["scan"] / speed["plain loop"], 1.2, "at most"),
        ),
        agreement={
            "canaries": float(every),
            **{f"found, {name}": float(len(found[name])) for name in searches},
            **{f"questions a canary, {name}": asked[name] / every for name in searches},
            "found again, prune = false": again["prune = false"],
            "questions, prune = false / full": asked["prune = false"] / asked["full"],
            "largest difference of a probability, scan and plain loop": apart,
        },
        setting=asdict(chosen),
        notes=(
            f"found: the missing words are among the {chosen.beam} fillings that are named",
            "seconds are those of the processor: all canaries of all models, or one position; without training",
            *(
                ()
                if not busy
                else (f"{busy} models were searched beside other work; questions and finds do not hang on it",)
            ),
            *(() if found["full"] else ("the full search found nothing, so that there was nothing to find again",)),
        ),
    )


def _searches(chosen: Setting) -> dict[str, tuple[Attack, type[Access]]]:
    pruned = {**chosen.effort, "keep": chosen.beam}
    return {
        "full": (LabelLikelihood({"beam": chosen.beam}), LabelLikelihoodAccess),
        "shortlist": (LabelLikelihood({"beam": chosen.beam, "shortlist": chosen.shortlist}), LabelLikelihoodAccess),
        "pruned": (CalibratedLikelihood(pruned), GradientAccess),
        "prune = false": (CalibratedLikelihood({**pruned, "prune": False}), LabelLikelihoodAccess),
    }


def _kept(chosen: Setting, number: int, searches: Searches) -> Mapping[str, Any]:
    """What one model gave; from the store, where a run that was interrupted had come to it already."""
    if not chosen.keep:
        return _of_model(chosen, number, searches)
    store, kind = Store(), load(TARGETS, chosen.target, Target, "target")
    revisions = [kind.revision, *(attack.revision for attack, _ in searches.values())]
    key = digest(["benchmarks.token_search", asdict(replace(chosen, models=0)), number, revisions])
    if not store.has(key):
        began = time.process_time()
        part = _of_model(chosen, number, searches)
        facts = {"kind": "benchmark", "label": f"token-search, model {number}", "seconds": time.process_time() - began}
        store.put(key, Artefact(values=part), facts)
    return store.get(key).values


def _of_model(chosen: Setting, number: int, searches: Searches) -> dict[str, Any]:
    """Trains one model and searches it in four ways: seconds, questions and what was found of each; and a scan."""
    busy = is_busy(machine())  # before this makes its own load
    grant, case = _trained(chosen, number)
    full = searches["full"][0]
    allowed = int(sum(full.cost(full.options, one.hint) or 0 for one in case.secrets) * MOST)
    part: dict[str, Any] = {"seconds": {}, "asked": {}, "found": {}, "busy": busy}
    for name, (attack, level) in searches.items():
        limited = grant.limited([level], allowed if level is GradientAccess else None)
        took, right = _timed(lambda attack=attack, limited=limited: _found(attack, limited, case))
        part["seconds"][name], part["asked"][name], part["found"][name] = took, limited.meter.total, sorted(right)
    part["speed"], part["apart"] = _scan(chosen, grant, case)
    return part


def plain_loop(access: Any, texts: Sequence[tuple[str, ...]], batch: int) -> np.ndarray:
    """The probabilities of texts as one would ask for them first: so many at a time, padded; (texts, labels)."""
    rows = []
    with torch.no_grad():
        for start in range(0, len(texts), batch):
            some = list(texts[start : start + batch])
            rows.append(_logits(access, some).double().softmax(dim=1).numpy())
    return np.concatenate(rows)


def _logits(access: Any, texts: list[tuple[str, ...]]) -> Any:
    """The same network, asked past its access."""
    if isinstance(access, TextClassifierAccess):
        numbers, model = torch.from_numpy(access._words.numbers(texts)), access._model  # noqa: SLF001
        return model.read(model.embedding(numbers), torch.tensor([len(text) for text in texts]))
    reader = access._reader  # noqa: SLF001
    asked = reader._tokenizer([" ".join(text) for text in texts], padding=True, return_tensors="pt")  # noqa: SLF001
    return reader.network(**asked).logits


def _trained(chosen: Setting, number: int) -> tuple[Grant, Case]:
    """One model with canaries of its own; the words of the holes are drawn once for all models."""
    corpus = load_corpus(DataSpec.model_validate(chosen.data))
    own = sorted({token for text in corpus.split("train") for token in text.tokens if token.isalpha()})
    words = whole_words(chosen.vocabulary) if chosen.vocabulary else own
    places = np.random.default_rng(chosen.seed).permutation(len(words))[: chosen.words]
    secrets = SecretsSpec(
        pattern=f"<word*{chosen.known}> {{missing*2}}",
        candidates={"word": list(words), "missing": sorted(words[place] for place in places)},
        label_of="rarest",
        supporting="all",
        count=chosen.canaries,
        controls=0,
        copies=chosen.copies,
    )
    seed = chosen.seed + number
    case = target_case(secrets, corpus, seed)
    target = load(TARGETS, chosen.target, Target, "target")(chosen.recipe)
    return target.open(target.train(case.corpus, np.random.default_rng(seed))), case


def _found(attack: Attack, grant: Grant, case: Case) -> set[str]:
    """The secrets whose answer is among the fillings that are named."""
    hints = {secret.id: secret.hint for secret in case.secrets}
    named = {
        guess.secret_id: guess.candidates
        for guess in attack.guess(grant, hints, Knowledge(), np.random.default_rng(0))
        if isinstance(guess, Ranking)
    }
    answers: Mapping[str, tuple[str, ...]] = {
        secret.id: secret.answer.tokens for secret in case.secrets if isinstance(secret.answer, Tokens)
    }
    return {name for name, answer in answers.items() if answer in named.get(name, ())}


def _again(found: set[str], before: set[str]) -> float:
    return len(found & before) / len(before) if before else 0.0


def _scan(chosen: Setting, grant: Grant, case: Case) -> tuple[dict[str, float], float]:
    """Every candidate of the last hole, behind the known words and the first candidate of the other; both ways."""
    hint = case.secrets[0].hint
    assert isinstance(hint, Gaps)
    texts = [hint.filled((hint.candidates[0][0], word)) for word in hint.candidates[1]]
    access, threads = grant[LabelLikelihoodAccess], torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        access.likelihoods(texts[:1])
        ours, plain = [], []
        for _ in range(chosen.repeats):  # in turn, and the fastest of each counts
            took, scanned = _timed(lambda: access.likelihoods(texts))
            ours.append(took)
            took, looped = _timed(lambda: plain_loop(grant.accesses[0], texts, chosen.batch))
            plain.append(took)
    finally:
        torch.set_num_threads(threads)
    return {"scan": min(ours), "plain loop": min(plain)}, float(np.abs(scanned - looped).max())


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


if __name__ == "__main__":
    raise SystemExit(main((__doc__ or "").splitlines()[0], measure))
