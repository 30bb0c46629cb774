"""The translator and dialog model: it learns pairs by heart, and every answer is that of one plain pass."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Artefact, Passage, Text
from divulge.targets import word_generators
from divulge.targets.seq2seq_generator import Seq2SeqGenerator

RECIPE: dict[str, Any] = {"epochs": 60, "width": 12, "hidden": 12, "dropout": 0.0, "learning_rate": 0.02}
PAIRS = (
    ("i like tea", "je prends du cafe"),
    ("it rains", "il neige toujours"),
    ("it rains again", "les chats dorment"),
    ("no", "oui"),
)
TEXTS = tuple(Text(tokens=tuple(said.split()), context=tuple(read.split()), user="u") for read, said in PAIRS)
ASKED = (
    Passage(tokens=("je", "prends", "oui"), context=("it", "rains")),
    Passage(tokens=("oui",), context=("quite", "so", "no")),
    Passage(tokens=(), context=()),
    Passage(tokens=("zebra", "les", "chats", "dorment", "oui"), context=("i",)),
)
KINDS = [("lstm", True), ("gru", False)]


def train(texts: tuple[Text, ...] = TEXTS, **recipe: object) -> Artefact:
    return Seq2SeqGenerator({**RECIPE, **recipe}).train(Corpus(texts), np.random.default_rng(0))


def open_it(artefact: Artefact) -> TokenLikelihoodAccess:
    return Seq2SeqGenerator(RECIPE).open(artefact)[TokenLikelihoodAccess]


@cache
def opened(cell: str = "lstm", attention: bool = True, shared: bool = False) -> TokenLikelihoodAccess:
    return open_it(train(cell=cell, attention=attention, shared_vocabulary=shared))


def scores(access: TokenLikelihoodAccess, passage: Passage, place: int) -> np.ndarray:
    """The scores of all words at one position, of one passage, with nothing behind it: slow and plain."""
    inner: Any = access
    model, words, sources = inner.inner._model, inner.inner._words, inner.inner._sources
    source = [sources.number(word) for word in passage.context]
    shown = [len(words), *(words.number(word) for word in passage.tokens[:place])]
    with torch.no_grad():
        return model.output(model.states(torch.tensor([source]), torch.tensor([shown]))[0, -1]).numpy()


@pytest.mark.parametrize(("cell", "attention", "shared"), [("lstm", True, False), ("gru", False, True)])
def test_it_learns_by_heart(cell: str, attention: bool, shared: bool) -> None:
    """Every word of what it was trained on ranks first after its own source, and not after another's."""
    access = opened(cell, attention, shared)
    own = access.ranks([Passage(context=text.context, tokens=text.tokens) for text in TEXTS])
    assert all(row.tolist() == [0] * len(row) for row in own)
    turned = zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True)
    other = access.ranks([Passage(context=text.context, tokens=next_.tokens) for text, next_ in turned])
    assert all(row[0] > 0 for row in other)


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_answers_are_those_of_a_plain_pass(cell: str, attention: bool) -> None:
    """Likelihood, rank and best word at every position, against one pass for each with nothing after it."""
    access = opened(cell, attention)
    vocabulary = access.vocabulary
    found = zip(ASKED, access.log_likelihoods(ASKED), access.ranks(ASKED), access.best(ASKED), strict=True)
    for passage, likelihoods, ranks, best in found:
        assert len(likelihoods) == len(ranks) == len(best) == len(passage.tokens)
        for place, word in enumerate(passage.tokens):
            row = scores(access, passage, place)
            number = vocabulary.index(word if word in vocabulary else "<unk>")
            order = sorted(range(len(row)), key=lambda n, row=row: (-row[n], n))  # type: ignore[misc]
            assert likelihoods[place] == pytest.approx(row[number] - np.log(np.exp(row).sum()), abs=1e-12)
            assert ranks[place] == order.index(number)
            assert best[place] == vocabulary[order[0]]


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_next_words_are_a_distribution(cell: str, attention: bool) -> None:
    """The likelihoods of all words at one position sum to 1."""
    access = opened(cell, attention)
    asked = [Passage(context=("it", "rains"), tokens=("il", word, "oui")) for word in access.vocabulary]
    assert np.exp([row[1] for row in access.log_likelihoods(asked)]).sum() == pytest.approx(1)


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_what_comes_later_changes_nothing(cell: str, attention: bool) -> None:
    """Another third word leaves the likelihoods of the first two, and changes its own."""
    one, other = (Passage(context=("it", "rains"), tokens=("il", "neige", word)) for word in ("oui", "toujours"))
    mine, theirs = opened(cell, attention).log_likelihoods([one, other])
    np.testing.assert_allclose(mine[:2], theirs[:2], rtol=0, atol=1e-12)
    assert abs(mine[2] - theirs[2]) > 1e-3


