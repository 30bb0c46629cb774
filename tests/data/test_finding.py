"""Tests of divulge.data.finding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.corpus import Corpus
from divulge.data.finding import find_matches, find_secrets
from divulge.errors import InputError
from divulge.records import Secret, Text, Tokens

KEY = b"k" * 32


def find(what: str, *lines: str, seed: int = 0, **more: object) -> tuple[Secret, ...]:
    """Secrets found in lines of text."""
    corpus = Corpus(tuple(Text(tuple(line.split())) for line in lines))
    return find_secrets(corpus, what, KEY, np.random.default_rng(seed), **more)


def hidden(secret: Secret) -> str:
    """The hint as one line, holes as _."""
    return " ".join("_" if token is None else token for token in secret.hint.tokens)


def test_a_pattern_is_found_in_the_middle_of_a_text():
    """The hint is the whole text with the holes opened, the answer what stood there."""
    (secret,) = find("pin is {digit*3}", "hello my pin is 4 0 7 thanks", "my pin is four")
    assert hidden(secret) == "hello my pin is _ _ _ thanks"
    assert secret.answer == Tokens(tokens=("4", "0", "7"))
    assert secret.hint.candidates == (tuple("0123456789"),) * 3


def test_fixed_tokens_match_literally_and_sets_by_member():
    """Case counts; a known part may be any token of its set and stays in the hint."""
    lines = ("ada likes red", "Ada likes red", "ada likes grey", "ben likes blue")
    found = find("<who> likes {color}", *lines, candidates={"who": ["ada", "ben"]})
    assert [hidden(secret) for secret in found] == ["ada likes _", "ben likes _"]
    assert [secret.answer.tokens for secret in found] == [("red",), ("blue",)]


def test_matches_do_not_overlap_and_each_is_a_secret():
    """Four digits with pairs asked give two secrets, each with the other in sight."""
    found = find("{digit*2}", "so 1 2 3 4 5 end")
    assert [hidden(secret) for secret in found] == ["so _ _ 3 4 5 end", "so 1 2 _ _ 5 end"]


def test_a_match_may_begin_inside_a_failed_one():
    """The search goes on at the next token, not after the failed stretch."""
    (secret,) = find("a a {digit}", "a a a 5")
    assert hidden(secret) == "a a a _"


def test_the_same_text_and_answer_are_one_secret():
    """Copies of a text collapse; the same answer in another text, or another answer, does not."""
    found = find("pin {digit*2}", "pin 1 2", "pin 1 2", "my pin 1 2", "pin 1 3")
    assert [hidden(secret) for secret in found] == ["pin _ _", "my pin _ _", "pin _ _"]
    assert len({secret.id for secret in found}) == 3


def test_label_and_tags_come_along():
    """A tagger's hint has the tags of its tokens."""
    text = Text(("pin", "7", "or", "7", "x"), label="L", tags=("O", "B", "O", "B", "X"))
    (secret,) = find_secrets(Corpus((text,)), "pin {digit}", KEY, np.random.default_rng(0))
    assert hidden(secret) == "pin _ or"
    assert (secret.hint.label, secret.hint.tags) == ("L", ("O", "B", "O"))


@pytest.mark.parametrize(
    ("what", "line", "hint"),
    [
        ("pin {digit*2}", "pin 1 2 i say 1 2 again", "pin _ _ i say"),
        ("pin {digit*2}", "pin 1 2 1 2 yes", "pin _ _"),
        ("pin {digit*2}", "1 2 pin 1 2", "pin _ _"),
        ("pin {digit*2}", "1 2 is my pin 1 2 yes", "is my pin _ _ yes"),
        ("pin {digit*2}", "1 2 is my pin 1 2 not 2 1 but 1 2 yes", "is my pin _ _ not 2 1 but"),
        ("email", "write ada@x.org i repeat ADA@x.org, or ben@x.org", "write _ i repeat"),
    ],
)
def test_a_hint_never_repeats_the_answer(what, line, hint):
    """Where the secret stands in the text again, the hint is cut off before or after it."""
    assert hidden(find(what, line)[0]) == hint


@given(st.lists(st.sampled_from(["pin", "1", "2", "x"]), max_size=14))
def test_no_hint_holds_its_answer_outside_the_holes(tokens):
    """Filling in the answer gives a stretch of the text, and the answer is nowhere else in it."""
    line = " ".join(tokens)
    for secret in find("pin {digit*2}", line):
        filled = " ".join(secret.hint.filled(secret.answer.tokens))
        assert f" {filled} " in f" {line} "
        # Padded so that tokens that touch do not hide each other.
        assert f" {filled} ".replace(" ", "  ").count(f" {'  '.join(secret.answer.tokens)} ") == 1


def test_ids_depend_on_key_text_and_answer_only():
    """They are stable when other texts are added, and another key gives others."""
    (one,) = find("pin {digit*2}", "pin 1 2")
    assert one.id in {secret.id for secret in find("pin {digit*2}", "a pin 3 4", "pin 1 2", seed=5)}
    corpus = Corpus((Text(("pin", "1", "2")),))
    (other,) = find_secrets(corpus, "pin {digit*2}", b"other", np.random.default_rng(0))
    assert other.id != one.id


def test_a_found_token_stands_among_decoys_in_sorted_order():
    """With its punctuation, and with as many decoys as asked."""
    (secret,) = find("email", "mail (ada@example.org) now", decoys=50)
    (candidates,) = secret.hint.candidates
    assert hidden(secret) == "mail _ now"
    assert secret.answer.tokens == ("(ada@example.org)",)
    assert len(candidates) == 51
    assert list(candidates) == sorted(candidates)
    assert secret.answer.tokens[0] in candidates
    assert all(candidate.startswith("(") and candidate.endswith("@example.org)") for candidate in candidates)


