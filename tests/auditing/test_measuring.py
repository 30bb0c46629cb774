"""Tests of measuring: guesses beside answers, arm by arm."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.auditing import measuring
from divulge.auditing.measuring import measure_arms, scored
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.metrics import METRICS
from divulge.records import Artefact, Gaps, Member, Ranking, Secret, Standing, Tokens, UserTexts, Verdict

DIGITS = tuple("0123456789")


def canary(number: int, answer: str) -> Secret:
    """A secret of one digit."""
    return Secret(
        id=f"{number:016d}",
        hint=Gaps(tokens=("pin", None), label="pin", candidates=(DIGITS,)),
        answer=Tokens(tokens=(answer,)),
    )


def person(number: int, used: bool) -> Secret:
    """Somebody with no texts."""
    return Secret(id=f"{number:016d}", hint=UserTexts(examples=()), answer=Member(used=used))


def guess(number: int, *digits: str) -> dict:
    """Digits guessed about a secret, best first."""
    ranking = Ranking(secret_id=f"{number:016d}", candidates=tuple((digit,) for digit in digits))
    return ranking.model_dump(mode="json")


def verdict(number: int, statistic: float) -> dict:
    """What was said about a person."""
    return Verdict(secret_id=f"{number:016d}", statistic=statistic).model_dump(mode="json")


def figures(artefact: Artefact) -> dict:
    """Value and n by metric and arm, of figures without a group."""
    return {
        (one["metric"], one["arm"]): (one["value"], one["n"])
        for one in artefact.values["measurements"]
        if not one["group"]
    }


CANARIES = Case(
    Corpus(()), secrets=tuple(canary(n, "1") for n in range(4)), controls=tuple(canary(n, "2") for n in (8, 9))
)
ATTACKED = Artefact(
    values={
        "attack": [guess(0, "1"), guess(1, "1"), guess(2, "3", "1")],  # nothing about the fourth
        "control": [guess(8, "2"), guess(9, "7")],
        "queries": {"LabelAccess": 12},
        "handshake": [{"access": "LabelAccess", "name": "works", "passed": True, "detail": ""}],
    }
)
PEOPLE = Case(
    Corpus(()),
    secrets=tuple(person(n, n < 2) for n in range(4)),
    controls=tuple(person(n, n == 8) for n in (8, 9)),
)


def test_each_arm_is_measured_and_a_missing_guess_is_a_wrong_one():
    """Two of four secrets right, one of two controls; chance is one in ten in closed form."""
    found = figures(measure_arms(CANARIES, {"attack": ATTACKED}, 0))
    assert found["accuracy", "attack"] == (0.5, 4)
    assert found["accuracy", "control"] == (0.5, 2)
    assert found["accuracy", "baseline"] == (pytest.approx(0.1), 4)
    assert found["hdt", "attack"] == (0.5, 4)


def test_outcomes_are_those_of_the_attack_arm():
    """One per secret and metric; controls and baselines have none."""
    outcomes = measure_arms(CANARIES, {"attack": ATTACKED}, 0).values["outcomes"]
    accuracy = {one["secret_id"]: one["value"] for one in outcomes if one["metric"] == "accuracy"}
    assert accuracy == {f"{0:016d}": 1.0, f"{1:016d}": 1.0, f"{2:016d}": 0.0, f"{3:016d}": 0.0}


def test_a_baseline_that_guessed_replaces_chance_in_closed_form():
    """The blind attack's figure, over the same secrets, and no second baseline beside it."""
    attacked = Artefact(values={"attack": [verdict(n, s) for n, s in enumerate((2.0, 1.0, -1.0, -2.0))], "control": []})
    blind = Artefact(values={"attack": [verdict(n, s) for n, s in enumerate((-1.0, 1.0, 1.0, -1.0))], "control": []})
    measured = measure_arms(PEOPLE, {"attack": attacked, "baseline": blind}, 0)
    found = figures(measured)
    assert found["auc", "attack"] == (1.0, 4)
    # Members at -1 and 1, others at 1 and -1: of four pairs one is right, two are ties, one is wrong.
    assert found["auc", "baseline"] == (0.5, 4)
    baselines = [m for m in measured.values["measurements"] if (m["metric"], m["arm"]) == ("auc", "baseline")]
    assert len(baselines) == 1
    outcomes = {one["secret_id"]: one["value"] for one in measured.values["outcomes"] if one["metric"] == "auc"}
    assert outcomes == {f"{n:016d}": 1.0 for n in range(4)}  # of the attack, not of the baseline


