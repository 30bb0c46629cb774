"""Likeness of sentences: the paper's worked examples, hand-worked sums and third-party oracles."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from sacrebleu.metrics import BLEU

from divulge.metrics.similarity import (
    bleu,
    cosine,
    exact,
    longest_common_subsequence,
    order_of_vectors,
    order_similarity,
    order_vectors,
    rouge_l,
    token_accuracy,
    token_f1,
)


def words(text: str) -> tuple[str, ...]:
    """Tokens between blanks."""
    return tuple(text.split())


MANUAL = words("manual muscle test of arm leg or trunk")
GUESSED_MANUAL = words("manual test of hand arm behind leg")
DOG = words("A dog jumps over the fox")
FOX = words("A fox jumps over the dog")

ALL = (cosine, order_similarity, bleu, rouge_l, exact, token_accuracy, token_f1)
SENTENCES = st.lists(st.sampled_from(["a", "b", "c", "the", "##x"]), max_size=9).map(tuple)
FILLED = st.lists(st.sampled_from(["a", "b", "c", "the", "##x"]), min_size=1, max_size=9).map(tuple)


# -- gu2023's own examples ----------------------------------------------------------------------------------


def test_cosine_of_the_papers_roses() -> None:
    """[1, 1, 1, 0] and [1, 1, 0, 1] have the cosine 2 / (sqrt(3) sqrt(3))."""
    assert cosine(words("I love rose"), words("I love lily")) == pytest.approx(2 / 3)


def test_order_vectors_of_the_papers_dog_and_fox() -> None:
    """T' and S' are those printed under equation 12."""
    assert order_vectors(DOG, FOX) == ([1, 2, 3, 4, 5, 6], [1, 6, 3, 4, 5, 2])


def test_order_of_the_papers_dog_and_fox() -> None:
    """The printed 0.9 needs squared norms: 1 - 32/332; the norms as printed would give 0.69."""
    # differences 0 4 0 0 0 4: 32; sums 2 8 6 8 10 8: 4 + 64 + 36 + 64 + 100 + 64 = 332
    assert order_similarity(DOG, FOX) == pytest.approx(1 - 32 / 332)
    assert round(order_similarity(DOG, FOX), 1) == 0.9
    assert order_similarity(DOG, FOX, squared=False) == pytest.approx(1 - math.sqrt(32 / 332))
    assert round(order_similarity(DOG, FOX, squared=False), 1) != 0.9


def test_order_of_the_papers_trunk() -> None:
    """The 0.55 of section 9.5 comes out with the norms as printed and "trunk" taken for "hand"."""
    # S' = 1 3 4 8 5 0 6 0; differences 0 1 1 4 0 6 1 8: 119; sums 2 5 7 12 10 6 13 8: 591
    similar = {"trunk": "hand"}
    assert order_vectors(MANUAL, GUESSED_MANUAL, similar)[1] == [1, 3, 4, 8, 5, 0, 6, 0]
    printed = order_similarity(MANUAL, GUESSED_MANUAL, squared=False, similar=similar)
    assert printed == pytest.approx(1 - math.sqrt(119 / 591))
    assert round(printed, 2) == 0.55
    assert round(order_similarity(MANUAL, GUESSED_MANUAL, similar=similar), 2) == 0.80


@pytest.mark.parametrize(
    ("known", "published"),
    [
        ((1, None, 3, None, None), 0.52),  # Paris (cdg) to Detroit (dtw) / Paris [PAD] to [PAD] dtw
        ((1, 3, 4, None, 5, None, 6, None), 0.55),  # manual muscle test …
    ],
)
def test_two_printed_examples_fit_only_the_norm_as_printed(known: tuple[int | None, ...], published: float) -> None:
    """Whatever the "most similar words" are, squared norms never give the printed value; plain norms can."""
    places = range(1, len(known) + 1)
    fits = {True: 0, False: 0}
    for filling in itertools.product(range(len(known) + 1), repeat=known.count(None)):
        rest = iter(filling)
        found = [next(rest) if place is None else place for place in known]
        for squared in fits:
            fits[squared] += round(order_of_vectors(places, found, squared=squared), 2) == published
    assert fits[True] == 0
    assert fits[False] > 0


def test_bleu_of_pairs_of_the_papers_trunk() -> None:
    """The 0.30 of section 9.5: sqrt(5/7 x 1/6) x exp(1 - 8/7)."""
    expected = math.sqrt(5 / 7 * 1 / 6) * math.exp(1 - 8 / 7)
    assert bleu(MANUAL, GUESSED_MANUAL, 2) == pytest.approx(expected)
    assert round(expected, 2) == 0.30


# -- by hand ------------------------------------------------------------------------------------------------


def test_order_of_repeated_words() -> None:
    """Each occurrence is matched once, left to right."""
    assert order_vectors(words("the dog the cat"), words("the cat the the")) == ([1, 2, 3, 4], [1, 4, 3, 0])


def test_order_of_other_lengths() -> None:
    """The shorter sentence is filled up with zeros."""
    assert order_vectors(words("a b c"), words("c")) == ([1, 2, 3], [3, 0, 0])
    assert order_vectors(words("a"), words("x y a")) == ([1, 0, 0], [0, 0, 1])
    # differences 1 0 1, sums 1 0 1: nothing in its place
    assert order_similarity(words("a"), words("x y a")) == 0.0


def test_a_similar_word_is_taken_only_once_and_after_the_words_themselves() -> None:
    """A word that is really there is not given away to a similar one before it."""
    assert order_vectors(words("hound dog"), words("dog cat"), {"hound": "dog"})[1] == [2, 0]


def test_token_accuracy_by_hand() -> None:
    """Positions 1 and 3 of four are right; the guess's surplus does not count."""
    assert token_accuracy(words("a b c d"), words("a x c y z")) == 0.5
    assert token_accuracy(words("a b c d"), words("a b")) == 0.5
    assert token_accuracy(words("a b c d"), words("b c d a")) == 0.0


