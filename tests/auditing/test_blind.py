"""The judge of texts alone: finds members that differ by themselves, and nobody where they do not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from divulge.auditing.blind import judged_by_manner, judged_by_texts, with_blind
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.data.single_records import record_secrets
from divulge.metrics.roc import auc
from divulge.parts import validate
from divulge.records import Artefact, Gaps, Member, Passage, Secret, SpecResult, Text, Tokens, UserTexts
from divulge.report.findings import finding
from divulge.runs import run_specs
from divulge.spec import AuditFile
from divulge.store import Store


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


def people(rng: np.random.Generator, count: int, words: range, texts: int = 6) -> list[UserTexts]:
    each = [[tuple(map(str, rng.choice(words, 8))) for _ in range(texts)] for _ in range(count)]
    return [UserTexts(examples=tuple(Passage(tokens=row) for row in rows)) for rows in each]


def told_apart(members: list[UserTexts], others: list[UserTexts], outside: tuple[float, float] = (0.0, 0.0)) -> float:
    """How well people are told apart by their words and manner; `outside`, what of the words the model has not."""
    secrets = tuple(
        Secret(id=f"{used}{number}", hint=hint, answer=Member(used=used))
        for used, hints in ((True, members), (False, others))
        for number, hint in enumerate(hints)
    )
    shares = {one.id: outside[0] if one.id.startswith("True") else outside[1] for one in secrets}
    found = judged_by_manner(Case(Corpus((), "none"), secrets), shares, seed=3)
    assert found is not None
    said = {one["secret_id"]: one["statistic"] for one in found.values["attack"]}
    value = auc([said[i] for i in said if i.startswith("True")], [said[i] for i in said if i.startswith("False")])
    assert value is not None
    return value


def test_people_are_told_apart_by_topic_by_how_much_they_wrote_and_by_a_vocabulary() -> None:
    """To either side: members may be those who wrote less."""
    rng = np.random.default_rng(5)
    same = range(200)
    assert told_apart(people(rng, 50, same), people(rng, 50, range(100, 300))) > 0.9
    assert told_apart(people(rng, 50, same, 12), people(rng, 50, same)) > 0.9
    assert told_apart(people(rng, 50, same), people(rng, 50, same, 12)) > 0.9
    assert told_apart(people(rng, 50, same), people(rng, 50, same), (0.0, 0.1)) > 0.9


def test_people_of_one_source_are_not_told_apart() -> None:
    """Half of all pairs, within what 100 people allow."""
    rng = np.random.default_rng(6)
    areas = [told_apart(people(rng, 50, range(200)), people(rng, 50, range(200))) for _ in range(8)]
    assert 0.4 < float(np.mean(areas)) < 0.6


def test_people_are_judged_only_where_that_is_asked_for() -> None:
    """Where chance parted them, the attack that never asks is the baseline; few are judged by a coin."""
    few = people(np.random.default_rng(0), 4, range(9))
    assert 0 <= told_apart(few[:2], few[2:]) <= 1
    secrets = tuple(Secret(id=str(n), hint=hint, answer=Member(used=n < 2)) for n, hint in enumerate(few))
    case, needs = Case(Corpus((), "none"), secrets), {"attack": Artefact(), "baseline": Artefact()}
    assert with_blind(case, needs, 0) == needs
    assert len(with_blind(case, needs, 0, people=True)["baseline"].values["attack"]) == 4
    gap = Secret(id="1", hint=Gaps(tokens=(None,), candidates=(("a", "b"),)), answer=Tokens(tokens=("a",)))
    assert judged_by_manner(Case(Corpus((), "none"), (gap,)), {}, 0) is None


def audited(folder: Path, topics: tuple[str, str], texts: tuple[int, int]) -> SpecResult:
    """An audit of a stand-in that knows its people by heart; those of the split "later" are known to be out."""
    rng = np.random.default_rng(8)
    rows = []
    for number in range(100):
        later = number % 2
        for _ in range(texts[later]):
            words = " ".join(f"{topics[later]}{word}" for word in rng.choice(50, 6))
            rows.append({"text": words, "user": f"user{number}", "split": "later" if later else "train"})
    path = folder / "people.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    public = {"name": "synthetic-users", "options": {"users": 20, "texts": 4}}
    told = {
        "target": {"kind": "fake-generator", "recipe": {"leaks": True}},
        "data": {"path": str(path), "columns": {"text": "text", "user": "user", "split": "split"}},
        "secrets": {"kind": "users", "count": 30, "controls": 30, "held_out": "later"},
        "adversary": {
            "access": ["RankedTokensAccess"],
            "background": {"shadows": 1, "controls": 19, "corpus": public, "target": {"kind": "fake-generator"}},
        },
        "attacks": [{"name": "calibrated-ratio"}],
        "probes": [{"name": "token-accuracy"}],
    }
    (result,) = run_specs(validate(AuditFile, told, "x").specs(), Store(folder / "store"), workers=0).results
    return result


@pytest.mark.parametrize(("topics", "texts"), [(("w", "v"), (4, 4)), (("w", "w"), (4, 12)), (("w", "w"), (12, 4))])
def test_people_whom_the_data_parted_are_no_leak_if_their_texts_tell(tmp_path, topics, texts) -> None:
    """Other topics, or more or fewer texts: who was in is told without the model, as well as with it."""
    found = finding(audited(tmp_path, topics, texts))
    assert found.kind == "inconclusive"
    assert "a judge of the texts alone" in found.sentence


def test_people_whom_the_data_parted_at_random_are_a_leak(tmp_path) -> None:
    """The judge of texts finds nothing, and the attack everybody; no attack that never asks is run for it."""
    result = audited(tmp_path, ("w", "w"), (4, 4))
    assert finding(result).kind == "leak"
    (blind,) = [one for one in result.measurements if (one.metric, one.arm) == ("auc", "baseline")]
    assert blind.low < 0.5
