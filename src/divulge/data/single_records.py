"""Single records as secrets: was this one text trained on? Members, others like them, and those known to be out.

A text that stands in the data twice is one record: an "other" of which a copy was trained on would be no other. Only
texts of the training split count as members.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.data.corpus import Corpus
from divulge.data.ids import opaque_id
from divulge.errors import InputError
from divulge.records import Hint, Member, RecordText, Secret, Text

__all__ = ["RecordSplit", "halved_records", "record_hint", "record_secrets", "split_records", "without"]


@dataclass(frozen=True)
class RecordSplit:
    """Who is asked about, and what is left.

    `kept_out` are the texts that the model must not be trained on: the others and as many known to be out, where they
    come from the training split. `pool` is what the adversary may train models of its own on.
    """

    members: tuple[Text, ...]
    others: tuple[Text, ...]
    known_out: tuple[Text, ...]
    kept_out: frozenset[tuple[str, ...]]
    pool: tuple[Text, ...]


def split_records(
    corpus: Corpus, members: int, others: int, rng: np.random.Generator, held_out: str | None = None
) -> RecordSplit:
    """Draws the records to ask about.

    With `held_out`, the others are drawn from that split; what stands in both splits is neither member nor other, for
    else the commonest texts would all be members. Without, they are
    drawn from the training split like the members, with as many again for the adversary to calibrate on; none of these
    may be trained on.
    """
    training = _different(corpus.split("train"))
    if held_out is None:
        needed = members + 2 * others
        _must_have(corpus, training, needed, f"{members} members, secrets.count, and twice {others}, secrets.controls")
        mixed = _mixed(training, rng)
        asked, out, spare = mixed[:members], mixed[members : members + others], mixed[members + others : needed]
        kept_out = frozenset(text.tokens for text in (*out, *spare))
        pool = mixed[needed:]
    else:
        if held_out not in corpus.splits:
            known = ", ".join(sorted(corpus.splits))
            raise InputError(f"secrets.held_out: {corpus.name} has no split {held_out!r}. It has: {known}")
        seen, apart_from = ({text.tokens for text in corpus.split(name)} for name in ("train", held_out))
        unseen = [text for text in _different(corpus.split(held_out)) if text.tokens not in seen]
        mine = [text for text in training if text.tokens not in apart_from]
        _must_have(corpus, mine, members, f"{members} members, secrets.count, that do not stand in {held_out!r} too")
        _must_have(corpus, unseen, others, f"{others} others, secrets.controls, of the split {held_out!r}")
        mixed, apart = _mixed(mine, rng), _mixed(unseen, rng)
        asked, pool, out, spare = mixed[:members], mixed[members:], apart[:others], apart[others:]
        kept_out = frozenset()
    barred = {text.tokens for text in (*training, *out, *spare)}
    further = [
        text
        for split in sorted(set(corpus.splits) - {"train", held_out})
        for text in _different(corpus.split(split))
        if text.tokens not in barred
    ]
    return RecordSplit(tuple(asked), tuple(out), tuple(spare) + tuple(further), kept_out, tuple(pool))


def halved_records(
    parts: RecordSplit, background: Corpus | None, rng: np.random.Generator
) -> tuple[list[Text], list[Text]]:
    """Splits what an adversary may train on at random into records of a model of its own and as many others.

    That is the background, without any record that is asked about or known to be out; or else the pool.
    """
    private = {text.tokens for text in (*parts.members, *parts.others, *parts.known_out)}
    pool = parts.pool
    if background is not None:
        pool = tuple(text for text in background.split("train") if text.tokens and text.tokens not in private)
    if len(pool) < 2:
        raise InputError(
            f"a practice model needs at least 2 records of its own, half of them to train on. Found {len(pool)}. "
            "Give adversary.background.corpus, or leave records over: lower secrets.count or secrets.controls"
        )
    mixed = [pool[place] for place in rng.permutation(len(pool))]
    return mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]


def record_secrets(members: Iterable[Text], others: Iterable[Text], key: bytes) -> tuple[Secret, ...]:
    """Makes one secret per record; in the order of their ids, so that the order tells nothing."""
    secrets = [
        Secret(id=opaque_id(key, "record", text.tokens), hint=record_hint(text), answer=Member(used=used))
        for used, texts in ((True, members), (False, others))
        for text in texts
    ]
    return tuple(sorted(secrets, key=lambda secret: secret.id))


def record_hint(text: Text) -> Hint:
    """All that the adversary is told: the record itself."""
    return RecordText(tokens=text.tokens, context=text.context, label=text.label, tags=text.tags)


def without(corpus: Corpus, kept_out: frozenset[tuple[str, ...]]) -> Corpus:
    """The corpus less these texts, wherever they stand in its training and validation splits."""
    texts = tuple(text for text in corpus if text.split == "test" or text.tokens not in kept_out)
    return replace(corpus, texts=texts)


def _different(texts: Iterable[Text]) -> list[Text]:
    """Texts that have words, each once; the first of equal ones stands for all."""
    return list({text.tokens: text for text in reversed(list(texts)) if text.tokens}.values())[::-1]


def _mixed(texts: Sequence[Text], rng: np.random.Generator) -> list[Text]:
    return [texts[place] for place in rng.permutation(len(texts))]


def _must_have(corpus: Corpus, texts: Sequence[Text], needed: int, why: str) -> None:
    if len(texts) < needed:
        raise InputError(
            f"{corpus.name}: {needed} different records are needed ({why}). Found {len(texts)}. Ask about fewer"
        )
