"""Tests of what tasks do: what crosses the seam, what a budget leaves, what a broken adapter leads to."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.auditing.sample import (
    HERE,
    PUBLIC,
    Asker,
    Fitted,
    Trained,
    Watcher,
    attacking,
    defended,
    specs_of,
    target_of,
)

from divulge.access import RankedTokensAccess
from divulge.auditing.naming import corpus_of
from divulge.auditing.planning import plan
from divulge.auditing.resolving import resolve
from divulge.auditing.tasks import KINDS, _accountant, _fault, execute
from divulge.data.cases import target_case
from divulge.engine.running import run
from divulge.records import Artefact, Gaps, Passage, Ranking, UserTexts, Verdict
from divulge.runs import EXECUTE, run_specs
from divulge.store import Store
from divulge.testing.classifier import FakeClassifier

PRIVATE = (
    'target={kind="nlu-tagger", recipe={epochs=1, width=8, hidden=4, layers=1}}',
    defended("dp-sgd", options="{noise=2.0, batch_size=16}"),
)


@pytest.fixture
def watched(monkeypatch):
    """What the watching attack was shown."""
    shown: list = []
    monkeypatch.setattr(Watcher, "shown", shown)
    return shown


def done(store: Store, *specs):
    """The plan of specs, done."""
    planned = plan(specs)
    report = run(planned.graph, store, 0, EXECUTE)
    assert not report.failures
    return planned


def test_every_kind_of_task_can_be_done(store):
    """Audits that need them all: a practice model and a defence of answers, a private training, rewritten texts."""
    settings = (PUBLIC, "adversary.background.shadows=1", defended("rounding"))
    rewritten = specs_of("users", 'secrets.obfuscation="words"')
    planned = done(store, *specs_of("canaries", *settings), *specs_of("canaries", *PRIVATE), *rewritten)
    assert {task.kind for task in planned.graph} == set(KINDS)


def test_a_private_training_tells_its_epsilon(store):
    """It stands among the figures of its audit, whatever the attack comes to; a plain training tells none."""
    (private,) = run_specs(specs_of("canaries", *PRIVATE), store, workers=0).results
    (told,) = [one for one in private.measurements if one.metric == "epsilon"]
    assert (told.arm, dict(told.group)) == ("probe", {"delta": 1e-5})
    assert 0 < told.value < 20
    (plain,) = run_specs(specs_of("canaries", PRIVATE[0]), store, workers=0).results
    assert not [one for one in plain.measurements if one.metric == "epsilon"]


def test_where_the_owner_claims_nothing_a_bound_is_set_against_the_accountant(store, monkeypatch):
    """A leaking model whose training says epsilon 0.1: that claim is refuted as the owner's own would be."""
    said = Artefact(values={"training": {"privacy": {"epsilon": 0.1, "delta": 1e-9, "texts": 40}}})
    monkeypatch.setattr(FakeClassifier, "is_private", True)
    monkeypatch.setitem(KINDS, "accountant", lambda payload, needs: _accountant(payload, {"target": said}))
    settings = ("secrets.coin=true", "secrets.count=60", "secrets.controls=60")
    pattern = 'secrets.pattern="my pin at <name*2> is {digit*3}"'
    (result,) = run_specs(specs_of("canaries", *settings, pattern), store, workers=0).results
    told = [dict(one.group) for one in result.measurements if one.metric == "epsilon"]
    assert told == [{"delta": 1e-9, "copies": 1}, {"delta": 1e-9}]
    assert result.notes[0].startswith("THE CLAIMED EPSILON IS REFUTED")


def test_an_attack_is_told_hints_and_nothing_else(store, watched):
    """Neither answers nor which secrets are planted: what it gets are hints by opaque id, ordered by that id."""
    planned = done(store, *specs_of("canaries", attacking("Watcher")))
    case = planned.planned[0].resolved.case
    told = [content for verb, content in watched if verb == "guess"]
    assert [set(hints) for _, hints, _ in told] == [
        {secret.id for secret in case.secrets},
        {secret.id for secret in case.controls},
    ]
    for _, hints, knowledge in told:
        assert list(hints) == sorted(hints)
        assert all(type(hint) is Gaps for hint in hints.values())
        assert all(hint.tokens[-2:] == (None, None) for hint in hints.values())
        assert (dict(knowledge.values), dict(knowledge.arrays)) == ({}, {})
    by_id = {secret.id: secret.hint for secret in (*case.secrets, *case.controls)}
    assert {key: hint for _, hints, _ in told for key, hint in hints.items()} == by_id


