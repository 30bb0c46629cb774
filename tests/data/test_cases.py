"""Tests of divulge.data.cases."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from divulge.data.canaries import draw_canaries, plant
from divulge.data.cases import Case, known_out, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.finding import find_secrets
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import AuditError, InputError
from divulge.records import Secret, Text
from divulge.spec import SecretsSpec

CANARIES = SecretsSpec(pattern="call <name> {digit*3}", label="Call", copies=10, valid_share=0.1, count=6, controls=4)
USERS = SecretsSpec(kind="users", count=5, controls=4)
ROWS = SecretsSpec(kind="rows", count=6)
PLAIN = Corpus(tuple(Text(("text", str(number)), label="Other", tags=("O", "O")) for number in range(8)), name="plain")
KEY = b"k" * 32


def people(users: int, prefix: str = "u") -> Corpus:
    """Two texts of each user, one of nobody, and one of the first user in the test split."""
    texts = [
        Text((f"{prefix}{user:02}", str(number)), user=f"{prefix}{user:02}")
        for user in range(users)
        for number in (0, 1)
    ]
    texts += [Text((f"{prefix}-nobody",)), Text((f"{prefix}00", "test"), user=f"{prefix}00", split="test")]
    return Corpus(tuple(texts), name=prefix)


def sentences(number: int, word: str = "s") -> Corpus:
    """Sentences that differ, every third of them in the test split."""
    return Corpus(
        tuple(Text((word, str(n)), keywords=(str(n),), split="test" if n % 3 == 0 else "train") for n in range(number))
    )


def owners(secrets: tuple[Secret, ...], *, used: bool | None = None) -> set[str]:
    """The users whom secrets of `people` are about."""
    return {secret.hint.examples[0].tokens[0] for secret in secrets if used is None or secret.answer.used == used}


def ids(*groups: tuple[Secret, ...]) -> list[str]:
    """All ids, in order."""
    return [secret.id for group in groups for secret in group]


def texts(*groups: tuple[Secret, ...]) -> set[tuple[str, ...]]:
    """The whole texts of canaries."""
    return {secret.hint.filled(secret.answer.tokens) for group in groups for secret in group}


@pytest.mark.parametrize(
    ("spec", "corpus"),
    [(CANARIES, PLAIN), (USERS, people(12)), (ROWS, sentences(20))],
    ids=["canaries", "users", "rows"],
)
def test_another_seed_gives_other_secrets_with_other_ids(spec, corpus):
    """Figures of several seeds can be pooled without two secrets of one name."""
    case, other = target_case(spec, corpus, 3), target_case(spec, corpus, 4)
    assert other.secrets != case.secrets
    assert not set(ids(case.secrets, case.controls)) & set(ids(other.secrets, other.controls))


def test_another_process_makes_the_same_case():
    """Neither the process nor PYTHONHASHSEED changes a secret, an id or the order."""
    program = (
        "from divulge.canonical import digest; from divulge.data.cases import target_case, practice_case;"
        "from divulge.data.corpus import Corpus; from divulge.records import Text;"
        "from divulge.spec import SecretsSpec;"
        "c = Corpus(tuple(Text((str(n), 'x'), user=str(n % 30)) for n in range(90)));"
        "b = Corpus(tuple(Text((str(n), 'y'), user=str(n % 30)) for n in range(90)));"
        "specs = [SecretsSpec(pattern='<name> {digit*2}'), SecretsSpec(kind='users'), SecretsSpec(kind='rows')];"
        "cases = [f(s) for s in specs for f in (lambda s: target_case(s, c, 0), "
        "lambda s: practice_case(s, c, b, 0, 1, planted=True))];"
        "print(digest([[k.secrets, k.controls, k.plantings, k.corpus.fingerprint] for k in cases]))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(said) == 1
    assert len(said.pop().strip()) == 64


@pytest.mark.parametrize(
    ("spec", "corpus", "background"),
    [
        (CANARIES, PLAIN, PLAIN),
        (USERS, people(22), None),
        (USERS, people(12), people(12, "b")),
        (ROWS, sentences(20), sentences(20, "b")),
    ],
    ids=["canaries", "left-over users", "other users", "rows"],
)
def test_no_id_is_used_twice_within_or_across_cases(spec, corpus, background):
    """Secrets and controls of the target and of three practice models all have ids of their own."""
    cases = [target_case(spec, corpus, 0)]
    cases += [practice_case(spec, corpus, background, 0, index, planted=True) for index in range(3)]
    every = [identity for case in cases for identity in ids(case.secrets, case.controls)]
    assert len(every) == len(set(every))


# -- canaries -----------------------------------------------------------------------------------------------


def test_canaries_are_planted_and_controls_are_not():
    """Nine of ten copies are in training, one in validation; no control is anywhere in the corpus."""
    case = target_case(CANARIES, PLAIN, 0)
    assert (len(case.secrets), len(case.controls)) == (6, 4)
    times = Counter((text.tokens, text.split) for text in case.corpus)
    for text in texts(case.secrets):
        assert (times[text, "train"], times[text, "valid"]) == (9, 1)
    assert not texts(case.controls) & {text.tokens for text in case.corpus}
    assert case.corpus.texts[: len(PLAIN)] == PLAIN.texts
    assert case.corpus == PLAIN.with_plantings(case.plantings)
    assert {text.label for text in case.corpus.texts[len(PLAIN) :]} == {"Call"}


def test_canaries_have_tags_where_the_corpus_has():
    """A classifier's corpus has none, so neither have its canaries."""
    untagged = Corpus(tuple(replace(text, tags=None) for text in PLAIN))
    assert target_case(CANARIES, PLAIN, 0).secrets[0].hint.tags is not None
    assert target_case(CANARIES, untagged, 0).secrets[0].hint.tags is None
    assert {text.tags for text in target_case(CANARIES, untagged, 0).corpus} == {None}


