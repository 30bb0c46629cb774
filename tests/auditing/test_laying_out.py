"""Tests of laying out tasks: what makes all of them new, and what audits of leaked rows share."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.sample import reading, specs_of

from divulge.access import LabelAccess
from divulge.attacks.calibrated_likelihood import CalibratedLikelihood
from divulge.auditing import laying_out
from divulge.auditing.planning import plan
from divulge.graph import Graph

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


def test_a_revision_at_one_level_makes_new_what_was_found_there_alone(monkeypatch) -> None:
    """The attack and its measuring where only labels show; no model, no probe, and nothing where more shows."""
    attack = 'attacks=[{name="calibrated-likelihood"}]'

    def planned(level: str) -> Graph:
        return plan(specs_of("canaries", attack, f'adversary.access=["{level}"]')).graph

    before = {level: planned(level) for level in ("LabelAccess", "LabelLikelihoodAccess")}
    monkeypatch.setattr(CalibratedLikelihood, "revisions_at", {LabelAccess: 99})
    new = {level: {task.kind for task in planned(level) if task.key not in graph} for level, graph in before.items()}
    assert new == {"LabelAccess": {"attack", "measure"}, "LabelLikelihoodAccess": set()}


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


def test_an_adversary_practises_on_the_encoder_of_a_file_of_vectors(tmp_path) -> None:
    """Nobody need name it again: a file embeds no public text, its encoder does."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')
    encoder = reading(tmp_path / "bert", "piece", 12)
    (audited,) = plan(specs_of("rows", encoder)).planned
    made = audited.resolved.target
    rows = made.train(audited.resolved.corpus.leaked, np.random.default_rng(0)).arrays
    ends = np.split(rows["rows"], np.cumsum(rows["lengths"])[:-1])
    np.save(tmp_path / "rows.npy", np.stack([np.pad(row, ((0, 12 - len(row)), (0, 0))) for row in ends]))
    recipe = f"recipe={{encoder={{path='{tmp_path / 'bert'}', tokens=12}}}}"
    planned = plan(specs_of("rows", f"target={{kind='vectors', path='{tmp_path / 'rows.npy'}', {recipe}}}"))
    (practice,) = [task for task in planned.graph if task.kind == "train-practice"]
    assert practice.payload["target"]["kind"] == "sentence-encoder"
    assert planned.planned[0].resolved.corpus.texts == audited.resolved.corpus.texts


def of_users(kind: str, *settings: str) -> set[str]:
    """The keys of all tasks of one kind that serve an audit of users, with people known to be out."""
    told = ("adversary.background.controls=4", *settings)
    return {task.key for task in plan(specs_of("users", *told)).graph if task.kind == kind}


def test_unused_texts_make_another_target_and_no_other_model() -> None:
    """Audits at several shares have the adversary's models, and what was learnt on them, in common."""
    for kind in ("train-practice", "prepare"):
        assert of_users(kind, "secrets.unused_share=0.5") == of_users(kind) != set()
    assert not of_users("train-target", "secrets.unused_share=0.5") & of_users("train-target")


def test_obfuscated_texts_make_no_other_model() -> None:
    """They are asked about anew, and so are people known to be out; the models are trained on what was written."""
    for kind in ("train-practice", "train-target"):
        assert of_users(kind, "secrets.obfuscation='words'") == of_users(kind) != set()
    for kind in ("prepare", "attack", "measure"):
        assert not of_users(kind, "secrets.obfuscation='words'") & of_users(kind)
