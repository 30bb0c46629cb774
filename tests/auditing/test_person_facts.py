"""Tests of what evidence about a person rests on: sizes, telling words by place, and names apart from them."""

from __future__ import annotations

import pytest
from tests.one_person import PERSON, audited, specs

from divulge.auditing.person_facts import people_asked
from divulge.auditing.resolving import resolve
from divulge.errors import ExecutionError
from divulge.records import RunResults
from divulge.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run about a person whom the model knows, and its store."""
    folder = tmp_path_factory.mktemp("run")
    return audited(folder), Store(folder)


def test_facts_hold_no_text_and_words_belong_to_them(run):
    """Each telling word by place and length; the words and the name stand beside, for whoever asks."""
    results, store = run
    (asked,) = people_asked(results, store).values()
    hint = resolve(specs()[0]).case.secrets[0].hint
    assert asked.name == PERSON
    assert (asked.facts.texts, asked.facts.used) == (4, True)
    assert asked.facts.words == sum(len(passage.tokens) for passage in hint.examples)
    assert len(asked.words) == len(asked.facts.telling) == 10
    for one, word in zip(asked.facts.telling, asked.words, strict=True):
        assert hint.examples[one.text - 1].tokens[one.word - 1] == word
        assert one.letters == len(word)
        assert one.found < one.expected  # known by heart here, by nobody else
    assert asked.facts.usual_words[0] <= asked.facts.usual_words[1] <= asked.facts.usual_words[2]
    assert PERSON not in asked.facts.model_dump_json()
    # 4 texts of each of 20 people tried, and of the 19 known to be out once more; results have those for the answer.
    assert dict(asked.facts.control_queries) == {"RankedTokensAccess": 4 * 39}
    assert dict(results.results[0].queries) == {"RankedTokensAccess": 4 * 20}


def test_a_run_about_nobody_has_no_facts(run):
    """Nothing is planned for it."""
    assert people_asked(RunResults(results=()), run[1]) == {}


def test_a_store_that_forgot_is_told_of(run, tmp_path):
    """The sheet cannot be made from the results alone."""
    with pytest.raises(ExecutionError, match="not in the store any more"):
        people_asked(run[0], Store(tmp_path))