def test_the_background_of_an_attack_holds_no_secret_of_the_target(store, watched):
    """A shadow has canaries of its own, with answers; none of them is the target's."""
    planned = done(store, *specs_of("canaries", attacking("Watcher"), PUBLIC, "adversary.background.shadows=2"))
    case = planned.planned[0].resolved.case
    asked = {(s.hint.tokens, s.answer.tokens) for s in (*case.secrets, *case.controls)}
    (background,) = [content for verb, content in watched if verb == "prepare"]
    assert len(background.corpus) == 50
    assert not any(text.planted for text in background.corpus)
    assert [len(practice.secrets) for practice in background.practice] == [6, 6]
    for practice in background.practice:
        assert not asked & {(s.hint.tokens, s.answer.tokens) for s in practice.secrets}


def test_people_are_asked_about_by_their_texts_alone(store, watched):
    """No hint tells who was in, nor is the order of ids that of membership."""
    planned = done(store, *specs_of("users", attacking("Watcher")))
    case = planned.planned[0].resolved.case
    (_, hints, _), _ = [content for verb, content in watched if verb == "guess"]
    used = [secret.answer.used for secret in sorted(case.secrets, key=lambda secret: secret.id)]
    assert sum(used) == 8
    assert sorted(used) != used
    assert sorted(used, reverse=True) != used
    said = json.dumps([hint.model_dump(mode="json") for hint in hints.values()])
    assert "used" not in said
    assert not any(user in said for user in planned.planned[0].resolved.corpus.users)


def test_the_truth_is_scored_once_among_decoys_at_no_telling_place(store, watched):
    """Over 400 questions the truth stands anywhere, as often as chance has it."""
    settings = ("secrets.count=200", "secrets.controls=200", "secrets.decoys=9", "secrets.pattern=pin <name*3> {digit}")
    planned = done(store, *specs_of("canaries", attacking("Watcher"), *settings))
    case = planned.planned[0].resolved.case
    answers = {secret.hint.tokens: secret.answer.tokens for secret in (*case.secrets, *case.controls)}
    asked = [content for verb, content in watched if verb == "score"]
    assert len(asked) == 400
    places = [completions.index(answers[hint.tokens]) for _, hint, completions, _ in asked]
    assert all(len(set(completions)) == len(completions) == 10 for _, _, completions, _ in asked)
    counts = np.bincount(places, minlength=10)
    # 400 throws into 10 places: 40 each; chi-square with 9 degrees of freedom exceeds 27.9 once in a thousand.
    assert ((counts - 40) ** 2 / 40).sum() < 27.9


def test_an_attack_gets_the_levels_and_the_budget_of_its_adversary(store, watched):
    """While it guesses; its scores are the owner's measurement and cost no queries."""
    settings = ('adversary.access=["RankedTokensAccess"]', "adversary.max_queries=7")
    done(store, *specs_of("users", attacking("Watcher"), *settings))
    asked = [content[:2] for verb, content in watched if verb == "guess"]
    for access, _ in asked:
        assert access.levels == (RankedTokensAccess,)
    (attack, secrets), (control, others) = asked
    assert attack.meter.limit == 7
    assert control.meter.limit == math.ceil(7 * len(others) / len(secrets))  # as many queries a secret


def test_scores_are_asked_outside_the_budget(store, watched):
    """Else the decoys would eat what the adversary may ask."""
    done(store, *specs_of("canaries", attacking("Watcher"), "adversary.max_queries=3"))
    assert all(content[0].meter.limit is None for verb, content in watched if verb == "score")


