"""Tests of `divulge list` and `divulge init`."""

from __future__ import annotations

import pytest

from divulge.attacks import ATTACKS
from divulge.cli import listing
from divulge.cli.listing import KINDS, ROLES
from divulge.data import DATA
from divulge.defences import DEFENCES
from divulge.metrics import METRICS
from divulge.probes import PROBES
from divulge.studies import STUDIES
from divulge.targets import TARGETS

REGISTRIES = {
    "attacks": ATTACKS,
    "targets": TARGETS,
    "defences": DEFENCES,
    "metrics": METRICS,
    "studies": STUDIES,
    "data": DATA,
    "probes": PROBES,
}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_listed_in_json_by_name_with_a_summary(divulge, role):
    """Everything in the registry, sorted, and nothing else."""
    ended = divulge("list", role, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert [item["name"] for item in ended.json[role]] == sorted(REGISTRIES[role])
    assert set(ended.json) == {role}
    assert all(item["summary"] for item in ended.json[role])
    assert not any("not available" in item["summary"] for item in ended.json[role])


def test_without_a_role_all_are_listed(divulge):
    """In one object."""
    assert set(divulge("list", "--json").json) == set(ROLES)


def test_listings_tell_what_fits_what(divulge):
    """Attacks say what they require, targets what they grant, defences where they act, metrics which way they point."""
    found = {role: {item["name"]: item for item in items} for role, items in divulge("list", "--json").json.items()}
    assert found["attacks"]["soft-token"]["requires"] == ["GradientAccess"]
    assert found["attacks"]["random"]["requires"] == []
    assert found["targets"]["fake-encoder"]["grants"] == ["EmbeddedRowsAccess", "EmbeddingOracleAccess"]
    assert found["defences"]["deduplication"]["acts_on"] == ["corpus"]
    assert found["defences"]["dropout"]["acts_on"] == ["recipe.dropout"]
    assert found["defences"]["rounding"]["acts_on"] == ["LabelLikelihoodAccess"]
    assert found["metrics"]["hdt"]["leaks_when"] == "low"
    assert found["data"]["synthetic-users"]["present"] is True
    assert found["probes"]["label-accuracy"]["requires"] == ["LabelAccess"]


def test_a_listing_for_people_names_all(divulge):
    """Under the name of the role."""
    out = divulge("list", "attacks").out
    assert out.startswith("attacks:")
    assert all(name in out for name in ATTACKS)


def test_an_unknown_role_is_answered_with_the_nearest(divulge):
    """And ends with 2."""
    ended = divulge("list", "atacks")
    assert ended.code == 2
    assert "unknown role 'atacks'. Did you mean 'attacks'" in ended.err


def test_a_part_whose_library_is_missing_does_not_stop_the_list(divulge, monkeypatch):
    """It says so, and the others are listed."""
    broken = {"absent": "no_such_library.part:Attack", "random": ATTACKS["random"]}
    monkeypatch.setattr(listing, "_registry", lambda role: broken)
    items = {item["name"]: item for item in divulge("list", "attacks", "--json").json["attacks"]}
    assert "not available" in items["absent"]["summary"]
    assert items["random"]["requires"] == []
    assert "requires" in divulge("list", "attacks").out


@pytest.mark.parametrize("kind", KINDS)
def test_init_prints_or_writes_the_same_commented_file(divulge, folder, kind):
    """A file that is there is never overwritten."""
    printed = divulge("init", kind)
    assert printed.code == 0
    written = divulge("init", kind, "-o", "new.toml")
    assert (written.code, written.out) == (0, "")
    then = "divulge gate RUN --policy new.toml" if kind == "policy" else "divulge check new.toml"
    assert f"Next: {then}" in written.err
    assert (folder / "new.toml").read_text() == printed.out
    assert "\n# " in printed.out
    again = divulge("init", kind, "-o", "new.toml")
    assert again.code == 2
    assert "is there already; nothing was written" in again.err
    assert (folder / "new.toml").read_text() == printed.out


def test_init_of_an_unknown_kind_tells_the_known(divulge, folder):
    """And writes nothing."""
    ended = divulge("init", "taggr", "-o", "new.toml")
    assert ended.code == 2
    assert "Did you mean 'tagger'" in ended.err
    assert not (folder / "new.toml").exists()


def test_init_where_nothing_can_be_written_fails(divulge):
    """A folder that is not there is the disk's word, not a trace."""
    ended = divulge("init", "tagger", "-o", "absent/new.toml")
    assert ended.code == 1
    assert "absent/new.toml: cannot be written" in ended.err
