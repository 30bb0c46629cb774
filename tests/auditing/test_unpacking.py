"""Tests of the way back from payloads: the same parts, texts and cases, and nothing that has changed since."""

from __future__ import annotations

import pytest
from tests.auditing.sample import PUBLIC, defended, reading, specs_of, target_of

from divulge.auditing.planning import plan
from divulge.auditing.tasks import execute
from divulge.auditing.unpacking import (
    attack_of,
    changed,
    corpus_from,
    defences_of,
    known_out_of,
    owners_corpus,
    practice_case_of,
    target_case_of,
    with_outsiders,
)
from divulge.data.obfuscation.paraphrase import Paraphraser
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import ExecutionError
from divulge.runs import run_specs


def payload_of(kind: str, task: str, *settings: str):
    """The payload of the first task of a kind, and what its spec was resolved to."""
    planned = plan(specs_of(kind, *settings))
    return next(one.payload for one in planned.graph if one.kind == task), planned.planned[0].resolved


@pytest.mark.parametrize("kind", ["canaries", "users", "rows"])
def test_the_case_made_again_is_the_case_planned(kind):
    """In whatever process: secrets, controls and training texts."""
    payload, resolved = payload_of(kind, "attack")
    assert target_case_of(payload) == resolved.case
    trained, _ = payload_of(kind, "train-target")
    assert owners_corpus(trained) == resolved.case.corpus


def test_found_secrets_leave_the_data_as_it_is(tmp_path):
    """Nothing is planted for them; the training does not even read their file."""
    _, resolved = payload_of("canaries", "attack")
    path = tmp_path / "secrets.json"
    content = SecretsFile(fingerprint=resolved.corpus.fingerprint, key=b"k", secrets=resolved.case.secrets)
    write_secrets(path, content)
    setting = f'secrets={{file="{path}"}}'
    asked, _ = payload_of("canaries", "attack", setting)
    trained, _ = payload_of("canaries", "train-target", setting)
    assert target_case_of(asked).secrets == resolved.case.secrets
    path.unlink()
    assert owners_corpus(trained) == resolved.corpus


def test_parts_come_back_with_all_their_options():
    """Defaults included."""
    payload, resolved = payload_of("canaries", "attack", "attacks.0.options.beam=7", defended("rounding"))
    assert attack_of(payload["attack"]).options == resolved.attack.options
    (defence,) = defences_of(payload["defences"])
    assert (type(defence), defence.options) == (type(resolved.defences[0]), resolved.defences[0].options)


def test_practice_is_made_from_other_people_or_texts():
    """Shadow number one of the users left over; nobody of the target's case is in it."""
    settings = ("adversary.background.shadows=2",)
    planned = plan(specs_of("users", *settings))
    cases = [practice_case_of(t.payload, t.payload) for t in planned.graph if t.kind == "train-practice"]
    case = planned.planned[0].resolved.case
    asked = {passage.tokens for secret in case.secrets for passage in secret.hint.examples}
    assert len(cases) == 2
    assert cases[0] != cases[1]
    for one in cases:
        assert one.secrets
        assert not asked & {text.tokens for text in one.corpus}


def test_people_known_to_be_out_are_told_to_the_adversary_only_if_it_is_given_any():
    """As many as it is given."""
    none, _ = payload_of("users", "prepare")
    three, _ = payload_of("users", "prepare", "adversary.background.controls=3")
    assert known_out_of(none["controls"]) == ()
    assert len(known_out_of(three["controls"])) == 3


def test_defences_of_the_corpus_act_in_their_order():
    """Ten copies become one; without the defence they stay."""
    payload, resolved = payload_of("canaries", "train-target", "secrets.copies=10", defended("deduplication"))
    corpus = owners_corpus(payload)
    assert len(corpus) == len(resolved.corpus) + 60
    assert len([text for text in changed(corpus, payload) if text.planted]) == 6
    assert changed(corpus, {}) == corpus


def test_outsiders_are_the_test_split_where_people_are_the_secret():
    """Nobody is in both splits, as many are in one as in the other; other secrets leave the corpus alone."""
    payload, resolved = payload_of("users", "probe")
    whole = with_outsiders(owners_corpus(payload), payload)
    inside, outside = set(whole.split("train").users), set(whole.split("test").users)
    assert len(inside) == len(outside) < len(set(resolved.corpus.users)) / 2
    assert not inside & outside
    assert len(whole.split("test")) == len(resolved.corpus.of_users(outside))
    canaries, _ = payload_of("canaries", "probe")
    assert with_outsiders(owners_corpus(canaries), canaries) == owners_corpus(canaries)


def test_data_that_changed_since_the_plan_is_refused(store, tmp_path):
    """A worker must not train on other texts than those in the key."""
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text,label", *(f"text {word},{word}" for word in "abcdefghijklmnopqrst")]))
    graph = plan(specs_of("canaries", f'data={{path="{path}"}}')).graph
    path.write_text("text,label\nanother,x\n")
    with pytest.raises(ExecutionError, match="changed since the run was planned"):
        execute(next(iter(graph)), store)


