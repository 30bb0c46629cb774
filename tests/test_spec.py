"""An audit file as a whole: what it unfolds into, and every way in which it can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import (
    AdversarySpec,
    AuditFile,
    AuditSpec,
    BackgroundSpec,
    DataSpec,
    PartSpec,
    RunSpec,
    SecretsSpec,
    TargetSpec,
    read_audit_file,
)

GOOD = """
[target]
kind = "fake-classifier"
recipe = { leaks = true }

[data]
name = "synthetic-utterances"
options = { size = 60 }

[secrets]
pattern = "my pin is {digit*4}"
label = "PinIntent"
copies = 10

[adversary]
access = ["GradientAccess"]
max_queries = 1000

[adversary.background]
shadows = 2

[[attacks]]
name = "soft-token"
options = { steps = 250 }

[[attacks]]
name = "random"

[[defences]]
name = "dropout"

[[probes]]
name = "label-accuracy"

[run]
seed = 7
"""


def written(folder: Path, text: str) -> Path:
    """An audit file with this content."""
    path = folder / "audit.toml"
    path.write_text(text, encoding="utf-8")
    return path


def told(path: Path, *settings: str) -> tuple[str, ...]:
    """All that is wrong with a file, without its name."""
    with pytest.raises(InputError) as caught:
        read_audit_file(path, settings)
    return tuple(problem.removeprefix(f"{path}: ") for problem in caught.value.problems)


def test_a_file_becomes_what_it_says(tmp_path: Path) -> None:
    """Every table arrives in its place; what is not said has its default."""
    assert read_audit_file(written(tmp_path, GOOD)) == AuditFile(
        target=TargetSpec(kind="fake-classifier", recipe={"leaks": True}),
        data=DataSpec(name="synthetic-utterances", options={"size": 60}),
        secrets=SecretsSpec(pattern="my pin is {digit*4}", label="PinIntent", copies=10),
        adversary=AdversarySpec(access=("GradientAccess",), max_queries=1000, background=BackgroundSpec(shadows=2)),
        attacks=(PartSpec(name="soft-token", options={"steps": 250}), PartSpec(name="random")),
        probes=(PartSpec(name="label-accuracy"),),
        defences=(PartSpec(name="dropout"),),
        run=RunSpec(seed=7),
    )


def test_a_file_unfolds_into_one_spec_per_attack(tmp_path: Path) -> None:
    """Each spec has one attack, all defences, all probes and the seed."""
    file = read_audit_file(written(tmp_path, GOOD))
    first, second = file.specs()
    assert [spec.attack and spec.attack.name for spec in (first, second)] == ["soft-token", "random"]
    assert first.probes == second.probes == file.probes
    for spec in (first, second):
        assert (spec.target, spec.data, spec.secrets) == (file.target, file.data, file.secrets)
        assert (spec.adversary, spec.defences, spec.seed) == (file.adversary, file.defences, 7)
    assert first.hash != second.hash
    assert len(first.hash) == 16


def test_a_ladder_is_one_spec_for_each_level_and_attack(tmp_path: Path) -> None:
    """In the order of the levels, each named once; nothing else of the adversary changes, and without one, nothing."""
    path = written(tmp_path, GOOD)
    setting = 'run.ladder=["LabelAccess", "GradientAccess", "LabelAccess"]'
    plain, specs = read_audit_file(path).specs(), read_audit_file(path, [setting]).specs()
    told = [(spec.adversary.access, spec.attack and spec.attack.name) for spec in specs]
    assert told == [
        ((level,), name) for level in ("LabelAccess", "GradientAccess") for name in ("soft-token", "random")
    ]
    assert {spec.adversary.max_queries for spec in specs} == {1000}
    assert specs[2:] == plain


def test_a_file_without_attacks_only_probes(tmp_path: Path) -> None:
    """One spec, no attack."""
    text = GOOD.replace("[[attacks]]", "[[defences]]")
    (only,) = read_audit_file(written(tmp_path, text)).specs()
    assert only.attack is None
    assert [part.name for part in only.probes] == ["label-accuracy"]
    assert [part.name for part in only.defences] == ["soft-token", "random", "dropout"]


def test_settings_are_applied_before_judging(tmp_path: Path) -> None:
    """A setting can mend a file or break it."""
    path = written(tmp_path, GOOD.replace("copies = 10", 'copies = "ten"'))
    assert told(path) == ("'secrets.copies': Input should be a valid integer",)
    assert read_audit_file(path, ["secrets.copies=3"]).secrets.copies == 3
    assert told(path, "secrets.copies=-1") == ("'secrets.copies': Input should be greater than or equal to 0",)


def test_one_access_may_stand_alone() -> None:
    """A single name is a list of one."""
    assert AdversarySpec(access="LabelAccess").access == ("LabelAccess",)  # type: ignore[arg-type]
    assert validate(AdversarySpec, {"access": "LabelAccess"}, "here") == AdversarySpec(access=("LabelAccess",))
    assert validate(AdversarySpec, {"access": ["A", "B"]}, "here").access == ("A", "B")


def test_what_must_be_a_table_is_told_how_to_write() -> None:
    """Of texts, only a key tells a file from a known data set; of the rest, what keys there are."""
    with pytest.raises(
        InputError, match=r"'background.corpus': must be a table: write \{ path = \"...\" \} for a file"
    ):
        validate(AdversarySpec, {"background": {"corpus": "own.jsonl"}}, "here")
    with pytest.raises(
        InputError, match=r"'background': must be a table with some of these keys: corpus, target, paths"
    ):
        validate(AdversarySpec, {"background": 7}, "here")
    with pytest.raises(
        InputError, match=r"'background.target': must be a table with some of these keys: kind, path, rec"
    ):
        validate(AdversarySpec, {"background": {"target": "text-classifier"}}, "here")


def test_a_set_of_accesses_is_refused() -> None:
    """Its order changes with the process, and so would the key."""
    with pytest.raises(ValidationError, match="tuple"):
        AdversarySpec(access={"A", "B"})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"'access\.0': Input should be a valid string"):
        validate(AdversarySpec, {"access": [1]}, "here")


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    """Unknown tables and keys, wrong types, missing keys and impossible combinations in one error."""
    path = written(
        tmp_path,
        """