def test_practice_canaries_are_fresh_and_planted_into_the_background():
    """None equals a target's secret or control, known parts included; each index draws its own."""
    background = sentences(5)
    target = target_case(CANARIES, PLAIN, 0)
    cases = [practice_case(CANARIES, PLAIN, background, 0, index, planted=True) for index in range(5)]
    for case in cases:
        assert (len(case.secrets), len(case.controls)) == (6, 4)
        assert not texts(case.secrets, case.controls) & texts(target.secrets, target.controls)
        assert not {s.hint.tokens for s in case.secrets} & {s.hint.tokens for s in target.secrets}
        assert case.corpus == background.with_plantings(case.plantings)
        assert {planting.secret_id for planting in case.plantings} == set(ids(case.secrets))
    assert len({frozenset(texts(case.secrets)) for case in cases}) == 5


def test_practice_canaries_avoid_the_target_in_a_small_space():
    """Ten digits: the target has 3 + 2, and practice gets exactly the 5 others."""
    spec = SecretsSpec(pattern="pin {digit}", count=3, controls=2)
    target = target_case(spec, PLAIN, 0)
    case = practice_case(spec, PLAIN, PLAIN, 0, 0, planted=True)
    assert len(texts(target.secrets, target.controls, case.secrets, case.controls)) == 10
    with pytest.raises(InputError, match="allows 10 different secrets, but 6 are needed beside 6"):
        practice_case(spec.model_copy(update={"controls": 3}), PLAIN, PLAIN, 0, 0, planted=True)


def test_a_reference_model_has_the_background_and_nothing_else():
    """Nothing is planted and there is nothing to find."""
    assert practice_case(CANARIES, PLAIN, sentences(5), 0, 0, planted=False) == Case(sentences(5), ())


@pytest.mark.parametrize("spec", [CANARIES, ROWS], ids=["canaries", "rows"])
@pytest.mark.parametrize("planted", [True, False])
def test_practice_needs_texts_of_the_adversarys_own(spec, planted):
    """Without a background, canaries and rows have nothing to be trained on."""
    with pytest.raises(InputError, match=r"adversary\.background\.corpus"):
        practice_case(spec, PLAIN, None, 0, 0, planted=planted)


# -- a secrets file -----------------------------------------------------------------------------------------


def planted_file(path: Path) -> tuple[SecretsSpec, Corpus, SecretsFile]:
    """A file as it comes with data that was planted before."""
    planted, controls = draw_canaries(CANARIES, np.random.default_rng(5), KEY)
    plantings = plant(planted, 2)
    corpus = PLAIN.with_plantings(plantings)
    content = SecretsFile(corpus.fingerprint, KEY, planted, controls, plantings, CANARIES)
    write_secrets(path, content)
    return SecretsSpec(file=str(path)), corpus, content


def test_secrets_from_a_file_are_not_planted_again(tmp_path):
    """The corpus is what the model was trained on already."""
    spec, corpus, content = planted_file(tmp_path / "s.json")
    case = target_case(spec, corpus, 0)
    assert case == Case(corpus, content.secrets, content.controls, content.plantings)


def test_a_file_of_other_data_is_refused(tmp_path):
    """The unplanted corpus is other data."""
    spec, _, _ = planted_file(tmp_path / "s.json")
    with pytest.raises(InputError, match="belongs to other data"):
        target_case(spec, PLAIN, 0)


