"""Tests of people whose words a model does not know: refused before anything runs, or when it is opened."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.one_person import specs, values

from divulge.auditing.planning import plan
from divulge.auditing.reading_people import must_be_read, strange_people
from divulge.auditing.resolving import resolve
from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import AuditFile
from divulge.targets.text_generator import TextGenerator

TOLD = {**TextGenerator.trial, "epochs": 1, "words": ["the", "a"]}


def many(tmp_path, strange, recipe=None):
    """An audit of many people, of whom so many say nothing that the model knows."""
    rows = [
        {"text": f"zib{n} zab{n} zub{n}" if n < strange else f"the zib{n} is a zab{n}", "user": f"user-{n:02}"}
        for n in range(60)
    ]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = values({"secrets": {"kind": "users", "count": 20, "controls": 10}, "adversary.background.controls": 10})
    told["data"] = {"path": str(path)}
    if recipe is not None:
        told["target"] = {"kind": "text-generator", "recipe": recipe}
        told["adversary"]["background"]["target"] = told["target"]
    return validate(AuditFile, told, "x").specs()


@pytest.fixture(scope="module")
def reader():
    """A small generator that knows two words, as opened."""
    target = TextGenerator(TOLD)
    return target.open(target.train(resolve(specs()[0]).case.corpus, np.random.default_rng(0)))


def test_many_people_are_read_before_anything_runs(tmp_path):
    """By the words of the recipe; nobody is named, and no text shown."""
    plan(many(tmp_path, 0, TOLD))
    with pytest.raises(InputError, match=r"secrets: of \d+ of 30 people .* no word is in the vocabulary") as caught:
        plan(many(tmp_path, 60, TOLD))
    assert "adversary.background.controls: 10 of 10 people known to be out have no word" in str(caught.value)
    assert "zib" not in str(caught.value)
    assert "user-" not in str(caught.value)


def test_a_vocabulary_that_nobody_told_says_nothing_beforehand(tmp_path):
    """Of a stand-in, or where words are those of the texts that are learnt."""
    (spec,) = many(tmp_path, 60)
    found = resolve(spec)
    assert strange_people(found.target, found.case, ()) == []
    assert TextGenerator(TextGenerator.trial).told_words is None


def test_an_opened_model_refuses_people_too(reader, tmp_path):
    """Where only it tells its vocabulary: one such person of many is enough."""
    with pytest.raises(InputError, match=r"^secrets: of 30 of 30 people \(\w+, \w+, \w+, …\) no word is"):
        must_be_read(reader, resolve(many(tmp_path, 60)[0]).case)
    must_be_read(reader, resolve(many(tmp_path, 0)[0]).case)


def test_a_budget_that_leaves_somebody_without_an_answer_is_refused(tmp_path):
    """Thirty people asked about and ten known to be out need 40 questions; who never asks needs none."""
    (spec,) = many(tmp_path, 0)
    asking = spec.model_copy(update={"attack": spec.attack.model_copy(update={"name": "calibrated-ratio"})})
    for limit, refused in ((39, True), (40, False), (None, False)):
        adversary = asking.adversary.model_copy(update={"max_queries": limit})
        tight = asking.model_copy(update={"adversary": adversary})
        if refused:
            with pytest.raises(InputError, match="adversary.max_queries is 39, and 40 people are asked about"):
                resolve(tight)
        else:
            resolve(tight)
    blind = spec.model_copy(update={"attack": spec.attack.model_copy(update={"name": "blind"})})
    resolve(blind.model_copy(update={"adversary": blind.adversary.model_copy(update={"max_queries": 1})}))
