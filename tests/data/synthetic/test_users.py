"""Synthetic users: habits of their own, drawn from one distribution."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.data.corpus import Corpus
from divulge.data.synthetic.users import SyntheticUsers
from divulge.records import FloatArray


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The default corpus."""
    return SyntheticUsers().load()


def bags(corpus: Corpus, users: list[list[int]]) -> FloatArray:
    """One row of inverse-frequency weighted word counts, of length one, for each list of places in the corpus."""
    words = {word: i for i, word in enumerate(sorted({token for text in corpus for token in text.tokens}))}
    counts = np.zeros((len(users), len(words)))
    for row, places in enumerate(users):
        for place in places:
            for token in corpus.texts[place].tokens:
                counts[row, words[token]] += 1
    counts *= np.log(len(users) / (1 + (counts > 0).sum(axis=0)))
    return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True))


def by_user(corpus: Corpus) -> dict[str, list[int]]:
    """The places of each user's texts."""
    return {user: [i for i, text in enumerate(corpus) if text.user == user] for user in corpus.users}


def recognised(corpus: Corpus, groups: list[list[int]]) -> float:
    """How many groups' odd texts are nearest to their own even texts."""
    likeness = bags(corpus, [group[::2] for group in groups]) @ bags(corpus, [group[1::2] for group in groups]).T
    return float(np.mean(likeness.argmax(axis=1) == np.arange(len(groups))))


def test_everybody_writes_as_much(corpus: Corpus) -> None:
    """Eighty users of 25 texts each, and a vocabulary of more than 900 words."""
    assert [len(places) for places in by_user(corpus).values()] == [25] * 80
    assert len({token for text in corpus for token in text.tokens}) > 900


def test_persons_are_recognised_by_their_habits(corpus: Corpus) -> None:
    """Half of a person's texts is nearest to the other half; texts dealt out at random are not (chance 1/80)."""
    assert recognised(corpus, list(by_user(corpus).values())) > 0.9
    dealt = np.random.default_rng(0).permutation(len(corpus)).reshape(80, 25)
    assert recognised(corpus, dealt.tolist()) < 0.1


def test_persons_have_favourites_of_a_common_language(corpus: Corpus) -> None:
    """A person uses a small part of all words, yet most words are used by several."""
    own = [{token for place in places for token in corpus.texts[place].tokens} for places in by_user(corpus).values()]
    everything = set().union(*own)
    assert np.mean([len(words) for words in own]) < len(everything) / 6
    shared = [word for word in everything if sum(word in words for words in own) >= 2]
    assert len(shared) > 0.75 * len(everything)


def test_persons_are_exchangeable() -> None:
    """Neither the number of words nor the length of texts grows or falls with a person's number."""
    corpus = SyntheticUsers({"users": 400, "texts": 5}).load()
    sizes = [
        (len({t for p in places for t in corpus.texts[p].tokens}), sum(len(corpus.texts[p].tokens) for p in places))
        for places in by_user(corpus).values()
    ]
    # For 400 persons chance correlations have a standard deviation of 0.05.
    for column in np.array(sizes, dtype=np.float64).T:
        assert abs(np.corrcoef(np.arange(400), column)[0, 1]) < 0.2


def test_a_person_does_not_depend_on_the_others() -> None:
    """More users add persons and change nobody's texts."""
    few, more = SyntheticUsers({"users": 12, "texts": 3}).load(), SyntheticUsers({"users": 15, "texts": 3}).load()
    assert more.texts[: len(few)] == few.texts
    assert len(more) == 45


def test_dialog_adds_what_was_answered(corpus: Corpus) -> None:
    """With `dialog` each text answers something that others say too; the texts themselves stay the same."""
    talk = SyntheticUsers({"dialog": True}).load()
    assert [text.tokens for text in talk] == [text.tokens for text in corpus]
    assert all(text.context for text in talk)
    assert not any(text.context for text in corpus)
    assert len({text.context for text in talk}) > 1500


def test_the_corpus_is_the_one_of_this_revision() -> None:
    """Whoever changes what a seed gives must raise the revision, and this value with it."""
    assert SyntheticUsers.revision == 1
    assert SyntheticUsers({"users": 5, "texts": 5, "dialog": True}).load().fingerprint[:16] == "e7ae09d07e30aa55"


def test_the_last_persons_may_be_held_out(corpus: Corpus) -> None:
    """Their texts are the same, in another split; whoever is before them stays in training."""
    parted = SyntheticUsers({"held_out": 30}).load()
    assert [text.tokens for text in parted] == [text.tokens for text in corpus]
    assert len(parted.split("test").users) == 30
    assert set(parted.split("train").users) == set(corpus.users[:50])
    assert corpus.splits == ("train",)