def test_a_file_of_canaries_to_be_deleted_is_asked_of_any_data(tmp_path):
    """After the deletion the data are other data; the model is still asked about the same canaries."""
    spec, _, content = planted_file(tmp_path / "s.json")
    case = target_case(spec.model_copy(update={"deleted": True}), PLAIN, 0)
    assert case == Case(PLAIN, content.secrets, content.controls, content.plantings, deleted=True)
    assert target_case(CANARIES.model_copy(update={"deleted": True}), PLAIN, 0).deleted
    assert not target_case(CANARIES, PLAIN, 0).deleted


def test_practice_models_of_a_file_use_its_pattern_and_avoid_its_secrets(tmp_path):
    """The file tells how its canaries were made."""
    spec, corpus, content = planted_file(tmp_path / "s.json")
    case = practice_case(spec, corpus, sentences(4), 0, 0, planted=True)
    assert len(case.secrets) == 6
    assert not texts(case.secrets, case.controls) & texts(content.secrets, content.controls)


def test_found_secrets_allow_references_but_no_shadows(tmp_path):
    """There is no pattern to make others from."""
    corpus = Corpus((Text(("pin", "1")), Text(("pin", "2"))))
    secrets = find_secrets(corpus, "pin {digit}", KEY, np.random.default_rng(0))
    write_secrets(tmp_path / "s.json", SecretsFile(corpus.fingerprint, KEY, secrets))
    spec = SecretsSpec(file=str(tmp_path / "s.json"))
    assert target_case(spec, corpus, 0) == Case(corpus, secrets)
    assert practice_case(spec, corpus, PLAIN, 0, 0, planted=False) == Case(PLAIN, ())
    with pytest.raises(InputError, match="found, not made"):
        practice_case(spec, corpus, PLAIN, 0, 0, planted=True)


# -- users --------------------------------------------------------------------------------------------------


def test_a_target_is_trained_on_its_members_only():
    """Texts of others and of the pool are nowhere in the corpus; nobody's texts are."""
    case = target_case(USERS, people(20), 0)
    assert (len(owners(case.secrets, used=True)), len(owners(case.secrets, used=False))) == (5, 4)
    assert set(case.corpus.users) == owners(case.secrets, used=True)
    assert ("u-nobody",) in {text.tokens for text in case.corpus}
    assert case.plantings == ()


def test_user_controls_are_non_members_with_random_answers():
    """All four others, two of them called members."""
    case = target_case(USERS, people(20), 0)
    assert owners(case.controls) == owners(case.secrets, used=False)
    assert sorted(secret.answer.used for secret in case.controls) == [False, False, True, True]


def test_practice_users_come_from_those_left_over():
    """They share nobody, and no text, with the target; each index halves anew."""
    corpus = people(21)
    target = target_case(USERS, corpus, 0)
    cases = [practice_case(USERS, corpus, None, 0, index, planted=True) for index in range(6)]
    for case in cases:
        # 21 - 9 = 12 are left over: halves of 6, but no more than the target's 5.
        assert (len(owners(case.secrets, used=True)), len(owners(case.secrets, used=False))) == (5, 5)
        assert not owners(case.secrets) & owners(target.secrets)
        assert set(case.corpus.users) == owners(case.secrets, used=True)
        assert not {text.tokens for text in case.corpus} & {text.tokens for text in target.corpus}
        assert case.controls == ()
    assert len({frozenset(owners(case.secrets, used=True)) for case in cases}) > 1


def test_practice_users_come_from_the_background_where_there_is_one():
    """Then the left-over users of the data are not touched."""
    case = practice_case(USERS, people(12), people(8, "b"), 0, 0, planted=True)
    assert len(owners(case.secrets, used=True)) == 4
    assert all(user.startswith("b") for user in owners(case.secrets))


def test_people_of_the_target_are_no_practice_users_even_if_the_background_has_them():
    """A background that overlaps with the data leaves only its other users; a namesake with other texts may stay."""
    corpus = people(12)
    target = target_case(USERS, corpus, 0)
    namesake = sorted(owners(target.secrets))[0]
    other = Corpus((*people(12).texts, *people(6, "b").texts))
    cases = [practice_case(USERS, corpus, other, 0, index, planted=True) for index in range(20)]
    assert not set().union(*(owners(case.secrets) for case in cases)) & owners(target.secrets)
    renamed = Corpus(tuple(Text(("elsewhere", str(n)), user=user) for n in (0, 1) for user in (namesake, "x")))
    assert len(practice_case(USERS, corpus, renamed, 0, 0, planted=True).secrets) == 2


