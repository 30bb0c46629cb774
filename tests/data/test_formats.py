"""Tests of divulge.data.formats."""

from __future__ import annotations

import re
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data import formats
from divulge.data.formats import KINDS, Format, luhn_valid, read_format
from divulge.errors import InputError


def slow_luhn(digits: str) -> bool:
    """The rule in words: from the right, double every second digit, add the digits of the products, divide by ten."""
    total = 0
    for place in range(len(digits)):
        value = int(digits[len(digits) - 1 - place])
        if place % 2 == 1:
            value = sum(int(digit) for digit in str(2 * value))
        total += value
    return total % 10 == 0


def shape(text: str) -> str:
    """A text with its digits and letters blurred."""
    return re.sub("[A-Z]", "A", re.sub("[a-z]", "a", re.sub("[0-9]", "9", text)))


@given(st.text("0123456789", min_size=1, max_size=19))
def test_the_check_digit_rule_is_the_rule_in_words(digits):
    """The one-line rule agrees with the slow one."""
    assert luhn_valid(digits) == slow_luhn(digits)


@pytest.mark.parametrize(
    ("kind", "token", "core"),
    [
        ("email", "ada@example.org", "ada@example.org"),
        ("email", "<Ada.L+x@mail.example.co.uk>,", "Ada.L+x@mail.example.co.uk"),
        ("email", "(ada@example.org).", "ada@example.org"),
        ("phone", "555-0123", "555-0123"),
        ("phone", "+49-30-1234567,", "+49-30-1234567"),
        ("phone", "(555)123-4567", "(555)123-4567"),
        ("phone", "+15551234567", "+15551234567"),
        ("phone", "555.123.4567", "555.123.4567"),
        ("phone", "0301234567", "0301234567"),
        ("phone", "030/1234567", "030/1234567"),
        ("phone", "01.42.68.53.00", "01.42.68.53.00"),
        ("card", "4111111111111111", "4111111111111111"),
        ("card", "4111-1111-1111-1111.", "4111-1111-1111-1111"),
        ("card", "378282246310005", "378282246310005"),
    ],
)
def test_secrets_are_recognised_within_punctuation(kind, token, core):
    """A token is parted into what stands before, the secret and what stands after."""
    before, found, after = KINDS[kind].part(token)
    assert found == core
    assert before + found + after == token


@pytest.mark.parametrize(
    ("kind", "token"),
    [
        ("email", "ada@"),
        ("email", "@example.org"),
        ("email", "ada@example"),
        ("email", "ada"),
        ("email", "..."),
        ("phone", "2024-01-31"),
        ("phone", "31.12.2024"),
        ("phone", "192.168.100.100"),
        ("phone", "3.14159265"),
        ("phone", "1234567"),
        ("phone", "12-34"),
        ("phone", "1234567890123456"),
        ("phone", "1999-2003"),
        ("phone", "1379-1471"),
        ("phone", "900-1000"),
        ("phone", "500/1000"),
        ("phone", "1.000.000"),
        ("phone", "10.15.7.1"),
        ("phone", "2.6.12-10-386"),
        ("phone", "100.9-102.7"),
        ("phone", "0-306-40615-2"),
        ("phone", "7.39/42/79"),
        ("phone", "08/2009/2009"),
        ("phone", "1/12-15/93"),
        ("phone", "12345-6789"),
        ("phone", "20040512123000"),
        ("phone", "call"),
        ("card", "4111111111111112"),
        ("card", "411111111111"),
        ("card", "0"),
        ("card", "41111111111111111111111"),
    ],
)
def test_other_tokens_are_left_alone(kind, token):
    """Dates, internet addresses, decimals, short numbers and wrong check digits are no secrets."""
    assert KINDS[kind].part(token) is None


