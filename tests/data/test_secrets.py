"""Tests of divulge.data.secrets."""

from __future__ import annotations

import json
import os
import stat
import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from divulge.data import secrets as module
from divulge.data.canaries import draw_canaries, make_canaries, plant
from divulge.data.planting.traces import PlantedData, PlantedFile
from divulge.data.secrets import SecretsFile, read_secrets, write_secrets
from divulge.errors import AuditError, ExecutionError, InputError
from divulge.records import LeakedRow, Member, Passage, RowContent, Secret, UserTexts
from divulge.spec import SecretsSpec

KEY = bytes(range(32))
FINGERPRINT = "ab" * 32
# Tokens that stand in no message by chance.
HIDDEN = [f"zqx{number}qz" for number in range(40)]
TRACES = PlantedData(
    columns={"text": "said"},
    options={},
    split="train",
    files=(PlantedFile(name="", original_sha256="0" * 64, planted_sha256="1" * 64, inserted=((3, 5),)),),
)
WORDS = st.text('abcé {}"\\', min_size=1, max_size=4)


def content(count: int = 3, controls: int = 2) -> SecretsFile:
    """Canaries whose answers are easy to recognise."""
    spec = SecretsSpec(
        pattern="say <word> {hidden*2} {digit}",
        candidates={"hidden": HIDDEN},
        label="L",
        count=count,
        controls=controls,
        copies=4,
        valid_share=0.25,
    )
    planted, held_out = draw_canaries(spec, np.random.default_rng(0), KEY)
    return SecretsFile(FINGERPRINT, KEY, planted, held_out, plant(planted, 4, 0.25), spec)


def mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file goes; everything that is made without care would be open to all."""
    before = os.umask(0)
    yield tmp_path / "secrets.json"
    os.umask(before)


def damaged(path: Path, change) -> str:
    """The message that the file gives after a change to its values."""
    write_secrets(path, content())
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))
    with pytest.raises(InputError) as caught:
        read_secrets(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_what_is_written_is_read_again(path):
    """Secrets, controls, plantings, key, spec and fingerprint survive."""
    write_secrets(path, content())
    assert read_secrets(path, FINGERPRINT) == content()


def test_secrets_of_users_and_rows_fit_too(path):
    """The file holds every kind of hint and answer, and no spec where secrets were found."""
    user = Secret(
        id="a", hint=UserTexts(examples=(Passage(context=("c",), tokens=("t", "é")),)), answer=Member(used=True)
    )
    row = Secret(id="b", hint=LeakedRow(row=4), answer=RowContent(tokens=("t",), words=("t",)))
    given_ = SecretsFile(FINGERPRINT, KEY, (user,), (row,))
    write_secrets(path, given_)
    assert read_secrets(path) == given_


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    words=st.lists(WORDS.filter(lambda word: word.split() == [word]), min_size=2, max_size=5, unique=True),
    count=st.integers(1, 4),
    label=st.none() | WORDS,
    copies=st.integers(0, 3),
)
def test_any_canaries_survive_the_file(tmp_path, words, count, label, copies):
    """Round trip with odd tokens and labels."""
    spec = SecretsSpec(pattern="x <w*3> {w} {digit}", candidates={"w": words}, label=label, count=count, controls=1)
    planted, controls = draw_canaries(spec, np.random.default_rng(1), KEY)
    given_ = SecretsFile(FINGERPRINT, KEY, planted, controls, plant(planted, copies), spec)
    write_secrets(tmp_path / "s.json", given_)
    assert read_secrets(tmp_path / "s.json") == given_


def test_the_file_is_closed_to_others_even_while_it_is_written(path, monkeypatch):
    """At the moment the bytes are there but the name is not, no file in the folder is open to others."""
    seen: list[int] = []
    real = os.fsync

    def watch(handle: int) -> None:
        seen.extend(mode(file) for file in path.parent.iterdir())
        real(handle)

    monkeypatch.setattr(module.os, "fsync", watch)
    write_secrets(path, content())
    assert seen == [0o600]
    assert mode(path) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_the_file_is_made_closed_and_not_closed_later(path, monkeypatch):
    """It is created with its mode: there is no moment before a chmod."""
    modes: list[int] = []
    real = os.open

    def watch(name, flags, bits=0o777, **more):
        modes.append(bits)
        assert flags & os.O_EXCL
        return real(name, flags, bits, **more)

    monkeypatch.setattr(module.os, "open", watch)
    write_secrets(path, content())
    assert modes == [0o600]


def test_a_looser_file_is_replaced_not_rewritten(path):
    """Who had the old file open does not see the new content."""
    path.write_text("old")
    path.chmod(0o666)
    with path.open() as old:
        write_secrets(path, content())
        assert old.read() == "old"
    assert mode(path) == 0o600


def test_a_link_is_replaced_not_followed(path):
    """Secrets do not go where a link points to."""
    elsewhere = path.parent / "elsewhere"
    elsewhere.write_text("public")
    path.symlink_to(elsewhere)
    write_secrets(path, content())
    assert elsewhere.read_text() == "public"
    assert not path.is_symlink()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    """A full disk loses nothing and leaves no half-written secrets behind."""
    write_secrets(path, content(count=1))

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(ExecutionError, match="No space left"):
        write_secrets(path, content(count=2))
    assert len(read_secrets(path).secrets) == 1
    assert list(path.parent.iterdir()) == [path]


def test_a_wrong_place_is_refused(path):
    """A missing folder and a folder in the file's place are the caller's mistakes."""
    with pytest.raises(InputError, match="does not exist"):
        write_secrets(path.parent / "missing" / "s.json", content())
    with pytest.raises(InputError, match="directory"):
        write_secrets(path.parent, content())


@pytest.mark.parametrize("bits", [0o644, 0o640, 0o604, 0o622, 0o601, 0o660])
def test_a_file_open_to_others_is_refused_with_the_remedy(path, bits):
    """The message names the mode and the command that closes the file."""
    write_secrets(path, content())
    path.chmod(bits)
    with pytest.raises(InputError, match=rf"mode {bits:04o}.*chmod 600"):
        read_secrets(path)
    path.chmod(0o400)
    assert len(read_secrets(path).secrets) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not hold JSON"),
        ("{", "does not hold JSON"),
        ("\udcff", "does not hold JSON"),
        ("[]", "no schema_version"),
        ("{}", "no schema_version"),
        ('{"schema_version": 2}', "another schema version than 1"),
        ('{"schema_version": "zqx"}', "another schema version than 1"),
        ('{"schema_version": true}', "another schema version than 1"),
        (
            '{"schema_version": 1}',
            "missing, unknown or wrong values at fingerprint, key, sets, secrets, controls and 2",
        ),
        ('{"schema_version": 1, "key": NaN}', "damaged"),
    ],
)
def test_what_is_no_secrets_file_is_refused(path, text, said):
    """Wrong JSON, another version and missing parts are told apart."""
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o600)
    with pytest.raises(InputError, match=said):
        read_secrets(path)


def test_a_missing_file_or_a_folder_is_refused(path):
    """Neither gives a traceback."""
    with pytest.raises(InputError, match="no such file"):
        read_secrets(path)
    with pytest.raises(InputError, match="no such file"):
        read_secrets(path.parent)


def test_a_file_for_other_data_is_refused(path):
    """The fingerprints differ."""
    write_secrets(path, content())
    with pytest.raises(InputError, match="belongs to other data.*data.columns and data.options as then"):
        read_secrets(path, "cd" * 32)
    write_secrets(path, replace(content(), planted=TRACES))
    with pytest.raises(InputError, match=r'data.columns {"text": "said"}, data.options not set'):
        read_secrets(path, "cd" * 32)


def test_a_planting_is_kept_and_a_file_without_one_is_still_read(path):
    """Files of before know nothing of plantings into files."""
    write_secrets(path, replace(content(), planted=TRACES))
    assert read_secrets(path).planted == TRACES
    values = json.loads(path.read_text())
    del values["planted"]
    path.write_text(json.dumps(values))
    assert read_secrets(path) == content()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v["secrets"][1]["answer"]["tokens"].pop(), "secrets, number 2: the answer is none"),
        (lambda v: v["secrets"][1]["answer"]["tokens"].__setitem__(0, "zqx"), "secrets, number 2: the answer is none"),
        (lambda v: v["secrets"][0].update(answer={"kind": "member", "used": True}), "the answer is none"),
        (lambda v: v["controls"][0]["hint"]["candidates"].pop(), "controls, number 1: holes"),
        (lambda v: v["controls"][0]["hint"]["tags"].pop(), "controls, number 1: holes"),
        (lambda v: v["controls"][0]["hint"]["candidates"].__setitem__(0, "zqx"), "not in the file"),
        (lambda v: v["sets"]["set1"].append(v["sets"]["set1"][0]), "set 1 is empty or names a token twice"),
        (lambda v: v["secrets"].append(v["controls"][0]), "two secrets have the same id"),
        (lambda v: v["plantings"][0].update(secret_id="zqx"), "a planting names no secret"),
        (lambda v: v["spec"]["candidates"].update(hidden="zqx"), "spec names a candidate set"),
        (lambda v: v.update(key="xyz"), "values at key"),
        (lambda v: v.update(zqx=1), r"values at ?"),
        (lambda v: v["secrets"][0]["hint"].update(kind="zqx"), "values at secrets.0.hint"),
        (lambda v: v["secrets"][0].update(id=5), "values at secrets.0.id"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(path, change, said):
    """The message says where, and never what stands there."""
    message = damaged(path, change)
    assert said in message
    assert "zqx" not in message


def test_a_vocabulary_is_stored_once_and_shared_when_read(path):
    """300 secrets with three holes over 2,000 words: the set stands once in the file and once in memory."""
    words = [f"word{number:04}" for number in range(2000)]
    spec = SecretsSpec(pattern="<w*3> {w*3}", candidates={"w": words}, count=200, controls=100)
    planted, controls = draw_canaries(spec, np.random.default_rng(0), KEY)
    write_secrets(path, SecretsFile(FINGERPRINT, KEY, planted, controls, spec=spec))
    assert path.stat().st_size < 200_000  # 300 * 3 * 2,000 * 11 bytes would be 20 million
    assert len(json.loads(path.read_text())["sets"]) == 1
    again = read_secrets(path)
    first = again.secrets[0].hint.candidates[0]
    assert first == tuple(words)
    assert all(options is first for secret in again.secrets for options in secret.hint.candidates)


def test_representations_show_no_secret():
    """Neither the file's content nor one secret or planting shows text, key or answer when printed."""
    given_ = content()
    shown = repr(given_) + str(given_) + repr(given_.secrets) + repr(given_.plantings) + f"{given_.controls[0]}"
    assert "3 secrets, 2 controls, 6 plantings" in shown
    assert not [token for token in HIDDEN if token in shown]
    assert KEY.hex() not in shown
    assert repr(KEY) not in shown