def test_a_reference_for_users_is_trained_like_a_shadow_and_has_no_secrets():
    """The same number of members, none of them the target's."""
    corpus = people(21)
    case = practice_case(USERS, corpus, None, 0, 0, planted=False)
    assert (case.secrets, case.controls) == ((), ())
    assert len(case.corpus.users) == 5
    assert not set(case.corpus.users) & owners(target_case(USERS, corpus, 0).secrets)


def test_too_few_users_are_refused_for_target_and_practice():
    """Nine are needed, and two more for practice; fewer than two others tell nothing."""
    with pytest.raises(InputError, match=r"9 users.*Found 8"):
        target_case(USERS, people(8), 0)
    with pytest.raises(InputError, match=r"at least 2 users.*Found 1"):
        practice_case(USERS, people(10), None, 0, 0, planted=True)
    with pytest.raises(InputError, match=r"at least 2 people.*Got 1"):
        target_case(SecretsSpec(kind="users", count=5, controls=1), people(12), 0)


# -- rows ---------------------------------------------------------------------------------------------------


def test_rows_number_the_corpus_of_the_case():
    """A row's number leads to its text, whether a reader counts all texts or the training split."""
    case = target_case(ROWS, sentences(20), 0)
    assert len(case.secrets) == 6
    for secret in case.secrets:
        assert case.corpus.texts[secret.hint.row].tokens == secret.answer.tokens
        assert case.corpus.split("train").texts[secret.hint.row].tokens == secret.answer.tokens
    assert sorted(text.tokens for text in case.corpus) == sorted(text.tokens for text in sentences(20))


def test_row_controls_ask_the_same_rows_for_other_texts():
    """No control's answer is what stands behind its row."""
    case = target_case(ROWS, sentences(20), 0)
    assert [secret.hint for secret in case.controls] == [secret.hint for secret in case.secrets]
    assert all(case.corpus.texts[s.hint.row].tokens != s.answer.tokens for s in case.controls)


def test_practice_rows_are_all_texts_of_the_background():
    """A decoder is trained on everything the adversary has: 20 sentences less 7 of the test split."""
    background = sentences(20, "b")
    case = practice_case(ROWS, sentences(20), background, 0, 0, planted=True)
    assert [secret.answer.tokens for secret in case.secrets] == [text.tokens for text in background.split("train")]
    reference = practice_case(ROWS, sentences(20), background, 0, 0, planted=False)
    assert (reference.corpus, reference.secrets) == (case.corpus, ())


@pytest.mark.parametrize(("spec", "corpus"), [(ROWS, sentences(20)), (USERS, people(22))], ids=["rows", "users"])
def test_the_audited_data_is_no_background(spec, corpus):
    """It would tell the adversary the answers."""
    with pytest.raises(InputError, match="the audited data itself"):
        practice_case(spec, corpus, replace(corpus, name="other name"), 0, 0, planted=True)


# -- nothing is shown ---------------------------------------------------------------------------------------


def test_a_case_shows_numbers_only():
    """Printing a case by mistake shows no text."""
    case = target_case(ROWS, Corpus(tuple(Text((f"hush{n}",)) for n in range(9))), 0)
    assert repr(case) == "Case(9 texts, 6 secrets, 6 controls)"
    assert "hush" not in str(case)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(data=st.data())
def test_no_error_shows_texts_users_or_candidates(data):
    """Whatever is wrong with a spec, its error and the whole trace hold no token of the data or of a set."""
    corpus = Corpus(
        tuple(Text((f"hush{n}", f"hush{n + 1}"), user=f"hush{n}") for n in range(data.draw(st.integers(0, 6))))
    )
    tokens = data.draw(st.lists(st.sampled_from(["hush0", "hush1", "hush 2", ""]), max_size=3))
    spec = SecretsSpec(
        kind=(kind := data.draw(st.sampled_from(["canaries", "users", "rows"]))),
        pattern=data.draw(st.sampled_from(["{own}", "x <own> {own*2}", "{digit}"])) if kind == "canaries" else None,
        candidates={"own": tokens},
        count=data.draw(st.integers(1, 8)),
        controls=data.draw(st.integers(0, 8)),
    )
    background = data.draw(st.sampled_from([None, corpus, PLAIN]))
    for make in (
        lambda: target_case(spec, corpus, 0),
        lambda: practice_case(spec, corpus, background, 0, 0, planted=True),
    ):
        try:
            shown = repr(make())
        except AuditError as error:
            shown = "".join(traceback.format_exception(error))
        assert "hush" not in shown


