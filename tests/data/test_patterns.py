"""Tests of divulge.data.patterns."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.patterns import BUILT_IN_SETS, draw_distinct, gaps_over, parse_pattern, read_sets
from divulge.errors import InputError

SMALL = st.lists(st.integers(1, 4), max_size=3).map(lambda sizes: [tuple("abcd"[:size]) for size in sizes])


def roles(text: str, **candidates: list[str]) -> list[str]:
    """The role of each slot."""
    return [slot.role for slot in parse_pattern(text, candidates).slots]


def problem(text: str, **candidates: object) -> str:
    """The message of the error that a pattern must give."""
    with pytest.raises(InputError) as caught:
        parse_pattern(text, candidates)
    return str(caught.value)


def test_a_pattern_has_one_slot_per_token():
    """Counts unfold into slots, and spaces of any width part the items."""
    pattern = parse_pattern("  call <name>  {digit*3} now ")
    assert [slot.role for slot in pattern.slots] == ["fixed", "known", "hole", "hole", "hole", "fixed"]
    assert pattern.slots[0].options == ("call",)
    assert pattern.slots[1].options == BUILT_IN_SETS["name"]
    assert [slot.options for slot in pattern.holes] == [tuple("0123456789")] * 3
    assert pattern.text == "call <name> {digit*3} now"


def test_the_colours_are_those_of_the_paper():
    """parikh2022 names twelve."""
    assert len(BUILT_IN_SETS["color"]) == 12
    assert BUILT_IN_SETS["color"][:3] == ("red", "green", "lilac")
    assert BUILT_IN_SETS["color"][-1] == "mauve"


def test_every_built_in_set_is_usable():
    """Each has at least two tokens, each token once."""
    assert read_sets(dict(BUILT_IN_SETS)) == dict(BUILT_IN_SETS)


def test_own_sets_come_beside_and_before_the_built_in_ones():
    """A set of the caller's own may be named like a built-in one and then replaces it."""
    pattern = parse_pattern("{digit} {fruit} {color}", {"digit": ["one", "two"], "fruit": ["fig", "lime"]})
    assert [slot.options for slot in pattern.holes] == [("one", "two"), ("fig", "lime"), BUILT_IN_SETS["color"]]


def test_space_and_bits_count_the_holes_only():
    """Two digits and a colour: 10 * 10 * 12 = 1200 answers; the known part has 10 * 10 = 100 forms."""
    pattern = parse_pattern("<digit*2> is {digit*2} {color}")
    assert pattern.space == 1200
    assert pattern.known_space == 100
    assert pattern.bits == pytest.approx(10.2288, abs=1e-4)  # log2(1200) = 4 + log2(75) = 4 + 6.2288
    assert parse_pattern("{digit}").known_space == 1


def test_a_huge_space_is_counted_exactly():
    """Python integers do not overflow: 26^40."""
    assert parse_pattern("{letter*40}").space == 26**40


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("call {digit*3}", "O B-canary I-canary I-canary"),
        ("my pin code is {digit}", "O O O O B-canary"),
        ("{color} then {digit*2} end", "B-canary O B-canary I-canary O"),
        ("{color} {digit}", "B-canary I-canary"),
        ("call <digit*2> {digit*2}", "O B-canary I-canary I-canary I-canary"),
        ("{digit} <digit*2> .", "B-canary I-canary I-canary O"),
        ("call <name> {digit*2}", "O O B-canary I-canary"),
        ("<digit> then {digit}", "O O B-canary"),
        ("<digit> <name> {digit}", "O O B-canary"),
    ],
)
def test_tags_mark_runs_of_holes(text, tags):
    """Holes are B- and I-canary; a known part joins them only beside a hole of its own set."""
    assert " ".join(parse_pattern(text).tags()) == tags


def test_a_backslash_makes_a_token_literal():
    """Tokens with brackets, even with a backslash of their own, can be fixed."""
    pattern = parse_pattern(r"\<unk> \{digit} \\n \-> {digit}")
    assert [slot.options[0] for slot in pattern.slots[:-1]] == ["<unk>", "{digit}", r"\n", "->"]
    assert roles(r"\<unk> {digit}") == ["fixed", "hole"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my pin", "no hole"),
        ("", "no hole"),
        ("hello <name>", "no hole"),
        ("pin {digt*4}", "unknown candidate set 'digt'"),
        ("pin {digt*4}", "Did you mean 'digit'?"),
        ("pin {xyzzy}", "Available: color, digit, letter, name, word"),
        ("pin {digit*0}", "from 1 to 100"),
        ("pin {digit*101}", "from 1 to 100"),
        ("pin {digit*}", "from 1 to 100"),
        ("pin {digit*four}", "from 1 to 100"),
        ("pin {digit*-1}", "from 1 to 100"),
        ("pin {digit*1.5}", "from 1 to 100"),
        ("pin {digit*99999999999}", "from 1 to 100"),
        ("pin {digit", "item 2: unbalanced"),
        ("pin digit}", "item 2: unbalanced"),
        ("pin {digit>", "item 2: unbalanced"),
        ("pin {{digit}}", "item 2: unbalanced"),
        ("pin:{digit}", "item 1: unbalanced"),
        ("pin { digit }", "item 2: unbalanced"),
        ("pin {}", "no candidate set is named"),
        ("pin {*4}", "no candidate set is named"),
        ("pin \\ {digit}", "backslash"),
    ],
)
def test_a_wrong_pattern_is_refused_with_the_reason(text, said):
    """Each mistake has its own message."""
    assert said in problem(text)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([], "at least 2 tokens"),
        (["fig"], "at least 2 tokens"),
        (["fig", "lime", "fig"], "Position 3 repeats"),
        (["fig", "blood orange"], "Position 2"),
        (["fig", " lime"], "Position 2"),
        (["fig", ""], "Position 2"),
        (["fig", 3], "Position 2"),
        ("fig lime", "with a tokenizer. Got str"),
        (7, "with a tokenizer. Got int"),
    ],
)
def test_a_wrong_set_is_refused_without_showing_its_tokens(tokens, said):
    """Candidate sets are told by name and position."""
    message = problem("{fruit}", fruit=tokens)
    assert said in message
    assert "'fruit'" in message
    assert not {"fig", "lime", "orange"} & set(message.replace("'", " ").split())


