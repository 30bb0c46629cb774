"""A case: what a model is trained on, what is hidden there, and what is asked in the control arm.

`target_case` makes the case of the model under audit; `practice_case` those of the adversary's own models, which share
no secret with it. All are made again, equal, from the same spec, texts and seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from divulge.data.canaries import Drawn, draw_families, plant
from divulge.data.canary_labels import further_canaries, with_labels
from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.ids import key_from_texts
from divulge.data.obfuscation.rewriting import obfuscated
from divulge.data.one_person import person_case, person_split, practice_source
from divulge.data.public_texts import audited_places, must_differ, without_places
from divulge.data.rows import control_rows, row_secrets, training_first
from divulge.data.secrets import read_secrets
from divulge.data.single_records import (
    RecordSplit,
    halved_records,
    record_hint,
    record_secrets,
    split_records,
    without,
)
from divulge.data.supporting import supporting_plantings
from divulge.data.users import (
    UserSplit,
    control_users,
    halve,
    left_over,
    met_users,
    split_users,
    trained_on,
    user_secrets,
    users_with_texts,
    without_unused,
)
from divulge.errors import InputError
from divulge.records import Hint, Planting, Secret
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["Case", "known_out", "practice_case", "practice_rows", "target_case"]


@dataclass(frozen=True, repr=False)
class Case:
    """One model's texts and secrets.

    `corpus` is what the model is trained on, plantings included. `secrets` are asked in the attack arm, `controls` in
    the control arm, where a score above chance means that something else than the model gives the answers away.
    `ranked` are further controls that are not looked for, but placed among their decoys.
    """

    corpus: Corpus
    secrets: tuple[Secret, ...]
    controls: tuple[Secret, ...] = ()
    plantings: tuple[Planting, ...] = ()
    coin: bool = False  # an independent fair coin decided for each secret whether it is planted or a control
    deleted: bool = False  # the secrets were asked to be deleted: is a trace of them left?
    of_person: bool = False  # one person is the question, and controls are known to be out: no rates, but a p-value
    ranked: tuple[Secret, ...] = ()

    @property
    def copies(self) -> int:
        """How many training texts there are for the sake of one secret, supporting ones included; at least 1."""
        planted: Counter[tuple[str, str]] = Counter()
        for one in self.plantings:
            planted[one.secret_id, one.split] += one.copies
        return max(planted.values(), default=1)

    def __repr__(self) -> str:
        return f"Case({len(self.corpus)} texts, {len(self.secrets)} secrets, {len(self.controls)} controls)"


def target_case(spec: SecretsSpec, corpus: Corpus, seed: int) -> Case:
    """Makes the case of the model under audit.

    Canaries: `count` planted, `controls` of the same draw held out; or, from a secrets file, what is in the data
    already, or was until it was deleted. Users and records: `count` members and `controls` others; the controls are
    the others alone, half of them called members. Rows: `count` rows; the controls are the same rows with each other's
    texts as answers.
    """
    rng = generator(seed, "secrets", "target")
    if spec.person is not None:
        one = person_case(spec, corpus, seed)
        return Case(one.corpus, one.secrets, one.controls, of_person=True)
    if spec.kind == "users":
        parts = _split(spec, corpus, seed)
        key = key_from_texts(corpus, seed)
        written = user_secrets(corpus, parts.members, parts.others, key, spec.held_out)
        secrets = obfuscated(written, spec.obfuscation, corpus, seed)
        learnt = corpus if spec.held_out is not None else trained_on(corpus, parts.members)
        if spec.unused_share:
            learnt = without_unused(learnt, parts.members, spec.unused_share, generator(seed, "secrets", "unused"))
        return Case(learnt, secrets, control_users(secrets, key, rng))
    if spec.kind == "records":
        found, key = _records(spec, corpus, seed), key_from_texts(corpus, seed)
        secrets = record_secrets(found.members, found.others, key)
        return Case(without(corpus, found.kept_out), secrets, control_users(secrets, key, rng))
    if spec.kind == "rows":
        key = key_from_texts(corpus, seed)
        ordered = training_first(corpus)
        secrets = row_secrets(ordered, spec.count, rng, key)
        return Case(ordered, secrets, control_rows(secrets, key, rng))
    if spec.file is not None:
        content = read_secrets(Path(spec.file), None if spec.deleted else corpus.fingerprint)
        coin = content.spec is not None and content.spec.coin
        return Case(corpus, content.secrets, content.controls, content.plantings, coin, spec.deleted)
    learnt, drawn, plantings = _planted(spec.model_copy(update={"asked": None}), SameCorpus(corpus), seed)
    asked = drawn.about(spec.asked)
    ranked = _further(spec, corpus, seed, spec.ranked, "ranked") if spec.ranked else ()
    return Case(learnt, asked.secrets, asked.controls, plantings, spec.coin, spec.deleted, ranked=ranked)


def known_out(spec: SecretsSpec, corpus: Corpus, seed: int, count: int) -> tuple[Hint, ...]:
    """Hints of secrets that the adversary is told were never used, for it to calibrate on.

    They are of the same kind as those asked about, and none of them: people left over, or canaries never planted.
    """
    if spec.kind == "users":
        parts = _split(spec, corpus, seed, count)
        written = user_secrets(corpus, (), parts.known_out, key_from_texts(corpus, seed), spec.held_out)
        found = obfuscated(written, spec.obfuscation, corpus, seed)
    elif spec.kind == "records":
        spare = _records(spec, corpus, seed).known_out
        if len(spare) < count:
            raise InputError(
                f"adversary.background.controls: {count} records known to be out are asked for. Found {len(spare)} in "
                "what secrets.controls and the splits other than train leave over"
            )
        return tuple(record_hint(text) for text in spare[:count])
    elif spec.kind == "rows":
        raise InputError("adversary.background.controls are people or canaries known to be out; rows have none")
    else:
        if spec.families:
            raise InputError("adversary.background.controls of several families cannot be told apart: set it to 0")
        found = _further(spec, corpus, seed, count, "known out")
    return tuple(secret.hint for secret in found)


def _further(spec: SecretsSpec, corpus: Corpus, seed: int, count: int, role: str) -> tuple[Secret, ...]:
    taken = _target_canaries(spec, corpus, seed).by_family[""]
    return further_canaries(spec, corpus, seed, count, role, tagged=_tagged(corpus), taken=taken)


def practice_case(
    spec: SecretsSpec,
    corpus: Corpus,
    background: Corpus | None,
    seed: int,
    index: int,
    *,
    planted: bool,
    reserved: int = 0,
    shared: int | None = None,
) -> Case:
    """Makes the case of the adversary's model number `index`, which shares no secret with the target.

    With `planted`, it is a shadow: it has secrets of its own, and the adversary knows the answers. Without, it is a
    reference: trained on the same kind of texts, with no secrets.

    Canaries: made anew from the same pattern, planted into the background. Users: those of the background, or, without
    one, those whom the target's case left over; halved anew for each index, into as many members as the target has,
    where there are enough. Records: half of the background, or of what the target's case left over, drawn anew for
    each index; none of it is asked about. Rows: all texts of the background that are not among the audited ones.

    `reserved` people of the audited data are known to be out: they stay out of the adversary's models too. `shared` is
    the seed of models that several audits have in common: their canaries cannot heed those of any one audit.
    """
    if spec.kind == "users":
        case = _practice_users(spec, corpus, background, seed, index, reserved=reserved)
    elif spec.kind == "records":
        case = _practice_records(spec, corpus, background, seed, index)
    elif background is None:
        raise InputError(
            f"practice models for secrets of kind {spec.kind!r} need texts of the adversary's own: "
            "give adversary.background.corpus, or set references and shadows to 0"
        )
    elif spec.kind == "rows":
        case = practice_rows(background, audited_places(corpus, background), seed, index)
    elif planted:
        case = _practice_canaries(spec, corpus, background, seed, index, shared=shared)
    else:
        case = Case(background, ())
    return case if planted else replace(case, secrets=(), controls=())


def practice_rows(background: Corpus, left_out: Sequence[int], seed: int, index: int) -> Case:
    """Makes the case of the adversary's own encoder: all its texts but those that are among the audited ones."""
    ordered = training_first(without_places(background, left_out))
    key = key_from_texts(background, seed, "practice", index)
    return Case(ordered, row_secrets(ordered, None, generator(seed, "secrets", "practice", index), key))


