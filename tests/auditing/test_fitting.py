"""Tests of what fits what: each impossible combination is refused in words of its own."""

from __future__ import annotations

import pytest
from tests.auditing.sample import Bare, Fitted, Spender, Watcher

from divulge.access import (
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    TokenLikelihoodAccess,
)
from divulge.attacks.rank_histogram import RankHistogram
from divulge.auditing.fitting import (
    access_problems,
    attack_problems,
    background_problems,
    chosen_levels,
    granted_levels,
    level_problems,
    probe_problems,
    serves,
    target_problems,
)
from divulge.auditing.naming import attack_named, defence_named, probe_named, target_named
from divulge.spec import AdversarySpec, BackgroundSpec, DataSpec, SecretsSpec

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
    """A generator holds people, not canaries."""
    (said,) = target_problems(CANARIES, target_named("fake-generator"), [])
    assert said == "target 'fake-generator' cannot hold secrets of kind 'canaries'; it fits: users"


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
        "Attacks that fit: label-likelihood, random"
    )


def test_an_attack_on_other_secrets_names_both_kinds_and_what_would_fit():
    """Whether the access is known or not."""
    ranked = attack_problems(CANARIES, RankHistogram(), (LabelAccess,))
    assert ranked == [
        "attack 'rank-histogram' is about secrets of kind 'users', not 'canaries'. Attacks that fit: random"
    ]
    (unsure,) = attack_problems(CANARIES, RankHistogram(), None)
    assert "label-likelihood, random, soft-token" in unsure
    assert "parallel-decoder" not in unsure


def test_a_fitting_attack_is_not_refused():
    """A stronger access will do, and unknown access is no reason to refuse."""
    assert attack_problems(CANARIES, Spender(), (GradientAccess,)) == []
    assert attack_problems(CANARIES, Spender(), None) == []
    assert attack_problems(USERS, RankHistogram(), (TokenLikelihoodAccess,)) == []


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
