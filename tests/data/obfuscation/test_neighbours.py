"""Tests of divulge.data.obfuscation.neighbours."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from divulge.data.corpus import Corpus, SameCorpus
from divulge.data.obfuscation.neighbours import FEWEST, OFTEN, content_words, neighbours_in
from divulge.records import Text


def neighbours(texts, user: str | None = "ada") -> dict[str, str]:
    """Neighbours in texts of one user."""
    return dict(neighbours_in(SameCorpus(Corpus(tuple(Text(tuple(words), user=user) for words in texts)))))


def slowly(texts) -> dict[str, str]:
    """The same with dictionaries, one pair at a time, and a dense decomposition; for few words."""
    counts = Counter(word for text in texts for word in text)
    words = content_words(counts)
    pairs: Counter[tuple[str, tuple[int, str]]] = Counter()
    for text in texts:
        for place, word in enumerate(text):
            for step in (-2, -1, 1, 2):
                if word in words and 0 <= place + step < len(text):
                    pairs[word, (step, text[place + step])] += 1
    company = sorted({beside for _, beside in pairs})
    rows, columns = Counter(), Counter()
    for (word, beside), count in pairs.items():
        rows[word] += count
        columns[beside] += count
    weights = np.zeros((len(words), len(company)))
    for (word, beside), count in pairs.items():
        surprise = math.log(count * sum(pairs.values()) / (rows[word] * columns[beside]))
        weights[words.index(word), company.index(beside)] = max(0.0, surprise)
    left, strength, _ = np.linalg.svd(weights, full_matrices=False)
    kept = min(100, len(words) - 1)
    vectors = left[:, :kept] * np.sqrt(strength[:kept])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    close = vectors @ vectors.T
    np.fill_diagonal(close, -1.0)
    return {word: words[int(close[place].argmax())] for place, word in enumerate(words)}


def test_neighbours_are_those_of_a_slow_count():
    """Random texts over 40 words of unlike frequency, so that no two words are equally close."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, 41)
    texts = [
        [f"w{number:02}" for number in rng.choice(40, size=rng.integers(1, 9), p=shares / shares.sum())]
        for _ in range(400)
    ]
    found = neighbours(texts)
    assert len(found) > 20
    assert found == slowly(texts)


def test_words_in_the_same_company_are_neighbours():
    """Colours stand before animals; marks, the most frequent and the rare words have no neighbour and are none."""
    texts = [
        ("the", colour, beast, "the", "!")
        for colour in ("red", "blue")
        for beast in ("cat", "dog", "cow")
        for _ in range(3)
    ]
    texts += [("the", "red", "axolotl", "the", "!"), *[("the",)] * 20]
    found = neighbours(texts)
    assert (found["red"], found["blue"]) == ("blue", "red")
    assert {found["cat"], found["dog"], found["cow"]} <= {"cat", "dog", "cow"}
    assert not {"the", "!", "axolotl"} & {*found, *found.values()}


def test_another_text_is_no_company():
    """Two words that only ever stand alone are known by nothing."""
    assert neighbours([("lonely",), ("alone",)] * 9 + [("the",)] * 30) == {}


def test_content_words_are_neither_frequent_nor_rare():
    """Of 40 words 22 must be frequent: "a" and "b" are 20, so "c" is too; "f" is met too rarely, marks are no words."""
    assert (OFTEN, FEWEST) == (0.55, 5)
    counts = {"a": 12, "b": 8, "c": 6, "e": 5, "d": 5, "f": 4, "!": 50, "7": 9}
    assert content_words(counts) == ["d", "e"]


def test_texts_of_nobody_count_where_nobody_is_named():
    """Else they do not: only users' texts are known to be of one kind."""
    texts = [("the", colour, beast, "the") for colour in ("red", "blue") for beast in ("cat", "dog") for _ in range(5)]
    assert neighbours(texts, None) == neighbours(texts)
    strange = Text(("the", "odd", "odd", "odd", "odd", "odd"))
    mixed = Corpus((*(Text(words, user="ada") for words in texts), strange, strange))
    assert dict(neighbours_in(SameCorpus(mixed))) == neighbours(texts)


def test_too_few_words_have_no_neighbours():
    """An empty data set, or one word."""
    assert neighbours([]) == {}
    assert neighbours([("the", "cat")] * 6) == {}
