"""Tests of divulge.data.spaced."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.spaced import find_spaced


def found(kind: str, line: str) -> list[str]:
    """What is found in a line, with what may vary blurred."""
    tokens = line.split()
    shown = []
    for spaced in find_spaced(kind, tokens):
        stretch = tokens[spaced.start : spaced.end]
        for number, low, high in spaced.free:
            core = "".join("_" if character.isalnum() else character for character in stretch[number][low:high])
            stretch[number] = stretch[number][:low] + core + stretch[number][high:]
        shown.append(" ".join(stretch))
    return shown


@pytest.mark.parametrize(
    ("kind", "line", "expected"),
    [
        ("phone", "call +49 170 123 4567 now", "+49 ___ ___ ____"),
        ("phone", "call +49 1701234567, now", "+49 __________,"),
        ("phone", "call +44 (0)20 7946 0958", "+44 (_)__ ____ ____"),
        ("phone", "at (555) 123-4567.", "(___) ___-____."),
        ("phone", "at ( 555 ) 123 - 4567", "( ___ ) ___ - ____"),
        ("phone", "at +1 (555) 123-4567", "+1 (___) ___-____"),
        ("phone", "dial 555 123 4567", "___ ___ ____"),
        ("phone", "dial 1 800 555 1234 free", "1 ___ ___ ____"),
        ("phone", "mobile 0170 1234567", "0___ _______"),
        ("phone", "tel 01 42 68 53 00", "0_ __ __ __ __"),
        ("card", "pay 4111 1111 1111 1111 now", "4___ ____ ____ ____"),
        ("card", "(4111 1111 1111 1111)", "(4___ ____ ____ ____)"),
        ("card", "amex 3782 822463 10005", "3___ ______ _____"),
        ("email", "to ada @ example.org", "___ @ example.org"),
        ("email", "to ada@example . org", "___@example . org"),
        ("email", "to ada.l @ mail . example . org . Bye", "___._ @ mail . example"),
    ],
)
def test_secrets_in_several_tokens_are_found(kind, line, expected):
    """Only what a stranger could not guess may vary: no country code, no zeros, no first digit, no domain."""
    assert found(kind, line) == [expected]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("phone", "in 1998 1999 2000 2001"),
        ("phone", "on 12 05 1998 at 10 30"),
        ("phone", "on 2004 - 05 - 12"),
        ("phone", "10 000 000 people"),
        ("phone", "see Smith (1999) 123-4567"),
        ("phone", "$ 200 300 4000"),
        ("phone", "count 1 2 3 4 5 6 7 8 9"),
        ("phone", "12 555 123 4567 890"),
        ("phone", "version 1.2 and 3.4.5"),
        ("phone", "between 10 - 20 and 100 - 2000"),
        ("phone", "+49 170 123 4567 8901 2345"),
        ("phone", "5551234567"),
        ("card", "4111 1111 1111 1112"),
        ("card", "1111 1111 1111 1117"),
        ("card", "4111111111111111"),
        ("email", "he was out @ MSG. Pretty good"),
        ("email", "rather @VerizonWireless . App is"),
        ("email", "on Sunday @ MCO.Keep up"),
        ("email", "ada@example.org"),
        ("regex", "+49 170 123 4567"),
    ],
)
def test_other_numbers_are_left_alone(kind, line):
    """Years, dates, amounts, versions, wrong check digits; and what is one token is found elsewhere."""
    assert found(kind, line) == []


def test_several_in_one_text():
    """From left to right, without overlap."""
    line = "0170 1234567 or (555) 123-4567 or +1 800 555 1234"
    assert found("phone", line) == ["0___ _______", "(___) ___-____", "+1 ___ ___ ____"]


@given(st.sampled_from(["phone", "card", "email"]), st.text("0123456789+-./() @ab", max_size=80))
def test_what_is_found_is_in_order_and_in_the_text(kind, line):
    """And each token that varies has something to vary."""
    tokens = line.split()
    reached = 0
    for spaced in find_spaced(kind, tokens):
        assert reached <= spaced.start < spaced.end - 1 < len(tokens)
        for number, low, high in spaced.free:
            assert any(character.isalnum() for character in tokens[spaced.start + number][low:high])
        reached = spaced.end


def test_a_long_text_does_not_take_long():
    """A hundred thousand tokens that nearly fit are looked at once, not once for each beginning."""
    for kind, token in (("email", "a@"), ("email", "a."), ("phone", "0"), ("card", "4111"), ("phone", "(12")):
        assert list(find_spaced(kind, [token] * 20_000)) == []
