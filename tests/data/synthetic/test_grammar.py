"""The small grammar."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from divulge.data.synthetic.drawing import cumulative
from divulge.data.synthetic.grammar import Grammar, spans


def draws(rules: dict[str, tuple[str, ...]], count: int = 400, **options: object) -> Counter[str]:
    """How often each expansion of `start` comes, with tags as word/tag where there is one."""
    grammar, rng = Grammar(rules), np.random.default_rng(0)
    found: Counter[str] = Counter()
    for _ in range(count):
        tokens, tags = grammar.expand("start", rng, **options)  # type: ignore[arg-type]
        found[" ".join(w if t == "O" else f"{w}/{t}" for w, t in zip(tokens, tags, strict=True))] += 1
    return found


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("go home", {"go home"}),
        ("(a|b c) d", {"a d", "b c d"}),
        ("a [b]", {"a", "a b"}),
        ("[(a|b) [c]]", {"", "a", "b", "a c", "b c"}),
        ("to <town>", {"to ulm", "to bad ems"}),
        ("to {town}", {"to ulm/B-town", "to bad/B-town ems/I-town"}),
        (
            "{from_town:town} {to_town:hamlet}",
            {"ulm/B-from_town au/B-to_town", "bad/B-from_town ems/I-from_town au/B-to_town"},
        ),
        ("{trip}", {"x/B-trip ulm/I-trip", "x/B-trip bad/I-trip ems/I-trip"}),
        ("{nested}", {"see/B-nested au/B-hamlet"}),
        ("{empty}", {""}),
    ],
)
def test_notation(pattern: str, expected: set[str]) -> None:
    """Choices, optional parts, rules and slots expand to exactly what they allow."""
    rules = {
        "start": (pattern,),
        "town": ("ulm", "bad ems"),
        "hamlet": ("au",),
        "trip": ("x <town>",),
        "nested": ("see {hamlet}",),
        "empty": ("",),
    }
    assert set(draws(rules)) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a (b", "never closed"),
        ("a [b)", "do not match"),
        ("a b)", "a bracket too many"),
        ("a } b", "means nothing"),
        ("<Upper>", "means nothing"),
        ("<absent>", "refers to 'absent'"),
        ("[x (y|{absent})]", "refers to 'absent'"),
    ],
)
def test_faulty_patterns_are_refused(pattern: str, reason: str) -> None:
    """A grammar with a slip in it cannot be made."""
    with pytest.raises(ValueError, match=reason):
        Grammar({"start": (pattern,)})


def test_an_optional_part_is_there_half_of_the_time() -> None:
    """Whether it holds one option or three."""
    # 2000 draws: the standard deviation of a share of one half is 0.011.
    for pattern in ("[x]", "[x|y|z]"):
        found = draws({"start": (pattern,)}, 2000)
        assert 0.45 < found[""] / 2000 < 0.55


def test_skew_prefers_what_comes_first() -> None:
    """With skew 1 the first of two words has weight 1/2 against 1/3, so a share of 0.6; with none it is one half."""
    rng = np.random.default_rng(0)
    for skew, share in ((1.0, 0.6), (0.0, 0.5)):
        grammar = Grammar({"start": ("a", "b")}, {"start": skew})
        found = Counter(grammar.expand("start", rng)[0][0] for _ in range(4000))
        assert abs(found["a"] / 4000 - share) < 0.03


def test_habits_replace_the_weights_of_a_rule() -> None:
    """A habit of one word only is followed wherever the rule is used, and leaves other rules alone."""
    rules = {"start": ("<word> [<word>] <other>",), "word": ("a", "b", "c"), "other": ("x", "y")}
    found = draws(rules, habits={"word": cumulative(np.array([0.0, 0.0, 1.0]))})
    assert set(found) == {"c x", "c y", "c c x", "c c y"}


def test_spans_are_slot_fillers() -> None:
    """Neighbouring slots stay apart, words of one are joined, repeats come once."""
    tokens = ("fly", "port", "sella", "ulm", "to", "ulm")
    tags = ("O", "B-city", "I-city", "B-city", "O", "B-city")
    assert spans(tokens, tags) == ("port sella", "ulm")