def test_special_pieces_are_not_counted() -> None:
    """[CLS], [SEP] and [PAD] neither help nor hurt."""
    truth = words("[CLS] a b [SEP] [PAD]")
    assert token_accuracy(truth, words("[CLS] a x [SEP] [PAD]")) == 0.5
    assert token_f1(truth, words("a x")) == 0.5
    assert exact(truth, words("a b")) == 1.0
    assert token_accuracy(words("[CLS] [SEP]"), ()) == 1.0


def test_token_f1_by_hand() -> None:
    """Shared as a multiset: a once, b once; 2 x 2 / (3 + 5)."""
    assert token_f1(words("a b b"), words("a a b c d")) == pytest.approx(0.5)


def test_rouge_by_hand() -> None:
    """The longest common subsequence of a b c d and b d a c is b d, b c or a c: 2 x 2 / 8."""
    assert longest_common_subsequence(words("a b c d"), words("b d a c")) == 2
    assert rouge_l(words("a b c d"), words("b d a c")) == 0.5


def test_cosine_ignores_order_and_repetition() -> None:
    """{a, b} and {a, b} are the same set."""
    assert cosine(words("a b a"), words("b a")) == 1.0


# -- oracles ------------------------------------------------------------------------------------------------


class Blanks:
    """A tokenizer for rouge-score that splits at blanks only."""

    def tokenize(self, text: str) -> list[str]:
        """Between blanks."""
        return text.split()


@given(SENTENCES, SENTENCES)
def test_rouge_agrees_with_rouge_score(truth: tuple[str, ...], guess: tuple[str, ...]) -> None:
    """ROUGE-L F is that of the reference implementation."""
    if truth and guess:
        scorer = rouge_scorer.RougeScorer(["rougeL"], tokenizer=Blanks())
        theirs = scorer.score(" ".join(truth), " ".join(guess))["rougeL"].fmeasure
        assert rouge_l(truth, guess) == pytest.approx(theirs)


@given(FILLED, FILLED, st.sampled_from([2, 4]))
def test_bleu_agrees_with_sacrebleu(truth: tuple[str, ...], guess: tuple[str, ...], longest: int) -> None:
    """Numbering the tokens changes nothing for tokens without blanks."""
    scorer = BLEU(effective_order=True, tokenize="none", max_ngram_order=longest)
    theirs = scorer.sentence_score(" ".join(guess), [" ".join(truth)]).score / 100
    assert bleu(truth, guess, longest) == pytest.approx(theirs)


def test_bleu_takes_tokens_as_they_are() -> None:
    """Tokens with blanks in them are one token, and punctuation is not split off."""
    assert bleu(("new york", "city"), ("new", "york city")) < 0.2
    assert bleu(("arm,", "leg"), ("arm", ",", "leg")) < bleu(("arm", "leg"), ("arm", "leg"))


@given(SENTENCES, SENTENCES)
def test_common_subsequence_agrees_with_trying_everything(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    """The table finds the longest of all subsequences."""
    shared = {picked for size in range(len(first) + 1) for picked in itertools.combinations(first, size)} & {
        picked for size in range(len(second) + 1) for picked in itertools.combinations(second, size)
    }
    assert longest_common_subsequence(first, second) == max(len(picked) for picked in shared)


@given(SENTENCES, SENTENCES)
def test_every_likeness_is_a_share(truth: tuple[str, ...], guess: tuple[str, ...]) -> None:
    """All lie in [0, 1], are 1 for the truth itself, and 0 against nothing."""
    for likeness in ALL:
        assert 0 <= likeness(truth, guess) <= 1
        assert likeness(truth, truth) == 1
        if truth:
            assert likeness(truth, ()) == 0
            assert likeness(truth, ("other",) * len(truth)) == 0


def test_the_printed_norm_is_never_kinder() -> None:
    """A root of a ratio below one is larger, so the printed reading is the lower one."""
    assert order_similarity(DOG, FOX, squared=False) < order_similarity(DOG, FOX)
    assert order_similarity(DOG, DOG, squared=False) == 1.0
