"""From a task's payload, which is pure data, back to what it stands for: parts, texts, cases.

Whatever lies in files must be what it was when the run was planned: its fingerprint is in the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from divulge.access import Access
from divulge.attacks.base import Attack
from divulge.auditing.naming import attack_named, content_fingerprint, corpus_of, defence_named, target_named
from divulge.auditing.spelling import files_spelt, obfuscator_spelt, vocabularies_spelt
from divulge.data.cases import Case, known_out, practice_case, practice_rows, target_case
from divulge.data.corpus import Corpus
from divulge.data.public_texts import without_places
from divulge.data.rows import training_first
from divulge.defences.base import Defence
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.parts import validate
from divulge.records import Artefact, Hint, Text
from divulge.seeds import generator
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets.base import Target

__all__ = [
    "attack_of",
    "changed",
    "corpus_from",
    "defences_of",
    "known_out_of",
    "opened",
    "owners_corpus",
    "practice_case_of",
    "public_texts_of",
    "target_case_of",
    "target_of",
    "with_outsiders",
    "wrapped",
]


def opened(target: Any, artefact: Artefact) -> Grant:
    """The grant of a trained target."""
    return target_named(target["kind"], target["recipe"]).open(artefact)


def target_of(target: Any) -> Target:
    """The target to be trained or read: its files must be those that are in the key."""
    found = target_named(target["kind"], target["recipe"])
    if files_spelt(found) != list(target["files"]):
        names = ", ".join(str(path) for path in found.files)
        raise ExecutionError(f"{names}: changed since the run was planned; start the run again")
    return found


def wrapped(grant: Grant, defences: Sequence[Defence], needs: Mapping[str, Artefact], role: str) -> Grant:
    """The grant that defences leave, in their order; `role` tells whose fitted artefacts they wear."""
    for place, defence in enumerate(defences):
        fitted = needs[f"{role} {place}"]

        def wrap(access: Access, defence: Defence = defence, fitted: Artefact = fitted) -> Access:
            return defence.on_access(access, fitted)

        grant = grant.changed(wrap)
    return grant


def attack_of(part: Any) -> Attack:
    """An attack as it was spelt."""
    return attack_named(part["class"], part["options"])


def defences_of(parts: Any) -> list[Defence]:
    """Defences as they were spelt."""
    return [defence_named(part["class"], part["options"]) for part in parts]


def corpus_from(data: Any) -> Corpus:
    """Texts, which must be those that are in the key."""
    corpus = _as_read(corpus_of(validate(DataSpec, data["spec"], "data")), data)
    if corpus.fingerprint != data["fingerprint"]:
        raise ExecutionError(f"data {corpus.name!r} changed since the run was planned; start the run again")
    return corpus


def target_case_of(payload: Any) -> Case:
    """The case of the target that `payload` describes."""
    return target_case(_secrets(payload["secrets"]), corpus_from(payload["data"]), payload["seed"])


def owners_corpus(payload: Any) -> Corpus:
    """What the target is trained on: with plantings, or members only; as it is, where secrets were found in it."""
    corpus = corpus_from(payload["data"])
    if payload["secrets"] is None:
        return corpus
    if payload["secrets"]["spec"]["kind"] == "rows":
        return training_first(corpus)
    return target_case_of(payload).corpus


def practice_case_of(payload: Any, own: Any) -> Case:
    """The case of the adversary's model that `own` tells apart, for the audit that `payload` describes."""
    if "left_out" in payload:
        case = practice_rows(corpus_from(own["background"]), payload["left_out"], payload["seed"], own["index"])
        return case if own["planted"] else replace(case, secrets=())
    secrets = _secrets(payload["secrets"])
    public, data = corpus_from(own["background"]) if own["background"] else None, corpus_from(payload["data"])
    choice = {"planted": own["planted"], "reserved": own["reserved"], "shared": own["shared"]}
    return practice_case(secrets, data, public, payload["seed"], own["index"], **choice)


def public_texts_of(payload: Any) -> tuple[Text, ...]:
    """The background's texts, without those of the audited data that the adversary must not be handed."""
    if not payload["background"]:
        return ()
    background, practice = corpus_from(payload["background"]), payload["practice"]
    return without_places(background, () if practice is None else practice.get("left_out", ())).texts


def known_out_of(payload: Any) -> tuple[Hint, ...]:
    """What the adversary is told of people known to be out, or of canaries never planted."""
    if payload is None:
        return ()
    return known_out(_secrets(payload["secrets"]), corpus_from(payload["data"]), payload["seed"], payload["count"])


def changed(corpus: Corpus, payload: Any) -> Corpus:
    """The corpus that the defences named in `payload` leave."""
    for defence in defences_of(payload.get("changes", ())):
        corpus = defence.on_corpus(corpus)
    return corpus


def with_outsiders(corpus: Corpus, payload: Any) -> Corpus:
    """For users: texts of people who were not in become the test split, which members' data lack.

    As many people as were in, drawn by chance, are enough.
    """
    if payload["secrets"] is None or payload["secrets"]["spec"]["kind"] != "users":
        return corpus
    whole = corpus_from(payload["data"])
    absent = sorted(set(whole.users) - set(corpus.users))
    drawn = generator(payload["seed"], "outsiders").permutation(len(absent))[: max(1, len(set(corpus.users)))]
    others = {absent[place] for place in drawn}
    outside: list[Text] = [replace(text, split="test") for text in whole.of_users(others)]
    return replace(corpus, texts=(*corpus.texts, *outside))


def _as_read(corpus: Corpus, data: Any) -> Corpus:
    """The texts in the tokens of the target that reads them, if it has its own, or else their beginnings."""
    reader = data.get("reader")
    if reader is None:
        return corpus.first_tokens(data["tokens"])
    return target_named(reader["class"], reader["options"]).as_read(corpus)


def _secrets(secrets: Any) -> SecretsSpec:
    spec = validate(SecretsSpec, secrets["spec"], "secrets")
    if content_fingerprint(spec.file) != secrets["file"]:
        raise ExecutionError(f"{spec.file}: changed since the run was planned; start the run again")
    if obfuscator_spelt(spec) != secrets.get("obfuscator"):
        raise ExecutionError(
            f"what rewrites the texts ({spec.obfuscation!r}, secrets.obfuscation) is another version than when the run "
            "was planned; start the run again"
        )
    told = secrets.get("vocabularies", {})
    try:
        same = vocabularies_spelt(spec) == dict(told)
    except InputError:
        same = False
    if not same:
        raise ExecutionError(
            f"the words of {', '.join(sorted(told))} (secrets.candidates) changed since the run was planned; start the "
            "run again"
        )
    return spec
