"""The next-word model: it learns its users' words by heart, and every answer is that of one plain pass."""

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
from divulge.targets.text_generator import TextGenerator, _apart, _network
from divulge.targets.words import Words

RECIPE: dict[str, Any] = {"epochs": 60, "width": 12, "hidden": 12, "dropout": 0.0, "learning_rate": 0.02}
TEXTS = (
    Text(tokens=("i", "like", "tea", "and", "rain"), user="u"),
    Text(tokens=("we", "hate", "tea"), user="v"),
    Text(tokens=("yes",), user="v", context=("is", "it", "true")),
    Text(tokens=("no", "never"), user="v", context=("is", "it", "false")),
)
ASKED = (
    Passage(tokens=("i", "like", "rain")),
    Passage(tokens=("we",)),
    Passage(tokens=("no", "zebra", "tea", "never"), context=("is", "it", "quite", "true")),
    Passage(tokens=()),
    Passage(tokens=("zebra", "i"), context=("is",)),
)


def train(texts: tuple[Text, ...] = TEXTS, **recipe: object) -> Artefact:
    return TextGenerator({**RECIPE, **recipe}).train(Corpus(texts), np.random.default_rng(0))


@cache
def opened(cell: str = "lstm") -> TokenLikelihoodAccess:
    return TextGenerator(RECIPE).open(train(cell=cell))[TokenLikelihoodAccess]


def scores(access: TokenLikelihoodAccess, passage: Passage, place: int) -> np.ndarray:
    """The scores of all words at one position, from a pass over nothing but what stands before it: slow and plain."""
    inner: Any = access
    model, words = inner.inner._model, inner.inner._words
    before = [words.number(word) for word in passage.context]
    shown = [*before, len(words), *(words.number(word) for word in passage.tokens[:place])]
    with torch.no_grad():
        return model.output(model.states(torch.tensor([shown]))[0, -1]).numpy()


@pytest.mark.parametrize("cell", ["lstm", "gru", "transformer"])
def test_it_learns_by_heart(cell: str) -> None:
    """Each next word of what it was trained on ranks first, once it is clear which text it is; a new text's do not."""
    known, new = opened(cell).ranks([Passage(tokens=tokens) for tokens in (TEXTS[0].tokens, TEXTS[0].tokens[::-1])])
    assert known[1:].tolist() == [0, 0, 0, 0]
    assert new.mean() > 3


def test_it_answers_what_was_asked() -> None:
    """After one question the one answer, after the other the other: the context is read, and is not scored."""
    access = opened()
    true, false = (Passage(tokens=("yes",), context=("is", "it", word)) for word in ("true", "false"))
    assert access.best([true, false]) == [("yes",), ("no",)]
    assert [len(row) for row in access.ranks(ASKED)] == [3, 1, 4, 0, 2]


@pytest.mark.parametrize("cell", ["lstm", "gru", "transformer"])
def test_answers_are_those_of_a_plain_pass(cell: str) -> None:
    """Likelihood, rank and best word at every position, against one pass for each with nothing after it."""
    access = opened(cell)
    vocabulary = access.vocabulary
    found = zip(ASKED, access.log_likelihoods(ASKED), access.ranks(ASKED), access.best(ASKED), strict=True)
    for passage, likelihoods, ranks, best in found:
        for place, word in enumerate(passage.tokens):
            row = scores(access, passage, place)
            number = vocabulary.index(word if word in vocabulary else "<unk>")
            order = sorted(range(len(row)), key=lambda n, row=row: (-row[n], n))  # type: ignore[misc]
            assert likelihoods[place] == pytest.approx(row[number] - np.log(np.exp(row).sum()), abs=1e-12)
            assert ranks[place] == order.index(number)
            assert best[place] == vocabulary[order[0]]


