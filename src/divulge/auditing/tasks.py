"""What each kind of task does, from its payload and the artefacts it needs, in whatever process it runs.

The adversary's side and the owner's meet only here. Answers stay on this side: an attack is handed hints, and,
to score, the true completion shuffled among decoys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from divulge.access import LEVELS, EmbeddingOracleAccess
from divulge.adversary import Background, Knowledge, Practice
from divulge.attacks.base import Attack
from divulge.attacks.baselines import outside_share
from divulge.auditing.blind import with_blind
from divulge.auditing.measuring import measure_arms
from divulge.auditing.naming import probe_named
from divulge.auditing.privacy_loss import accounted
from divulge.auditing.reading_people import must_be_read
from divulge.auditing.rewording import what_is_kept
from divulge.auditing.same_rows import same_guesses
from divulge.auditing.several import measure_models
from divulge.auditing.standings import standings, told_apart
from divulge.auditing.traits import likeness_of_person
from divulge.auditing.unpacking import (
    attack_of,
    changed,
    corpus_from,
    defences_of,
    known_out_of,
    opened,
    owners_corpus,
    practice_case_of,
    public_texts_of,
    target_case_of,
    target_of,
    with_outsiders,
    wrapped,
)
from divulge.data.cases import Case
from divulge.defences.base import Defence
from divulge.errors import BudgetExhausted, ExecutionError
from divulge.grants import Grant
from divulge.graph import Task
from divulge.handshake import ROWS_TRIED, OwnerSample, spread
from divulge.probes.base import Probe
from divulge.records import (
    Artefact,
    Gaps,
    Guess,
    Hint,
    LeakedRow,
    Ranking,
    RecordText,
    RowContent,
    Secret,
    UserTexts,
    Verdict,
)
from divulge.seeds import generator
from divulge.store import Store

__all__ = ["KINDS", "execute"]

HANDSHAKE_TEXTS = 256
FEWEST_UNSEEN = 100  # with fewer, a fair model can look as poor as chance: then all texts are tried


def execute(task: Task, store: Store) -> Artefact:
    """Does one task."""
    payload: Any = task.payload
    return KINDS[task.kind](payload, {role: store.get(key) for role, key in task.needs.items()})


def _train_target(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    del needs
    corpus = changed(owners_corpus(payload), payload)
    return target_of(payload["target"]).train(corpus, generator(payload["seed"], "train", "target"))


def _train_practice(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    del needs
    # A finished model is read, whatever the texts.
    own = practice_case_of(payload, payload).corpus if payload["path"] is None else corpus_from(payload["data"])
    corpus = changed(own, payload)
    rng = generator(payload["seed"], "train", "practice", payload["index"])
    return target_of(payload["target"]).train(corpus, rng)


def _fit_defence(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """Fits the last defence on the access as the earlier ones left it, and on the texts of whoever trained it."""
    grant = opened(payload["target"], needs["target"])
    *earlier, last = defences_of(payload["defences"])
    grant = wrapped(grant, earlier, needs, "defence")
    own = payload["practice"]
    corpus = owners_corpus(payload) if own is None else practice_case_of(payload, own).corpus
    role = "target" if own is None else f"practice {own['index']}"
    return last.fit(changed(corpus, payload), grant, generator(payload["seed"], "fit", role, len(earlier)))


def _prepare(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    attack = attack_of(payload["attack"])
    known = Background(
        corpus=public_texts_of(payload),
        practice=_practice(payload, needs),
        controls=known_out_of(payload["controls"]),
        told=_vocabulary(payload),
    )
    return attack.prepare(known, generator(payload["seed"], "prepare", attack.name))


def _vocabulary(payload: Any) -> tuple[str, ...]:
    """The tokens of the private texts, for an attack that is run as it was published."""
    told = payload.get("told")
    return () if told is None else tuple(sorted({token for text in corpus_from(told) for token in text.tokens}))


def _practice(payload: Any, needs: Mapping[str, Artefact]) -> tuple[Practice, ...]:
    """The adversary's models, in their order, wearing the defence if it is known."""
    practice = []
    for own in payload["own"]:
        role = f"practice {own['index']}"
        grant = wrapped(opened(own["target"], needs[role]), defences_of(payload["defences"]), needs, f"{role} defence")
        secrets = practice_case_of(payload["practice"], own).secrets if own["path"] is None else ()
        practice.append(Practice(grant, secrets))
    return tuple(practice)


