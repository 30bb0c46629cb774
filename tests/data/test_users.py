"""Tests of divulge.data.users."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from divulge.data.corpus import Corpus
from divulge.data.users import (
    control_users,
    halve,
    left_over,
    met_users,
    split_users,
    trained_on,
    user_secrets,
    users_with_texts,
    without_unused,
)
from divulge.errors import InputError
from divulge.records import Member, Passage, Secret, Text, UserTexts

KEY = b"k" * 32


def corpus(users: int, texts: int = 2) -> Corpus:
    """Users u00, u01, ... with some texts each."""
    return Corpus(
        tuple(
            Text((f"u{user:02}", f"text{number}"), user=f"u{user:02}", context=("before", str(number)))
            for number in range(texts)
            for user in range(users)
        ),
        name="small",
    )


def owner(secret: Secret) -> str:
    """The user a secret of `corpus` is about: the first token of the first text."""
    return secret.hint.examples[0].tokens[0]


def test_the_split_covers_all_users_once():
    """Members, others and pool are disjoint, and together everybody."""
    parts = split_users(corpus(20), 5, 4, np.random.default_rng(0))
    assert (len(parts.members), len(parts.others), len(parts.pool)) == (5, 4, 11)
    assert sorted(parts.members + parts.others + parts.pool) == list(corpus(20).users)


def test_people_left_over_are_one_corpus_for_all_models():
    """Made once, since it is hashed for every model; of other people it is another."""
    texts = corpus(6)
    assert left_over(texts, ("u01", "u03")) is left_over(texts, ("u01", "u03"))
    assert left_over(texts, ("u01", "u03")).users == ("u01", "u03")
    assert left_over(texts, ("u02",)).users == ("u02",)
    assert left_over(corpus(3), ("u02",)).users == ("u02",)


def test_who_is_a_member_is_chance():
    """Over 2,000 splits each of 8 users is a member 3 times in 8, and one of the others 2 times in 8."""
    members: Counter[str] = Counter()
    others: Counter[str] = Counter()
    texts = corpus(8)
    for seed in range(2000):
        parts = split_users(texts, 3, 2, np.random.default_rng(seed))
        members.update(parts.members)
        others.update(parts.others)
    # 750 and 500 expected; standard deviations sqrt(2000 * 15/64) = 21.7 and sqrt(2000 * 12/64) = 19.4.
    assert len(members) == len(others) == 8
    assert all(abs(times - 750) < 5 * 21.7 for times in members.values())
    assert all(abs(times - 500) < 5 * 19.4 for times in others.values())


def test_too_few_users_are_told_with_both_numbers():
    """The error says how many are needed and found, and no user's name."""
    with pytest.raises(InputError, match=r"small: 9 users.*5 members.*4 others.*Found 8") as caught:
        split_users(corpus(8), 5, 4, np.random.default_rng(0))
    assert "u0" not in str(caught.value)


def test_only_users_with_training_texts_count():
    """Nobody's texts, empty texts and texts of other splits make no user."""
    texts = Corpus(
        (
            Text(("a",), user="ada"),
            Text(("b",)),
            Text((), user="ben"),
            Text(("c",), user="cleo", split="test"),
            Text(("d",), user="ada", split="test"),
            Text((), user="ada"),
        )
    )
    assert users_with_texts(texts) == ("ada",)
    (secret,) = user_secrets(texts, ("ada",), (), KEY)
    assert secret.hint == UserTexts(examples=(Passage(tokens=("a",)),))


def test_a_secret_holds_all_texts_of_its_user_with_context():
    """The hint is every passage in order; the answer is whether they were used."""
    secrets = user_secrets(corpus(4), ("u01", "u02"), ("u03",), KEY)
    found = {owner(secret): secret for secret in secrets}
    assert found["u01"].hint.examples == (
        Passage(context=("before", "0"), tokens=("u01", "text0")),
        Passage(context=("before", "1"), tokens=("u01", "text1")),
    )
    assert {user: secret.answer for user, secret in found.items()} == {
        "u01": Member(used=True),
        "u02": Member(used=True),
        "u03": Member(used=False),
    }


