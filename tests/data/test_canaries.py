"""Tests of divulge.data.canaries."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.canaries import draw_canaries, make_canaries, plant
from divulge.errors import InputError
from divulge.records import LeakedRow, RowContent, Secret
from divulge.spec import SecretsSpec

KEY = b"k" * 32


def canaries(pattern: str, count: int, seed: int = 0, **more: object) -> tuple[Secret, ...]:
    """Canaries of a pattern."""
    return make_canaries(SecretsSpec(pattern=pattern, label="L"), count, np.random.default_rng(seed), KEY, **more)


def texts(secrets: tuple[Secret, ...]) -> list[tuple[str, ...]]:
    """The whole texts of canaries."""
    return [secret.hint.filled(secret.answer.tokens) for secret in secrets]


def test_a_canary_hides_its_holes_and_shows_the_rest():
    """Fixed and known tokens stand in the hint, hole tokens only in the answer."""
    (secret,) = canaries("call <name> at {digit*3} or {color}", 1)
    hint = secret.hint
    assert hint.holes == (3, 4, 5, 7)
    assert (hint.tokens[0], hint.tokens[2], hint.tokens[6]) == ("call", "at", "or")
    assert isinstance(hint.tokens[1], str)
    assert hint.label == "L"
    assert hint.tags == ("O", "O", "O", "B-canary", "I-canary", "I-canary", "O", "B-canary")
    assert [len(options) for options in hint.candidates] == [10, 10, 10, 12]
    assert all(token in options for token, options in zip(secret.answer.tokens, hint.candidates, strict=True))


def test_tags_can_be_left_out():
    """Classifiers have no tags."""
    (secret,) = canaries("call {digit}", 1, tagged=False)
    assert secret.hint.tags is None


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("pin {digit}", 10), ("pin {digit*2}", 60), ("<color> {digit}", 120), ("<color> {digit}", 12)],
)
def test_canaries_are_all_different(pattern, count):
    """Known part and answer together never repeat, up to the whole space."""
    assert len(set(texts(canaries(pattern, count)))) == count


def test_known_parts_differ_where_there_are_enough():
    """Twelve colours give twelve known parts; the thirteenth canary must share one."""
    assert len({secret.hint.tokens for secret in canaries("<color> {digit}", 12)}) == 12
    assert len({secret.hint.tokens for secret in canaries("<color> {digit}", 13)}) <= 12


def test_more_than_the_space_is_refused_with_both_numbers():
    """A digit hides 10 secrets; 11 cannot be made, nor 10 beside one in use."""
    with pytest.raises(InputError, match="allows 10 different secrets, but 11 are needed"):
        canaries("pin {digit}", 11)
    with pytest.raises(InputError, match="10 are needed beside 1 already in use"):
        canaries("pin {digit}", 10, exclude=canaries("pin {digit}", 1))


def test_excluded_canaries_are_not_made_again():
    """The rest of a small space is exactly what is not excluded."""
    first = canaries("pin {digit}", 4)
    second = canaries("pin {digit}", 6, seed=1, exclude=first)
    assert len({*texts(first), *texts(second)}) == 10


def test_known_parts_of_excluded_canaries_are_avoided_where_possible():
    """With 144 pairs of colours and 40 in use, 40 others are free."""
    first = canaries("<color*2> {digit}", 40)
    second = canaries("<color*2> {digit}", 40, seed=1, exclude=first)
    assert not {secret.hint.tokens for secret in first} & {secret.hint.tokens for secret in second}


def test_ids_come_from_key_pattern_and_place_and_not_from_the_answer():
    """Another draw of the same pattern has the same ids; another key or pattern has others."""
    ids = [secret.id for secret in canaries("pin {digit*6}", 5)]
    again = canaries("pin  {digit*6}", 5, seed=9)
    assert texts(again) != texts(canaries("pin {digit*6}", 5))
    assert [secret.id for secret in again] == ids
    assert len(set(ids)) == 5
    assert not set(ids) & {secret.id for secret in canaries("code {digit*6}", 5)}
    other = make_canaries(SecretsSpec(pattern="pin {digit*6}"), 5, np.random.default_rng(0), b"other")
    assert not set(ids) & {secret.id for secret in other}


def test_answers_are_uniform():
    """5,000 canaries with a known part: each digit comes about 500 times (standard deviation about 21)."""
    secrets = canaries("<word*4> {digit}", 5000)
    times = Counter(secret.answer.tokens[0] for secret in secrets)
    assert len(times) == 10
    assert all(abs(seen - 500) < 5 * 21.3 for seen in times.values())  # sqrt(5000 * 0.1 * 0.9) = 21.2


def test_known_parts_tell_nothing_of_the_answer():
    """Over 6,000 canaries a letter and a digit are independent (chi-squared, 25 * 9 = 225 degrees of freedom)."""
    secrets = canaries("<letter> <word*3> {digit}", 6000)
    pairs = Counter((secret.hint.tokens[0], secret.answer.tokens[0]) for secret in secrets)
    first = Counter(letter for letter, _ in pairs.elements())
    second = Counter(digit for _, digit in pairs.elements())
    statistic = sum(
        (pairs[letter, digit] - first[letter] * second[digit] / 6000) ** 2 / (first[letter] * second[digit] / 6000)
        for letter in first
        for digit in second
    )
    assert statistic < 225 + 4 * math.sqrt(2 * 225)


def test_planted_and_held_out_are_parts_of_one_draw():
    """The two are disjoint in text and id, and have the numbers asked for."""
    spec = SecretsSpec(pattern="<name> {digit*2}", count=7, controls=5)
    planted, controls = draw_canaries(spec, np.random.default_rng(3), KEY)
    assert (len(planted), len(controls)) == (7, 5)
    assert len({secret.id for secret in (*planted, *controls)}) == 12
    assert len({*texts(planted), *texts(controls)}) == 12


def test_planted_and_held_out_are_exchangeable():
    """Over 1,500 draws of the whole space, each text is planted as often as any other (3 of 10 times)."""
    spec = SecretsSpec(pattern="pin {digit}", count=3, controls=7)
    times: Counter[tuple[str, ...]] = Counter()
    places: Counter[str] = Counter()
    for seed in range(1500):
        planted, _ = draw_canaries(spec, np.random.default_rng(seed), KEY)
        times.update(secret.answer.tokens for secret in planted)
        places.update(secret.id for secret in planted)
    # 450 expected, standard deviation sqrt(1500 * 0.3 * 0.7) = 17.7; ids stand for the place in the draw.
    assert all(abs(seen - 450) < 5 * 17.8 for seen in times.values())
    assert all(abs(seen - 450) < 5 * 17.8 for seen in places.values())
    assert len(times) == len(places) == 10


@pytest.mark.parametrize(
    ("copies", "share", "train", "valid"),
    [
        (1, 0.1, 1, 0),
        (10, 0.1, 9, 1),
        (100, 0.1, 90, 10),
        (7, 0.0, 7, 0),
        (1, 0.99, 1, 0),
        (4, 0.9, 1, 3),
        (3, 0.5, 2, 1),
    ],
)
def test_copies_are_split_with_at_least_one_in_training(copies, share, train, valid):
    """Training gets max(1, round((1 - share) * copies)): 0.9 -> 1, 9, 90, 7, 0.01 -> 1, 0.4 -> 1, 1.5 -> 2."""
    plantings = plant(canaries("call {digit*4}", 2), copies, share)
    for secret in canaries("call {digit*4}", 2):
        mine = {p.split: p.copies for p in plantings if p.secret_id == secret.id}
        assert mine == {split: number for split, number in (("train", train), ("valid", valid)) if number}


@given(st.integers(1, 5000), st.floats(0, 0.999))
def test_no_copy_is_lost(copies, share):
    """Training and validation together hold every copy."""
    plantings = plant(canaries("call {digit*4}", 1), copies, share)
    assert sum(planting.copies for planting in plantings) == copies
    assert plantings[0].split == "train"


def test_a_planting_is_the_whole_text_with_label_and_tags():
    """What is planted is the hint with the answer filled in."""
    (secret,) = canaries("call {digit*2} now", 1)
    (planting,) = plant([secret], 3)
    assert planting.text == ("call", *secret.answer.tokens, "now")
    assert (planting.secret_id, planting.label, planting.tags) == (secret.id, "L", secret.hint.tags)


def test_no_copies_plant_nothing():
    """Zero is a control experiment, not an error."""
    assert plant(canaries("call {digit}", 3), 0) == ()


def test_only_texts_with_holes_can_be_planted():
    """A row is refused by its id."""
    row = Secret(id="abc", hint=LeakedRow(row=1), answer=RowContent(tokens=("hush",)))
    with pytest.raises(InputError, match="abc") as caught:
        plant([row], 1)
    assert "hush" not in str(caught.value)


def test_a_spec_without_pattern_is_refused():
    """A secrets file gives no pattern to make canaries from."""
    with pytest.raises(InputError, match=r"secrets\.pattern"):
        make_canaries(SecretsSpec(file="x.json"), 1, np.random.default_rng(0), KEY)
