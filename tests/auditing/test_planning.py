"""Tests of planning: what is shared, and what a change of the spec makes new."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.auditing.sample import HERE, PUBLIC, defended, reading, specs_of, target_of

from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.auditing import spelling
from divulge.auditing.planning import plan
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.data.synthetic.utterances import SyntheticUtterances
from divulge.defences.rounding import Rounding
from divulge.errors import InputError
from divulge.metrics.accuracy import Accuracy
from divulge.probes.label_accuracy import LabelAccuracy
from divulge.testing.classifier import FakeClassifier

ALL = {"train-target", "probe", "prepare", "attack", "measure"}
FROM_TRAINING = ALL - {"prepare"}


def kinds(*specs) -> Counter[str]:
    """How many tasks of each kind serve these specs."""
    return Counter(task.kind for task in plan(specs).graph)


def redone(kind: str, before: tuple[str, ...], after: tuple[str, ...]) -> set[str]:
    """The kinds of tasks that a change of settings makes new."""
    old, new = plan(specs_of(kind, *before)).graph, plan(specs_of(kind, *after)).graph
    return {task.kind for task in new if task.key not in old}


def test_a_spec_is_planned_into_its_tasks():
    """One of each for canaries; users bring shadows and a baseline that never asks."""
    assert kinds(*specs_of("canaries")) == dict.fromkeys(ALL, 1)
    assert kinds(*specs_of("users")) == {
        "train-target": 1,
        "train-practice": 1,
        "prepare": 2,  # rank-histogram, and blind as its baseline
        "attack": 2,
        "probe": 1,
        "measure": 1,
    }


def test_each_measure_stands_on_the_tasks_of_its_spec():
    """The keys of a planned spec lead to its attack, its target and what the attack has learnt."""
    planned = plan(specs_of("users"))
    (one,) = planned.planned
    measure = planned.graph[one.measure]
    assert set(measure.needs) == {"attack", "baseline", "probe 0"}
    attack = planned.graph[one.attack]
    assert measure.needs["attack"] == one.attack
    assert {role: planned.graph[key].kind for role, key in attack.needs.items()} == {
        "target": "train-target",
        "knowledge": "prepare",
    }


def test_specs_that_share_a_model_share_its_tasks():
    """Two attacks on one target: one model, one look at its utility."""
    both = 'attacks=[{name="label-likelihood"}, {name="soft-token"}]'
    assert kinds(*specs_of("canaries", both)) == {
        "train-target": 1,
        "probe": 1,
        "prepare": 2,
        "attack": 2,
        "measure": 2,
    }


def test_an_attack_that_is_also_the_baseline_is_made_once():
    """Blind, asked for by name, serves as the baseline of the other."""
    both = 'attacks=[{name="rank-histogram"}, {name="blind"}]'
    assert kinds(*specs_of("users", both))["attack"] == 2


def test_specs_of_several_files_share_what_they_can():
    """Other decoys or budgets ask the same model again; the same spec twice is the same work."""
    several = [*specs_of("canaries"), *specs_of("canaries", "secrets.decoys=30"), *specs_of("canaries")]
    assert kinds(*several) == {"train-target": 1, "probe": 1, "prepare": 1, "attack": 2, "measure": 2}


def test_static_and_adaptive_adversaries_share_the_target():
    """One switch, one more practice model, not one more target."""
    settings = (PUBLIC, "adversary.background.shadows=1", defended("dropout"))
    both = [*specs_of("canaries", *settings), *specs_of("canaries", *settings, "adversary.knows_defence=true")]
    found = kinds(*both)
    assert (found["train-target"], found["train-practice"], found["prepare"]) == (1, 2, 2)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("secrets.decoys=21", {"attack", "measure"}),
        ("adversary.max_queries=1000", {"attack", "measure"}),
        ('adversary.access=["LabelLikelihoodAccess"]', {"attack", "measure"}),
        ("attacks.0.options.beam=7", {"prepare", "attack", "measure"}),
        ("target.recipe.dropout=0.1", FROM_TRAINING),
        ("target.recipe.leaks=false", FROM_TRAINING),
        ("secrets.copies=2", FROM_TRAINING),
        ("secrets.count=5", FROM_TRAINING),
        ("secrets.label=OtherIntent", FROM_TRAINING),
        ("data.options.size=61", FROM_TRAINING),
        ("data.options.seed=1", FROM_TRAINING),
        (defended("deduplication"), FROM_TRAINING),
        ("run.seed=1", ALL),
        ("run.device=cpu", set()),
        ("attacks.0.options.beam=100", set()),  # the default, spelt out
        ("target.recipe.leaks=true", set()),
    ],
)
def test_a_change_makes_new_exactly_what_depends_on_it(setting, expected):
    """Nothing is trained again for another way of asking or measuring; all is, for other data, recipes or seeds."""
    assert redone("canaries", (), (setting,)) == expected


def test_output_defences_never_train_again():
    """Their options are fitted, asked and measured anew, and that is all."""
    assert redone("canaries", (), (defended("rounding"),)) == {"fit-defence", "probe", "attack", "measure"}
    more = defended("rounding", options="{decimals=3}")
    assert redone("canaries", (defended("rounding"),), (more,)) == {"fit-defence", "probe", "attack", "measure"}


def test_a_later_defence_leaves_the_fit_of_an_earlier_one():
    """Each fit sees the access as the earlier ones left it, and nothing of the later."""
    one, two = defended("rotation"), defended("rotation", "gaussian-noise")
    before, after = plan(specs_of("rows", one)).graph, plan(specs_of("rows", two)).graph
    fits = [task for task in after if task.kind == "fit-defence"]
    assert [task.label for task in fits if task.key not in before] == ["gaussian-noise"]


@pytest.mark.parametrize(
    ("kind", "defence", "more", "expected"),
    [
        # An output defence is put before the same shadows; a recipe or corpus defence trains others.
        ("users", "output-limit", (), {"prepare", "attack", "measure"}),
        (
            "canaries",
            "dropout",
            (PUBLIC, "adversary.background.shadows=1"),
            {"train-practice", "prepare", "attack", "measure"},
        ),
        (
            "canaries",
            "deduplication",
            (PUBLIC, "adversary.background.references=1"),
            {"train-practice", "prepare", "attack", "measure"},
        ),
        # What the owner keeps to itself, the adversary fits for its own models.
        ("rows", "rotation", (), {"fit-defence", "prepare", "attack", "measure"}),
        # Nothing to practise on, nothing to know.
        ("canaries", "dropout", (), set()),
    ],
)
def test_knowing_the_defence_changes_practice_alone(kind, defence, more, expected):
    """The static/adaptive switch leaves the target, its defence and its utility as they are."""
    before = (*more, defended(defence))
    assert redone(kind, before, (*before, "adversary.knows_defence=true")) == expected


def test_knowing_no_defence_changes_nothing():
    """Without a defence both adversaries are the same."""
    assert redone("users", (), ("adversary.knows_defence=true",)) == set()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (FakeClassifier, FROM_TRAINING | {"fit-defence"}),
        (SyntheticUtterances, FROM_TRAINING | {"fit-defence"}),
        (LabelLikelihood, {"prepare", "attack", "measure"}),
        (Rounding, {"fit-defence", "probe", "attack", "measure"}),
        (LabelAccuracy, {"probe", "measure"}),
        (Accuracy, {"measure"}),
    ],
)
def test_a_raised_revision_makes_new_what_used_the_part(part, expected, monkeypatch):
    """A mended bug never resumes stale results, and costs no more than it must."""
    before = plan(specs_of("canaries", defended("rounding"))).graph
    monkeypatch.setattr(part, "revision", part.revision + 1)
    after = plan(specs_of("canaries", defended("rounding"))).graph
    assert {task.kind for task in after if task.key not in before} == expected


def test_a_changed_source_of_ones_own_part_makes_new_what_used_it(monkeypatch):
    """Nobody raises a revision while trying things out: the file of a part outside the package is in the key."""
    own = f'attacks=[{{name="{HERE}:Watcher"}}]'
    before = plan(specs_of("canaries", own)).graph
    monkeypatch.setattr(spelling, "source_number", lambda kind: 12345)
    after = plan(specs_of("canaries", own)).graph
    assert {task.kind for task in after if task.key not in before} == {"prepare", "attack", "measure"}
    theirs = plan(specs_of("canaries")).graph
    assert not any(12345 in task.revisions.values() for task in theirs)


def test_a_file_that_changed_is_other_data(tmp_path):
    """The fingerprint of the texts, not the name of the file, is in the key."""
    path = tmp_path / "own.csv"
    rows = [f"the {word} text,{label}" for word in "abcdefghij" for label in ("x", "y")]
    path.write_text("\n".join(["text,label", *rows]))
    setting = f'data={{path="{path}"}}'
    before = plan(specs_of("canaries", setting)).graph
    path.write_text("\n".join(["text,label", *rows[:-1], "another text altogether,y"]))
    after = plan(specs_of("canaries", setting)).graph
    assert {task.kind for task in after if task.key not in before} == FROM_TRAINING


def test_rows_are_embedded_once_however_many_are_asked_about():
    """Every row leaks; how many of them are attacked is a matter of asking."""
    assert redone("rows", (), ("secrets.count=11",)) == {"attack", "measure"}


def test_other_secrets_found_in_the_same_data_are_asked_about_without_training_again(tmp_path):
    """The content of the secrets file is in the key of what asks and measures, and of nothing else."""
    corpus = plan(specs_of("canaries")).planned[0].resolved.corpus
    made = plan(specs_of("canaries")).planned[0].resolved.case.secrets
    path = tmp_path / "secrets.json"
    graphs = []
    for number in (2, 3):
        content = SecretsFile(fingerprint=corpus.fingerprint, key=b"k", secrets=made[:number])
        write_secrets(path, content)
        graphs.append(plan(specs_of("canaries", f'secrets={{file="{path}"}}')).graph)
    before, after = graphs
    assert {task.kind for task in after if task.key not in before} == {"attack", "measure"}


def test_an_existing_model_is_what_lies_at_its_path(tmp_path):
    """Another model under the same name is another model."""
    path = tmp_path / "model.bin"
    settings = (target_of("Read"), f"target.path={path}")
    path.write_bytes(b"one")
    before = plan(specs_of("canaries", *settings)).graph
    again = plan(specs_of("canaries", *settings)).graph
    path.write_bytes(b"other")
    after = plan(specs_of("canaries", *settings)).graph
    assert [task.key for task in again] == [task.key for task in before]
    assert {task.kind for task in after if task.key not in before} == FROM_TRAINING


def test_one_probe_may_look_twice():
    """The same probe with other options is another look, not the same."""
    twice = 'probes=[{name="row-retrieval", options={rows=20}}, {name="row-retrieval", options={rows=25}}]'
    planned = plan(specs_of("rows", twice))
    needs = planned.graph[planned.planned[0].measure].needs
    looks = [planned.graph[needs[f"probe {place}"]].payload["probe"]["options"]["rows"] for place in range(2)]
    assert looks == [20, 25]


def test_without_an_attack_only_probes_are_planned():
    """The owner's view needs no adversary."""
    assert kinds(*specs_of("canaries", "attacks=[]")) == {"train-target": 1, "probe": 1, "measure": 1}