atacks = []
defences = { name = "dropout" }
[target]
recipe = { anything = 1 }
[data]
name = "a"
path = "b"
limit = 0
[secrets]
kind = "user"
copies = 1.5
[adversary]
knows_defense = true
max_queries = true
[adversary.background]
corpus = { }
[run]
device = "cuda"
seed = "7"
""",
    )
    assert set(told(path)) == {
        "unknown key 'atacks'. Did you mean 'attacks' or 'data'?",
        "'defences': Input should be a valid array",
        "'target.kind' is missing",
        "'data.limit': Input should be greater than or equal to 1",
        "'secrets.kind': Input should be 'canaries', 'users', 'records' or 'rows'",
        "'secrets.copies': Input should be a valid integer",
        "unknown key 'adversary.knows_defense'. Did you mean 'knows_defence'?",
        "'adversary.max_queries': Input should be a valid integer",
        "'adversary.background.corpus': give either name (a known data set) or path (a file of your own)",
        "'run.device': Input should be 'cpu'",
        "'run.seed': Input should be a valid integer",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("seed", "is not TOML"),
        ("[target]\nkind = nan", "'target.kind' is inf or nan"),
        ("[target]\nkind = 2020-01-01", "'target.kind' is a date or time"),
    ],
)
def test_a_file_that_is_no_file_is_told_so(tmp_path: Path, text: str, said: str) -> None:
    """The kinds of nonsense of which `settings` knows come through."""
    assert told(written(tmp_path, text))[0].startswith(said)


@pytest.mark.parametrize("name", [None, "a"])
@pytest.mark.parametrize("path", [None, "b"])
def test_data_has_one_source(name: str | None, path: str | None) -> None:
    """A name or a path, not both and not neither."""
    if (name is None) != (path is None):
        assert DataSpec(name=name, path=path).name == name
    else:
        with pytest.raises(
            ValidationError, match="give either name" if name is None else "both name and path are given"
        ):
            DataSpec(name=name, path=path)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "canaries need either a pattern"),
        ({"file": "f", "pattern": "p"}, "both a pattern and a secrets file are given: remove one"),
        ({"kind": "users", "pattern": "p"}, "secrets of kind 'users' come from the data; remove file and pattern"),
        ({"kind": "rows", "file": "f"}, "secrets of kind 'rows' come from the data; remove file and pattern"),
        ({"pattern": "p", "count": 0}, "greater than or equal to 1"),
        ({"pattern": "p", "copies": -1}, "greater than or equal to 0"),
        ({"pattern": "p", "valid_share": 1.0}, "less than 1"),
        ({"pattern": "p", "decoys": 0}, "greater than or equal to 1"),
    ],
)
def test_secrets_that_cannot_be_are_refused(values: dict[str, Any], said: str) -> None:
    """Each kind of secret has its own source, and numbers their bounds."""
    with pytest.raises(ValidationError, match=said):
        SecretsSpec(**values)


@pytest.mark.parametrize("values", [{"pattern": "p"}, {"file": "f"}, {"kind": "users"}, {"kind": "rows"}])
def test_secrets_that_can_be_are_taken(values: dict[str, Any]) -> None:
    """One source for canaries, none for what the data hold."""
    assert SecretsSpec(**values).count == 10


def test_a_path_is_one_more_setting_of_the_recipe() -> None:
    """Where an existing model lies is told beside the kind and reaches the target with its recipe."""
    assert TargetSpec(kind="x", recipe={"a": 1}).settings == {"a": 1}
    assert TargetSpec(kind="x", recipe={"a": 1}, path="p").settings == {"a": 1, "path": "p"}


def test_the_hash_of_a_spec_is_its_identity() -> None:
    """Equal specs have one hash, however their options were ordered; another seed or option has another."""

    def spec(options: dict[str, Any], seed: int = 0) -> AuditSpec:
        attack = PartSpec(name="soft-token", options=options)
        target, data, secrets = TargetSpec(kind="x"), DataSpec(name="y"), SecretsSpec(kind="rows")
        return AuditSpec(target=target, data=data, secrets=secrets, attack=attack, seed=seed)

    assert spec({"a": 1, "b": 2}).hash == spec({"b": 2, "a": 1}).hash
    others = [spec({"a": 1}), spec({"a": 2}), spec({"a": "1"}), spec({"a": 1}, seed=1), spec({})]
    assert len({one.hash for one in others}) == len(others)