def _attack_task(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """Handshake, guesses about secrets and controls, and where each truth stands among decoys."""
    attack, case, seed = attack_of(payload["attack"]), target_case_of(payload), payload["seed"]
    plain = opened(payload["target"], needs["target"])
    must_be_read(plain, case)
    whole = wrapped(plain, defences_of(payload["defences"]), needs, "defence")
    checks = _handshake(whole, case, defences_of(payload["defences"]))
    if not payload["defences"]:  # a defence may hold answers still on purpose
        checks += told_apart(whole.limited(whole.levels, None), case.secrets, generator(seed, "told apart"))
    levels = [LEVELS[name] for name in payload["levels"]]
    known = _known(payload["practised"], needs)
    values: dict[str, Any] = {"handshake": [check.model_dump(mode="json") for check in checks]}
    if any(check.passed is False for check in checks):
        # Nothing that a broken access answers means anything: hours of asking it would be wasted.
        return Artefact(values={**values, "attack": [], "control": [], "queries": {}})
    if payload.get("outside"):  # told without a question, for the judge of texts
        values["outside"] = {one.id: outside_share(one.hint, whole) for one in (*case.secrets, *case.controls)}
    guesses: list[Guess] = []
    for arm, secrets in (("attack", case.secrets), ("control", case.controls)):
        granted = whole.limited(levels, _budget(payload["max_queries"], len(secrets), len(case.secrets)))
        asked = case.secrets if arm == "control" else ()
        guesses = same_guesses(guesses, asked, secrets, attack.told_tokens) or _guesses(
            attack, granted, secrets, known, generator(seed, "guess", attack.name, arm)
        )
        values[arm] = [guess.model_dump(mode="json") for guess in guesses]
        values["queries" if arm == "attack" else "control queries"] = dict(granted.meter.asked)
        if attack.can_score():
            # The owner's measurement, not the adversary's: its questions are not in the budget.
            free = whole.limited(levels, None)
            rng = generator(seed, "decoys", attack.name, arm)
            decoys = payload["secrets"]["spec"]["decoys"]
            # The same answers are no decoys in both arms: the coin that parted them must not reach the score.
            barred = (*case.secrets, *case.controls)
            stand = partial(standings, attack, free, knowledge=known, decoys=decoys, planted=barred)
            values[f"{arm} standings"] = [one.model_dump(mode="json") for one in stand(secrets, rng=rng)]
            if arm == "control" and case.ranked:
                further = stand(case.ranked, rng=generator(seed, "decoys", attack.name, "ranked"))
                values["ranked standings"] = [one.model_dump(mode="json") for one in further]
    return Artefact(values=values)


def _known(practised: Any, needs: Mapping[str, Artefact]) -> Knowledge:
    """What was learnt offline and, for an attack that asks them, the adversary's models."""
    learnt = needs["knowledge"]
    return Knowledge(learnt.values, learnt.arrays, _practice(practised, needs) if practised is not None else ())


def _budget(limit: int | None, secrets: int, asked: int) -> int | None:
    """The queries an arm may ask: as many per secret as the attack has, so that arms compare like with like."""
    return None if limit is None else math.ceil(limit * secrets / max(1, asked))


def _probe_task(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    part = payload["probe"]
    probe: Probe = probe_named(part["class"], part["options"])
    grant = wrapped(opened(payload["target"], needs["target"]), defences_of(payload["defences"]), needs, "defence")
    corpus = with_outsiders(changed(owners_corpus(payload), payload), payload)
    if not all(level in grant for level in probe.requires):
        return Artefact(values={"measurements": []})  # a defence took away what honest users would need
    found = probe.measure(grant, corpus, generator(payload["seed"], "probe", probe.name))
    return Artefact(values={"measurements": [one.model_dump(mode="json") for one in found]})


def _accountant(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """What the training's own accountant says; no probe, since no access tells it."""
    del payload
    training: Any = needs["target"].values["training"]
    return Artefact(values={"measurements": [accounted(training["privacy"]).model_dump(mode="json")]})


def _rewording(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """What of the texts asked about is as it was written; no probe, since it is not about the model."""
    del needs
    secrets = {**payload["secrets"], "spec": {**payload["secrets"]["spec"], "obfuscation": None}, "obfuscator": None}
    written, asked = target_case_of({**payload, "secrets": secrets}), target_case_of(payload)
    found = what_is_kept(written.secrets, asked.secrets, generator(payload["seed"], "rewording"))
    return Artefact(values={"measurements": [one.model_dump(mode="json") for one in found]})


def _measure(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    if "models" not in payload:
        case = target_case_of(payload) if "attack" in needs else None
        beside = with_blind(case, needs, payload["seed"], people="judge" in payload)
        told = payload.get("person")
        if case is not None and told is not None:
            known = known_out_of({**payload, "count": told["known_out"]})
            outside: Any = needs["attack"].values.get("outside", {})
            told = {**told, "likeness": likeness_of_person(case, known, outside)}
        return measure_arms(case, beside, payload["seed"], payload["claim"], told)
    found: list[dict[str, Artefact]] = [{} for _ in payload["models"]]
    for role, artefact in needs.items():
        number, _, own = role.partition(" ")
        found[int(number)][own] = artefact
    seeds = [one["seed"] for one in payload["models"]]
    cases = [
        target_case_of(one) if "attack" in got else None for one, got in zip(payload["models"], found, strict=True)
    ]
    blind = [with_blind(*each) for each in zip(cases, found, seeds, strict=True)]
    return measure_models(seeds, cases, blind)


KINDS: Mapping[str, Callable[[Any, Mapping[str, Artefact]], Artefact]] = {
    "train-target": _train_target,
    "train-practice": _train_practice,
    "fit-defence": _fit_defence,
    "prepare": _prepare,
    "attack": _attack_task,
    "probe": _probe_task,
    "accountant": _accountant,
    "rewording": _rewording,
    "measure": _measure,
}


def _guesses(
    attack: Attack, granted: Grant, secrets: Sequence[Secret], knowledge: Knowledge, rng: np.random.Generator
) -> list[Guess]:
    """What the attack answers within its budget; hints go in by id, so that order tells nothing."""
    hints = {secret.id: _hint(secret, attack) for secret in sorted(secrets, key=lambda secret: secret.id)}
    guesses: dict[str, Guess] = {}
    try:
        for guess in attack.guess(granted, hints, knowledge, rng):
            fault = "answered twice about one secret" if guess.secret_id in guesses else _fault(guess, hints)
            if fault is not None:
                raise ExecutionError(f"attack {attack.name!r} {fault}")
            guesses[guess.secret_id] = guess
    except BudgetExhausted:
        pass  # what was guessed before counts; the rest counts as wrong
    return list(guesses.values())


def _hint(secret: Secret, attack: Attack) -> Hint:
    """What an attack is told of a secret: for a published protocol that gave it away, how its text begins."""
    if attack.told_tokens and isinstance(secret.hint, LeakedRow) and isinstance(secret.answer, RowContent):
        return secret.hint.model_copy(update={"told": secret.answer.tokens[: attack.told_tokens]})
    return secret.hint


def _fault(guess: Guess, hints: Mapping[str, Hint]) -> str | None:
    """What is wrong with an answer: a faulty attack must not look like a model that gives nothing away."""
    hint = hints.get(guess.secret_id)
    if hint is None:
        return "answered about a secret it was not asked about"
    if isinstance(guess, Verdict) != isinstance(hint, UserTexts | RecordText):
        return f"answered a hint of kind {hint.kind!r} with a {guess.kind}"
    if isinstance(hint, Gaps) and isinstance(guess, Ranking):
        offered = [frozenset(words) for words in hint.candidates]
        for filling in guess.candidates:
            if len(filling) != len(offered):
                return f"filled {len(filling)} of {len(offered)} holes"
            if not all(word in words for word, words in zip(filling, offered, strict=True)):
                return "filled a hole with a word that is not among its candidates"
    return None


def _handshake(grant: Grant, case: Case, defences: Sequence[Defence]) -> list[Any]:
    texts = [text for text in case.corpus if not text.planted]
    unseen = [text for text in texts if text.split == "test"]
    texts = unseen if len(unseen) >= FEWEST_UNSEEN else texts
    sample = OwnerSample(
        texts=texts[:: max(1, len(texts) // HANDSHAKE_TEXTS)],
        row_texts=dict(spread([(row, text.whole) for row, text in enumerate(case.corpus.leaked)], ROWS_TRIED)),
        oracle=grant.get(EmbeddingOracleAccess),
        blurred_rows=any(defence.blurs_rows and not defence.is_harmless for defence in defences),
    )
    return [check for access in grant.accesses for check in access.handshake(sample)]