def test_all_specs_are_checked_before_any_is_planned():
    """Problems of all specs are in one error, each once."""
    wrong = 'attacks=[{name="soft-token"}, {name="rank-histogram"}, {name="nonsense"}]'
    specs = specs_of("canaries", wrong, 'data={path="absent.csv"}')
    with pytest.raises(InputError) as caught:
        plan(specs)
    found = caught.value.problems
    assert len(found) == 3
    assert sum("absent.csv" in problem for problem in found) == 1


def test_no_text_of_the_data_is_in_a_task(tmp_path):
    """A task names texts by file and fingerprint: it is shown in logs and sent to workers."""
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text,label", *(f"zanzibar {word},x" for word in "abcdefghij")]))
    for task in plan(specs_of("canaries", f'data={{path="{path}"}}')).graph:
        assert "zanzibar" not in task.model_dump_json()


def test_an_attack_that_is_told_the_vocabulary_prepares_anew_for_other_texts() -> None:
    """What it has learnt hangs on the private texts, which are in its key; in the clean protocol it does not."""
    other = "data.options.size=31"
    for published, expected in (("true", True), ("false", False)):
        told = f"attacks=[{{name='{HERE}:Told', options={{as_published={published}}}}}]"
        assert ("prepare" in redone("rows", (told,), (told, other))) is expected


def test_another_unit_of_reading_is_another_text_and_another_key(tmp_path) -> None:
    """Pieces or words: everything is new, and the payload names who cuts the texts: how far it reads is in pieces."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')
    piece, word = ((reading(tmp_path, unit, 8),) for unit in ("piece", "word"))
    assert redone("rows", piece, word) >= {"train-target", "train-practice", "prepare", "attack", "measure"}
    for settings, reader in ((piece, "piece"), (word, "word")):
        training = [task for task in plan(specs_of("rows", *settings)).graph if task.kind == "train-target"]
        (data,) = [task.payload["data"] for task in training]
        assert data["reader"]["options"]["unit"] == reader
        assert data["tokens"] == 8