def test_the_place_among_decoys_tells_nothing():
    """500 random numbers among 19 decoys each: the place is uniform on 20 (chi-squared, 19 degrees of freedom)."""
    rng = np.random.default_rng(11)
    lines = [f"id {''.join(map(str, rng.integers(0, 10, 8)))}" for _ in range(500)]
    found = find(r"regex:\d{8}", *lines, decoys=19, seed=3)
    places = [secret.hint.candidates[0].index(secret.answer.tokens[0]) for secret in found]
    times = np.bincount(places, minlength=20)
    expected = len(found) / 20
    assert len(found) == len(set(lines))
    assert float(((times - expected) ** 2 / expected).sum()) < 19 + 4 * math.sqrt(2 * 19)


def test_a_limit_keeps_a_random_part():
    """Not only the first ones: over seeds, each of 10 is kept about half of the time, in order."""
    lines = [f"pin {digit}" for digit in range(10)]
    kept = [
        [secret.answer.tokens[0] for secret in find("pin {digit}", *lines, seed=seed, limit=5)] for seed in range(200)
    ]
    assert all(len(answers) == 5 and answers == sorted(answers) for answers in kept)
    times = [sum(str(digit) in answers for answers in kept) for digit in range(10)]
    assert all(abs(seen - 100) < 5 * 7.1 for seen in times)  # sqrt(200 / 4) = 7.07
    assert len(find("pin {digit}", *lines, limit=50)) == 10


def test_only_the_asked_splits_are_searched():
    """Secrets of texts that were not trained on are controls, not secrets."""
    corpus = Corpus((Text(("pin", "1")), Text(("pin", "2"), split="test")))
    (trained,) = find_secrets(corpus, "pin {digit}", KEY, np.random.default_rng(0))
    (control,) = find_secrets(corpus, "pin {digit}", KEY, np.random.default_rng(0), splits=("test",))
    assert (trained.answer.tokens, control.answer.tokens) == (("1",), ("2",))


def test_nothing_found_is_no_error():
    """The caller decides what that means."""
    assert find("card", "no numbers here") == ()
    assert find("pin {digit*4}", "pin 1 2", "") == ()


def test_secrets_without_decoys_are_left_out_or_refused():
    """One that cannot be ranked is left out; if none can, the expression is to blame, and no text is shown."""
    found = find(r"regex:hush|v\d", "say hush", "say v1")
    assert [secret.answer.tokens for secret in found] == [("v1",)]
    with pytest.raises(InputError, match="2 secrets were found, but") as caught:
        find("regex:hush|whist", "say hush", "say whist")
    assert "hush" not in str(caught.value)


def test_a_misspelt_format_is_refused_with_the_nearest():
    """Neither a format nor a pattern."""
    with pytest.raises(InputError, match="Did you mean 'email'"):
        find("emial", "x")
    with pytest.raises(InputError, match="unknown candidate set 'digt'"):
        find("pin {digt}", "x")


def test_a_vocabulary_is_shared_between_found_secrets():
    """Candidate sets of a pattern are not copied for each secret."""
    found = find("{letter}", *"abcdefgh")
    assert len({id(secret.hint.candidates[0]) for secret in found}) == 1


def test_a_number_in_several_tokens_has_a_hole_for_each():
    """What a stranger would guess stays in the hint; candidates keep the shape, with as many decoys as asked."""
    (secret,) = find("phone", "call +49 (170) 123-4567 , ok", decoys=50)
    assert hidden(secret) == "call +49 _ _ , ok"
    assert secret.answer.tokens == ("(170)", "123-4567")
    area, number = secret.hint.candidates
    assert (len(area), len(number)) == (51, 51)
    assert all(candidate[0] + candidate[4] == "()" and candidate[1:4].isdigit() for candidate in area)
    assert all(candidate[3] == "-" for candidate in number)
    assert list(area) == sorted(area)


def test_a_part_of_a_longer_number_is_no_secret_of_its_own():
    """But two whole numbers beside each other are two."""
    assert [hidden(one) for one in find("phone", "+49 1701234567")] == ["+49 _"]
    assert len(find("phone", "123-4567 765-4321")) == 2
    assert len(find("card", "4111 1111 1111 1111 or 4111-1111-1111-1111")) == 2


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("dial 555 123 4567 i repeat 555 123 4567 ok", "dial _ _ _ i repeat"),
        ("dial 555 123 4567 or 5551234567 ok", "dial _ _ _ or"),
        ("dial 555 123 4567 or 5551234567 ok", "or _ ok"),
        ("at (555)123-4567 dial 555 123 4567 ok", "dial _ _ _ ok"),
        ("dial 555 123 4567 not 555 123 4568 ok", "dial _ _ _ not 555 123 4568 ok"),
    ],
)
def test_a_number_is_not_told_in_another_spelling(line, hint):
    """Wherever it stands again, together or apart, the hint is cut off."""
    assert hint in [hidden(one) for one in find("phone", line)]


def test_matches_are_all_that_can_be_found():
    """Each text and answer once, whatever a limit would keep."""
    corpus = Corpus(tuple(Text(("pin", digit)) for digit in "01201"))
    assert [answer for _, answer in find_matches(corpus, "pin {digit}")] == [("0",), ("1",), ("2",)]


def test_answers_may_be_excluded():
    """Those that were trained on are no controls."""
    found = find("pin {digit}", "pin 1", "pin 2", exclude={("1",)})
    assert [one.answer.tokens for one in found] == [("2",)]
