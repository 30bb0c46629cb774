"""The judge of texts alone: finds members that differ by themselves, and nobody where they do not."""

from __future__ import annotations

import numpy as np

from divulge.auditing.blind import judged_by_texts
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.data.single_records import record_secrets
from divulge.metrics.roc import auc
from divulge.records import Gaps, Member, Secret, Text, Tokens


def area(members: list[Text], others: list[Text]) -> float:
    """How well the judge tells them apart."""
    secrets = record_secrets(members, others, b"key")
    found = judged_by_texts(Case(Corpus((), "none"), secrets), seed=3)
    assert found is not None
    said = {one["secret_id"]: one["statistic"] for one in found.values["attack"]}
    used = {secret.id: isinstance(secret.answer, Member) and secret.answer.used for secret in secrets}
    value = auc([said[one] for one in said if used[one]], [said[one] for one in said if not used[one]])
    assert value is not None
    return value


def texts(rng: np.random.Generator, count: int, words: range, length: int = 6) -> list[Text]:
    return [Text(tokens=(str(number), *map(str, rng.choice(words, length)))) for number in range(count)]


def test_it_finds_what_the_texts_give_away() -> None:
    """Other words, or another length, are enough."""
    rng = np.random.default_rng(0)
    assert area(texts(rng, 100, range(40)), texts(rng, 100, range(30, 70))) > 0.9
    assert area(texts(rng, 100, range(40), 4), texts(rng, 100, range(40), 12)) > 0.9
    labelled = [Text(tokens=text.tokens, label="x") for text in texts(rng, 100, range(40))]
    assert area(labelled, texts(rng, 100, range(40))) > 0.9


def test_it_sees_tags_and_how_words_begin() -> None:
    """Annotators of another year tag otherwise; order numbers of another year begin otherwise."""
    rng = np.random.default_rng(4)
    plain = texts(rng, 100, range(40))
    tagged = [Text(tokens=text.tokens, tags=("B-X", *("O",) * 6)) for text in texts(rng, 100, range(40))]
    bare = [Text(tokens=text.tokens, tags=("O",) * 7) for text in plain]
    assert area(tagged, bare) > 0.9
    old = [Text(tokens=(f"19{number:05}",)) for number in range(100)]
    new = [Text(tokens=(f"20{number:05}",)) for number in range(100)]
    assert area(old, new) > 0.9


def test_it_is_at_chance_where_chance_decided() -> None:
    """The same source for both: half of all pairs, within what 200 records allow."""
    rng = np.random.default_rng(1)
    areas = [area(texts(rng, 100, range(40)), texts(rng, 100, range(40))) for _ in range(5)]
    assert 0.42 < float(np.mean(areas)) < 0.58


def test_few_records_are_judged_by_a_coin_and_other_secrets_not_at_all() -> None:
    """Too few to learn on; or no records."""
    few = texts(np.random.default_rng(0), 4, range(40))
    assert 0 <= area(few, [Text(tokens=("other", *text.tokens)) for text in few]) <= 1
    gap = Secret(id="1", hint=Gaps(tokens=(None,), candidates=(("a", "b"),)), answer=Tokens(tokens=("a",)))
    assert judged_by_texts(Case(Corpus((), "none"), (gap,)), 0) is None
    assert judged_by_texts(Case(Corpus((), "none"), ()), 0) is None