def test_a_set_needs_a_plain_name():
    """A name that the pattern could not spell is refused."""
    with pytest.raises(InputError, match="letters, digits"):
        read_sets({"two words": ["a", "b"]})


def test_all_problems_are_told_at_once():
    """Two bad items and a bad set make three problems."""
    with pytest.raises(InputError) as caught:
        parse_pattern("{digt} {digit*0} {fruit}", {"fruit": []})
    assert len(caught.value.problems) == 3


@given(SMALL, st.data())
def test_draws_are_different_and_within_the_space(options, data):
    """Any number up to the whole space can be drawn, with nothing twice and nothing that is excluded."""
    everything = list(product(*options))
    exclude = data.draw(st.lists(st.sampled_from(everything), unique=True, max_size=len(everything)))
    count = data.draw(st.integers(0, len(everything) - len(exclude)))
    drawn = draw_distinct(options, count, np.random.default_rng(data.draw(st.integers(0, 99))), exclude)
    assert len(drawn) == len(set(drawn)) == count
    assert set(drawn) <= set(everything) - set(exclude)


def test_drawing_more_than_there_is_fails():
    """Two digits of two give four choices, not five, nor four beside an excluded one."""
    options = [("a", "b"), ("c", "d")]
    with pytest.raises(ValueError, match="4 in all"):
        draw_distinct(options, 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="1 excluded"):
        draw_distinct(options, 4, np.random.default_rng(0), exclude=[("a", "c")])


@pytest.mark.parametrize("size", [6, 30])
def test_draws_are_uniform(size):
    """Listed (a pair of 6 choices) or by rejection (a pair of 30), each pair comes equally often."""
    options = [("a", "b"), tuple("abcdefghijklmno"[: size // 2])]
    rng = np.random.default_rng(5)
    rounds = 6000
    times = Counter(choice for _ in range(rounds) for choice in draw_distinct(options, 2, rng))
    expected = 2 * rounds / size
    statistic = sum((seen - expected) ** 2 / expected for seen in times.values())
    assert len(times) == size
    # Chi-squared with size - 1 degrees of freedom: mean size - 1, standard deviation sqrt(2 (size - 1)).
    assert statistic < size - 1 + 4 * math.sqrt(2 * (size - 1))


def test_gaps_over_checks_shapes_and_shares_the_sets():
    """A vocabulary is not copied for each secret, and a hint that does not fit its holes is refused."""
    vocabulary = tuple(f"w{n}" for n in range(100))
    hint = gaps_over((vocabulary, vocabulary), ("say", None, None), "L", ("O", "B", "I"))
    assert hint.candidates[0] is vocabulary
    assert (hint.tokens, hint.label, hint.tags, hint.space) == (("say", None, None), "L", ("O", "B", "I"), 10_000)
    with pytest.raises(ValueError, match="1 holes but 2"):
        gaps_over((vocabulary, vocabulary), ("say", None), None, None)


@pytest.fixture
def tokenizer(tmp_path):
    """A folder with a tokenizer of four words."""
    (tmp_path / "vocab.txt").write_text("[PAD]\ntea\nant\n##s\nbeans\nzoo\n")
    return f"whole-words:{tmp_path}"


def test_a_set_may_name_a_tokenizer(tokenizer):
    """Its whole words are the candidates, in known parts as in holes, one tuple for all slots."""
    pattern = parse_pattern("<word*2> {word} to {digit}", {"word": tokenizer})
    assert pattern.slots[0].options == ("ant", "beans", "tea", "zoo")
    assert pattern.slots[0].options is pattern.holes[0].options
    assert (pattern.space, pattern.known_space) == (40, 16)
    assert pattern.slots[0].members == {"ant", "beans", "tea", "zoo"}
    assert read_sets({"word": tokenizer}) == {"word": ("ant", "beans", "tea", "zoo")}


def test_a_tokenizer_that_cannot_be_read_is_told_with_the_set(tmp_path, tokenizer):
    """And the pattern is not blamed for naming the set."""
    with pytest.raises(InputError) as refused:
        parse_pattern("{word} {other}", {"word": f"whole-words:{tmp_path}/gone", "other": "whole-words:nobody"})
    assert [problem.partition(": whole-words")[0] for problem in refused.value.problems] == [
        "candidates: set 'word'",
        "candidates: set 'other'",
    ]
    with pytest.raises(InputError, match="must have a name of letters"):
        parse_pattern("{digit}", {"9": tokenizer})
