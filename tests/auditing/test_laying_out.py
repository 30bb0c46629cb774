"""Tests of laying out tasks: what makes all of them new, and what audits of leaked rows share."""

from __future__ import annotations

from tests.auditing.sample import specs_of

from divulge.auditing import laying_out
from divulge.auditing.planning import plan

ALL = {"train-target", "probe", "prepare", "attack", "measure"}
OTHER_ROWS = 'data={name="synthetic-sentences", options={size=90, seed=7}}'


def keys(kind: str, *settings: str) -> set[str]:
    """The keys of all tasks of one kind that serve an audit of rows."""
    return {task.key for task in plan(specs_of("rows", *settings)).graph if task.kind == kind}


def test_a_raised_revision_of_the_house_makes_all_new(monkeypatch):
    """What tasks do with their parts has a revision too."""
    before = plan(specs_of("canaries")).graph
    monkeypatch.setattr(laying_out, "REVISION", laying_out.REVISION + 1)
    assert {task.kind for task in plan(specs_of("canaries")).graph if task.key not in before} == ALL


def test_audits_of_other_rows_share_the_adversarys_encoder_and_what_was_learnt_on_it() -> None:
    """The public texts are the same, whatever was leaked."""
    for kind in ("train-practice", "prepare"):
        assert keys(kind, OTHER_ROWS) == keys(kind) != set()
    assert keys("train-target", OTHER_ROWS) != keys("train-target")


def test_a_public_text_that_is_audited_makes_another_encoder() -> None:
    """It is left out, so that the adversary's texts are others."""
    public = 'adversary.background.corpus={name="synthetic-sentences", options={size=300, seed=3}}'
    some = 'data={name="synthetic-sentences", options={size=40, seed=3}}'
    assert keys("train-practice", public, some) != keys("train-practice", public)
