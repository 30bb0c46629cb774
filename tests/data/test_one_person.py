"""Tests of one person as the question: who is in, who is compared with, and who may be neither."""

from __future__ import annotations

import pytest

from divulge.data.cases import known_out, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.data.one_person import person_case, person_named, person_split, practice_source
from divulge.errors import InputError
from divulge.records import Member, Text, UserTexts
from divulge.spec import SecretsSpec

SEED = 3


def texts_of(user, split, count=3, words=6):
    """Texts that nobody else has."""
    return [Text(tokens=tuple(f"{user}-{n}-{w}" for w in range(words)), user=user, split=split) for n in range(count)]


def corpus(*extra, out=12, inside=4, split="test"):
    """People in training, people known to be out, and whoever else."""
    found = [one for n in range(inside) for one in texts_of(f"in-{n}", "train")]
    found += [one for n in range(out) for one in texts_of(f"out-{n:02}", split)]
    return Corpus((*found, *extra), "people")


def finished(person="asked", **more):
    """The question about a finished model."""
    return SecretsSpec(kind="users", person=person, held_out="test", **{"controls": 3, **more})


def trained(person="out-00", **more):
    """The question about a model that is trained here."""
    return SecretsSpec(kind="users", person=person, **{"count": 4, "controls": 3, **more})


def test_of_a_finished_model_nobody_knows_the_answer():
    """The person's texts may stand in a split of their own; all are asked about, and the model stays as it is."""
    data = corpus(*texts_of("asked", "question"))
    found = person_case(finished(), data, SEED)
    (secret,) = found.secrets
    assert isinstance(secret.hint, UserTexts)
    assert [passage.tokens[0] for passage in secret.hint.examples] == ["asked-0-0", "asked-1-0", "asked-2-0"]
    assert secret.answer == Member(used=False, known=False)
    assert found.corpus is data
    assert [control.answer for control in found.controls] == [Member(used=False)] * 3


def test_of_a_model_trained_here_training_texts_decide():
    """With such texts the person is one of `count` people trained on; without, all of their texts are kept out."""
    every = corpus(out=12, split="train", inside=0)
    inside = person_case(trained(), every, SEED)
    assert inside.secrets[0].answer == Member(used=True)
    assert len(inside.corpus.users) == 4
    assert "out-00" in inside.corpus.users
    outside = person_case(trained("asked"), Corpus((*every, *texts_of("asked", "valid")), "people"), SEED)
    assert outside.secrets[0].answer == Member(used=False)
    assert len(outside.corpus.users) == 4
    assert "asked" not in outside.corpus.users


@pytest.mark.parametrize("spec", [finished("out-03"), trained("in-1")], ids=["finished", "trained"])
def test_nobody_is_two_things(spec):
    """Person, members, controls, those to calibrate on and those to practise on are all different."""
    data = corpus() if spec.held_out else corpus(split="train")
    parts = person_split(spec, data, SEED, 4)
    groups = [{spec.person} - set(parts.members), set(parts.members), set(parts.others), set(parts.known_out)]
    groups.append(set(parts.pool))
    assert sum(map(len, groups)) == len(set.union(*groups))
    assert [len(parts.others), len(parts.known_out)] == [3, 4]
    assert len(parts.pool) == (11 - 7 if spec.held_out else 16 - 4 - 7)


def test_a_person_of_the_held_out_split_is_not_compared_with_themselves():
    """That such a person is not accused is a good trial of the whole."""
    parts = person_split(finished("out-03"), corpus(), SEED, 4)
    assert "out-03" not in {*parts.others, *parts.known_out, *parts.pool}


def test_who_is_reserved_does_not_move_the_controls():
    """The case of the target and that of the adversary draw the same people."""
    assert (
        person_split(finished("out-03"), corpus(), SEED).others
        == person_split(finished("out-03"), corpus(), SEED, 4).others
    )


def test_the_opaque_id_names_the_person_too():
    """What stands in a result is enough to make the case again; of another seed it is not."""
    data = corpus(*texts_of("asked", "question"))
    secret = person_case(finished(), data, SEED).secrets[0]
    assert person_named(finished(secret.id), data, SEED) == "asked"
    assert person_case(finished(secret.id), data, SEED).secrets[0] == secret
    with pytest.raises(InputError, match="no text of people is of this user"):
        person_named(finished(secret.id), data, SEED + 1)


