"""Tests of what fits what: each impossible combination is refused in words of its own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.sample import Asker, Bare, Finished, Fitted, Spender, Watcher

from divulge.access import (
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    TokenLikelihoodAccess,
)
from divulge.attacks.base import Attack
from divulge.attacks.calibrated_likelihood import CalibratedLikelihood
from divulge.attacks.discrete_search import DiscreteSearch
from divulge.attacks.rank_histogram import RankHistogram
from divulge.auditing.fitting import (
    access_problems,
    attack_problems,
    background_problems,
    chosen_levels,
    granted_levels,
    level_problems,
    practice_problems,
    probe_problems,
    serves,
    taken_by,
    target_problems,
    unplanted_problems,
    unread_problems,
)
from divulge.auditing.naming import attack_named, defence_named, probe_named, target_named
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.records import Gaps, Secret, Tokens
from divulge.spec import AdversarySpec, BackgroundSpec, DataSpec, SecretsSpec, TargetSpec
from divulge.testing.classifier import FakeClassifier

CANARIES = SecretsSpec(pattern="pin {digit}", label="pin")
USERS = SecretsSpec(kind="users")
ROWS = SecretsSpec(kind="rows")
PUBLIC = DataSpec(name="synthetic-sentences")


def adversary(*access: str) -> AdversarySpec:
    """An adversary with these accesses."""
    return AdversarySpec(access=access)


def test_a_defence_lowers_what_is_granted_to_what_it_protects():
    """Rounded likelihoods make the weights moot; ranks cut short, the likelihoods; all else stays."""
    classifier, generator = target_named("fake-classifier"), target_named("fake-generator")
    assert granted_levels(classifier, []) == (GradientAccess,)
    assert granted_levels(classifier, [defence_named("rounding")]) == (LabelLikelihoodAccess,)
    assert granted_levels(generator, [defence_named("output-limit")]) == (RankedTokensAccess,)
    assert granted_levels(classifier, [defence_named("dropout")]) == (GradientAccess,)


def test_a_defence_of_no_strength_takes_nothing_away():
    """Rounding to all decimals leaves the gradient where it was; rounding to two does not."""
    target = target_named("fake-classifier")
    assert granted_levels(target, [defence_named("rounding", {"decimals": None})]) == (GradientAccess,)
    assert granted_levels(target, [defence_named("rounding", {"decimals": 2})]) == (LabelLikelihoodAccess,)


def test_a_defence_of_several_levels_leaves_the_strongest_it_protects():
    """A defence that protects labels and likelihoods leaves likelihoods, in whatever order it names them."""

    class Both(Fitted):
        levels = (LabelAccess, LabelLikelihoodAccess)

    assert granted_levels(target_named("fake-classifier"), [Both()]) == (LabelLikelihoodAccess,)


def test_an_adversary_without_named_access_has_all_that_is_granted():
    """Named levels narrow the grant; no names leave it."""
    granted = (GradientAccess,)
    assert chosen_levels(adversary(), granted) == granted
    assert chosen_levels(adversary("LabelAccess"), granted) == (LabelAccess,)


@pytest.mark.parametrize(
    ("levels", "requires", "expected"),
    [
        ((GradientAccess,), (LabelAccess,), True),
        ((LabelAccess,), (GradientAccess,), False),
        ((EmbeddedRowsAccess,), (EmbeddedRowsAccess, EmbeddingOracleAccess), False),
        ((EmbeddingOracleAccess, EmbeddedRowsAccess), (EmbeddedRowsAccess, EmbeddingOracleAccess), True),
        ((), (), True),
    ],
)
def test_a_stronger_level_serves_a_weaker_request(levels, requires, expected):
    """Each level required needs one granted that is as strong."""
    assert serves(levels, requires) is expected


def test_a_target_says_which_secrets_it_can_hold():
    """An encoder holds rows, not canaries."""
    (said,) = target_problems(CANARIES, target_named("fake-encoder"), [])
    assert said == "target 'fake-encoder' cannot hold secrets of kind 'canaries'; it fits: rows"


def test_canaries_made_here_need_a_label():
    """Canaries from a file bring theirs along; those from a pattern need one."""
    target = target_named("fake-classifier")
    (said,) = target_problems(SecretsSpec(pattern="pin {digit}"), target, [])
    assert said.startswith("secrets.label is missing")
    assert target_problems(SecretsSpec(file="secrets.json"), target, []) == []


def test_a_defence_that_sets_what_the_recipe_lacks_is_refused():
    """Both sides are named, and what the recipe has."""
    (said,) = target_problems(USERS, target_named("fake-generator"), [defence_named("dropout")])
    assert said == (
        "defence 'dropout' sets dropout, which the recipe of target 'fake-generator' does not have. It has: leaks"
    )
    (said,) = target_problems(ROWS, Bare(), [defence_named("dropout")])
    assert said.endswith("It has: nothing")


def test_a_defence_that_drops_texts_cannot_guard_rows():
    """The rows asked about would be others."""
    (said,) = target_problems(ROWS, target_named("fake-encoder"), [defence_named("deduplication")])
    assert said.startswith("defence 'deduplication' drops texts: the rows that leaked")


def test_a_defence_of_another_access_is_refused():
    """Both sides are named."""
    (said,) = target_problems(CANARIES, target_named("fake-classifier"), [defence_named("output-limit")])
    assert said == "defence 'output-limit' acts on RankedTokensAccess; target 'fake-classifier' grants GradientAccess"


def test_defences_that_fit_are_not_refused():
    """One of each kind."""
    fitting = [defence_named(name) for name in ("dropout", "deduplication", "rounding")]
    assert target_problems(CANARIES, target_named("fake-classifier"), fitting) == []


def test_unknown_access_levels_are_named():
    """With the nearest that there is."""
    (said,) = level_problems(adversary("LabelAccess", "GradientAcess"))
    assert said.startswith("adversary.access: unknown access 'GradientAcess'. Did you mean 'GradientAccess'")


def test_access_that_the_target_does_not_grant_is_refused():
    """Both sides are named."""
    (said,) = access_problems(adversary("GradientAccess"), target_named("fake-generator"), [])
    assert said == (
        "adversary.access requires GradientAccess; granted is TokenLikelihoodAccess by target 'fake-generator'"
    )


def test_access_that_a_defence_took_away_names_the_defence():
    """Else the owner would look for the fault in the target."""
    target, rounding = target_named("fake-classifier"), defence_named("rounding")
    (said,) = access_problems(adversary("GradientAccess", "LabelAccess"), target, [rounding, defence_named("dropout")])
    assert said == (
        "adversary.access requires GradientAccess; granted is LabelLikelihoodAccess "
        "by target 'fake-classifier' with rounding"
    )


def test_an_attack_beyond_its_access_names_both_sides_and_what_would_fit():
    """The list holds the attacks that this access serves and no other."""
    (said,) = attack_problems(CANARIES, attack_named("soft-token"), (LabelLikelihoodAccess,))
    assert said == (
        "attack 'soft-token' requires GradientAccess; granted is LabelLikelihoodAccess. "
        "Attacks that fit: calibrated-likelihood, label-likelihood, label-match, random"
    )


def test_an_attack_on_other_secrets_names_both_kinds_and_what_would_fit():
    """Whether the access is known or not."""
    ranked = attack_problems(CANARIES, RankHistogram(), (LabelAccess,))
    said = "attack 'rank-histogram' is about secrets of kind 'users', not 'canaries'. "
    assert ranked == [f"{said}Attacks that fit: calibrated-likelihood, label-match, random"]
    (unsure,) = attack_problems(CANARIES, RankHistogram(), None)
    assert "label-likelihood, label-match, nearest-embedding, random, soft-token" in unsure
    assert "parallel-decoder" not in unsure


def test_a_fitting_attack_is_not_refused():
    """A stronger access will do, and unknown access is no reason to refuse."""
    assert attack_problems(CANARIES, Spender(), (GradientAccess,)) == []
    assert attack_problems(CANARIES, Spender(), None) == []
    assert attack_problems(USERS, RankHistogram(), (TokenLikelihoodAccess,)) == []


def test_people_of_the_pool_are_no_nulls_for_texts_of_another_kind():
    """Of another domain, rewritten, or where a sheet names whom a person is compared with."""
    own = BackgroundSpec(shadows=2)
    for options in ({"calibrated_on": "pool"}, {"weigh": "learnt"}):
        leaning = attack_named("calibrated-ratio", options)
        assert background_problems(USERS, own, leaning) == []
        for secrets, behind, named in (
            (USERS, own.model_copy(update={"corpus": PUBLIC}), "adversary.background.corpus"),
            (USERS.model_copy(update={"obfuscation": "words"}), own, "secrets.obfuscation"),
            (USERS.model_copy(update={"person": "ada"}), own, "adversary.background.controls"),
        ):
            (said,) = background_problems(secrets, behind, leaning)
            assert "leans on the people of shadow models" in said
            assert named in said
            assert background_problems(secrets, behind, attack_named("calibrated-ratio")) == []


def test_what_a_gap_is_worth_takes_two_shadows_to_learn():
    """One tells what is to be expected, the other what becomes of it."""
    learning = attack_named("calibrated-ratio", {"weigh": "learnt"})
    (said,) = background_problems(USERS, BackgroundSpec(shadows=1), learning)
    assert said.endswith("learns on shadow models: set adversary.background.shadows to 2 or more")


def test_attacks_that_practise_say_what_they_need():
    """Shadows for people, public sentences for rows."""
    (shadows,) = background_problems(USERS, BackgroundSpec(), RankHistogram())
    assert shadows == "attack 'rank-histogram' learns on shadow models: set adversary.background.shadows to 1 or more"
    (texts,) = background_problems(ROWS, BackgroundSpec(), attack_named("parallel-decoder"))
    assert texts == "attack 'parallel-decoder' learns on public sentences: set adversary.background.corpus"
    assert background_problems(USERS, BackgroundSpec(shadows=1), RankHistogram()) == []
    assert background_problems(ROWS, BackgroundSpec(corpus=PUBLIC), attack_named("parallel-decoder")) == []


def test_a_penalty_for_common_words_needs_texts_to_count_them_in():
    """Only with the option that uses them; the plan says so before anything runs."""
    (said,) = background_problems(CANARIES, BackgroundSpec(), attack_named("label-likelihood", {"penalty": 0.1}))
    assert said == (
        "attack 'label-likelihood', with these options, needs public texts: set adversary.background.corpus"
    )
    assert background_problems(CANARIES, BackgroundSpec(), attack_named("label-likelihood")) == []
    spent = BackgroundSpec(corpus=PUBLIC)
    assert background_problems(CANARIES, spent, attack_named("label-likelihood", {"penalty": 0.1})) == []


@pytest.mark.parametrize("secrets", [CANARIES, ROWS])
@pytest.mark.parametrize("behind", [BackgroundSpec(shadows=1), BackgroundSpec(references=1)])
def test_models_of_the_adversary_need_texts_of_its_own(secrets, behind):
    """Only people have a pool left over in the audited data."""
    (said,) = background_problems(secrets, behind, Watcher())
    assert said == "adversary.background.shadows and references need adversary.background.corpus to train on"
    assert background_problems(secrets, behind.model_copy(update={"corpus": PUBLIC}), Watcher()) == []
    assert background_problems(USERS, behind, Watcher()) == []


def test_a_probe_that_the_target_cannot_answer_is_refused():
    """It would silently measure nothing."""
    (said,) = probe_problems(probe_named("row-retrieval"), target_named("fake-classifier"))
    assert said == (
        "probe 'row-retrieval' requires EmbeddedRowsAccess and EmbeddingOracleAccess; granted is GradientAccess"
    )
    assert probe_problems(probe_named("label-accuracy"), target_named("fake-classifier")) == []


def test_a_finished_model_takes_no_more_canaries():
    """They must have been planted before; a file of such, or of found ones, fits."""
    (said,) = target_problems(CANARIES, Finished(), [])
    assert "'finished' reads a finished model: canaries can no longer be planted" in said
    assert "divulge plant" in said
    assert target_problems(SecretsSpec(file="secrets.json"), Finished(), []) == []


@pytest.mark.parametrize("kind", ["records", "users"])
def test_of_a_finished_model_it_must_be_told_what_it_never_saw(kind):
    """A split that was not trained on; nothing can be kept from it any more."""
    said = " ".join(target_problems(SecretsSpec(kind=kind), Finished(), []))
    assert f"say which {kind} it never saw: secrets.held_out" in said
    told = target_problems(SecretsSpec(kind=kind, held_out="test"), Finished(), [])
    assert not any("never saw" in problem for problem in told)


def test_defences_of_training_come_too_late_for_a_finished_model():
    """What acts on its answers does not."""
    found = SecretsSpec(file="secrets.json")
    defences = [defence_named(name) for name in ("deduplication", "dropout", "rounding")]
    assert [problem.split("'")[3] for problem in target_problems(found, Finished(), defences)] == [
        "deduplication",
        "dropout",
    ]


def test_only_what_labels_texts_needs_a_label_for_canaries():
    """A generator is taught the text alone."""
    bare = SecretsSpec(pattern="pin {digit}")
    assert "secrets.label is missing" in target_problems(bare, target_named("fake-classifier"), [])[0]
    generator = target_named("text-generator")
    assert target_problems(bare, generator, []) == []


def test_an_attack_may_be_content_with_one_of_several_levels():
    """Labels are enough for it, and whatever includes them; rows are not, and the refusal names what would be."""
    assert attack_problems(CANARIES, Asker(), (LabelAccess,)) == []
    assert attack_problems(CANARIES, Asker(), (GradientAccess,)) == []
    (said,) = attack_problems(CANARIES, Asker(), (EmbeddedRowsAccess,))
    assert "attack 'asker' requires LabelAccess; granted is EmbeddedRowsAccess" in said


def test_models_of_the_adversary_must_be_trained_or_read():
    """A finished target trains none; another kind of model may, if it grants what the audited one grants."""
    two, paths = AdversarySpec(), AdversarySpec(background=BackgroundSpec(paths=("a", "b")))
    (said,) = practice_problems(two, Finished(), None, 2)
    assert "so that 2 practice models cannot be trained" in said
    assert "adversary.background.target" in said
    assert practice_problems(two, Finished(), None, 0) == []
    assert practice_problems(paths, Finished(), None, 0) == []
    assert practice_problems(two, Finished(), target_named("fake-classifier"), 2) == []
    (said,) = practice_problems(paths, target_named("fake-classifier"), None, 0)
    assert "reads no path" in said
    (said,) = practice_problems(two, Finished(), target_named("fake-generator"), 2)
    assert "the audited model grants GradientAccess; practice would be on TokenLikelihoodAccess" in said


def test_records_are_compared_with_models_that_never_saw_them():
    """References to be trained, or finished ones."""
    lira, records = attack_named("lira"), SecretsSpec(kind="records")
    (said,) = background_problems(records, BackgroundSpec(), lira)
    assert "set adversary.background.references" in said
    assert background_problems(records, BackgroundSpec(references=1), lira) == []
    assert background_problems(records, BackgroundSpec(paths=("a",), target=TargetSpec(kind="x")), lira) == []


def test_practice_on_vectors_of_another_width_is_refused(tmp_path):
    """Before anything is embedded: both widths are told. The same width, or one that nobody knows, is no problem."""
    path = tmp_path / "rows.npy"
    practised = target_named("own-encoder", {"embed": "divulge.testing.callables:embed"})  # 8 numbers a vector
    for width, problems in ((8, 0), (7, 1)):
        np.save(path, np.ones((2, width)))
        found = practice_problems(AdversarySpec(), target_named("vectors", {"path": str(path)}), practised, 1)
        assert len(found) == problems
    assert "'own-encoder' makes vectors of 8 numbers, and those of target 'vectors' have 7" in found[0]
    assert practice_problems(AdversarySpec(), target_named("fake-encoder"), practised, 1) == []


def test_what_compares_with_controls_needs_some():
    """RMIA's ratios are taken against records known to be out."""
    rmia, records = attack_named("rmia"), SecretsSpec(kind="records")
    (said,) = background_problems(records, BackgroundSpec(references=1), rmia)
    assert "set adversary.background.controls to 1 or more" in said
    assert background_problems(records, BackgroundSpec(references=1, controls=5), rmia) == []