def test_standings_become_rank_and_exposure():
    """First of ten: log2(10) bits."""
    place = {"rank": 1, "among": 10, "space": 10, "exposure": 3.3219280948873626}
    standings = [Standing(secret_id=f"{n:016d}", **place).model_dump(mode="json") for n in range(4)]
    attacked = Artefact(values={**ATTACKED.values, "attack standings": standings})
    found = figures(measure_arms(CANARIES, {"attack": attacked}, 0))
    assert found["rank", "attack"] == (1.0, 4)
    assert found["exposure", "attack"] == (pytest.approx(3.321928), 4)
    assert ("rank", "control") not in found  # controls were not scored


def test_probes_come_last_in_the_order_they_were_named():
    """Ten and two are numbers, not words."""
    probes = {
        f"probe {n}": Artefact(
            values={"measurements": [{"metric": f"m{n}", "value": None, "n": 0, "arm": "utility", "group": {}}]}
        )
        for n in (10, 2)
    }
    names = [one["metric"] for one in measure_arms(CANARIES, {"attack": ATTACKED, **probes}, 0).values["measurements"]]
    assert names[-2:] == ["m2", "m10"]


def test_without_an_attack_only_probes_are_read():
    """Nothing is asked, so nothing has an outcome."""
    look = Artefact(values={"measurements": [{"metric": "m", "value": 1.0, "n": 3, "arm": "probe", "group": {"a": 1}}]})
    values = measure_arms(None, {"probe 0": look}, 0).values
    assert [(one["metric"], one["group"]) for one in values["measurements"]] == [("m", {"a": 1})]
    assert (values["outcomes"], values["queries"], values["handshake"]) == ([], {}, [])


def test_what_the_attack_says_about_itself_goes_along():
    """Queries and handshake are read from here alone, when the attack's own artefact is gone."""
    values = measure_arms(CANARIES, {"attack": ATTACKED}, 0).values
    assert values["queries"] == {"LabelAccess": 12}
    assert [check["name"] for check in values["handshake"]] == ["works"]


def test_no_text_is_in_what_is_measured():
    """Answers and guesses stay behind."""
    words = Case(Corpus(()), secrets=(canary(0, "1").model_copy(update={"answer": Tokens(tokens=("zanzibar",))}),))
    attacked = Artefact(values={"attack": [guess(0, "zanzibar")], "control": []})
    assert "zanzibar" not in str(measure_arms(words, {"attack": attacked}, 0).values)


def test_a_new_metric_does_not_move_the_intervals_of_others(monkeypatch):
    """Each metric draws from a generator of its own: without exposure, all other resampled intervals stay."""
    rng = np.random.default_rng(0)
    hint = Gaps(tokens=(None,) * 9, label="pin", candidates=(DIGITS,) * 9)
    answers = [tuple(str(digit) for digit in rng.integers(10, size=9)) for _ in range(40)]
    names = [f"{number:016d}" for number in range(40)]
    case = Case(
        Corpus(()),
        secrets=tuple(Secret(id=i, hint=hint, answer=Tokens(tokens=a)) for i, a in zip(names, answers, strict=True)),
    )
    guesses = [Ranking(secret_id=i, candidates=((*a[:5], *"1234"),)) for i, a in zip(names, answers, strict=True)]
    places = [Standing(secret_id=i, rank=1, among=10, space=10**9, exposure=rng.uniform(0, 29)) for i in names]
    attacked = Artefact(
        values={
            "attack": [one.model_dump(mode="json") for one in guesses],
            "attack standings": [one.model_dump(mode="json") for one in places],
            "control": [],
        }
    )
    before = measure_arms(case, {"attack": attacked}, 0).values["measurements"]
    monkeypatch.setattr(measuring, "METRICS", {name: path for name, path in METRICS.items() if name != "exposure"})
    after = measure_arms(case, {"attack": attacked}, 0).values["measurements"]
    assert after == [one for one in before if one["metric"] != "exposure"]
    assert len(after) < len(before)


def test_scored_puts_guesses_beside_answers():
    """By id; what was not guessed is absent."""
    seen = scored(CANARIES.secrets, ATTACKED, "attack")
    assert list(seen.answers) == [f"{n:016d}" for n in range(4)]
    assert set(seen.guesses) == {f"{n:016d}" for n in range(3)}
    assert seen.guesses[f"{2:016d}"].candidates == (("3",), ("1",))
    assert dict(seen.standings) == {}
