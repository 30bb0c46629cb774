"""Tests of audits about one person: a leaky model is caught, a silent one is not, and what cannot work is refused."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from tests.one_person import PERSON, audited, specs, values

from divulge.auditing.forecast import forecast
from divulge.auditing.one_person import named_by_id
from divulge.auditing.planning import plan
from divulge.auditing.reading_people import must_be_read
from divulge.auditing.resolving import resolve
from divulge.errors import InputError
from divulge.metrics.intervals import clopper_pearson
from divulge.parts import validate
from divulge.report.one_person import person_decided, person_sentence
from divulge.spec import AuditFile
from divulge.store import Store
from divulge.targets.text_generator import TextGenerator


@pytest.fixture(scope="module")
def leaky(tmp_path_factory):
    """The audit of a model that knows the person by heart."""
    return audited(tmp_path_factory.mktemp("leaky"))


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """The audit of a model that knows nobody."""
    return audited(tmp_path_factory.mktemp("silent"), {"target.recipe.leaks": False})


def test_a_leaky_model_is_caught_and_a_silent_one_is_not(leaky, silent):
    """Member, with the smallest p-value that 19 people can give; and not shown."""
    (caught,), (spared,) = leaky.results, silent.results
    assert person_decided(caught).decision == "member"
    assert person_decided(spared).decision == "not shown"
    assert next(one.value for one in caught.measurements if one.metric == "p_value") == pytest.approx(1 / 20)


def test_no_rate_is_measured_of_one_person(leaky):
    """A p-value and what it rests on are all figures of the attack; nothing is an outcome of the person."""
    (result,) = leaky.results
    figures = {one.metric for one in result.measurements if one.arm not in ("utility", "probe")}
    assert figures == {"p_value", "statistic", "blind_p_value", "trait_p_value", "false_positive_rate"}
    assert result.outcomes == ()
    # 4 texts of the person and of 19 people known to be out; the control arm has a budget of its own.
    assert dict(result.queries) == {"RankedTokensAccess": 80}


@pytest.mark.parametrize(
    ("kept", "spelling", "trait"),
    [
        ((20, 4), "{}", "number of texts"),
        ((4, 20), "{}", "number of texts"),
        ((4, 4), "zib{}", "words that nobody else uses"),
    ],
)
def test_a_person_unlike_anybody_is_not_comparable(kept, spelling, trait, tmp_path):
    """Many texts, few, or of other words: the texts alone pick the person out, whatever the model knows."""
    rows, seen = [], Counter()
    for text in resolve(specs({"data.options.texts": 20})[0]).corpus:
        mine = text.user == PERSON
        seen[text.user] += 1
        if seen[text.user] <= kept[0 if mine else 1]:
            words = (spelling.format(word) if mine else word for word in text.tokens)
            rows.append({"text": " ".join(words), "user": text.user})
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (result,) = audited(tmp_path / "store", {"data": {"path": str(path)}}).results
    found = person_decided(result)
    assert found.decision == "inconclusive"
    assert found.reasons == ("blind",)
    said = person_sentence(result, "RankedTokensAccess")
    assert "not comparable with the people known to be out" in said
    assert trait in said


def test_the_name_is_in_no_result(leaky):
    """An opaque id takes its place, by which the same audit can be planned again: with the same keys."""
    assert PERSON not in leaky.model_dump_json()
    (result,) = leaky.results
    named, by_id = plan(specs()), plan(specs({"secrets.person": result.spec["secrets"]["person"]}))
    assert by_id.planned[0].measure == named.planned[0].measure
    assert by_id.planned[0].spec.hash == result.spec_hash
    assert PERSON not in json.dumps([dict(task.payload) for task in named.graph], default=dict)


def test_others_keep_their_names():
    """A spec about many is left as it is."""
    group = specs({"secrets": {"kind": "users", "count": 10, "controls": 20}})[0]
    assert named_by_id(group, resolve(group).case) is group


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"attacks": []}, "name one in \\[\\[attacks\\]\\]"),
        ({"attacks": [{"name": "blind"}]}, "Attacks that do: calibrated-ratio, rank-histogram"),
        (
            {"attacks": [{"name": "calibrated-ratio"}, {"name": "rank-histogram"}]},
            "2 attacks would each have a chance to accuse the person wrongly",
        ),
        ({"adversary.background.controls": 0}, "controls to 19 or more, for p-values down to 0.05"),
        ({"run": {"models": 2}}, "set run.models to 1"),
        ({"adversary.max_queries": 79}, "max_queries is 79, and to ask about the person and 19 .* takes 80"),
        ({"adversary.background.controls": 80}, "known to be out"),
        ({"secrets.person": "user-99999"}, "no text of synthetic-users is of this user"),
    ],
)
def test_what_cannot_be_answered_is_refused_beforehand(settings, said):
    """Before anything runs, with what to do."""
    with pytest.raises(InputError, match=said):
        plan(specs(settings))


def test_a_budget_that_suffices_is_taken():
    """80 questions for 20 people of 4 texts."""
    assert plan(specs({"adversary.max_queries": 80}))


def test_an_output_limit_of_zero_is_refused():
    """A model that shows nothing cannot be asked."""
    with pytest.raises(InputError, match="greater than or equal to 1"):
        plan(specs({"defences": [{"name": "output-limit", "options": {"tokens": 0}}]}))


def test_the_forecast_says_what_so_many_people_can_show(tmp_path):
    """And warns where they can show nothing."""
    (enough,) = forecast(plan(specs()), Store(tmp_path)).specs
    assert enough.power == ("the smallest p-value is 0.05 (19 people known to be out)",)
    few = {"adversary.background.controls": 9, "secrets.controls": 5}
    (warned,) = forecast(plan(specs(few)), Store(tmp_path)).specs
    assert [line.partition(":")[0] for line in warned.power[1:]] == ["warning", "warning"]


@pytest.fixture(scope="module")
def reader():
    """A small generator that knows the words of some people, as opened."""
    known = resolve(specs()[0]).case
    target = TextGenerator({**TextGenerator.trial, "epochs": 1, "words": ["the", "a"]})
    return target, target.open(target.train(known.corpus, np.random.default_rng(0)))


def test_a_person_whose_words_the_model_does_not_know_is_refused(reader, tmp_path):
    """All words are one unknown word to it; a single known one is enough to ask."""
    rows = [{"text": f"zib{n} zab{n} zub{n}", "user": f"user-{n}"} for n in range(60)]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = values({"secrets.person": "user-3"})
    told["data"] = {"path": str(path)}
    _, grant = reader
    with pytest.raises(InputError, match=r"none of the words of this person's 1 texts is in the vocabulary") as caught:
        must_be_read(grant, resolve(validate(AuditFile, told, "x").specs()[0]).case)
    assert "zib" not in str(caught.value)
    must_be_read(grant, resolve(specs()[0]).case)


def test_a_vocabulary_in_other_tokens_refuses_nobody(leaky):
    """The stand-in tells names of buckets and reads words: that was no reason to refuse."""
    assert not leaky.failures


def test_such_a_person_is_the_callers_mistake(tmp_path):
    """Its words are told by the recipe: nothing is trained for it."""
    recipe = {**TextGenerator.trial, "epochs": 1, "words": ["nothing", "nobody-says"]}
    trained = {"kind": "text-generator", "recipe": recipe}
    settings = {"target": trained, "adversary.background.target": trained, "data.options.texts": 2}
    with pytest.raises(InputError, match="secrets.person: none of .* is in the vocabulary of the model"):
        audited(tmp_path, settings)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("attack", ["rank-histogram", "calibrated-ratio"])
def test_a_silent_model_accuses_no_more_often_than_it_says(attack, tmp_path):
    """Over 40 seeds, each with people of its own, the share of "member" is within what alpha allows.

    At 0.05, 6 or more of 40 are called members once in 70 times by chance; without any calibration it would be half.
    """
    accused = 0
    for seed in range(40):
        settings = {
            "target.recipe.leaks": False,
            "data.options": {"users": 60, "texts": 2, "seed": seed},
            "secrets.count": 2,
            "secrets.controls": 19,
            "attacks": [{"name": attack}],
            "run": {"seed": seed},
        }
        (result,) = audited(tmp_path / str(seed), settings).results
        accused += person_decided(result).decision == "member"
    interval = clopper_pearson(accused, 40)
    assert interval is not None
    assert interval.low <= 0.05