def test_canaries_of_no_copies_need_a_label_of_the_data() -> None:
    """A model that is trained here would not know a label that no text has."""
    unplanted = SecretsSpec(
        families={"pin": {"pattern": "pin {digit}", "label": "Pin"}, "old": {"pattern": "o {digit}", "label": "Old"}},
        copies=0,
    )
    (said,) = unplanted_problems(unplanted, FakeClassifier(), ("Old", "Other"))
    assert "secrets.copies is 0" in said
    assert "label Pin:" in said
    assert unplanted_problems(unplanted.model_copy(update={"copies": 1}), FakeClassifier(), ("Other",)) == []
    assert unplanted_problems(unplanted, FakeClassifier(), ("Old", "Pin")) == []


def test_a_family_without_a_label_is_named() -> None:
    """What is missing is said where it goes."""
    bare = SecretsSpec(families={"pin": {"pattern": "pin {digit}"}, "call": {"pattern": "c {digit}", "label": "Call"}})
    (said,) = target_problems(bare, FakeClassifier(), ())
    assert said.startswith("secrets.families.pin.label is missing")


@pytest.mark.parametrize(
    "attack", [DiscreteSearch({"calibrate": "shadows"}), CalibratedLikelihood({"calibrate": "references"})]
)
def test_calibrating_needs_models_of_the_adversarys_own(attack: Attack) -> None:
    """Said before anything is trained; models of each setting are compared with, and so each will do."""
    (said,) = background_problems(CANARIES, BackgroundSpec(), attack)
    for name in ("references", "shadows", "paths"):
        assert f"adversary.background.{name}" in said
    assert background_problems(CANARIES, BackgroundSpec(paths=("mine",)), attack) == []
    for name in ("references", "shadows"):
        assert background_problems(CANARIES, BackgroundSpec(corpus=PUBLIC, **{name: 1}), attack) == []
        (said,) = background_problems(CANARIES, BackgroundSpec(**{name: 1}), attack)
        assert "need adversary.background.corpus to train on" in said
    assert background_problems(CANARIES, BackgroundSpec(), DiscreteSearch()) == []


