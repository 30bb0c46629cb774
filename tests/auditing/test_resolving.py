"""Tests of resolving whole specs: everything found, or everything that is wrong in one error."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.sample import PUBLIC, defended, file_of, specs_of, target_of

from divulge.access import GradientAccess, LabelAccess, LabelLikelihoodAccess
from divulge.auditing.resolving import Draft, draft_problems, practice_count, resolve, resolve_models
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import InputError
from divulge.spec import AdversarySpec, DataSpec, PartSpec, SecretsSpec, TargetSpec


def problems_of(kind: str, *settings: str) -> tuple[str, ...]:
    """What is wrong with the first spec of a small audit, changed."""
    with pytest.raises(InputError) as caught:
        resolve(specs_of(kind, *settings)[0])
    return caught.value.problems


def test_a_resolved_spec_holds_all_it_names():
    """Parts, levels, corpus and case are there, and utility probes that fit were added."""
    found = resolve(specs_of("canaries", 'adversary.access=["LabelLikelihoodAccess"]')[0])
    assert (found.target.name, found.attack.name) == ("fake-classifier", "label-likelihood")
    assert found.levels == (LabelLikelihoodAccess,)
    assert [probe.name for probe in found.probes] == ["label-accuracy"]
    assert (len(found.case.secrets), len(found.case.controls)) == (6, 5)
    assert found.background is None


def test_without_named_access_an_adversary_has_all_that_is_left():
    """The target's own grant, or what a defence left of it."""
    assert resolve(specs_of("canaries")[0]).levels == (GradientAccess,)
    assert resolve(specs_of("canaries", defended("rounding"))[0]).levels == (LabelLikelihoodAccess,)
    assert resolve(specs_of("canaries", "attacks=[]", 'adversary.access=["LabelAccess"]')[0]).levels == (LabelAccess,)


def test_the_target_has_the_defended_recipe_and_the_adversary_may_imagine_the_plain_one():
    """A recipe defence changes one and not the other."""
    found = resolve(specs_of("canaries", defended("dropout", options="{rate=0.5}"))[0])
    assert (found.target.options.dropout, found.plain_target.options.dropout) == (0.5, 0.0)


def test_chosen_probes_replace_those_that_fit():
    """Whoever names probes gets those."""
    chosen = 'probes=[{name="row-retrieval", options={rows=20}}]'
    assert [probe.options.rows for probe in resolve(specs_of("rows", chosen)[0]).probes] == [20]


@pytest.mark.parametrize(
    ("kind", "setting", "said"),
    [
        ("canaries", "target.kind=fake-classifer", "unknown target 'fake-classifer'. Did you mean 'fake-classifier'"),
        ("canaries", "target.recipe.leeks=true", "options of fake-classifier: unknown key 'leeks'. Did you mean"),
        ("canaries", "attacks.0.name=soft-tokn", "unknown attack 'soft-tokn'. Did you mean 'soft-token'"),
        ("canaries", "attacks.0.options.beam=0", "options of label-likelihood: 'beam': Input should be greater"),
        ("canaries", defended("noise"), "unknown defence 'noise'"),
        ("canaries", 'probes=[{name="acuracy"}]', "unknown probe 'acuracy'"),
        (
            "canaries",
            "data.name=synthetic-topic",
            "unknown data set 'synthetic-topic'. Did you mean 'synthetic-topics'",
        ),
        ("canaries", 'data={path="absent.csv"}', "absent.csv"),
        ("canaries", 'adversary.background.corpus={path="absent.csv"}', "absent.csv"),
        ("canaries", 'adversary.access=["Gradients"]', "adversary.access: unknown access 'Gradients'"),
        ("canaries", "secrets.pattern=pin {digits}", "unknown candidate set 'digits'"),
        ("canaries", "adversary.background.shadows=1", "need adversary.background.corpus to train on"),
        ("canaries", defended("output-limit"), "defence 'output-limit' acts on RankedTokensAccess"),
        ("users", defended("dropout"), "which the recipe of target 'fake-generator' does not have"),
        ("users", "attacks.0.name=soft-token", "attack 'soft-token' is about secrets of kind 'canaries', not 'users'"),
        ("users", "adversary.background.shadows=0", "attack 'rank-histogram' learns on shadow models"),
        ("users", "secrets.count=100", "108 users with training texts are needed"),
        ("users", "secrets.count=21", "a practice model needs at least 6 users of its own"),
        ("rows", "target.kind=fake-generator", "target 'fake-generator' cannot hold secrets of kind 'rows'"),
        ("rows", "adversary.background.corpus.options={size=30, seed=0}", "is the audited data itself"),
        ("rows", "adversary.background={}", "attack 'parallel-decoder' learns on public sentences"),
    ],
)
def test_each_impossible_spec_is_refused_before_anything_runs(kind, setting, said):
    """In words that name what is wrong; one mistake is one problem."""
    (problem,) = problems_of(kind, setting)
    assert said in problem


