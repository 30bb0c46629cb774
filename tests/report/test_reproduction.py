"""The audit file behind a result."""

import tomllib

from tests.report.sample import SECRET
from tests.report.whole_run import canaries, deduplicated, leaking, of_users

from divulge.report.reproduction import WITHHELD, audit_file
from divulge.spec import AuditFile, AuditSpec, BackgroundSpec, DataSpec, PartSpec, TargetSpec


def test_the_file_leads_back_to_the_same_spec() -> None:
    """With what was withheld put back, hash and all."""
    spec = AuditSpec(
        target=TargetSpec(kind="my.module:Class", path="models/a b", recipe={"rate": 0.5, "deep": {"x": [1, 2]}}),
        data=DataSpec(path='da"ta\\é.csv', columns={"the text": "body"}, splits=("train",)),
        secrets=canaries(),
        attack=PartSpec(name="soft-token", options={"steps": 10, "on": True}),
        probes=(PartSpec(name="label-accuracy"),),
        defences=(*deduplicated(), PartSpec(name="dropout", options={"rate": 0.1})),
        adversary={"access": ["GradientAccess"], "background": BackgroundSpec(corpus=DataSpec(name="x"), shadows=2)},
        seed=7,
    )
    values = tomllib.loads(audit_file(spec.model_dump(mode="json")))
    assert values["secrets"]["pattern"] == values["secrets"]["label"] == values["secrets"]["candidates"] == WITHHELD
    values["secrets"] |= {key: getattr(canaries(), key) for key in ("pattern", "label", "candidates")}
    (again,) = AuditFile.model_validate(values, strict=False).specs()
    assert again.hash == spec.hash


def test_no_word_of_a_secret_is_in_it() -> None:
    """Pattern, candidates and label are withheld; what there is none of is not mentioned."""
    assert SECRET not in audit_file(leaking().spec)
    assert WITHHELD not in audit_file(of_users().spec)


def test_probes_alone_name_no_attack() -> None:
    """An absent attack is absent."""
    spec = {**leaking().spec, "attack": None}
    assert "attacks" not in tomllib.loads(audit_file(spec))


def test_several_models_are_a_setting_of_the_run() -> None:
    """Where the spec has them."""
    assert tomllib.loads(audit_file({**leaking().spec, "models": 3}))["run"] == {"seed": 3, "models": 3}


def test_a_long_list_is_counted_and_not_shown() -> None:
    """A vocabulary of hundreds of words would bury the rest; results.json has it."""
    spec = {**leaking().spec, "target": {"kind": "x", "path": None, "recipe": {"words": [f"w{n}" for n in range(99)]}}}
    assert tomllib.loads(audit_file(spec))["target"]["recipe"] == {"words": "99 values, in results.json"}