def test_public_data_that_changed_since_the_plan_is_refused(store, tmp_path):
    """The adversary's as well as the owner's."""
    path = tmp_path / "public.csv"
    rows = [f"text {word},{word}" for word in "abcdefghijklmnopqrst"]
    path.write_text("\n".join(["text,label", *rows]))
    settings = (PUBLIC, f'adversary.background.corpus={{path="{path}"}}', "adversary.background.shadows=1")
    graph = plan(specs_of("canaries", *settings)).graph
    path.write_text("\n".join(["text,label", *rows[1:]]))
    with pytest.raises(ExecutionError, match="changed since the run was planned"):
        execute(next(task for task in graph if task.kind == "train-practice"), store)


def test_a_model_that_changed_since_the_plan_is_refused(store, tmp_path):
    """It would be kept under the name of the old one."""
    path = tmp_path / "model.bin"
    path.write_bytes(b"one")
    graph = plan(specs_of("canaries", target_of("Read"), f"target.path={path}")).graph
    task = next(iter(graph))
    execute(task, store)
    path.write_bytes(b"other")
    with pytest.raises(ExecutionError, match=r"model\.bin: changed since the run was planned"):
        execute(task, store)


def test_secrets_that_changed_since_the_plan_are_refused(tmp_path):
    """Answers must be those the guesses are about."""
    _, resolved = payload_of("canaries", "attack")
    path = tmp_path / "secrets.json"
    for secrets in (resolved.case.secrets, resolved.case.secrets[:2]):
        write_secrets(path, SecretsFile(fingerprint=resolved.corpus.fingerprint, key=b"k", secrets=secrets))
        if secrets is resolved.case.secrets:
            payload, _ = payload_of("canaries", "attack", f'secrets={{file="{path}"}}')
    with pytest.raises(ExecutionError, match=r"secrets\.json: changed since the run was planned"):
        target_case_of(payload)


@pytest.mark.parametrize("unit", ["piece", "word"])
def test_texts_come_back_in_the_tokens_of_their_reader(tmp_path, unit):
    """As the plan saw them: in pieces of the target's tokenizer, or in words."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')
    payload, resolved = payload_of("rows", "train-target", reading(tmp_path, unit, 8))
    corpus = corpus_from(payload["data"])
    assert corpus.texts == resolved.corpus.texts
    continued = [piece for text in corpus for piece in text.tokens if piece.startswith("##")]
    assert bool(continued) is (unit == "piece")
    assert max(len(text.tokens) for text in corpus) <= 8
    assert owners_corpus(payload).texts[0] in corpus.texts


def test_other_words_of_a_tokenizer_than_planned_are_refused(tmp_path):
    """Changed or gone: what was planted is no longer what would be asked."""
    (tmp_path / "vocab.txt").write_text("tea\nant\nbeans\nzoo\n")
    settings = (f'secrets.candidates={{word="whole-words:{tmp_path}"}}', "secrets.pattern='my <word*3> {word} pin'")
    payload, resolved = payload_of("canaries", "attack", *settings)
    assert target_case_of(payload) == resolved.case
    assert resolved.case.secrets[0].hint.candidates == (("ant", "beans", "tea", "zoo"),)
    (tmp_path / "vocab.txt").write_text("tea\nant\nbeans\nyak\n")
    with pytest.raises(ExecutionError, match="the words of .* changed since the run was planned"):
        target_case_of(payload)
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(ExecutionError, match="the words of .* changed since the run was planned"):
        target_case_of(payload)


ORGANIC = (
    'data={name="synthetic-topics", options={size=120}}',
    (
        "secrets={pattern='i vote for the {party} party and live in <place>', count=4, controls=4, decoys=20, "
        "copies=5, label_of='rarest', supporting='all', "
        "candidates={party=['red', 'blue', 'green', 'pirate', 'farmers'], "
        "place=['berne', 'oslo', 'quito', 'lima', 'turin', 'graz', 'lyon', 'cork', 'bonn']}}"
    ),
)


def test_a_fluent_sentence_with_a_slot_is_audited_like_any_other(store):
    """Each canary in a rare class of its own, others like it in all other classes; what leaks is found."""
    specs = specs_of("canaries", *ORGANIC)
    case = plan(specs).planned[0].resolved.case
    labels = {secret.hint.label for secret in case.secrets}
    assert len(labels) == 4
    assert labels == {secret.hint.label for secret in case.controls}
    others = len(case.corpus.labels) - 1
    assert sum(text.planted for text in case.corpus) == 4 * (5 + others)
    (result,) = run_specs(specs, store, workers=0).results
    found = {(one.metric, one.arm): one.value for one in result.measurements}
    assert found["accuracy", "attack"] == 1.0
    assert found["accuracy", "control"] < 1.0


def test_another_version_of_an_obfuscator_than_planned_is_refused(monkeypatch):
    """It would ask about other texts than the key stands for."""
    payload, resolved = payload_of("users", "attack", "secrets.obfuscation='words'")
    assert target_case_of(payload) == resolved.case
    monkeypatch.setattr(Paraphraser, "version", lambda self: "another")
    with pytest.raises(ExecutionError, match=r"'words', secrets\.obfuscation.* is another version"):
        target_case_of(payload)
