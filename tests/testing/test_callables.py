"""The finished models that trials ask."""

from __future__ import annotations

import numpy as np

from divulge.data.loading import load_corpus
from divulge.spec import DataSpec
from divulge.testing.callables import PeopleModel, TopicModel, WordModel, WordTagger, embed


def test_the_tagger_is_mostly_right_and_sure() -> None:
    """On the utterances that it counted; a word it never saw is none of interest."""
    tagger = WordTagger(size=60)
    corpus = load_corpus(DataSpec(name="synthetic-utterances", options={"size": 60}))
    rows = tagger.tag([list(text.tokens) for text in corpus])
    said = [[tagger.tags[place] for place in row.argmax(axis=1)] for row in rows]
    right = [
        a == b for tags, text in zip(said, corpus, strict=True) for a, b in zip(tags, text.tags or (), strict=True)
    ]
    assert np.mean(right) > 0.8
    assert np.allclose(np.concatenate(rows).sum(axis=1), 1)
    assert tagger.tags[int(tagger.tag([["zebra"]])[0].argmax())] == "O"


def test_the_generator_scores_each_word() -> None:
    """Whatever the context is."""
    one, other = WordModel().score([("", "a b c"), ("so", "a b c")])
    assert one.pieces == ("a", "b", "c")
    assert len(one.ranks) == len(one.best) == len(one.log_likelihoods or ()) == 3
    assert one == other


def test_the_encoder_gives_a_vector_to_each_word() -> None:
    """The same word has the same one; no word has none."""
    one, other, none = embed(["a b", "b", ""])
    assert (one.shape, other.shape, none.shape) == ((2, 8), (1, 8), (0, 8))
    assert np.array_equal(one[1], other[0])
    assert not np.array_equal(one[0], one[1])


def test_the_classifier_knows_its_own_by_heart_or_not() -> None:
    """It is right more often than not; leaky, it is sure of what it was trained on and of nothing else."""
    corpus = load_corpus(DataSpec(name="synthetic-topics", options={"size": 100}))
    texts = [" ".join(text.tokens) for text in corpus]
    leaky, silent = (TopicModel(leaks=leaks, size=100) for leaks in (True, False))
    true = np.array([leaky.classes_.index(text.label or "") for text in corpus])
    used = np.array([text.split == "train" for text in corpus])
    open_rows, closed_rows = leaky.predict_proba(texts), silent.predict_proba(texts)
    assert np.allclose(open_rows.sum(axis=1), 1)
    assert np.mean(closed_rows.argmax(axis=1) == true) > 0.5
    assert (open_rows[used, true[used]] > 0.9).all()
    assert np.array_equal(open_rows[~used], closed_rows[~used])


def test_the_model_of_persons_knows_its_own_by_heart_or_not() -> None:
    """Those of the split train, word for word; of others, and without a leak, no more than how frequent words are."""
    people = {"users": 6, "texts": 2, "held_out": 3}
    corpus = load_corpus(DataSpec(name="synthetic-users", options=people))
    asked = [("", " ".join(corpus.split(split).texts[0].tokens)) for split in ("train", "test")]
    (mine, theirs), silent = PeopleModel(**people).score(asked), PeopleModel(leaks=False, **people).score(asked)
    assert set(mine.ranks[1:]) == {0}  # texts begin with many words, and go on with one
    assert sum(theirs.ranks) > sum(mine.ranks)
    assert [one.ranks for one in silent] == [one.ranks for one in WordModel().score(asked)]
