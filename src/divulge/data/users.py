"""Users as secrets: were this person's texts used? Members, others like them, and a pool to practise on.

Only texts of the training split count, for members and others alike: both are then the same kind of text, and a random
split decides who is which. Texts of nobody (no user) may be trained on, but are nobody's secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from divulge.data.both_sides import must_be_parted
from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.ids import opaque_id
from divulge.errors import InputError
from divulge.records import Member, Passage, Secret, Text, UserTexts

__all__ = [
    "FEWEST",
    "UserSplit",
    "control_users",
    "halve",
    "left_over",
    "met_users",
    "split_users",
    "texts_by_user",
    "trained_on",
    "user_secrets",
    "users_with_texts",
    "without_unused",
]

FEWEST = 10  # of so many users of the model under audit, a practice model learns from one at least


@dataclass(frozen=True)
class UserSplit:
    """Who is trained on, who is not but is asked about, and who is left for the adversary's own models.

    `known_out` are not asked about: the adversary is told that they are out, and may calibrate on them.
    """

    members: tuple[str, ...]
    others: tuple[str, ...]
    pool: tuple[str, ...]
    known_out: tuple[str, ...] = ()


def users_with_texts(corpus: Corpus) -> tuple[str, ...]:
    """All users with at least one text to be asked about, sorted."""
    return tuple(sorted(_passages(corpus)))


def split_users(
    corpus: Corpus,
    members: int,
    others: int,
    rng: np.random.Generator,
    *,
    known_out: int = 0,
    held_out: str | None = None,
) -> UserSplit:
    """Splits the users at random into members, others, those known to be out, and the pool of those left over.

    With `held_out`, whoever has training texts is a member, and others are people who only have texts in that split;
    so are those left over.
    """
    if held_out is not None:
        return _split_by_split(corpus, members, (others, others + known_out), rng, held_out)
    users = users_with_texts(corpus)
    needed = members + others + known_out
    if len(users) < needed:
        known = f", and {known_out} known to be out, adversary.background.controls" if known_out else ""
        raise InputError(
            f"{corpus.name}: {needed} users with training texts are needed "
            f"({members} members, secrets.count, and {others} others, secrets.controls{known}). Found {len(users)}"
        )
    mixed = _mixed(users, rng)
    return UserSplit(
        members=tuple(sorted(mixed[:members])),
        others=tuple(sorted(mixed[members : members + others])),
        pool=tuple(sorted(mixed[needed:])),
        known_out=tuple(sorted(mixed[members + others : needed])),
    )


def halve(
    pool: Sequence[str], rng: np.random.Generator, size: int | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits a pool at random into users to train on and as many others; at most `size` each, all else left out."""
    half = len(pool) // 2 if size is None else min(size, len(pool) // 2)
    fewest = 1 if size is None else -(-size // FEWEST)
    if half < fewest:
        beside = f", where the model under audit has {size}" if size is not None and fewest > 1 else ""
        raise InputError(
            f"a practice model needs at least {2 * fewest} users of its own, half of them to train on{beside}. "
            f"Found {len(pool)}. Give adversary.background.corpus, or leave users over: lower secrets.count or "
            "secrets.controls"
        )
    mixed = _mixed(sorted(pool), rng)
    return tuple(sorted(mixed[:half])), tuple(sorted(mixed[half : 2 * half]))


def left_over(corpus: Corpus, pool: tuple[str, ...], held_out: str | None = None) -> Corpus:
    """The texts of the pool: one corpus for all models that learn from it, so that it is hashed and sorted out once.

    With `held_out`, the texts of that split are what they learn from.
    """
    return _of_users(SameCorpus(corpus), pool, held_out)


def user_secrets(
    corpus: Corpus, members: Iterable[str], others: Iterable[str], key: bytes, held_out: str | None = None
) -> tuple[Secret, ...]:
    """Makes one secret per user; in the order of their ids, so that the order tells nothing."""
    members, others = tuple(members), tuple(others)
    passages = _passages(corpus)
    if held_out is not None:
        unused = {user: texts for user, texts in _passages(corpus, held_out).items() if user in set(others)}
        passages = {**passages, **unused}
    secrets = [
        Secret(
            id=opaque_id(key, "user", user),
            hint=UserTexts(examples=tuple(passages[user])),
            answer=Member(used=used),
        )
        for used, users in ((True, members), (False, others))
        for user in users
    ]
    return tuple(sorted(secrets, key=lambda secret: secret.id))


def control_users(secrets: Iterable[Secret], key: bytes, rng: np.random.Generator) -> tuple[Secret, ...]:
    """Asks about the others only, and calls a random half of them members: no attack can tell those apart."""
    others = [secret for secret in secrets if isinstance(secret.answer, Member) and not secret.answer.used]
    called = set(rng.permutation(len(others))[: len(others) // 2].tolist())
    controls = [
        Secret(id=opaque_id(key, "control", secret.id), hint=secret.hint, answer=Member(used=place in called))
        for place, secret in enumerate(others)
    ]
    return tuple(sorted(controls, key=lambda secret: secret.id))


def trained_on(corpus: Corpus, members: Iterable[str]) -> Corpus:
    """The members' texts, and those of nobody, in every split."""
    wanted = {None, *members}
    return replace(corpus, texts=tuple(text for text in corpus if text.user in wanted))


def without_unused(corpus: Corpus, members: Iterable[str], share: float, rng: np.random.Generator) -> Corpus:
    """The corpus without that share of each member's training texts, drawn at random, to the nearest whole number.

    At least one text of each stays, so that a single one always does. What somebody wrote twice is one text: both go,
    or none. What goes at a small share goes at every larger one too, if the generator is the same.
    """
    passages, gone = _passages(corpus), set[tuple[str | None, Passage]]()
    for user in sorted(set(members) & set(passages)):
        different = list(dict.fromkeys(passages[user]))
        count = min(len(different) - 1, int(share * len(different) + 0.5))
        # The whole order is drawn, whatever the share: only so do shares compare.
        gone |= {(user, different[place]) for place in rng.permutation(len(different))[:count]}
    kept = (text for text in corpus if text.split != "train" or (text.user, _passage(text)) not in gone)
    return replace(corpus, texts=tuple(kept))


def met_users(asked: Corpus, background: Corpus) -> set[str | None]:
    """Users of the background who are people asked about, under whatever name: half of their texts are theirs.

    One text in common is no proof: "thank you" is everybody's.
    """
    texts = {text.tokens for text in asked}
    shared = Counter(text.user for text in background if text.tokens in texts)
    written = Counter(text.user for text in background)
    return {user for user, count in shared.items() if 2 * count >= written[user]}


def _split_by_split(
    corpus: Corpus, members: int, out: tuple[int, int], rng: np.random.Generator, held_out: str
) -> UserSplit:
    """Of `out[1]` people who are known not to have been used, the first `out[0]` are asked about."""
    inside = users_with_texts(corpus)
    must_be_parted(corpus.name, texts_by_user(corpus, "train"), texts_by_user(corpus, held_out), held_out)
    outside = sorted(_passages(corpus, held_out))
    if len(inside) < members or len(outside) < out[1]:
        raise InputError(
            f"{corpus.name}: {members} users with training texts are needed (secrets.count) and {out[1]} with texts in "
            f"the split {held_out!r} alone (secrets.controls and adversary.background.controls). Found {len(inside)} "
            f"and {len(outside)}"
        )
    used, unused = _mixed(inside, rng), _mixed(outside, rng)
    return UserSplit(
        members=tuple(sorted(used[:members])),  # whoever else was trained on is nobody's to practise on
        others=tuple(sorted(unused[: out[0]])),
        pool=tuple(sorted(unused[out[1] :])),
        known_out=tuple(sorted(unused[out[0] : out[1]])),
    )


def texts_by_user(corpus: Corpus, split: str) -> dict[str, list[Text]]:
    """Who has texts in a split, with these; empty ones do not count."""
    found: dict[str, list[Text]] = {}
    for text in corpus:
        if text.user is not None and text.split == split and text.tokens:
            found.setdefault(text.user, []).append(text)
    return found


def _passages(corpus: Corpus, split: str = "train") -> Mapping[str, list[Passage]]:
    return _read_passages(SameCorpus(corpus), split)


@lru_cache(maxsize=8)
def _of_users(same: SameCorpus, users: tuple[str, ...], held_out: str | None) -> Corpus:
    found = same.corpus.of_users(users)
    if held_out is None:
        return found
    kept = tuple(replace(text, split="train") for text in found if text.split == held_out)
    return replace(found, texts=kept)


@lru_cache(maxsize=8)  # as many: the texts of each pool are sorted out by user
def _read_passages(same: SameCorpus, split: str) -> Mapping[str, list[Passage]]:
    passages: dict[str, list[Passage]] = {}
    for text in same.corpus:
        if text.user is not None and text.split == split and text.tokens:
            passages.setdefault(text.user, []).append(_passage(text))
    return passages


def _passage(text: Text) -> Passage:
    return Passage(context=text.context, tokens=text.tokens)


def _mixed(users: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [users[place] for place in rng.permutation(len(users))]
