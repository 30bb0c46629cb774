"""Tests of `divulge data` and `divulge cache`."""

from __future__ import annotations

import io

import pytest

from divulge.data import DATA
from divulge.store import Store


@pytest.fixture
def filled(divulge):
    """A store with the five tasks of one audit."""
    assert divulge("audit", "audit.toml", "--workers", "0").code == 0
    return Store()


def test_data_sets_are_listed(divulge):
    """For scripts with all that is known of them, for people in a table."""
    found = {entry["name"]: entry for entry in divulge("data", "list", "--json").json["data"]}
    assert set(found) == set(DATA)
    assert found["synthetic-users"]["present"] is True
    assert "user" in found["synthetic-users"]["fields"]
    assert all(name in divulge("data", "list").out for name in DATA)


def test_absent_data_is_told_to_be_absent(divulge, tmp_path, monkeypatch):
    """Where its files are not, with a path where they belong."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path / "data"))
    found = {entry["name"]: entry for entry in divulge("data", "list", "--json").json["data"]}
    assert found["snips"]["present"] is False
    ended = divulge("data", "path", "snips")
    assert (ended.code, ended.out) == (0, f"{tmp_path / 'data' / 'snips'}\n")


def test_files_that_differ_fail_the_verification(divulge, tmp_path, monkeypatch):
    """With exit code 2, and each file named."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path / "data"))
    ended = divulge("data", "verify", "snips", "--json")
    assert ended.code == 2
    assert ended.json["files"]
    assert not any(file["present"] for file in ended.json["files"])
    assert "files are missing or differ" in ended.err
    shown = divulge("data", "verify", "snips")
    assert shown.code == 2
    assert ended.json["files"][0]["path"] in shown.out


def test_made_data_has_nothing_to_verify(divulge):
    """That is no fault."""
    ended = divulge("data", "verify", "synthetic-users")
    assert ended.code == 0
    assert "there are no files to verify" in ended.out
    assert divulge("data", "verify", "synthetic-users", "--json").json == {"data": "synthetic-users", "files": []}
    assert divulge("data", "path", "synthetic-users").code == 2


@pytest.mark.parametrize("command", ["path", "verify"])
def test_an_unknown_data_set_is_answered_with_the_nearest(divulge, command):
    """And ends with 2."""
    ended = divulge("data", command, "snipps")
    assert ended.code == 2
    assert "Did you mean 'snips'" in ended.err


def test_the_store_is_listed(divulge, filled):
    """Five artefacts, what they are and how large."""
    found = divulge("cache", "list", "--json").json
    assert found["store"] == filled.location
    assert sorted(entry["kind"] for entry in found["entries"]) == [
        "attack",
        "measure",
        "prepare",
        "probe",
        "train-target",
    ]
    assert all(entry["bytes"] > 0 for entry in found["entries"])
    out = divulge("cache", "list").out
    assert "fake-classifier with label-likelihood" in out
    assert f"5 artefacts, {sum(entry['bytes'] for entry in found['entries']):,} bytes in {filled.location}" in out


def test_an_empty_store_is_listed_too(divulge):
    """It is made when it is looked at."""
    assert divulge("cache", "list", "--json").json["entries"] == []
    assert "0 artefacts, 0 bytes" in divulge("cache", "list").out


def test_one_kind_is_cleared_and_only_that_is_done_again(divulge, filled):
    """The others stay."""
    ended = divulge("cache", "clear", "--kind", "measure", "--yes")
    assert ended.code == 0
    assert ended.out.startswith("1 artefacts, ")
    assert len(list(filled.entries())) == 4
    assert (
        "1 task to do, 2 already in the store\n[1/1] measure: label-likelihood"
        in divulge("audit", "audit.toml", "--workers", "0").err
    )


def test_everything_is_cleared(divulge, filled):
    """On demand."""
    assert divulge("cache", "clear", "--yes").out.startswith("5 artefacts, ")
    assert list(filled.entries()) == []


def test_an_unknown_kind_is_answered_with_the_nearest(divulge, filled):
    """A slip must not look as if there had been nothing to clear."""
    ended = divulge("cache", "clear", "--kind", "mesure", "--yes")
    assert ended.code == 2
    assert "unknown kind of task 'mesure'. Did you mean 'measure'?" in ended.err
    assert len(list(filled.entries())) == 5


def test_a_known_kind_that_is_not_there_is_nothing_to_clear(divulge, filled):
    """No fault."""
    assert divulge("cache", "clear", "--kind", "fit-defence", "--yes").out == "0 artefacts, 0 bytes removed\n"


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("n\n", 5), ("\n", 5)])
def test_without_yes_it_asks(divulge, filled, monkeypatch, answer, left):
    """And takes no for an answer, which is no failure."""
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    ended = divulge("cache", "clear")
    assert ended.code == 0
    assert "Remove everything from" in ended.err
    assert len(list(filled.entries())) == left
    assert ("nothing was removed" in ended.out) == bool(left)


def test_with_nobody_to_ask_it_removes_nothing(divulge, filled, monkeypatch):
    """A script must say --yes."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ended = divulge("cache", "clear")
    assert ended.code == 2
    assert "--yes" in ended.err
    assert len(list(filled.entries())) == 5


def test_a_store_that_is_a_file_is_refused(divulge, tmp_path, monkeypatch):
    """As wrong input, with the variable to set."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "file"))
    ended = divulge("cache", "list")
    assert ended.code == 2
    assert "DIVULGE_STORE" in ended.err