def test_all_mistakes_are_told_at_once():
    """Names, files and combinations, in one error."""
    found = problems_of(
        "canaries",
        'adversary.access=["LabelAccess", "Nonsense"]',
        "target.recipe.dropout=2.0",
        'data={path="absent.csv"}',
        'defences=[{name="rounding", options={decimals=-1}}, {name="rotation"}]',
        'probes=[{name="row-retrieval"}]',
        "attacks.0.name=soft-token",
        "attacks.0.options={steps=0}",
    )
    told = "\n".join(found)
    for piece in ("Nonsense", "'dropout'", "absent.csv", "'decimals'", "'steps'"):
        assert piece in told
    assert len(found) == 5


def test_a_combination_is_judged_wherever_its_parts_are_known():
    """A missing file does not hide that the attack asks for more than is granted."""
    found = problems_of(
        "canaries", 'data={path="absent.csv"}', 'adversary.access=["LabelAccess"]', 'probes=[{name="row-retrieval"}]'
    )
    assert len(found) == 3
    assert any(
        "attack 'label-likelihood' requires LabelLikelihoodAccess; granted is LabelAccess" in one for one in found
    )


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("canaries", (), (0, 0)),
        ("canaries", (PUBLIC, "adversary.background.references=2"), (0, 2)),
        ("users", ("adversary.background.references=1",), (1, 1)),
        ("rows", (), (1, 0)),  # public sentences are always practised on
        ("rows", ("adversary.background.shadows=3",), (3, 0)),
    ],
)
def test_how_many_models_the_adversary_trains(kind, settings, expected):
    """As many as it is given, and one where rows are to be read."""
    file = file_of(kind, *settings)
    assert practice_count(file.secrets, file.adversary) == expected


def test_a_draft_is_checked_as_far_as_it_goes():
    """What is not in shape is left out, with all that hangs on it."""
    canaries = SecretsSpec(pattern="pin {digit}", label="pin")
    soft = PartSpec(name="soft-token")
    labels = AdversarySpec(access=("LabelAccess",))
    target = TargetSpec(kind="fake-classifier")
    assert draft_problems(Draft()) == []
    assert draft_problems(Draft(attack=soft, adversary=labels, target=target)) == []
    (refused,) = draft_problems(Draft(attack=soft, adversary=labels, target=target, secrets=canaries))
    assert "requires GradientAccess; granted is LabelAccess" in refused
    known = Draft(attack=soft, adversary=labels, target=target, secrets=canaries, defended=False)
    assert draft_problems(known) == []
    (missing,) = draft_problems(Draft(data=DataSpec(path="absent.csv"), secrets=canaries))
    assert "absent.csv" in missing


def test_a_secrets_file_without_secrets_is_refused(tmp_path):
    """An audit of nothing would find nothing."""
    corpus = resolve(specs_of("canaries")[0]).corpus
    path = tmp_path / "secrets.json"
    write_secrets(path, SecretsFile(fingerprint=corpus.fingerprint, key=b"k", secrets=()))
    (said,) = problems_of("canaries", f'secrets={{file="{path}"}}')
    assert said == f"{path}: holds no secrets, so that there is nothing to look for"


def test_nothing_of_the_data_stands_in_a_problem(tmp_path):
    """A row that is wrong is told by file and line."""
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "a good row", "label": "x"}\n{"text": 7, "label": "confidential"}\n')
    (said,) = problems_of("canaries", f'data={{path="{path}"}}')
    assert f"{path}" in said
    assert "2" in said
    assert "confidential" not in said


def test_a_bad_pattern_is_told_beside_missing_data():
    """Neither hides the other."""
    (spec,) = specs_of("canaries", 'secrets.pattern="my {digit"', 'data={path="nowhere.jsonl"}')
    with pytest.raises(InputError) as caught:
        resolve(spec)
    assert len(caught.value.problems) == 2
    assert any("nowhere.jsonl" in problem for problem in caught.value.problems)
    assert any("{digit" in problem for problem in caught.value.problems)


