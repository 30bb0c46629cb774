"""What each kind of task does, from its payload and the artefacts it needs, in whatever process it runs.

The adversary's side and the owner's meet only here. Answers stay on this side: an attack is handed hints, and,
to score, the true completion shuffled among decoys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.access import LEVELS, Access, EmbeddingOracleAccess
from divulge.adversary import Background, Practice
from divulge.attacks.base import Attack
from divulge.audit.measuring import measure_arms
from divulge.audit.naming import (
    attack_named,
    content_fingerprint,
    corpus_of,
    defence_named,
    probe_named,
    target_named,
)
from divulge.audit.standings import standings
from divulge.data.cases import Case, known_out, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.rows import training_first
from divulge.defences.base import Defence
from divulge.errors import BudgetExhausted, ExecutionError
from divulge.grants import Grant
from divulge.graph import Task
from divulge.handshake import OwnerSample
from divulge.parts import validate
from divulge.probes.base import Probe
from divulge.records import Artefact, Guess, Hint, Secret, Text
from divulge.seeds import generator
from divulge.spec import DataSpec, SecretsSpec
from divulge.store import Store
from divulge.targets.base import Target

__all__ = ["KINDS", "execute"]

HANDSHAKE_TEXTS = 256
FEWEST_UNSEEN = 100  # with fewer, a fair model can look as poor as chance: then all texts are tried


def execute(task: Task, store: Store) -> Artefact:
    """Does one task."""
    payload: Any = task.payload
    return KINDS[task.kind](payload, {role: store.get(key) for role, key in task.needs.items()})


def _train_target(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    del needs
    corpus = _changed(_owners_corpus(payload), payload)
    return _target(payload["target"]).train(corpus, generator(payload["seed"], "train", "target"))


def _train_practice(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    del needs
    corpus = _changed(_practice_case(payload, payload).corpus, payload)
    rng = generator(payload["seed"], "train", "practice", payload["index"])
    return _target(payload["target"]).train(corpus, rng)


def _fit_defence(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """Fits the last defence on the access as the earlier ones left it, and on the texts of whoever trained it."""
    grant = _open(payload["target"], needs["target"])
    *earlier, last = _defences(payload["defences"])
    grant = _wrapped(grant, earlier, needs, "defence")
    own = payload["practice"]
    corpus = _owners_corpus(payload) if own is None else _practice_case(payload, own).corpus
    role = "target" if own is None else f"practice {own['index']}"
    return last.fit(_changed(corpus, payload), grant, generator(payload["seed"], "fit", role, len(earlier)))


def _prepare(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    attack = _attack(payload["attack"])
    background = _corpus(payload["background"]).texts if payload["background"] else ()
    roles = sorted(
        (r for r in needs if r.startswith("practice ") and "defence" not in r), key=lambda r: int(r.split()[1])
    )
    practice = []
    for role in roles:
        grant = _open(payload["practice"]["target"], needs[role])
        grant = _wrapped(grant, _defences(payload["defences"]), needs, f"{role} defence")
        number = int(role.split()[1])
        case = _practice_case(payload["practice"], payload["own"][number])
        practice.append(Practice(grant, case.secrets))
    known = Background(corpus=tuple(background), practice=tuple(practice), controls=_known_out(payload["controls"]))
    return attack.prepare(known, generator(payload["seed"], "prepare", attack.name))


def _attack_task(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    """Handshake, guesses about secrets and controls, and where each truth stands among decoys."""
    attack, case, seed = _attack(payload["attack"]), _target_case(payload), payload["seed"]
    whole = _wrapped(_open(payload["target"], needs["target"]), _defences(payload["defences"]), needs, "defence")
    checks = _handshake(whole, case, _defences(payload["defences"]))
    levels = [LEVELS[name] for name in payload["levels"]]
    values: dict[str, Any] = {"handshake": [check.model_dump(mode="json") for check in checks]}
    for arm, secrets in (("attack", case.secrets), ("control", case.controls)):
        granted = whole.limited(levels, payload["max_queries"])
        guesses = _guesses(attack, granted, secrets, needs["knowledge"], generator(seed, "guess", attack.name, arm))
        values[arm] = [guess.model_dump(mode="json") for guess in guesses]
        if arm == "attack":
            values["queries"] = dict(granted.meter.asked)
        if attack.can_score():
            # The owner's measurement, not the adversary's: its questions are not in the budget.
            free = whole.limited(levels, None)
            rng = generator(seed, "decoys", attack.name, arm)
            decoys = payload["secrets"]["spec"]["decoys"]
            found = standings(attack, free, secrets, needs["knowledge"], decoys=decoys, rng=rng)
            values[f"{arm} standings"] = [one.model_dump(mode="json") for one in found]
    return Artefact(values=values)


def _probe_task(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    part = payload["probe"]
    probe: Probe = probe_named(part["class"], part["options"])
    grant = _wrapped(_open(payload["target"], needs["target"]), _defences(payload["defences"]), needs, "defence")
    corpus = _with_outsiders(_changed(_owners_corpus(payload), payload), payload)
    if not all(level in grant for level in probe.requires):
        return Artefact(values={"measurements": []})  # a defence took away what honest users would need
    found = probe.measure(grant, corpus, generator(payload["seed"], "probe", probe.name))
    return Artefact(values={"measurements": [one.model_dump(mode="json") for one in found]})


def _measure(payload: Any, needs: Mapping[str, Artefact]) -> Artefact:
    case = _target_case(payload) if "attack" in needs else None
    return measure_arms(case, needs, payload["seed"])


KINDS: Mapping[str, Callable[[Any, Mapping[str, Artefact]], Artefact]] = {
    "train-target": _train_target,
    "train-practice": _train_practice,
    "fit-defence": _fit_defence,
    "prepare": _prepare,
    "attack": _attack_task,
    "probe": _probe_task,
    "measure": _measure,
}


def _guesses(
    attack: Attack, granted: Grant, secrets: Sequence[Secret], knowledge: Artefact, rng: np.random.Generator
) -> list[Guess]:
    """What the attack answers within its budget; hints go in by id, so that order tells nothing."""
    hints = {secret.id: secret.hint for secret in sorted(secrets, key=lambda secret: secret.id)}
    guesses: list[Guess] = []
    try:
        for guess in attack.guess(granted, hints, knowledge, rng):
            if guess.secret_id not in hints:
                raise ExecutionError(f"attack {attack.name!r} answered about a secret it was not asked about")
            guesses.append(guess)
    except BudgetExhausted:
        pass  # what was guessed before counts; the rest counts as wrong
    return guesses


def _handshake(grant: Grant, case: Case, defences: Sequence[Defence]) -> list[Any]:
    texts = [text for text in case.corpus if not text.planted]
    unseen = [text for text in texts if text.split == "test"]
    texts = unseen if len(unseen) >= FEWEST_UNSEEN else texts
    sample = OwnerSample(
        texts=texts[:: max(1, len(texts) // HANDSHAKE_TEXTS)],
        row_texts={row: text.tokens for row, text in enumerate(case.corpus.texts[:16])},
        oracle=grant.get(EmbeddingOracleAccess),
        blurred_rows=any(defence.blurs_rows for defence in defences),
    )
    return [check for access in grant.accesses for check in access.handshake(sample)]


def _open(target: Any, artefact: Artefact) -> Grant:
    return target_named(target["kind"], target["recipe"]).open(artefact)


def _target(target: Any) -> Target:
    """The target to be trained or read: its files must be those that are in the key."""
    path = target["recipe"].get("path")
    if content_fingerprint(path) != target["files"]:
        raise ExecutionError(f"{path}: changed since the run was planned; start the run again")
    return target_named(target["kind"], target["recipe"])


def _wrapped(grant: Grant, defences: Sequence[Defence], needs: Mapping[str, Artefact], role: str) -> Grant:
    for place, defence in enumerate(defences):
        fitted = needs[f"{role} {place}"]

        def wrap(access: Access, defence: Defence = defence, fitted: Artefact = fitted) -> Access:
            return defence.on_access(access, fitted)

        grant = grant.changed(wrap)
    return grant


def _attack(part: Any) -> Attack:
    return attack_named(part["class"], part["options"])


def _defences(parts: Any) -> list[Defence]:
    return [defence_named(part["class"], part["options"]) for part in parts]


def _corpus(data: Any) -> Corpus:
    corpus = corpus_of(validate(DataSpec, data["spec"], "data"))
    if corpus.fingerprint != data["fingerprint"]:
        raise ExecutionError(f"data {corpus.name!r} changed since the run was planned; start the run again")
    return corpus


def _secrets(secrets: Any) -> SecretsSpec:
    spec = validate(SecretsSpec, secrets["spec"], "secrets")
    if content_fingerprint(spec.file) != secrets["file"]:
        raise ExecutionError(f"{spec.file}: changed since the run was planned; start the run again")
    return spec


def _target_case(payload: Any) -> Case:
    return target_case(_secrets(payload["secrets"]), _corpus(payload["data"]), payload["seed"])


def _owners_corpus(payload: Any) -> Corpus:
    """What the target is trained on: with plantings, or members only; as it is, where secrets were found in it."""
    corpus = _corpus(payload["data"])
    if payload["secrets"] is None:
        return corpus
    if payload["secrets"]["spec"]["kind"] == "rows":
        return training_first(corpus)
    return _target_case(payload).corpus


def _practice_case(payload: Any, own: Any) -> Case:
    """The case of the adversary's model that `own` tells apart, for the audit that `payload` describes."""
    secrets = _secrets(payload["secrets"])
    public, data = _corpus(own["background"]) if own["background"] else None, _corpus(payload["data"])
    choice = {"planted": own["planted"], "reserved": own["reserved"]}
    return practice_case(secrets, data, public, payload["seed"], own["index"], **choice)


def _known_out(payload: Any) -> tuple[Hint, ...]:
    if payload is None:
        return ()
    return known_out(_secrets(payload["secrets"]), _corpus(payload["data"]), payload["seed"], payload["count"])


def _changed(corpus: Corpus, payload: Any) -> Corpus:
    for defence in _defences(payload.get("changes", ())):
        corpus = defence.on_corpus(corpus)
    return corpus


def _with_outsiders(corpus: Corpus, payload: Any) -> Corpus:
    """For users: the texts of people who were not in become the test split, which members' data lack."""
    if payload["secrets"] is None or payload["secrets"]["spec"]["kind"] != "users":
        return corpus
    whole = _corpus(payload["data"])
    others = set(whole.users) - set(corpus.users)
    outside: list[Text] = [replace(text, split="test") for text in whole.of_users(others)]
    return replace(corpus, texts=(*corpus.texts, *outside))