def test_ids_are_stable_and_the_order_tells_nothing():
    """A user has the same id whether a member or not, and secrets come in the order of ids."""
    texts = corpus(10)
    users = texts.users
    one = user_secrets(texts, users[:5], users[5:], KEY)
    two = user_secrets(texts, users[5:], users[:5], KEY)
    assert [secret.id for secret in one] == sorted(secret.id for secret in one) == [secret.id for secret in two]
    assert [owner(secret) for secret in one] == [owner(secret) for secret in two]
    assert [secret.answer.used for secret in one] == [not secret.answer.used for secret in two]


def test_controls_are_the_others_half_of_them_called_members():
    """Nobody who was used is among them, ids are new, and 3 of 7 are called members."""
    texts = corpus(20)
    secrets = user_secrets(texts, texts.users[:6], texts.users[6:13], KEY)
    controls = control_users(secrets, KEY, np.random.default_rng(0))
    assert {owner(secret) for secret in controls} == set(texts.users[6:13])
    assert sum(secret.answer.used for secret in controls) == 3
    assert not {secret.id for secret in controls} & {secret.id for secret in secrets}
    assert [secret.id for secret in controls] == sorted(secret.id for secret in controls)


def test_who_is_called_a_member_among_controls_is_chance():
    """Over 1,000 draws each of 6 is called a member half of the time (standard deviation sqrt(250) = 15.8)."""
    texts = corpus(6)
    secrets = user_secrets(texts, (), texts.users, KEY)
    called: Counter[str] = Counter()
    for seed in range(1000):
        controls = control_users(secrets, KEY, np.random.default_rng(seed))
        called.update(owner(secret) for secret in controls if secret.answer.used)
    assert len(called) == 6
    assert all(abs(times - 500) < 5 * 15.8 for times in called.values())


def test_a_pool_is_halved_anew_each_time():
    """Halves are disjoint, equal in size, and another generator gives other halves; an odd user is left out."""
    pool = corpus(11).users
    ours, theirs = halve(pool, np.random.default_rng(0))
    assert (len(ours), len(theirs)) == (5, 5)
    assert not set(ours) & set(theirs)
    assert {*ours, *theirs} <= set(pool)
    assert halve(pool, np.random.default_rng(1)) != (ours, theirs)
    assert halve(tuple(reversed(pool)), np.random.default_rng(0)) == (ours, theirs)


@pytest.mark.parametrize(("size", "each"), [(3, 3), (5, 5), (50, 5)])
def test_halves_are_no_larger_than_asked(size, each):
    """A practice model has as many members as the target where the pool allows."""
    ours, theirs = halve(corpus(10).users, np.random.default_rng(0), size)
    assert (len(ours), len(theirs)) == (each, each)


def test_a_pool_of_one_cannot_be_halved():
    """The error says how many are needed and found."""
    with pytest.raises(InputError, match=r"at least 2 users.*Found 1"):
        halve(("u00",), np.random.default_rng(0))


def test_a_model_is_trained_on_members_and_nobody():
    """Texts of others are left out in every split; members' and unattributed texts stay in order."""
    texts = Corpus(
        (
            Text(("a",), user="ada"),
            Text(("b",), user="ben"),
            Text(("c",)),
            Text(("d",), user="ben", split="valid"),
            Text(("e",), user="ada", split="valid"),
        )
    )
    assert [text.tokens[0] for text in trained_on(texts, ("ada",))] == ["a", "c", "e"]


def left_out(share: float, texts: Corpus, members: tuple[str, ...], seed: int = 0) -> set[tuple[str, ...]]:
    """What is in the corpus, and not in what is left of it."""
    kept = without_unused(texts, members, share, np.random.default_rng(seed))
    return {text.tokens for text in texts} - {text.tokens for text in kept}


