"""Synthetic sentences: entities in sentences of several trades."""

from __future__ import annotations

from collections import Counter

import pytest

from divulge.data.corpus import Corpus
from divulge.data.synthetic.sentences import SyntheticSentences
from divulge.errors import InputError


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The default corpus."""
    return SyntheticSentences().load()


def test_keywords_stand_in_their_sentence(corpus: Corpus) -> None:
    """Every sentence has one to three entities, each word for word in it and named once."""
    for text in corpus:
        assert 1 <= len(text.keywords) <= 3
        assert len(set(text.keywords)) == len(text.keywords)
        for keyword in text.keywords:
            assert f" {keyword} " in f" {' '.join(text.tokens)} "


def test_some_keywords_have_two_words(corpus: Corpus) -> None:
    """About a tenth, as with real names of places and firms."""
    sizes = Counter(len(keyword.split()) for text in corpus for keyword in text.keywords)
    assert set(sizes) == {1, 2}
    assert 0.05 < sizes[2] / sizes.total() < 0.2


def test_private_sentences_are_new_but_their_entities_mostly_known(corpus: Corpus) -> None:
    """No test sentence is in train; most of its entities are, and some are not."""
    train, test = corpus.split("train"), corpus.split("test")
    assert (len(train), len(test)) == (2400, 600)
    assert not {text.tokens for text in train} & {text.tokens for text in test}
    known = {keyword for text in train for keyword in text.keywords}
    asked = [keyword for text in test for keyword in text.keywords]
    assert 0.8 < sum(keyword in known for keyword in asked) / len(asked) < 0.99


def test_there_is_variety(corpus: Corpus) -> None:
    """More than 700 words and 500 entities, the commonest entity in less than 5 % of sentences."""
    assert len({token for text in corpus for token in text.tokens}) > 700
    entities = Counter(keyword for text in corpus for keyword in text.keywords)
    assert len(entities) > 500
    assert entities.most_common(1)[0][1] < 150


def test_domains_are_an_option(corpus: Corpus) -> None:
    """All four trades by default, or only those asked for, in whatever order."""
    assert corpus.labels == ("clinic", "court", "flights", "parcels")
    two = SyntheticSentences({"size": 50, "domains": ["parcels", "court"]}).load()
    assert two.labels == ("court", "parcels")
    assert SyntheticSentences({"size": 50, "domains": ["court", "parcels"]}).load() == two
    for wrong in ([], ["clinics"]):
        with pytest.raises(InputError, match="domains"):
            SyntheticSentences({"domains": wrong})


def test_the_corpus_is_the_one_of_this_revision() -> None:
    """Whoever changes what a seed gives must raise the revision, and this value with it."""
    assert SyntheticSentences.revision == 1
    assert SyntheticSentences({"size": 40}).load().fingerprint[:16] == "a1e365f5ca4f994c"