def test_the_adversary_practises_on_people_known_to_be_out():
    """Those left over, as training texts; the person is in none of these models."""
    data = corpus(*texts_of("asked", "question"))
    case = practice_case(finished(), data, None, SEED, 0, planted=True, reserved=4)
    assert {text.split for text in case.corpus} == {"train"}
    assert set(case.corpus.users) < {f"out-{n:02}" for n in range(12)}
    assert sorted(secret.answer.used for secret in case.secrets) == [False, False, True, True]  # of 12 - 3 - 4 people


def test_a_background_is_practised_on_as_it_is():
    """Where there is one, nobody need be left over."""
    public = Corpus(tuple(one for n in range(4) for one in texts_of(f"public-{n}", "train")), "public")
    data = corpus(*texts_of("asked", "question"), out=5)
    case = practice_case(finished(), data, public, SEED, 0, planted=True, reserved=2)
    assert set(case.corpus.users) < {f"public-{n}" for n in range(4)}


def test_target_case_and_known_out_take_the_same_way():
    """The case says that it is about a person; whoever calibrates is no control."""
    data = corpus(*texts_of("asked", "question"))
    case = target_case(finished(), data, SEED)
    assert case.of_person
    hints = known_out(finished(), data, SEED, 5)
    assert len(hints) == 5
    assert not set(hints) & {control.hint for control in case.controls}


@pytest.mark.parametrize(
    ("spec", "data", "said"),
    [
        (finished("nobody"), corpus(), "no text of people is of this user; it has texts of 16 users"),
        (finished(), corpus(Text(tokens=(), user="asked", split="question")), "has no text with a word in it"),
        (
            finished(),
            corpus(*texts_of("asked", "question", 2), *texts_of("asked", "test", 1)),
            "stands on both sides: 1 of 3 texts are in the split 'test'",
        ),
        (finished(controls=30), corpus(*texts_of("asked", "question")), "30 people known to be out are needed"),
        (trained(count=20), corpus(split="train"), "22 users with training texts are needed beside"),
    ],
    ids=["nobody", "silent", "both splits", "few out", "few in training"],
)
def test_a_person_who_cannot_be_asked_about_is_refused(spec, data, said):
    """With what was found, and no name or text in the words."""
    with pytest.raises(InputError, match=said) as caught:
        target_case(spec, data, SEED)
    assert "asked-" not in str(caught.value)
    assert "nobody" not in str(caught.value)


def copied(user, name, split, count):
    """Some texts of a user under another name."""
    return [Text(tokens=text.tokens, user=name, split=split) for text in texts_of(user, split, count)]


def test_the_same_person_under_another_name_is_refused():
    """Half of the person's texts in one who is known to be out, or two texts that are half of the other's."""
    asked = texts_of("asked", "question", 6)
    for twin in (copied("asked", "twin", "test", 3), copied("asked", "twin", "test", 2) + texts_of("twin", "test", 2)):
        with pytest.raises(InputError, match="1 among the people known to be out share half"):
            person_split(finished(), corpus(*asked, *twin), SEED)
    one_text = copied("asked", "twin", "test", 1) + texts_of("twin", "test", 5)
    assert person_split(finished(), corpus(*asked, *one_text), SEED).others


def test_a_common_short_text_makes_no_twin():
    """Everybody says thank you."""
    thanks = [
        Text(tokens=("thank", "you"), user=name, split=split) for name, split in (("asked", "q"), ("twin", "test"))
    ]
    assert person_split(finished(), corpus(*texts_of("asked", "q"), *thanks), SEED)


def test_a_twin_in_the_background_is_refused():
    """References must never have seen the person."""
    data = corpus(*texts_of("asked", "question"))
    public = Corpus((*copied("asked", "somebody", "train", 2), *texts_of("other", "train")), "public")
    with pytest.raises(InputError, match=r"in adversary\.background\.corpus, which references learn from"):
        practice_case(finished(), data, public, SEED, 0, planted=True)


def test_nobody_left_to_practise_on_is_refused():
    """2 people at least, or a background."""
    data = corpus(*texts_of("asked", "question"), out=6)
    parts = person_split(finished(), data, SEED, 2)
    with pytest.raises(InputError, match="1 are left for the adversary's own models"):
        practice_source(finished(), data, None, SEED, parts)
