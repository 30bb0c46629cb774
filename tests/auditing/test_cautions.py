"""Tests of divulge.auditing.cautions."""

from __future__ import annotations

from divulge.auditing.cautions import cautions, cut_texts, longer_than_seen, shared_hint, small_shadows
from divulge.auditing.naming import target_named
from divulge.auditing.planning import plan
from divulge.data.cases import target_case
from divulge.data.corpus import Corpus
from divulge.parts import validate
from divulge.records import Text
from divulge.spec import AuditFile, SecretsSpec
from divulge.testing.classifier import FakeClassifier

SHORT = Corpus((Text(tokens=("a", "b"), label="Other"),))


def test_canaries_that_share_a_hint_are_warned_about():
    """Twelve pins after the same words: one guess can be right about one of them."""
    alike = SecretsSpec(pattern="my pin is {digit*4}", label="Pin", count=12, controls=2)
    apart = SecretsSpec(pattern="the pin of <name> is {digit*4}", label="Pin", count=12, controls=2)
    corpus = Corpus((Text(tokens=("a", "b"), label="Other"),))
    assert shared_hint(target_case(alike, corpus, 0)).startswith("12 canaries share 1 hints")
    assert shared_hint(target_case(apart, corpus, 0)) is None


def test_canaries_longer_than_any_text_are_warned_about():
    """Seven words where the longest text has two; texts that are not trained on do not count, nor do canaries."""
    spec = SecretsSpec(pattern="my pin is {digit*4}", label="Pin", count=1, controls=1, copies=3)
    said = longer_than_seen(target_case(spec, SHORT, 0))
    assert said is not None
    assert "canaries of 7 words are longer than any text of the data (2 words)" in said
    long = Text(tokens=tuple("abcdefg"), label="Other")
    assert longer_than_seen(target_case(spec, Corpus((*SHORT.texts, long)), 0)) is None
    unseen = Corpus((*SHORT.texts, Text(tokens=tuple("abcdefg"), label="Other", split="test")))
    assert longer_than_seen(target_case(spec, unseen, 0)) is not None


def test_candidates_without_a_vector_of_their_own_are_warned_about():
    """With trained vectors, words that no text has share one; a set in two holes counts once."""
    values = {
        "target": {"kind": "nlu-tagger", "recipe": {"tune_vectors": True}},
        "data": {"name": "synthetic-utterances", "options": {"size": 60}},
        "secrets": {
            "pattern": "the code is {odd*2}",
            "label": "play_music",
            "copies": 0,
            "count": 1,
            "controls": 1,
            "candidates": {"odd": ["zq", "qz"]},
        },
        "attacks": [{"name": "discrete-search"}],
    }
    (one,) = plan(validate(AuditFile, values, "test").specs()).planned
    assert [said for said in cautions(one) if said.startswith("2 of 2 candidate words are in no training text")]
    values["target"] = {"kind": "nlu-tagger"}
    (drawn,) = plan(validate(AuditFile, values, "test").specs()).planned
    assert not [said for said in cautions(drawn) if "candidate words" in said]


def test_known_words_without_a_vector_of_their_own_are_warned_about(tmp_path):
    """A file of vectors that has the candidates, and not all words before them."""
    file = tmp_path / "some.vec"
    file.write_text("4 2\nthe 1 0\nis 0 1\nzq 1 1\nqz 0 2\n")
    values = {
        "target": {"kind": "nlu-tagger", "recipe": {"vectors": str(file), "width": 2}},
        "data": {"name": "synthetic-utterances", "options": {"size": 60}},
        "secrets": {
            "pattern": "the zyxw is {odd*2}",
            "label": "play_music",
            "count": 1,
            "controls": 1,
            "candidates": {"odd": ["zq", "qz"]},
        },
        "attacks": [{"name": "discrete-search"}],
    }
    (one,) = plan(validate(AuditFile, values, "test").specs()).planned
    assert [said for said in cautions(one) if said.startswith("1 of 3 known words of canaries have no vector in")]
    assert not [said for said in cautions(one) if "candidate words" in said]


def test_texts_that_the_model_cuts_are_warned_about(monkeypatch):
    """Of training texts; what a target says of them is put into words."""
    case = target_case(SecretsSpec(pattern="my pin is {digit*4}", label="Pin", count=1, controls=1), SHORT, 0)
    target = target_named("fake-classifier")
    assert cut_texts(target, case) is None
    asked = []

    def tells(self, texts):
        asked.extend(texts)
        return "reads 3 pieces"

    monkeypatch.setattr(FakeClassifier, "overlong", tells)
    assert cut_texts(target, case) == "the model reads 3 pieces, of the training texts: what lies behind is not learnt"
    assert ("a", "b") in asked


def test_shadows_of_fewer_people_than_the_model_has_are_warned_about():
    """Ten members leave 12 of 50 people over, or 8: halves of 6 and of 4."""
    told = {
        "target": {"kind": "fake-generator", "recipe": {"leaks": True}},
        "data": {"name": "synthetic-users", "options": {"users": 50, "texts": 4}},
        "secrets": {"kind": "users", "count": 10, "controls": 18},
        "adversary": {"background": {"shadows": 1, "controls": 10}},
        "attacks": [{"name": "rank-histogram"}],
    }
    (enough,) = plan(validate(AuditFile, told, "x").specs()).planned
    assert small_shadows(enough) is None
    told["secrets"]["controls"] = 22
    (one,) = plan(validate(AuditFile, told, "x").specs()).planned
    said = small_shadows(one)
    assert said is not None
    assert "learn from 4 people each, the model under audit from 10: 8 people are left over" in said
    assert said in cautions(one)