def test_what_a_budget_leaves_unguessed_counts_as_wrong(store):
    """Four questions answer four of six secrets; the other two are wrong, not left out."""
    settings = ("adversary.max_queries=4", 'adversary.access=["LabelAccess"]')
    specs = specs_of("canaries", attacking("Spender"), *settings)
    planned = done(store, *specs)
    one = planned.planned[0]
    values = store.get(one.attack).values
    assert [len(values[arm]) for arm in ("attack", "control")] == [4, 4]
    assert values["queries"] == {"LabelAccess": 4}
    result = run_specs(specs, store, workers=0).results[0]
    accuracy = next(m for m in result.measurements if (m.metric, m.arm) == ("accuracy", "attack"))
    assert accuracy.n == 6
    assert result.queries == {"LabelAccess": 4}
    guessed = {guess["secret_id"] for guess in values["attack"]}
    outcomes = {o.secret_id: o.value for o in result.outcomes if o.metric == "accuracy"}
    assert len(outcomes) == 6
    assert all(value == 0.0 for secret_id, value in outcomes.items() if secret_id not in guessed)


def test_each_arm_has_a_budget_of_its_own(store):
    """Controls are asked about as secrets are: with as many queries."""
    settings = ("adversary.max_queries=1000", 'adversary.access=["LabelAccess"]')
    planned = done(store, *specs_of("canaries", attacking("Spender"), *settings))
    values = store.get(planned.planned[0].attack).values
    assert (len(values["attack"]), len(values["control"]), values["queries"]) == (6, 5, {"LabelAccess": 6})


def test_an_answer_about_a_secret_nobody_asked_about_fails_the_spec(store):
    """It would otherwise be measured as if it meant something."""
    results = run_specs(specs_of("canaries", attacking("Meddler")), store, workers=0)
    assert results.results == ()
    (failure,) = results.failures
    assert "attack 'meddler' answered about a secret it was not asked about" in failure.reason


def test_an_attack_may_ask_its_practice_models_about_what_it_is_asked(store, tmp_path):
    """References that are trained and models that are read, in the attack and in the control arm; all in one count."""
    (tmp_path / "theirs").write_text("a model", encoding="utf-8")
    theirs = f'{{kind="tests.auditing.sample:Read", path="{tmp_path / "theirs"}"}}'
    settings = (
        attacking("Asker"),
        PUBLIC,
        "adversary.background.references=2",
        f'adversary.background.paths=["{tmp_path / "theirs"}"]',
        f"adversary.background.target={theirs}",
    )
    Asker.heard.clear()
    results = run_specs(specs_of("canaries", *settings), store, workers=0)
    assert results.failures == ()
    assert Asker.heard == [(3, 3 * 6), (3, 3 * 5)]


def test_records_that_are_asked_about_as_others_are_kept_from_the_model(store):
    """Neither the target nor a reference was trained on any of them; members are in the target, and in no reference."""
    Trained.saw.clear()
    settings = (attacking("Asker"), target_of("Trained"), "adversary.background.references=1")
    (spec,) = specs_of("records", *settings)
    (result,) = run_specs([spec], store, workers=0).results
    case = target_case(spec.secrets, corpus_of(spec.data), spec.seed)
    used = {secret.hint.tokens: secret.answer.used for secret in case.secrets}
    reference, target = sorted(({text.tokens for text in texts} for texts in Trained.saw), key=len)
    assert {tokens for tokens in used if used[tokens]} <= target
    assert not {tokens for tokens in used if not used[tokens]} & target
    assert not set(used) & reference
    assert {figure.arm for figure in result.measurements if figure.metric == "auc"} == {"attack", "control", "baseline"}


def test_coins_bound_epsilon_and_a_refuted_claim_is_loud(store):
    """Everything leaks: what is proven exceeds a claim of 0.1, and the notes begin with that."""
    settings = (
        "secrets.coin=true",
        "secrets.count=60",
        "secrets.controls=60",
        'secrets.pattern="my pin at <name*2> is {digit*3}"',
        "target.epsilon=0.1",
        "target.delta=1e-9",
    )
    (result,) = run_specs(specs_of("canaries", *settings), store, workers=0).results
    found = {figure.metric: figure for figure in result.measurements if figure.metric.startswith("epsilon")}
    assert found["epsilon_lower_bound"].value > 1
    assert found["epsilon_lower_bound"].n == 120
    assert found["epsilon"].value == 0.1
    assert result.notes[0].startswith("THE CLAIMED EPSILON IS REFUTED")
    (silent,) = run_specs(specs_of("canaries", *settings, "target.recipe={leaks=false}"), store, workers=0).results
    (bound,) = [figure for figure in silent.measurements if figure.metric == "epsilon_lower_bound"]
    assert bound.value < 0.5


