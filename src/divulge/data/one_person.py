"""One person as the question: were the texts of this user used? Beside them, people known to be out.

Of a finished model nobody knows the answer: the people of the split `held_out` are known to be out, the person may
stand anywhere. Of a model that is trained here, a person with training texts is in, and one without is out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from divulge.data.both_sides import doubles
from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.ids import key_from_texts, opaque_id
from divulge.data.users import UserSplit, left_over, texts_by_user, trained_on, user_secrets
from divulge.errors import InputError
from divulge.records import Member, Passage, Secret, Text, UserTexts
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["PersonCase", "person_case", "person_named", "person_split", "practice_source"]

WHO = "the person asked about (secrets.person)"


@dataclass(frozen=True, repr=False)
class PersonCase:
    """What a model is trained on, the person as a secret, and the people known to be out who are asked about too."""

    corpus: Corpus
    secrets: tuple[Secret, ...]
    controls: tuple[Secret, ...]


def person_case(spec: SecretsSpec, corpus: Corpus, seed: int) -> PersonCase:
    """Makes the case of the model under audit; every control is asked as the person is, and known to be out."""
    return _case(spec, SameCorpus(corpus), seed)


def person_named(spec: SecretsSpec, corpus: Corpus, seed: int) -> str:
    """The user meant: by name, or by the opaque id of an earlier report."""
    return _named(spec, SameCorpus(corpus), seed)


def person_split(spec: SecretsSpec, corpus: Corpus, seed: int, reserved: int = 0) -> UserSplit:
    """Who is trained on, who is asked about as a control, who calibrates, and who is left for the adversary's models.

    The person is a member or none of these. Nobody of these may be the person under another name.
    """
    user, held_out = person_named(spec, corpus, seed), spec.held_out
    rng = generator(seed, "secrets", "users")
    texts = texts_by_user(corpus, "train" if held_out is None else held_out)
    inside = held_out is None and user in texts
    trained = set() if held_out is None else set(texts_by_user(corpus, "train"))
    people = sorted(set(texts) - trained - {user})
    members = spec.count - inside if held_out is None else 0
    needed = members + spec.controls + reserved
    if len(people) < needed:
        raise InputError(_too_few(corpus, spec, reserved, needed, len(people)))
    mixed = [people[place] for place in rng.permutation(len(people))]
    ends = members, members + spec.controls, needed
    parts = UserSplit(
        members=tuple(sorted([*mixed[: ends[0]], *([user] if inside else [])])),
        others=tuple(sorted(mixed[ends[0] : ends[1]])),
        known_out=tuple(sorted(mixed[ends[1] : ends[2]])),
        pool=tuple(sorted(mixed[ends[2] :])),
    )
    _must_not_meet(spec, corpus, user, corpus.of_users(mixed[ends[0] :]), "among the people known to be out")
    return parts


def practice_source(
    spec: SecretsSpec, corpus: Corpus, background: Corpus | None, seed: int, parts: UserSplit
) -> tuple[Corpus, int | None]:
    """What the adversary's own models learn from, all of it as training texts, and the most people of each half.

    Without a background, that is people known to be out who are left over.
    """
    user = person_named(spec, corpus, seed)
    if background is not None:
        _must_not_meet(spec, corpus, user, background, "in adversary.background.corpus, which references learn from")
        return background, spec.count if spec.held_out is None else None
    if len(parts.pool) < 2:
        raise InputError(
            f"{corpus.name}: of the people known to be out, {len(parts.pool)} are left for the adversary's own models "
            "to learn from, after secrets.controls and adversary.background.controls; 2 or more are needed, better 40. "
            "Lower those numbers, or give adversary.background.corpus"
        )
    return left_over(corpus, parts.pool, spec.held_out), spec.count if spec.held_out is None else None


@lru_cache(maxsize=8)
def _case(spec: SecretsSpec, same: SameCorpus, seed: int) -> PersonCase:
    corpus = same.corpus
    user, parts = person_named(spec, corpus, seed), person_split(spec, corpus, seed)
    key = key_from_texts(corpus, seed)
    hint = UserTexts(
        examples=tuple(Passage(context=text.context, tokens=text.tokens) for text in _asked(spec, corpus, user))
    )
    known, used = spec.held_out is None, user in parts.members
    secret = Secret(id=opaque_id(key, "user", user), hint=hint, answer=Member(used=used, known=known))
    others = user_secrets(corpus, (), parts.others, key, spec.held_out)
    controls = [one.model_copy(update={"id": opaque_id(key, "control", one.id)}) for one in others]
    learnt = corpus if spec.held_out is not None else trained_on(corpus, parts.members)
    return PersonCase(learnt, (secret,), tuple(sorted(controls, key=lambda one: one.id)))


@lru_cache(maxsize=8)
def _named(spec: SecretsSpec, same: SameCorpus, seed: int) -> str:
    """All of a corpus goes into an id, so that each is looked for once."""
    corpus, wanted = same.corpus, spec.person
    assert wanted is not None
    user = wanted if wanted in corpus.users else None
    if user is None:
        key = key_from_texts(corpus, seed)
        user = next((one for one in corpus.users if opaque_id(key, "user", one) == wanted), None)
    if user is None:
        raise InputError(
            f"secrets.person: no text of {corpus.name} is of this user; it has texts of {len(corpus.users)} users. "
            "Give the name as it stands in the column `user` of the data"
        )
    texts = _asked(spec, corpus, user)
    if not texts:
        raise InputError(f"{corpus.name}: {WHO} has no text with a word in it, so that there is nothing to ask")
    _must_be_on_one_side(spec, corpus, texts)
    return user


def _must_be_on_one_side(spec: SecretsSpec, corpus: Corpus, texts: Sequence[Text]) -> None:
    out = sum(text.split == spec.held_out for text in texts)
    if spec.held_out is not None and 0 < out < len(texts):
        raise InputError(
            f"{corpus.name}: {WHO} stands on both sides: {out} of {len(texts)} texts are in the split "
            f"{spec.held_out!r}, whose people are known to be out (secrets.held_out), and the others are not. Put all "
            "texts of the person into one split"
        )


def _asked(spec: SecretsSpec, corpus: Corpus, user: str) -> list[Text]:
    """All texts of the person; of one who is trained on here, those that are."""
    texts = [text for text in corpus if text.user == user and text.tokens]
    training = [text for text in texts if text.split == "train"]
    return training if spec.held_out is None and training else texts


def _must_not_meet(spec: SecretsSpec, corpus: Corpus, user: str, others: Iterable[Text], where: str) -> None:
    """Refuses somebody who has the person's texts under another name: then nobody is known to be out."""
    copies = doubles(_asked(spec, corpus, user), others)
    if copies:
        raise InputError(
            f"{WHO} stands on both sides: {len(copies)} {where} share half of their texts or more. Somebody who is the "
            "same person under another name cannot be compared with; remove these from the data"
        )


def _too_few(corpus: Corpus, spec: SecretsSpec, reserved: int, needed: int, found: int) -> str:
    calibrating = f", and {reserved} to calibrate on, adversary.background.controls" if reserved else ""
    if spec.held_out is not None:
        return (
            f"{corpus.name}: {needed} people known to be out are needed ({spec.controls} to try, secrets.controls"
            f"{calibrating}), with texts in the split {spec.held_out!r} and none in 'train'. Found {found}"
        )
    return (
        f"{corpus.name}: {needed} users with training texts are needed beside {WHO}: those trained on, secrets.count; "
        f"{spec.controls} known to be out, secrets.controls{calibrating}. Found {found}"
    )