@lru_cache(maxsize=64)
def _planted(spec: SecretsSpec, same: SameCorpus, seed: int) -> tuple[Corpus, Drawn, tuple[Planting, ...]]:
    """What a model learns: the same for all attacks, and for all families that are asked about."""
    drawn = _target_canaries(spec, same.corpus, seed)
    plantings = _plantings(spec, drawn, same.corpus, seed, "target")
    return same.corpus.with_plantings(plantings), drawn, plantings


def _plantings(spec: SecretsSpec, drawn: Drawn, corpus: Corpus, seed: int, *role: str | int) -> tuple[Planting, ...]:
    canaries = plant(drawn.secrets, spec.copies, spec.valid_share)
    return (*canaries, *supporting_plantings(drawn, spec, corpus, seed, *role))


def _target_canaries(spec: SecretsSpec, corpus: Corpus, seed: int) -> Drawn:
    drawn = draw_families(spec, seed, "target", tagged=_tagged(corpus))
    return with_labels(drawn, spec, corpus, seed, "target")


def _practice_canaries(
    spec: SecretsSpec, corpus: Corpus, background: Corpus, seed: int, index: int, *, shared: int | None
) -> Case:
    taken: Mapping[str, Sequence[Secret]] = {}
    if spec.file is None and shared is None:
        taken = _target_canaries(spec, corpus, seed).by_family
    elif spec.file is None:
        seed = shared if shared is not None else seed
    else:
        content = read_secrets(Path(spec.file))  # that it belongs to the data is known from the target's case
        if content.spec is None:
            raise InputError(
                f"{spec.file}: holds secrets that were found, not made, so that shadows with others like them cannot "
                "be made. Set adversary.background.shadows to 0; references need no secrets"
            )
        spec = content.spec
        taken = {"": (*content.secrets, *content.controls)}
    own = draw_families(spec, seed, "practice", index, tagged=_tagged(background), exclude=taken)
    own = with_labels(own, spec, background, seed, "practice", index)
    plantings = _plantings(spec, own, background, seed, "practice", index)
    return Case(background.with_plantings(plantings), own.secrets, own.controls, plantings)