def test_a_finished_model_is_one_model():
    """Several models are several trainings."""
    settings = ("run.models=2", target_of("Finished"), "secrets={kind='records', held_out='test', count=4, controls=4}")
    (spec,) = specs_of("canaries", *settings, "attacks=[]")
    with pytest.raises(InputError, match="run.models is 2, but target 'finished' reads a finished model, which is one"):
        resolve_models(spec)
    (alone,) = resolve_models(spec.model_copy(update={"models": 1}))
    assert not alone.target.learns


def test_a_file_that_is_not_that_of_the_data_is_told_before_anything_runs(tmp_path):
    """Rows and texts are counted when the audit is checked."""
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((3, 4)))
    said = problems_of("rows", f"target={{kind='vectors', path='{path}'}}", "attacks=[]")
    assert any("holds 3 rows, and the data" in problem for problem in said)


def test_public_texts_that_the_adversarys_encoder_cannot_take_are_told_before_anything_runs(tmp_path):
    """Too long for it, or cut into other tokens than its own: it would see nothing but unknown words."""
    pytest.importorskip("transformers", reason="transformers is not installed")
    from tests.tiny_encoders import KINDS

    bert, gpt = (KINDS[kind](tmp_path / kind) for kind in ("bert", "gpt"))
    public = tmp_path / "public.csv"
    public.write_text("text\nthe cat sat\n" + "dog " * 40 + "\n", encoding="utf-8")
    own = f'adversary.background.corpus={{path="{public}"}}'
    target = f'target={{kind="sentence-encoder", path="{bert}", recipe={{tokens=40}}}}'
    (long,) = problems_of("rows", own, target, "data.options={size=30}", "data.limit=5", "secrets.count=2")
    assert long.startswith("adversary.background.corpus: 1 of 2 texts are longer than the 24 word pieces")
    other = f'adversary.background.target={{kind="sentence-encoder", path="{gpt}"}}'
    found = problems_of("rows", f'target={{kind="sentence-encoder", path="{bert}"}}', other)
    assert [problem for problem in found if "cuts texts into other tokens" in problem]


def test_epsilon_is_bounded_from_one_run():
    """Coins and several models are not put together, and that is said before anything is trained."""
    (spec,) = specs_of("canaries", "run.models=2", "secrets.coin=true")
    with pytest.raises(InputError, match="run.models is 2, but epsilon is bounded from one training run"):
        resolve_models(spec)


def test_texts_that_no_classifier_learns_from_are_refused_before_anything_runs(tmp_path):
    """The target's own, and those of the adversary's models; a planted class counts as one."""
    bare, one, two = tmp_path / "bare.jsonl", tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    bare.write_text("".join(f'{{"text": "tea {n}"}}\n' for n in range(9)))
    one.write_text("".join(f'{{"text": "tea {n}", "label": "fish"}}\n' for n in range(9)))
    two.write_text("".join(f'{{"text": "tea {n}", "label": "{label}"}}\n' for n in range(9) for label in "ab"))
    kind, fish = 'target={kind="text-classifier", recipe={epochs=1}}', "secrets.label=fish"
    (said,) = problems_of("canaries", kind, fish, f'data={{path="{one}"}}')
    assert "at least 2 labels, and all 9 training texts have the label 'fish', beside 6 planted: name their" in said
    (said,) = problems_of("canaries", kind, fish, f'data={{path="{bare}"}}')
    assert "no training text has a label, beside 6 planted" in said
    assert resolve(specs_of("canaries", kind, "secrets.label=fowl", f'data={{path="{one}"}}')[0]).target.learns
    of_two = (kind, f'data={{path="{two}"}}', "adversary.background.references=1")
    (said,) = problems_of("canaries", *of_two, f'adversary.background.corpus={{path="{one}"}}')
    assert said.startswith("adversary.background: models of the adversary's own: one.jsonl: a classifier learns")
    assert resolve(specs_of("canaries", *of_two, f'adversary.background.corpus={{path="{two}"}}')[0]).target.learns


def test_models_to_compare_with_must_know_the_label():
    """References know the labels of public texts; shadows, those of canaries of their own too."""
    compares = 'attacks=[{name="calibrated-likelihood", options={calibrate="references"}}]'
    (said,) = problems_of("canaries", PUBLIC, compares, "adversary.background.references=1")
    assert "asked about with: 'PinIntent'" in said
    for settings in (("references=1", "secrets.label=play_music"), ("shadows=1", "secrets.label=PinIntent")):
        practice, label = settings
        found = resolve(specs_of("canaries", PUBLIC, compares, f"adversary.background.{practice}", label)[0])
        assert found.attack.asks_practice