def test_people_known_to_be_out_are_nobody_elses():
    """Reserved people are neither asked about nor in any model, and reserving them changes no target case."""
    corpus = people(24)
    asked = owners(target_case(USERS, corpus, 3).secrets)
    told = {hint.examples[0].tokens[0] for hint in known_out(USERS, corpus, 3, 6)}
    assert len(told) == 6
    assert not told & asked
    for index in range(3):
        case = practice_case(USERS, corpus, None, 3, index, planted=True, reserved=6)
        assert not told & (owners(case.secrets) | set(case.corpus.users))


def test_canaries_known_to_be_out_are_fresh():
    """They are of the same pattern, with none of the target's secrets or controls among them."""
    case = target_case(CANARIES, PLAIN, 3)
    told = known_out(CANARIES, PLAIN, 3, 8)
    assert len(told) == 8
    assert {len(hint.holes) for hint in told} == {3}
    assert {hint.candidates for hint in told} == {case.secrets[0].hint.candidates}
    assert not {hint.tokens for hint in told} & {secret.hint.tokens for secret in (*case.secrets, *case.controls)}


def test_rows_have_nothing_known_to_be_out():
    """Every row that leaked is of a text; there is none that was never used."""
    with pytest.raises(InputError, match="rows have none"):
        known_out(ROWS, sentences(20), 3, 2)


def test_too_few_people_for_the_reserve_says_what_is_needed():
    """The three numbers are named with the settings they come from."""
    with pytest.raises(InputError, match=r"15 users .* 6 known to be out, adversary\.background\.controls\). Found 12"):
        known_out(USERS, people(12), 3, 6)


def test_practice_rows_hold_none_of_the_audited_sentences():
    """A background that overlaps is used without the overlap, and what both have is not told."""
    private = sentences(20)
    background = Corpus((*sentences(30, "own").texts, *private.texts[:6]))
    case = practice_case(ROWS, private, background, 3, 0, planted=True)
    asked = {text.tokens for text in private}
    assert not asked & {text.tokens for text in case.corpus}
    assert not asked & {secret.answer.tokens for secret in case.secrets}
    assert len(case.corpus) == 30


@pytest.mark.parametrize("order", [1, -1])
def test_a_background_that_is_mostly_the_audited_data_is_refused(order):
    """One text more, or another order, does not make it other data."""
    private = sentences(20)
    background = Corpus((*private.texts[::order], Text(("new",))))
    with pytest.raises(InputError, match="20 of its 21 texts are among the audited ones"):
        practice_case(ROWS, private, background, 3, 0, planted=True)


def test_people_asked_about_are_recognised_under_another_name():
    """Users renamed are the same people; one text in common is not enough to be one."""
    corpus = people(12)
    asked = owners(target_case(USERS, corpus, 3).secrets)
    renamed = Corpus(tuple(replace(text, user=f"other-{text.user}") for text in corpus if text.user))
    greeting = Text(("thank", "you"))
    strangers = Corpus(
        tuple(replace(text, tokens=(*text.tokens, "x")) for text in people(20, "v"))
        + tuple(replace(greeting, user=f"v{user:02}") for user in range(20))
    )
    background = Corpus((*renamed.texts, *strangers.texts))
    case = practice_case(USERS, corpus, background, 3, 0, planted=True)
    assert not asked & owners(case.secrets)
    with_greeting = Corpus((*corpus.texts, *(replace(greeting, user=user) for user in corpus.users)))
    kept = practice_case(USERS, with_greeting, strangers, 3, 0, planted=True)
    assert len(kept.secrets) == 10


RECORDS = SecretsSpec(kind="records", count=6, controls=5)


def asked_texts(secrets: tuple[Secret, ...], *, used: bool | None = None) -> set[tuple[str, ...]]:
    """The records that secrets are about."""
    return {secret.hint.tokens for secret in secrets if used is None or secret.answer.used == used}


def test_records_are_members_of_the_training_texts_and_others_that_are_kept_out():
    """Members stay in, others and as many again go; the control arm asks about the others alone."""
    corpus = sentences(60)
    case = target_case(RECORDS, corpus, 0)
    training = {text.tokens for text in case.corpus.split("train")}
    assert asked_texts(case.secrets, used=True) <= training
    assert not asked_texts(case.secrets, used=False) & training
    assert len(training) == 40 - 2 * 5
    assert asked_texts(case.controls) == asked_texts(case.secrets, used=False)
    assert target_case(RECORDS, corpus, 0) == case
    assert asked_texts(target_case(RECORDS, corpus, 1).secrets) != asked_texts(case.secrets)


def test_a_held_out_split_leaves_the_training_texts_alone():
    """What lies in the other split is known to be out; nothing is taken from the model."""
    spec = RECORDS.model_copy(update={"held_out": "test"})
    corpus = sentences(60)
    case = target_case(spec, corpus, 0)
    assert case.corpus == corpus
    test = {text.tokens for text in corpus.split("test")}
    assert asked_texts(case.secrets, used=False) <= test
    assert asked_texts(case.secrets, used=True).isdisjoint(test)