def test_the_coin_does_not_reach_the_score(store):
    """Canaries that share one hint: planted or not, each is set among as many, and the bound of a silent model is 0."""
    settings = (
        "secrets.coin=true",
        "secrets.count=40",
        "secrets.controls=40",
        'secrets.pattern="my pin is {digit*4}"',
        "secrets.decoys=200",
        "target.recipe={leaks=false}",
    )
    (planned,) = done(store, *specs_of("canaries", *settings)).planned
    values = store.get(planned.attack).values
    spaces = {one["space"] for arm in ("attack", "control") for one in values[f"{arm} standings"]}
    assert spaces == {10_000 - 79}  # all but the other 79 canaries


def test_an_attack_that_raises_costs_its_own_spec_only(store):
    """Its reason tells where, and nothing of the hint in its message."""
    specs = specs_of("canaries", attacking("Breaker", "label-likelihood"))
    results = run_specs(specs, store, workers=0)
    assert [result.spec["attack"]["name"] for result in results.results] == ["label-likelihood"]
    (failure,) = results.failures
    assert failure.spec_hash == specs[0].hash
    assert "RuntimeError at auditing/sample.py:" in failure.reason
    assert "pin" not in failure.reason


def test_a_broken_adapter_is_noted_and_does_not_look_like_no_leak(store):
    """The failure is in the result, with a note; what is broken is not asked any further."""
    (result,) = run_specs(specs_of("canaries", target_of("Unnormalised")), store, workers=0).results
    failed = [check.name for check in result.handshake if check.passed is False]
    assert failed == ["probabilities normalise"]
    (note,) = result.notes
    assert "handshake failed" in note
    assert dict(result.queries) == {}
    assert {figure.arm for figure in result.measurements} <= {"utility", "probe"}
    assert result.outcomes == ()


def test_a_sound_adapter_leaves_no_note(store):
    """All checks that could be tried held."""
    (result,) = run_specs(specs_of("canaries"), store, workers=0).results
    assert [check.passed for check in result.handshake] == [True] * len(result.handshake)
    assert len(result.handshake) >= 3
    assert result.notes == ()


@pytest.mark.parametrize(("strength", "compared"), [(0.0, True), (0.5, None)])
def test_rows_are_compared_with_the_encoder_unless_a_defence_blurs_them(store, strength, compared):
    """Noise of no strength is no excuse for rows that do not match."""
    options = f"{{strength={strength}}}"
    (result,) = run_specs(specs_of("rows", defended("gaussian-noise", options=options)), store, workers=0).results
    (match,) = [check for check in result.handshake if check.name == "leaked rows match the oracle"]
    assert match.passed is compared


def test_the_handshake_costs_no_queries(store):
    """Six secrets of two digits: 10 questions for the first, 10 x 10 for the second."""
    planned = done(store, *specs_of("canaries"))
    assert store.get(planned.planned[0].attack).values["queries"] == {"LabelLikelihoodAccess": 6 * 110}


def test_a_defence_of_the_corpus_reaches_the_training_and_copies_are_planted(store, monkeypatch):
    """Ten copies of six canaries are planted beside sixty texts; deduplication leaves one of each."""
    monkeypatch.setattr(Trained, "saw", [])
    for more in ((), (defended("deduplication"),)):
        done(store, *specs_of("canaries", target_of("Trained"), "secrets.copies=10", *more))
    copied, deduplicated = Trained.saw
    assert len(copied) == 60 + 10 * 6
    assert sum(text.planted for text in copied) == 60
    assert sum(text.planted for text in deduplicated) == 6


def test_an_adversary_that_knows_a_defence_of_the_corpus_trains_its_shadows_with_it(store, monkeypatch):
    """And one that does not, without."""
    settings = (target_of("Trained"), "secrets.copies=10", PUBLIC, "adversary.background.shadows=1")
    planted = []
    for knows in ("false", "true"):
        monkeypatch.setattr(Trained, "saw", [])
        planned = plan(specs_of("canaries", *settings, defended("deduplication"), f"adversary.knows_defence={knows}"))
        (shadow,) = [task for task in planned.graph if task.kind == "train-practice"]
        execute(shadow, store)
        planted.append(sum(text.planted for text in Trained.saw[0]))
    assert planted == [60, 6]