def _practice_users(
    spec: SecretsSpec, corpus: Corpus, background: Corpus | None, seed: int, index: int, *, reserved: int
) -> Case:
    parts = _split(spec, corpus, seed, reserved)
    most: int | None = spec.count
    if spec.person is not None:
        background, most = practice_source(spec, corpus, background, seed, parts)
    if background is None:
        # Texts of nobody are in the target's training set; these models must share nothing with it.
        source, pool = left_over(corpus, parts.pool, spec.held_out), parts.pool
    else:
        must_differ(corpus, background)
        met = met_users(corpus.of_users((*parts.members, *parts.others, *parts.known_out)), background)
        source = background
        pool = tuple(user for user in users_with_texts(background) if user not in met)
    members, others = halve(pool, generator(seed, "secrets", "practice", index), most)
    key = key_from_texts(source, seed, "practice", index)
    return Case(trained_on(source, members), user_secrets(source, members, others, key))


def _records(spec: SecretsSpec, corpus: Corpus, seed: int) -> RecordSplit:
    _must_have_others(spec, "records that were not used")
    return split_records(corpus, spec.count, spec.controls, generator(seed, "secrets", "records"), spec.held_out)


def _practice_records(spec: SecretsSpec, corpus: Corpus, background: Corpus | None, seed: int, index: int) -> Case:
    parts = _records(spec, corpus, seed)
    if background is not None:
        must_differ(corpus, background)
    members, others = halved_records(parts, background, generator(seed, "secrets", "practice", index))
    key = key_from_texts(background or corpus, seed, "practice", index)
    learnt = replace(background or corpus, texts=tuple(members))
    return Case(learnt, record_secrets(members, others, key))


def _split(spec: SecretsSpec, corpus: Corpus, seed: int, reserved: int = 0) -> UserSplit:
    if spec.person is not None:
        return person_split(spec, corpus, seed, reserved)
    _must_have_others(spec, "people who were not used")
    rng = generator(seed, "secrets", "users")
    return split_users(corpus, spec.count, spec.controls, rng, known_out=reserved, held_out=spec.held_out)


def _must_have_others(spec: SecretsSpec, who: str) -> None:
    if spec.controls < 2:
        raise InputError(
            f"secrets of kind {spec.kind!r} need at least 2 {who} (secrets.controls), to tell the others from. "
            f"Got {spec.controls}"
        )


def _tagged(corpus: Corpus) -> bool:
    return any(text.tags is not None for text in corpus)