@pytest.mark.parametrize("planted", [True, False])
def test_practice_on_records_shares_no_record_with_what_is_asked(planted):
    """Half of what is left, drawn anew for each model; a shadow's answers are known, a reference has none."""
    corpus = sentences(90)
    asked = asked_texts(target_case(RECORDS, corpus, 0).secrets)
    first, second = (practice_case(RECORDS, corpus, None, 0, index, planted=planted) for index in (0, 1))
    trained = {text.tokens for text in first.corpus}
    assert not trained & asked
    assert not trained & {hint.tokens for hint in known_out(RECORDS, corpus, 0, 5)}
    assert len(trained) == (60 - 16) // 2
    assert trained != {text.tokens for text in second.corpus}
    assert asked_texts(first.secrets, used=True) == (trained if planted else set())
    public = sentences(30, "public")
    theirs = practice_case(RECORDS, corpus, public, 0, 0, planted=planted)
    assert {text.tokens[0] for text in theirs.corpus} == {"public"}


def test_records_known_to_be_out_are_neither_asked_about_nor_trained_on():
    """First those kept out for it, then those of other splits; more than there are is refused with the number."""
    corpus = sentences(60)
    case = target_case(RECORDS, corpus, 0)
    found = {hint.tokens for hint in known_out(RECORDS, corpus, 0, 25)}
    assert len(found) == 25
    assert not found & asked_texts(case.secrets)
    assert not found & {text.tokens for text in case.corpus.split("train")}
    with pytest.raises(InputError, match="26 records known to be out are asked for. Found 25"):
        known_out(RECORDS, corpus, 0, 26)


def test_too_few_others_or_texts_to_practise_on_are_refused():
    """With the names of what to change."""
    with pytest.raises(InputError, match=r"at least 2 records that were not used \(secrets.controls\)"):
        target_case(RECORDS.model_copy(update={"controls": 1}), sentences(60), 0)
    with pytest.raises(InputError, match="at least 2 records of its own"):
        practice_case(RECORDS, sentences(24), None, 0, 0, planted=False)


def test_people_of_another_split_are_others_of_a_finished_model():
    """Whoever has training texts was used; whoever has texts only elsewhere was not; whoever has both is refused."""
    texts = [Text((f"in{n}", "a"), user=f"in{n}") for n in range(6)]
    texts += [Text((f"out{n}", "a"), user=f"out{n}", split="test") for n in range(5)]
    corpus, spec = Corpus(tuple(texts)), SecretsSpec(kind="users", count=4, controls=3, held_out="test")
    case = target_case(spec, corpus, 0)
    assert case.corpus == corpus
    assert {name[:2] for name in owners(case.secrets, used=True)} == {"in"}
    assert {name[:3] for name in owners(case.secrets, used=False)} == {"out"}
    assert {hint.examples[0].tokens[0][:3] for hint in known_out(spec, corpus, 0, 2)} == {"out"}
    with pytest.raises(InputError, match="Found 6 and 5"):
        known_out(spec, corpus, 0, 3)
    with pytest.raises(InputError, match="1 users stand on both sides"):
        target_case(spec, Corpus((*texts, Text(("in0", "b"), user="in0", split="test"))), 0)


def test_nobody_whom_a_finished_model_learnt_from_is_practised_on():
    """Shadows learn from people left over of the other split, whose texts become training texts."""
    texts = [Text((f"in{n}", "a"), user=f"in{n}") for n in range(9)]
    texts += [Text((f"out{n}", "a"), user=f"out{n}", split="test") for n in range(12)]
    corpus, spec = Corpus(tuple(texts)), SecretsSpec(kind="users", count=4, controls=3, held_out="test")
    case = practice_case(spec, corpus, None, 0, 0, planted=True, reserved=2)
    assert {name[:3] for used in (True, False) for name in owners(case.secrets, used=used)} == {"out"}
    assert sorted(text.user for text in case.corpus.split("train")) == sorted(owners(case.secrets, used=True))
    asked = owners(target_case(spec, corpus, 0).secrets, used=False)
    out = {hint.examples[0].tokens[0] for hint in known_out(spec, corpus, 0, 2)}
    assert not set(asked) & {text.user for text in case.corpus}
    assert not out & {text.user for text in case.corpus}