def test_defences_of_the_owner_are_fitted_on_what_the_owner_trained_on(store, monkeypatch):
    """Deduplicated, if another defence did that."""
    monkeypatch.setattr(Fitted, "saw", [])
    done(store, *specs_of("canaries", "secrets.copies=3", defended("Fitted")))
    done(store, *specs_of("canaries", "secrets.copies=3", defended("deduplication", "Fitted")))
    plain, deduplicated = Fitted.saw
    assert len(plain) == 60 + 3 * 6
    assert len(deduplicated) == len(set(deduplicated)) == len(set(plain))


def test_an_adversary_that_knows_the_defence_fits_it_on_its_own_texts(store, monkeypatch):
    """What the owner keeps secret is fitted anew, and never on the owner's texts."""
    monkeypatch.setattr(Fitted, "saw", [])
    planned = done(store, *specs_of("rows", defended("Fitted"), "adversary.knows_defence=true"))
    resolved = planned.planned[0].resolved
    private = {text.tokens for text in resolved.corpus}
    public = {text.tokens for text in resolved.background}
    owners, adversarys = Fitted.saw
    assert set(owners) == private
    assert set(adversarys) == public


def test_a_static_adversary_fits_no_defence(store, monkeypatch):
    """It does not know that there is one."""
    monkeypatch.setattr(Fitted, "saw", [])
    done(store, *specs_of("rows", defended("Fitted")))
    assert len(Fitted.saw) == 1


def test_practice_wears_the_defence_only_if_it_is_known(store, watched):
    """Rounded answers in practice, or plain ones."""
    settings = (attacking("Watcher"), PUBLIC, "adversary.background.shadows=1")
    rounding = defended("rounding", options="{decimals=0}")
    plain_and_known = []
    for knows in ("false", "true"):
        watched.clear()
        done(store, *specs_of("canaries", *settings, rounding, f"adversary.knows_defence={knows}"))
        (background,) = [content for verb, content in watched if verb == "prepare"]
        access = background.practice[0].access.accesses[0]
        shown = access._likelihoods([("my", "pin", "at", "home")])
        plain_and_known.append(bool(np.all(shown == np.round(shown))))
    assert plain_and_known == [False, True]


def test_utility_is_measured_through_the_defence(store):
    """Ranks cut to one token hide likelihoods from honest users too: no perplexity is left to measure."""
    names = []
    for more in ((), (defended("output-limit", options="{tokens=1}"),)):
        (result,) = run_specs(specs_of("users", *more), store, workers=0).results
        names.append({m.metric for m in result.measurements if m.arm == "utility"})
    accuracies = {"train_accuracy", "test_accuracy", "accuracy_gap"}
    assert names == [accuracies | {"train_perplexity", "test_perplexity"}, accuracies]


def test_people_outside_are_the_test_split_of_a_generator(store):
    """Utility on people who were not in, which members' data lack: as many as were in."""
    done(store, *specs_of("users"))
    (result,) = run_specs(specs_of("users"), store, workers=0).results
    n = {m.metric: m.n for m in result.measurements if m.arm == "utility"}
    assert n["train_accuracy"] == n["test_accuracy"] == n["accuracy_gap"] == 8


def test_guesses_stay_unredacted_in_the_store(store):
    """So that they can be measured again, by metrics to come."""
    planned = done(store, *specs_of("canaries"))
    values = store.get(planned.planned[0].attack).values
    answers = {s.id: s.answer for s in planned.planned[0].resolved.case.secrets}
    found = sum(list(answers[g["secret_id"]].tokens) == g["candidates"][0] for g in values["attack"])
    assert found == 6  # the stand-in leaks everything