@pytest.mark.parametrize(
    ("share", "texts", "gone"),
    # To the nearest whole number, half up: 0.2, 0.5, 2.4, 2.5 and 8.1 texts; of one text or two, one stays.
    [
        (0.1, 2, 0),
        (0.1, 5, 1),
        (0.3, 8, 2),
        (0.5, 5, 3),
        (0.9, 9, 8),
        (0.9, 2, 1),
        (0.9, 1, 0),
        (0.5, 1, 0),
        (0.0, 4, 0),
    ],
)
def test_a_share_of_each_members_texts_is_left_out(share, texts, gone):
    """Of each member as many, of others and nobody none; the rest is in order."""
    people = corpus(4, texts)
    people = Corpus((*people.texts, Text(("nobody",)), Text(("u01", "valid"), user="u01", split="valid")))
    out = left_out(share, people, ("u01", "u02"))
    assert Counter(tokens[0] for tokens in out) == Counter({user: gone for user in ("u01", "u02") if gone})
    assert ("u01", "valid") not in out
    kept = without_unused(people, ("u01", "u02"), share, np.random.default_rng(0))
    assert [text for text in people if text.tokens not in out] == list(kept)


def test_what_is_left_out_at_a_share_is_left_out_at_larger_ones():
    """Figures at several shares differ by the share alone; another generator leaves others out."""
    people, members = corpus(6, 20), ("u00", "u03", "u05")
    every = [left_out(share, people, members) for share in (0.1, 0.2, 0.3, 0.5, 0.8)]
    assert [len(out) for out in every] == [6, 12, 18, 30, 48]
    assert all(small < large for small, large in itertools.pairwise(every))
    assert left_out(0.5, people, members, seed=1) != every[3]
    assert left_out(0.5, people, tuple(reversed(members))) == every[3]


def test_which_texts_are_left_out_is_chance_for_each_member():
    """Over 1,000 draws of 1 in 4 texts, each goes 250 times (standard deviation 13.7); two members' draws differ."""
    people = corpus(2, 4)
    times: Counter[tuple[str, ...]] = Counter()
    alike = 0
    for seed in range(1000):
        out = left_out(0.25, people, ("u00", "u01"), seed)
        times.update(out)
        alike += len({tokens[1] for tokens in out}) == 1
    assert len(times) == 8
    assert all(abs(count - 250) < 5 * 13.7 for count in times.values())
    assert abs(alike - 250) < 5 * 13.7


def test_a_text_written_twice_goes_twice_or_not_at_all():
    """Else what is called unused would have been used: of 2 different texts one goes, however often it is there."""
    often = [Text(("often",), user="ada")] * 3
    people = Corpus((*often, Text(("once",), user="ada"), Text(("often",), user="ben")))
    found = [
        [(text.user, *text.tokens) for text in without_unused(people, ("ada",), 0.5, np.random.default_rng(seed))]
        for seed in range(20)
    ]
    assert [("ada", "once"), ("ben", "often")] in found
    assert [*[("ada", "often")] * 3, ("ben", "often")] in found
    assert len({tuple(one) for one in found}) == 2


def test_who_shares_half_of_their_texts_is_met_under_any_name():
    """One of three is everybody's; two of four are a copy."""
    asked = Corpus(tuple(Text(tokens=(word,), user="ada") for word in "abc"))
    public = Corpus(
        tuple(Text(tokens=(word,), user=user) for user, words in (("x", "abyz"), ("y", "cvw")) for word in words)
    )
    assert met_users(asked, public) == {"x"}


def test_a_pool_far_smaller_than_the_members_is_refused() -> None:
    """Of twenty members a shadow has two at least, so that four must be left; of three or ten, two."""
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"at least 4 users of its own.* where the model under audit has 20. Found 3"):
        halve(("a", "b", "c"), rng, 20)
    assert [len(half) for half in halve(("a", "b", "c", "d"), rng, 20)] == [2, 2]
    assert [len(half) for half in halve(("a", "b"), rng, 10)] == [1, 1]