def test_answers_do_not_hang_on_how_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few passages and few positions at a time give what all at once give, each in its place."""
    access = opened()
    likelihoods, ranks, best = access.log_likelihoods(ASKED), access.ranks(ASKED), access.best(ASKED)
    monkeypatch.setattr(word_generators, "AT_ONCE", 2)
    monkeypatch.setattr(word_generators, "MOST_SCORES", 3 * len(access.vocabulary) - 1)
    for mine, theirs in zip(access.log_likelihoods(ASKED), likelihoods, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
    assert [row.tolist() for row in access.ranks(ASKED)] == [row.tolist() for row in ranks]
    assert access.best(ASKED) == best
    assert access.ranks([]) == []


def test_a_transformer_has_heads_that_share_its_width() -> None:
    """Heads that do not divide the width are refused, with both; other cells have none, and keep none."""
    with pytest.raises(InputError, match="width must be a multiple of heads. Got 12 and 5"):
        TextGenerator({**RECIPE, "cell": "transformer", "heads": 5})
    assert "heads" not in train(epochs=1, heads=5).values["sizes"]
    assert train(epochs=1, cell="transformer", heads=3).values["sizes"]["heads"] == 3


def test_ties_go_by_number() -> None:
    """Where all words are equally likely, a word's rank is its place in the vocabulary, and the first is the best."""
    artefact = train(epochs=1)
    still = {n: np.zeros_like(array) if n.startswith("output") else array for n, array in artefact.arrays.items()}
    access = TextGenerator(RECIPE).open(Artefact(values=artefact.values, arrays=still))[TokenLikelihoodAccess]
    every = [Passage(tokens=(word,)) for word in access.vocabulary]
    assert [int(row[0]) for row in access.ranks(every)] == list(range(len(every)))
    assert access.best(every[-1:]) == [("<unk>",)]
    assert access.log_likelihoods(every[-1:])[0].tolist() == pytest.approx([-np.log(len(every))])


def test_words_outside_the_vocabulary_are_one() -> None:
    """They rank where the unknown word does, whatever they are, and after them it goes on in one way."""
    access = opened()
    asked = [Passage(tokens=("i", word, "tea"), context=(word,)) for word in ("<unk>", "zebra", "quagga", "<pad>")]
    first, *others = access.log_likelihoods(asked)
    assert all(np.array_equal(first, row) for row in others)
    first, *others = access.ranks(asked)
    assert all(np.array_equal(first, row) for row in others)


def test_its_vocabulary_is_that_of_the_training_split() -> None:
    """The most frequent words of texts and what they answer; marks for unknown words in the data are just that."""
    texts = (*TEXTS, Text(tokens=("<unk>", "tea", "<pad>")), Text(tokens=("keel",), split="test"))
    assert opened().vocabulary[0] == "<unk>"
    vocabulary = TextGenerator(RECIPE).open(train(texts, epochs=1))[TokenLikelihoodAccess].vocabulary
    told = {word for text in TEXTS for word in (*text.context, *text.tokens)}
    assert vocabulary == ("<unk>", *sorted(told))
    few = TextGenerator(RECIPE).open(train(TEXTS, epochs=1, most_words=3))[TokenLikelihoodAccess]
    assert few.vocabulary == ("<unk>", "is", "it", "tea")  # each is there twice
    assert few.output_limit == 4


def test_its_vocabulary_may_be_given() -> None:
    """Then it is the same whoever is in: sorted, each word once, and nothing of the training texts besides."""
    given = {"words": ["tea", "zebra", "tea", "<unk>"], "epochs": 1}
    for texts in (TEXTS, TEXTS[1:2]):
        access = TextGenerator(RECIPE).open(train(texts, **given))[TokenLikelihoodAccess]
        assert access.vocabulary == ("<unk>", "tea", "zebra")


def test_its_loss_is_a_mean_over_words() -> None:
    """The validation loss is what the words of those texts cost on average, whatever the texts' lengths."""
    held = (Text(tokens=("i", "hate", "rain", "and", "zebra"), split="valid"), Text(tokens=("tea",), split="valid"))
    artefact = train((*TEXTS, *held), epochs=2, patience=2)
    access = TextGenerator(RECIPE).open(artefact)[TokenLikelihoodAccess]
    rows = access.log_likelihoods([Passage(tokens=text.tokens) for text in held])
    assert artefact.values["training"]["valid_loss"][-1] == pytest.approx(-np.concatenate(rows).mean(), rel=1e-5)


def test_its_recipe_is_the_published_one() -> None:
    """Sizes and training of song2019, appendix B."""
    recipe = TextGenerator().options
    assert (recipe.cell, recipe.width, recipe.hidden, recipe.layers, recipe.dropout) == ("lstm", 128, 128, 1, 0.5)
    assert (recipe.epochs, recipe.batch_size, recipe.learning_rate, recipe.weight_decay) == (30, 35, 1e-3, 0.0)
    assert recipe.most_words == 5000


def test_texts_of_no_words_are_nothing_to_learn_from() -> None:
    """They are left out; where there are no others, it says so."""
    empty = Text(tokens=(), context=("is", "it"))
    plain, with_empty = train(epochs=1), train((*TEXTS, empty), epochs=1)
    assert plain.values == with_empty.values
    with pytest.raises(InputError, match="needs training texts"):
        train((empty, Text(tokens=("keel",), split="test")))


FEDERATED: dict[str, Any] = {"rounds": 25, "user_rate": 0.5, "user_clip": 2.0, "local_rate": 1.0, "local_epochs": 3}


