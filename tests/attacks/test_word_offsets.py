"""What is usual for words, learnt from people known to be out."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.word_offsets import PAIR_WEIGHT, ROUNDS, WORD_WEIGHT, AskedWords, CrossFitted, fit_offsets

WORDS = tuple("abcdefghij")


def person(rng: np.random.Generator, *, own: float = 0.0, words: int = 200) -> AskedWords:
    """Words in texts of ten; what the model makes of them hangs on the reference, the word and the word before it."""
    texts = tuple(tuple(rng.choice(WORDS, size=10).tolist()) for _ in range(words // 10))
    expected = rng.uniform(0, 5, size=words)
    pairs = [pair for text in texts for pair in zip(("", *text), text, strict=False)]
    usual = [0.3 * WORDS.index(word) - 0.5 * (before == "a") * (word == "b") for before, word in pairs]
    found = 1 + 0.5 * expected + np.array(usual) + rng.normal(0, 0.1, size=words) - own
    return AskedWords(expected, found, texts)


def by_hand(people: list[AskedWords], asked: AskedWords) -> list[float]:
    """The same turns, written as loops over words."""
    rows = [
        (r, f, w, p) for one in people for r, f, w, p in zip(one.expected, one.found, one.words, one.pairs, strict=True)
    ]
    of_word: dict[str, float] = {}
    of_pair: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        left = [f - of_word.get(w, 0) - of_pair.get(p, 0) for _, f, w, p in rows]
        curve = np.polyfit([row[0] for row in rows], left, 2)
        for offsets, place, weight in ((of_word, 2, WORD_WEIGHT), (of_pair, 3, PAIR_WEIGHT)):
            other = of_pair if place == 2 else of_word
            made = {}
            for key in {row[place] for row in rows}:
                own = [row for row in rows if row[place] == key]
                rest = [row[1] - np.polyval(curve, row[0]) - other.get(row[5 - place], 0) for row in own]
                made[key] = sum(rest) / (len(own) + weight)
            offsets.clear()
            offsets.update(made)
    return [
        float(np.polyval(curve, r)) + of_word.get(w, 0) + of_pair.get(p, 0)
        for r, w, p in zip(asked.expected, asked.words, asked.pairs, strict=True)
    ]


def test_offsets_are_those_of_a_plain_loop() -> None:
    """Curve, words and pairs in turns; a word and a pair that nobody had have none."""
    rng = np.random.default_rng(0)
    people = [person(rng, words=40) for _ in range(3)]
    asked = AskedWords(np.array([1.0, 2.0, 0.5]), np.zeros(3), (("a", "b"), ("strange",)))
    assert fit_offsets(people).expected(asked) == pytest.approx(by_hand(people, asked))


def test_who_was_seen_stands_out_and_others_are_at_zero() -> None:
    """The gap to what references expect is as wide for words as for people; to what is usual, only for the seen."""
    rng = np.random.default_rng(1)
    fitted = CrossFitted([person(rng) for _ in range(20)])
    gaps = [float(np.mean(fitted.expected(one) - one.found)) for one in (person(rng, own=0.2), person(rng))]
    assert gaps[0] == pytest.approx(0.2, abs=0.04)
    assert gaps[1] == pytest.approx(0.0, abs=0.04)
    pair = AskedWords(np.array([2.0]), np.array([0.0]), (("b",),))
    after = pair._replace(expected=np.array([2.0, 2.0]), found=np.zeros(2), texts=(("a", "b"),))
    assert fitted.expected(after)[1] - fitted.expected(pair)[0] == pytest.approx(-0.5, abs=0.15)


def test_people_known_to_be_out_are_judged_by_the_others() -> None:
    """One whose words nobody else has is expected to be like the curve, not like himself."""
    rng = np.random.default_rng(2)
    people = [person(rng) for _ in range(9)]
    strange = AskedWords(np.full(5, 2.0), np.full(5, -7.0), (("x", "y", "x", "y", "x"),))
    fitted = CrossFitted([*people, strange])
    assert np.all(fitted.of_people[9] > 1)
    own = fit_offsets([*people, strange]).expected(strange)
    assert np.all(own < 0)


def test_a_few_people_are_parts_of_their_own() -> None:
    """Two people judge each other."""
    rng = np.random.default_rng(3)
    one, other = person(rng), person(rng)
    fitted = CrossFitted([one, other])
    assert fitted.of_people[0] == pytest.approx(fit_offsets([other]).expected(one))