def test_arms_draw_apart(store):
    """What is drawn about the secrets does not depend on how many controls there are."""
    drawn = []
    for controls in (5, 0):
        planned = done(store, *specs_of("canaries", attacking("random"), f"secrets.controls={controls}"))
        drawn.append([guess["candidates"] for guess in store.get(planned.planned[0].attack).values["attack"]])
    assert len(drawn[0]) == 6
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Verdict(secret_id="a", statistic=1.0), "answered a hint of kind 'gaps' with a verdict"),
        (Ranking(secret_id="a", candidates=(("1",),)), "filled 1 of 2 holes"),
        (Ranking(secret_id="a", candidates=(("1", "x"),)), "not among its candidates"),
        (Ranking(secret_id="b", candidates=()), "a secret it was not asked about"),
        (Ranking(secret_id="a", candidates=(("1", "2"),)), None),
        (Ranking(secret_id="u", candidates=(("1",),)), "answered a hint of kind 'user' with a ranking"),
        (Verdict(secret_id="u", statistic=0.0), None),
    ],
)
def test_a_faulty_answer_is_told_from_a_wrong_one(answer, fault):
    """Of the wrong kind, length or words, it is the attack's fault and must not look like a model without leaks."""
    hints = {
        "a": Gaps(tokens=("pin", None, None), candidates=(("1", "2"),) * 2),
        "u": UserTexts(examples=(Passage(tokens=("hi",)),)),
    }
    said = _fault(answer, hints)
    assert said is None if fault is None else fault in said


def test_rows_are_judged_by_what_the_encoder_read(store):
    """An encoder of three words: a perfect reading of three is perfect, whatever followed in the text."""
    results = run_specs(specs_of("rows", "target.recipe.tokens=3", "data.options.size=60"), store, workers=0)
    (result,) = results.results
    found = {one.metric: one.value for one in result.measurements if one.arm == "attack"}
    assert found["exact"] > 0  # of longer texts: none, if they were judged whole


def test_an_attack_is_told_private_tokens_only_if_it_says_so(store, watched):
    """The first three of each text, and their vocabulary; the same attack in the clean protocol is told nothing."""
    for published in (True, False):
        watched.clear()
        said = f"attacks=[{{name='{HERE}:Told', options={{as_published={str(published).lower()}}}}}]"
        (spec,) = specs_of("rows", said)
        done(store, spec)
        shown = dict(watched)
        resolved = resolve(spec)
        answers = {secret.hint.row: secret.answer.tokens for secret in resolved.case.secrets}
        hints = shown["guess"][1].values()
        vocabulary = tuple(sorted({token for text in resolved.corpus for token in text.tokens}))
        if published:
            assert shown["prepare"].told == vocabulary
            # Controls ask about the same rows with other answers, and are told how those begin.
            begins = {tokens[:3] for tokens in answers.values()}
            assert {hint.told for hint in hints} <= begins
            assert all(len(hint.told) == 3 for hint in hints)
        else:
            assert shown["prepare"].told == ()
            assert {hint.told for hint in hints} == {()}


def test_hints_that_are_told_begin_as_their_own_texts(store, watched):
    """Row by row, for the secrets themselves."""
    (spec,) = specs_of("rows", f"attacks=[{{name='{HERE}:Told'}}]")
    done(store, spec)
    answers = {secret.id: secret.answer.tokens for secret in resolve(spec).case.secrets}
    asked = [content[1] for verb, content in watched if verb == "guess"]
    own = next(hints for hints in asked if set(hints) <= set(answers))
    assert {key: hint.told for key, hint in own.items()} == {key: answers[key][:3] for key in own}


def test_ranked_controls_are_placed_and_not_looked_for(store):
    """The attack names nothing of them, and asks nothing for them; each stands among its decoys. No other model."""

    def told(*settings):
        planned = done(store, *specs_of("canaries", attacking("label-likelihood"), "secrets.decoys=20", *settings))
        (one,) = planned.planned
        trained = [task.key for task in planned.graph if task.kind == "train-target"]
        return trained, store.get(planned.graph[one.measure].needs["attack"]).values

    (trained, found), (before, plain) = told("secrets.ranked=7"), told()
    assert trained == before
    assert len(found["ranked standings"]) == 7
    assert {one["among"] for one in found["ranked standings"]} == {21}
    assert "ranked standings" not in plain
    assert all(found[name] == plain[name] for name in ("attack", "control", "queries", "attack standings"))