@pytest.mark.parametrize(
    ("kind", "core", "kept"),
    [
        ("email", "Ada.L7@example.org", "@example.org"),
        ("phone", "+49-30-1234567", "+49-"),
        ("phone", "+493012345678", "+4"),
        ("phone", "0049301234567", "00"),
        ("phone", "(555)123-4567", "("),
        ("card", "4111-1111-1111-1111", "4"),
        ("card", "378282246310005", "3"),
    ],
)
def test_decoys_have_the_same_format_and_keep_what_strangers_guess(kind, core, kept):
    """All are different, none is the secret, all look alike, and the predictable part is the secret's own."""
    decoys = KINDS[kind].decoys(core, 300, np.random.default_rng(0))
    assert len(set(decoys) - {core}) == 300
    assert {shape(decoy) for decoy in decoys} == {shape(core)}
    assert all(KINDS[kind].part(decoy) == ("", decoy, "") for decoy in decoys)
    ends = str.endswith if kind == "email" else str.startswith
    assert all(ends(decoy, kept) for decoy in decoys)
    vary = {decoy.removesuffix(kept).removeprefix(kept) for decoy in decoys}
    assert len(vary) == 300


def test_card_decoys_have_a_right_check_digit():
    """Otherwise the true number would be the only valid one."""
    decoys = KINDS["card"].decoys("4111111111111111", 200, np.random.default_rng(1))
    assert all(slow_luhn(decoy) for decoy in decoys)
    assert len({decoy[-1] for decoy in decoys}) == 10


def test_decoy_characters_are_uniform():
    """Each digit stands at each free place equally often: 3,000 decoys, 300 each, standard deviation 16.4."""
    decoys = read_format(r"regex:\d{3}-\d{5}").decoys("000-00000", 3000, np.random.default_rng(2))
    for place in (0, 1, 2, 4, 5, 6, 7, 8):
        times = [sum(decoy[place] == digit for decoy in decoys) for digit in string.digits]
        assert all(abs(seen - 300) < 5 * 16.5 for seen in times)


def test_decoys_of_an_own_expression_match_it():
    """What the expression fixes stays, case stays, and only fitting characters are put in."""
    form = read_format(r"regex:EMP[0-4]{6}[a-zA-Z]x")
    decoys = form.decoys("EMP012340Qx", 200, np.random.default_rng(0))
    assert len(set(decoys)) == 200
    assert all(re.fullmatch(r"EMP[0-4]{6}[A-Z]x", decoy) for decoy in decoys)


def test_a_small_format_gives_all_its_decoys():
    """Two digits have 99 others, whatever is asked."""
    decoys = read_format(r"regex:\d\d").decoys("07", 1000, np.random.default_rng(0))
    assert sorted(decoys) == [f"{n:02}" for n in range(100) if n != 7]
    assert len(read_format(r"regex:\d\d").decoys("07", 10, np.random.default_rng(0))) == 10


def test_decoys_drawn_one_by_one_never_are_the_secret(monkeypatch):
    """Drawn 20 * 99 times from 100 numbers, all others are found and the secret is thrown away."""
    monkeypatch.setattr(formats, "LISTED_SPACE", 0)
    decoys = read_format(r"regex:\d\d").decoys("07", 99, np.random.default_rng(0))
    assert sorted(decoys) == [f"{n:02}" for n in range(100) if n != 7]


def test_a_format_that_leaves_nothing_open_has_no_decoys():
    """A list of words cannot be varied letter by letter."""
    assert read_format("regex:alpha|omega").decoys("alpha", 10, np.random.default_rng(0)) == ()


def test_letters_beyond_ascii_are_kept():
    """Decoys without them would show which candidate is true."""
    decoys = read_format(r"regex:\w{4}\d").decoys("josé7", 50, np.random.default_rng(0))
    assert {decoy[3] for decoy in decoys} == {"é"}


def test_one_token_of_a_longer_secret_varies_within_bounds():
    """What stands outside of them stays."""
    decoys = Format.within(2, 1).decoys("(012)", 1000, np.random.default_rng(0))
    assert sorted(decoys) == [f"(0{number:02})" for number in range(100) if number != 12]


def test_formats_are_found_by_name_or_expression():
    """What is neither is not an error here: it may be a pattern."""
    assert read_format("card") is KINDS["card"]
    assert read_format("pin {digit}") is None
    assert read_format(r"regex:\d+").part("12") == ("", "12", "")
    assert read_format(r"regex:\d+").part("12a") is None


@pytest.mark.parametrize(
    ("expression", "said"), [("regex:[", "unterminated"), ("regex:", "empty"), ("regex:a*", "empty")]
)
def test_a_wrong_expression_is_refused(expression, said):
    """One that cannot be read, or fits nothing at all."""
    with pytest.raises(InputError, match=said):
        read_format(expression)