def _spots(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _spots(item, (*path, key))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(data=st.data())
def test_no_damage_brings_a_secret_into_an_error(tmp_path, data):
    """Whatever is removed or replaced anywhere in the file, the error and its whole trace hold no answer."""
    place = tmp_path / "s.json"
    write_secrets(place, content(count=2, controls=1))
    values = json.loads(place.read_text())
    *steps, last = data.draw(st.sampled_from([spot for spot in _spots(values) if spot]))
    inner = values
    for step in steps:
        inner = inner[step]
    new = data.draw(st.sampled_from(["remove", HIDDEN[0], [HIDDEN[1]], {HIDDEN[2]: HIDDEN[3]}, None, 7, -1.5]))
    assume(inner[last] != new)
    if new == "remove":
        del inner[last]
    else:
        inner[last] = new
    place.write_text(json.dumps(values))
    try:
        read = read_secrets(place)
    except AuditError as error:
        told = "".join(traceback.format_exception(error))
        assert not [token for token in HIDDEN if token in told]
    else:
        # Not every change is a mistake: an optional value may be absent, a label may be another.
        assert not [token for token in HIDDEN if token in repr(read)]


def test_whole_words_of_a_tokenizer_are_kept_as_words(tmp_path):
    """Once, and under one name: the file can be read where the tokenizer is no more."""
    folder = tmp_path / "tokenizer"
    folder.mkdir()
    (folder / "vocab.txt").write_text("tea\nant\nbeans\n")
    spec = SecretsSpec(pattern="<word> {word}", candidates={"word": f"whole-words:{folder}"}, supporting=2, label="L")
    made = make_canaries(spec, 3, np.random.default_rng(0), b"k")
    path = tmp_path / "secrets.json"
    write_secrets(path, SecretsFile("f", b"k", made, spec=spec))
    (folder / "vocab.txt").unlink()
    assert json.loads(path.read_text())["sets"] == {"set1": ["ant", "beans", "tea"]}
    content = read_secrets(path)
    assert content.secrets == made
    assert content.spec is not None
    assert content.spec.candidates == {"word": ("ant", "beans", "tea")}
    assert content.spec.supporting == 2
