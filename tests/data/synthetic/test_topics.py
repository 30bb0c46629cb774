"""Synthetic topics: a topic is a mixture, not a keyword."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest

from divulge.data.corpus import Corpus
from divulge.data.synthetic.lexicon import FIELDS
from divulge.data.synthetic.topics import TOPICS, SyntheticTopics
from divulge.errors import InputError


@cache
def corpus_of(topics: int) -> Corpus:
    """A corpus of so many topics."""
    return SyntheticTopics({"topics": topics}).load()


def test_topics_are_made_of_fields() -> None:
    """Each topic mixes at least three known fields, and no two topics are the same mixture."""
    assert all(len(mixture) >= 3 and set(mixture) <= set(FIELDS) for mixture in TOPICS.values())
    assert len({tuple(sorted(mixture.items())) for mixture in TOPICS.values()}) == len(TOPICS) == 20


def test_lengths_and_variety() -> None:
    """Texts have 12 to 25 words, the corpus more than 600 of them, no text occurs twice."""
    corpus = corpus_of(10)
    assert {len(text.tokens) for text in corpus} == set(range(12, 26))
    assert len({token for text in corpus for token in text.tokens}) > 600
    assert len({text.tokens for text in corpus}) == len(corpus)


@pytest.mark.parametrize("topics", [8, 10, 20])
def test_no_word_gives_its_topic_away(topics: int) -> None:
    """Of the texts with a word seen thirty times, less than 85 % are of one topic; for half the words, half."""
    by_word: dict[str, Counter[str | None]] = defaultdict(Counter)
    for text in corpus_of(topics):
        for token in set(text.tokens):
            by_word[token][text.label] += 1
    purity = sorted(max(c.values()) / c.total() for c in by_word.values() if c.total() >= 30)
    assert purity[-1] < 0.85
    assert purity[len(purity) // 2] < 0.5


@pytest.mark.parametrize("topics", [8, 20])
def test_a_bag_of_words_generalises_but_not_perfectly(topics: int) -> None:
    """Logistic regression on counts is far above chance and far from perfect: measured 0.77 and 0.64."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    corpus = corpus_of(topics)
    train, test = corpus.split("train"), corpus.split("test")
    counts = CountVectorizer(analyzer=lambda tokens: tokens)
    model = LogisticRegression(max_iter=300)
    model.fit(counts.fit_transform([text.tokens for text in train]), [text.label for text in train])
    accuracy = model.score(counts.transform([text.tokens for text in test]), [text.label for text in test])
    assert 4 / topics < accuracy < 0.9


def test_the_number_of_topics_is_an_option() -> None:
    """Two to twenty topics, each with its label, drawn alike."""
    counts = Counter(text.label for text in corpus_of(20))
    assert set(counts) == set(TOPICS)
    assert min(counts.values()) > 100  # 150 expected, standard deviation 12
    for wrong in (1, 21):
        with pytest.raises(InputError, match="'topics'"):
            SyntheticTopics({"topics": wrong})


def test_the_corpus_is_the_one_of_this_revision() -> None:
    """Whoever changes what a seed gives must raise the revision, and this value with it."""
    assert SyntheticTopics.revision == 1
    assert SyntheticTopics({"size": 40}).load().fingerprint[:16] == "df8fd725e31bdb75"