def test_shared_practice_models_are_for_canaries_alone() -> None:
    """People and records are split by the audit's own seed: other models would have other members."""
    (said,) = background_problems(SecretsSpec(kind="users"), BackgroundSpec(seed=1), None)
    assert said.startswith("adversary.background.seed is for canaries")
    assert background_problems(CANARIES, BackgroundSpec(seed=1), None) == []


def test_canaries_that_would_be_cut_are_refused(monkeypatch) -> None:
    """Each secret and control is tried as planted and with the longest words that may fill it; texts are not named."""
    hint = Gaps(tokens=("call", None), label="pin", candidates=(("al", "alexander", "bo"),))
    secret = Secret(id="s", hint=hint, answer=Tokens(tokens=("al",)))
    case = Case(corpus=Corpus(()), secrets=(secret,), controls=(secret.model_copy(update={"id": "c"}),))
    target, seen = target_named("fake-classifier"), []
    assert unread_problems(target, case) == []

    def tells(self, texts):
        seen.extend(texts)
        return "reads 3 pieces of a text"

    monkeypatch.setattr(FakeClassifier, "overlong", tells)
    (said,) = unread_problems(target, case)
    assert seen == [("call", "al"), ("call", "alexander")] * 2
    assert said.startswith("target 'fake-classifier' reads 3 pieces of a text")
    assert "alexander" not in said
    assert unread_problems(target, Case(corpus=Corpus(()), secrets=())) == []


def test_an_attack_beyond_its_access_names_the_defence_that_took_it() -> None:
    """But none that took nothing."""
    target = target_named("fake-classifier")
    defences = [defence_named("label-only"), defence_named("dropout"), defence_named("rounding", {"decimals": None})]
    assert taken_by(target, defences) == ["label-only"]
    levels = granted_levels(target, defences)
    (said,) = attack_problems(CANARIES, attack_named("label-likelihood"), levels, taken_by(target, defences))
    assert (
        "requires LabelLikelihoodAccess; granted is LabelAccess behind defence 'label-only'. Attacks that fit" in said
    )