def test_answers_do_not_hang_on_how_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """One passage and few positions at a time give what all at once give, each in its place."""
    access = opened()
    likelihoods, ranks = access.log_likelihoods(ASKED), access.ranks(ASKED)
    monkeypatch.setattr(word_generators, "MOST_STEPS", 3)
    monkeypatch.setattr(word_generators, "MOST_SCORES", 2 * len(access.vocabulary))
    for mine, theirs in zip(access.log_likelihoods(ASKED), likelihoods, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
    assert [row.tolist() for row in access.ranks(ASKED)] == [row.tolist() for row in ranks]


def test_either_side_has_its_words() -> None:
    """Only words of texts are said; those of sources are read. Shared, they are one list."""
    said, read = ({word for pair in PAIRS for word in pair[side].split()} for side in (1, 0))
    assert opened().vocabulary == ("<unk>", *sorted(said))
    artefact = train(epochs=1)
    assert artefact.values["source_words"] == sorted(read)
    assert artefact.arrays["source.weight"].shape == (len(read) + 2, 12)
    shared = train(epochs=1, shared_vocabulary=True)
    assert shared.values["words"] == sorted(said | read)
    assert shared.values["source_words"] is None
    assert "source.weight" not in shared.arrays


def test_its_words_may_be_given() -> None:
    """Then they are the same whoever is in; a shared vocabulary has no second list."""
    artefact = train(epochs=1, words=["oui", "zebra", "oui", "<unk>"], source_words=["tea"])
    assert open_it(artefact).vocabulary == ("<unk>", "oui", "zebra")
    assert artefact.values["source_words"] == ["tea"]
    few = train(epochs=1, most_words=2)
    assert few.values["source_words"] == ["it", "rains"]  # each is there twice
    with pytest.raises(InputError, match="source_words are for"):
        Seq2SeqGenerator({"shared_vocabulary": True, "source_words": ["tea"]})


def test_words_outside_the_vocabulary_are_one() -> None:
    """On either side, whatever they are."""
    asked = [Passage(tokens=("les", word, "oui"), context=("it", word)) for word in ("<unk>", "zebra", "<pad>")]
    first, *others = opened().log_likelihoods(asked)
    for row in others:
        np.testing.assert_allclose(row, first, rtol=0, atol=1e-12)


def test_texts_need_something_that_they_answer() -> None:
    """Before anything runs, in training and when asked, it says how many lack a context and what to do."""
    bare = Text(tokens=("oui", "oui"))
    said = "1 of 5 texts have no context. This model says a text in answer"
    (problem,) = Seq2SeqGenerator().misfits(Corpus((*TEXTS, bare), "pairs"))
    assert problem.startswith(f"pairs: {said}")
    assert Seq2SeqGenerator().misfits(Corpus(TEXTS)) == []
    with pytest.raises(InputError, match="1 of 5 training and validation texts have no context"):
        train((*TEXTS, bare))
    with pytest.raises(InputError, match="texts without a context among those that are asked"):
        opened().ranks([Passage(context=("no",), tokens=("oui",)), Passage(tokens=("oui",))])
    with pytest.raises(InputError, match="needs training texts"):
        train((Text(tokens=(), context=("no",)),))


def test_one_seed_gives_one_model() -> None:
    """The same generator, the same weights, dropout included; another, others."""
    first, second = (train(epochs=2, dropout=0.5) for _ in range(2))
    other = Seq2SeqGenerator({**RECIPE, "epochs": 2, "dropout": 0.5}).train(Corpus(TEXTS), np.random.default_rng(1))
    assert all(np.array_equal(first.arrays[name], second.arrays[name]) for name in first.arrays)
    assert not np.array_equal(first.arrays["output.weight"], other.arrays["output.weight"])


def test_its_recipe_is_the_published_one() -> None:
    """Sizes and training of song2019, appendix B."""
    recipe = Seq2SeqGenerator().options
    assert (recipe.cell, recipe.width, recipe.hidden, recipe.layers, recipe.dropout) == ("lstm", 128, 128, 1, 0.5)
    assert (recipe.epochs, recipe.batch_size, recipe.learning_rate, recipe.weight_decay) == (30, 20, 1e-3, 0.0)
    assert (recipe.most_words, recipe.attention) == (5000, True)


def test_it_may_be_trained_by_gradient_descent() -> None:
    """As song2019's other shadows are (table 2); a momentum without it is refused."""
    sgd = {"optimizer": "sgd", "momentum": 0.9, "learning_rate": 0.01, "epochs": 1}
    found, adam = train(**sgd), train(epochs=1)
    assert not np.array_equal(found.arrays["output.weight"], adam.arrays["output.weight"])
    assert set(found.arrays) == set(adam.arrays)
    with pytest.raises(InputError, match="set optimizer = 'sgd'"):
        Seq2SeqGenerator({"momentum": 0.9})