def test_coins_decide_for_each_canary_by_itself():
    """About half are planted, the case says that coins decided, and which ones does not hang on the number."""
    spec = CANARIES.model_copy(update={"coin": True, "count": 200, "controls": 200})
    case = target_case(spec, PLAIN, 0)
    assert case.coin
    assert not target_case(CANARIES, PLAIN, 0).coin
    assert len(case.secrets) + len(case.controls) == 400
    assert 160 < len(case.secrets) < 240
    assert len(case.secrets) != 200
    assert {planting.secret_id for planting in case.plantings} == set(ids(case.secrets))


def test_the_tag_of_canaries_is_what_the_taggers_data_calls_them():
    """An entity of the user's own, or none at all."""
    for tag, wanted in (
        ("PER", ("B-PER", "I-PER", "I-PER")),
        ("O", ("O", "O", "O")),
        (None, ("B-canary",) + ("I-canary",) * 2),
    ):
        case = target_case(CANARIES.model_copy(update={"tag": tag}), PLAIN, 0)
        assert case.secrets[0].hint.tags == ("O", "O", *wanted)


FAMILIES = SecretsSpec(
    families={
        "pin": {"pattern": "my pin code is {digit*4}", "label": "PinIntent"},
        "call": {"pattern": "call <digit*3> {digit*7}", "label": "CallIntent", "tag": "number"},
    },
    copies=10,
    valid_share=0.1,
    count=2,
    controls=3,
)


def test_families_are_planted_together_each_with_its_own_label():
    """Every family has as many canaries and controls as asked for, and 9 of 10 copies are in training."""
    case = target_case(FAMILIES, PLAIN, seed=3)
    assert (len(case.secrets), len(case.controls)) == (4, 6)
    assert Counter(secret.hint.label for secret in case.secrets) == {"PinIntent": 2, "CallIntent": 2}
    planted = [text for text in case.corpus if text.planted]
    # 2 families x 2 canaries x 10 copies, 9 of them in training
    assert Counter((text.label, text.split) for text in planted) == {
        ("PinIntent", "train"): 18,
        ("PinIntent", "valid"): 2,
        ("CallIntent", "train"): 18,
        ("CallIntent", "valid"): 2,
    }
    tags = {text.label: text.tags for text in planted}
    assert tags["CallIntent"] == ("O", "B-number", *["I-number"] * 9)


def test_the_family_asked_about_changes_nothing_but_what_is_asked():
    """Cells that ask about different families of one model train the same model."""
    whole = target_case(FAMILIES, PLAIN, seed=3)
    each = [target_case(FAMILIES.model_copy(update={"asked": name}), PLAIN, seed=3) for name in ("pin", "call")]
    assert [case.corpus.fingerprint for case in each] == [whole.corpus.fingerprint] * 2
    assert {secret.hint.label for secret in (*each[0].secrets, *each[0].controls)} == {"PinIntent"}
    assert set(ids(each[0].secrets, each[1].secrets)) == set(ids(whole.secrets))
    assert set(ids(each[0].controls, each[1].controls)) == set(ids(whole.controls))


def test_practice_models_that_audits_share_do_not_depend_on_the_audit():
    """With a seed of their own they are equal for every seed of the audit; without one they are not."""
    practice = [
        practice_case(FAMILIES, PLAIN, PLAIN, seed, 0, planted=True, shared=shared)
        for shared in (7, None)
        for seed in (1, 2)
    ]
    prints = [case.corpus.fingerprint for case in practice]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3
    assert {secret.hint.label for secret in practice[0].secrets} == {"PinIntent", "CallIntent"}


def test_controls_of_the_background_are_of_one_pattern():
    """Several families have no single kind of secret known to be out."""
    with pytest.raises(InputError, match="several families"):
        known_out(FAMILIES, PLAIN, 0, 3)


def test_families_of_one_label_do_not_take_each_others_room():
    """Ten codes each, of which a shadow may use those that the target has not; the other family's do not count."""
    spec = SecretsSpec(
        families={"a": {"pattern": "x {digit}", "label": "P"}, "b": {"pattern": "x {digit} y", "label": "P"}},
        count=2,
        controls=2,
    )
    target = target_case(spec, PLAIN, 0)
    shadow = practice_case(spec, PLAIN, PLAIN, 0, 0, planted=True)
    met = {secret.hint.filled(secret.answer.tokens) for secret in (*target.secrets, *target.controls)}
    assert not met & {secret.hint.filled(secret.answer.tokens) for secret in (*shadow.secrets, *shadow.controls)}
    assert len(shadow.secrets) == 4


def writers(users: int) -> Corpus:
    """Six texts of each user, in words that all of them use, and two of nobody."""
    verbs, things = ("see", "like", "don't", "want"), ("tea", "bread", "rain")
    told = [(f"u{user:02}", verbs[(user + n) % 4], things[n % 3], str(n)) for user in range(users) for n in range(6)]
    some = [Text(("i", verb, "the", "the", thing, "of", who, number), user=who) for who, verb, thing, number in told]
    return Corpus((*some, Text(("nobody", "writes")), Text(("nor", "reads"))), name="writers")