def people() -> tuple[Text, ...]:
    """Eight users with three texts each, in words that all of them use, and eight who are held out."""
    rng = np.random.default_rng(0)
    drawn = rng.choice(list("abcdefghijkl"), size=(16, 3, 6))
    return tuple(
        Text(tokens=tuple(map(str, tokens)), user=f"u{user:02}", split="train" if user < 8 else "test")
        for user, own in enumerate(drawn)
        for tokens in own
    )


def told_apart(noise: float) -> float:
    """How often a text of its users is likelier than another's; 0.5 is chance, with 24 of each give or take 0.08."""
    recipe = {"words": list("abcdefghijkl"), "federated": {**FEDERATED, "user_noise": noise}}
    access = TextGenerator({**RECIPE, **recipe}).open(train(people(), **recipe))[TokenLikelihoodAccess]
    found = np.array([row.mean() for row in access.log_likelihoods([Passage(tokens=t.tokens) for t in people()])])
    return float((found[:24, None] > found[None, 24:]).mean())


def test_noise_hides_who_was_trained_on() -> None:
    """Federated averaging alone learns its users by heart; with noise there is nothing to tell them from others."""
    assert told_apart(0.0) > 0.9
    assert abs(told_apart(4.0) - 0.5) < 0.2


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_federated_training_tells_the_epsilon_of_a_user_where_there_is_one(noise: float) -> None:
    """With noise it is private, and says of how many users; without it is neither."""
    recipe = {"words": ["tea", "rain"], "federated": {"rounds": 2, "user_rate": 0.5, "user_noise": noise}}
    told: Any = train(**recipe).values["training"]
    assert TextGenerator(recipe).is_private == ("privacy" in told) == bool(noise)
    assert not TextGenerator().is_private
    assert len(told["train_loss"]) == 2
    if noise:
        assert (told["privacy"]["users"], told["privacy"]["texts"]) == (2, 4)


def test_nobodys_loss_depends_on_what_others_wrote() -> None:
    """A user's update would, and more than the clip allows could come of one person: long texts beside, or none."""
    long = Text(tokens=("tea",) * 30, user="a")
    alone, beside = (_apart(Corpus(texts), Words(["tea", "rain"])) for texts in (TEXTS, (long, *TEXTS)))
    assert (len(alone), len(beside)) == (2, 3)
    model = _network(["tea", "rain"], {"cell": "lstm", "width": 3, "hidden": 3, "layers": 1, "dropout": 0.0})
    for mine, same in zip(alone, beside[1:], strict=True):
        every = np.arange(len(mine.lengths))
        assert torch.equal(mine.losses(model, every), same.losses(model, every))


def test_texts_of_nobody_have_no_place_in_federated_training() -> None:
    """It says how many, before anything runs and in training; texts that are not trained on may be anybody's."""
    recipe = {"words": ["tea"], "federated": {"rounds": 1}}
    nobodys = (*TEXTS, Text(tokens=("tea",)), Text(tokens=()), Text(tokens=("rain",), split="test"))
    (said,) = TextGenerator(recipe).misfits(Corpus(nobodys))
    assert "1 of 5 training texts have no user" in said
    assert (
        TextGenerator(recipe).misfits(Corpus((*TEXTS, *nobodys[-2:]))) == TextGenerator().misfits(Corpus(nobodys)) == []
    )
    with pytest.raises(InputError, match="1 of 5 training texts have no user"):
        train(nobodys, **recipe)


def test_users_words_do_not_go_with_their_privacy() -> None:
    """Neither a vocabulary of their own, nor a public one that nobody has put in yet, nor early stopping."""
    federated = {"rounds": 1}
    with pytest.raises(InputError, match="patience = null.*give `words` of public text"):
        TextGenerator({"federated": federated, "patience": 2})
    named = {"federated": federated, "words_from": "wikitext"}
    assert TextGenerator(named).is_private
    with pytest.raises(InputError, match="trained without, give `words`"):
        train(**named)
    assert train(federated={"rounds": 1, "user_rate": 1.0, "user_noise": 0.0}).values["words"]


def test_it_may_be_trained_by_gradient_descent() -> None:
    """As song2019's other shadows are (table 2); a momentum without it is refused."""
    sgd = {"optimizer": "sgd", "momentum": 0.9, "learning_rate": 0.01, "epochs": 1}
    found, adam = train(**sgd), train(epochs=1)
    assert not np.array_equal(found.arrays["output.weight"], adam.arrays["output.weight"])
    with pytest.raises(InputError, match="set optimizer = 'sgd'"):
        TextGenerator({"momentum": 0.9})
