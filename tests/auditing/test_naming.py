"""Tests of names, and of corpora that are loaded once."""

from __future__ import annotations

import importlib
import os

import pytest
from tests.auditing.sample import HERE, Watcher

from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.auditing.naming import (
    attack_named,
    content_fingerprint,
    corpus_of,
    defence_named,
    probe_named,
    source_number,
    target_named,
)
from divulge.errors import InputError
from divulge.spec import DataSpec


def test_a_registered_name_gives_its_part_with_options():
    """A name of the registry becomes an instance whose options are those given, the rest by default."""
    attack = attack_named("label-likelihood", {"beam": 3})
    assert type(attack) is LabelLikelihood
    assert (attack.options.beam, attack.options.penalty) == (3, 0.0)


def test_own_classes_are_named_by_module_and_class():
    """`module:Class` finds a part in anybody's code."""
    assert type(attack_named(f"{HERE}:Watcher")) is Watcher


@pytest.mark.parametrize(
    ("make", "near"),
    [
        (lambda: attack_named("label-likelyhood"), "Did you mean 'label-likelihood'"),
        (lambda: target_named("fake-encodr"), "Did you mean 'fake-encoder'"),
        (lambda: defence_named("droput"), "Did you mean 'dropout'"),
        (lambda: probe_named("row-retreival"), "Did you mean 'row-retrieval'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(make, near):
    """Every role tells which names are near."""
    with pytest.raises(InputError, match=near):
        make()


def test_another_role_under_a_name_is_refused():
    """A defence is no attack."""
    with pytest.raises(InputError, match=r"attack .*Fitted' must be a subclass of divulge\.attacks\.base\.Attack"):
        attack_named(f"{HERE}:Fitted")


def test_a_corpus_is_loaded_once(tmp_path):
    """Two tasks of one process share the corpus."""
    spec = DataSpec(name="synthetic-topics", options={"size": 20})
    assert corpus_of(spec) is corpus_of(DataSpec(name="synthetic-topics", options={"size": 20}))
    assert corpus_of(spec) is not corpus_of(DataSpec(name="synthetic-topics", options={"size": 21}))


def test_a_file_that_changed_is_read_again(tmp_path):
    """A later run in the same process must not be answered with the texts of an earlier one."""
    path = tmp_path / "own.csv"
    path.write_text("text,label\nhello there,a\ngood day,b\n")
    spec = DataSpec(path=str(path))
    first = corpus_of(spec)
    path.write_text("text,label\nhello there,a\ngood bye,b\n")
    os.utime(path, ns=(0, 1))
    second = corpus_of(spec)
    assert [text.tokens for text in first][1] == ("good", "day")
    assert [text.tokens for text in second][1] == ("good", "bye")


def test_what_lies_at_a_path_is_told_by_its_content(tmp_path):
    """Not by its name, its age or where it lies: a copy of a model is the same model."""
    for name in ("one", "two"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "deep" / "weights.bin").write_bytes(b"weights")
    first = content_fingerprint(str(tmp_path / "one"))
    assert first is not None
    assert content_fingerprint(str(tmp_path / "two")) == first
    (tmp_path / "two" / "deep" / "weights.bin").write_bytes(b"Weights")
    assert content_fingerprint(str(tmp_path / "two")) != first
    (tmp_path / "two" / "deep" / "weights.bin").rename(tmp_path / "two" / "weights.bin")
    (tmp_path / "two" / "weights.bin").write_bytes(b"weights")
    assert content_fingerprint(str(tmp_path / "two")) != first
    assert content_fingerprint(str(tmp_path / "one")) == first


def test_a_file_of_a_model_that_changed_is_hashed_again(tmp_path):
    """Within one process, too."""
    path = tmp_path / "model.bin"
    path.write_bytes(b"a")
    first = content_fingerprint(str(path))
    path.write_bytes(b"b")
    os.utime(path, ns=(0, 1))
    assert content_fingerprint(str(path)) != first


@pytest.mark.parametrize("path", [None, "nowhere/at-all", "https://example.org/model", 3])
def test_where_nothing_lies_there_is_no_fingerprint(path):
    """A name on a hub, an address, nothing."""
    assert content_fingerprint(path) is None


def test_a_class_has_the_number_of_the_file_it_is_written_in(tmp_path, monkeypatch):
    """Another source, another number, so that a changed part of one's own is never answered from the store."""
    file = tmp_path / "numbered_part.py"
    file.write_text("class Own:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module("numbered_part").Own
    before = source_number(own)
    assert before == source_number(own) > 0
    file.write_text("class Own:\n    changed = True\n")
    assert source_number(own) != before


def test_a_class_without_a_file_has_no_number():
    """Typed at a prompt, there is nothing to compare."""
    assert source_number(type("Typed", (), {"__module__": "nowhere"})) == 0