def test_unused_texts_are_asked_about_and_not_trained_on():
    """Half of each member's six texts; all are in the hints, as are all texts of the others."""
    corpus = writers(14)
    clean = target_case(USERS, corpus, 3)
    case = target_case(USERS.model_copy(update={"unused_share": 0.5}), corpus, 3)
    assert (case.secrets, case.controls) == (clean.secrets, clean.controls)
    assert Counter(text.user for text in clean.corpus) == {**dict.fromkeys(case.corpus.users, 6), None: 2}
    assert Counter(text.user for text in case.corpus) == {**dict.fromkeys(clean.corpus.users, 3), None: 2}
    less = target_case(USERS.model_copy(update={"unused_share": 0.2}), corpus, 3)
    assert set(case.corpus) < set(less.corpus) < set(clean.corpus)


def test_texts_are_obfuscated_before_they_are_asked_about():
    """Of everybody, controls included, as many as they wrote; the model is trained on what they wrote."""
    corpus = writers(14)
    spec = USERS.model_copy(update={"obfuscation": "words"})
    clean, case = target_case(USERS, corpus, 3), target_case(spec, corpus, 3)
    assert case.corpus == clean.corpus
    for ours, theirs in ((case.secrets, clean.secrets), (case.controls, clean.controls)):
        assert [(one.id, one.answer) for one in ours] == [(one.id, one.answer) for one in theirs]
        assert [len(one.hint.examples) for one in ours] == [6] * len(theirs)
        assert all(one.hint != other.hint for one, other in zip(ours, theirs, strict=True))
    asked = {passage.tokens for secret in case.secrets for passage in secret.hint.examples}
    assert {passage.tokens for secret in case.controls for passage in secret.hint.examples} < asked


def test_people_known_to_be_out_are_obfuscated_too():
    """They are compared with people whose texts are."""
    corpus = writers(16)
    spec = USERS.model_copy(update={"obfuscation": "words"})
    written, asked = known_out(USERS, corpus, 3, 4), known_out(spec, corpus, 3, 4)
    assert [len(hint.examples) for hint in asked] == [6] * 4
    assert all(hint != other for hint, other in zip(asked, written, strict=True))


@pytest.mark.parametrize("change", [{"unused_share": 0.5}, {"obfuscation": "words"}])
@pytest.mark.parametrize("planted", [True, False])
@pytest.mark.parametrize("public", [True, False])
def test_the_adversarys_models_know_nothing_of_it(change, planted, public):
    """Their people are asked about what they wrote, and trained on all of it."""
    corpus = writers(16)
    own = people(8, "b") if public else None
    clean = practice_case(USERS, corpus, own, 3, 1, planted=planted, reserved=2)
    assert practice_case(USERS.model_copy(update=change), corpus, own, 3, 1, planted=planted, reserved=2) == clean


def test_an_unknown_obfuscation_is_refused():
    """With those that are known."""
    with pytest.raises(InputError, match="Allowed: 'words'"):
        target_case(USERS.model_copy(update={"obfuscation": "rot13"}), writers(14), 0)


def test_ranked_controls_are_drawn_apart_and_change_no_model():
    """The same texts and canaries with them; others than those, in the same classes; only of one pattern."""
    corpus = Corpus(tuple(Text(tokens=("a", str(number)), label=f"L{number % 4}") for number in range(40)))
    plain = SecretsSpec(pattern="pin {digit*3}", label_of="any", count=2, controls=1)
    spec = plain.model_copy(update={"ranked": 6})
    case, before = target_case(spec, corpus, 0), target_case(plain, corpus, 0)
    assert (case.corpus, case.secrets, case.controls) == (before.corpus, before.secrets, before.controls)
    assert before.ranked == ()
    assert len(case.ranked) == len(texts(case.ranked)) == 6
    assert not texts(case.ranked) & texts(case.secrets, case.controls)
    assert not set(ids(case.ranked)) & set(ids(case.secrets, case.controls))
    assert {one.hint.label for one in case.ranked} == {one.hint.label for one in case.secrets}
    assert "ranked" not in plain.model_dump()
    with pytest.raises(ValueError, match="ranked is for canaries that are made and planted here"):
        SecretsSpec(kind="users", ranked=3)
    with pytest.raises(ValueError, match="not of families"):
        SecretsSpec(families={"a": {"pattern": "x {digit}", "label": "A"}}, ranked=3)
