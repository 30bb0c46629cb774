"""A mapping that is fitted on rows and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.adapters import WIDTH, Labels, Oracle, Rows, sentences

from divulge.data.corpus import Corpus
from divulge.defences.privacy_mapping import PrivacyMapping
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact, Text

TEXTS = tuple(sentences(30))
TOKENS = [text.tokens for text in TEXTS]
QUICK = {"rounds": 2, "hidden": 8}


class Pooled(Rows):
    """Rows of one vector each."""

    def _rows(self, numbers: Any) -> Any:
        return [row.mean(axis=0) for row in super()._rows(numbers)]


def fitted(
    rows: Rows | None = None, texts: Sequence[Text] = TEXTS, seed: int = 0, **options: Any
) -> tuple[PrivacyMapping, Artefact]:
    defence = PrivacyMapping({**QUICK, **options})
    grant = Grant([Rows(TEXTS) if rows is None else rows, Oracle()])
    return defence, defence.fit(Corpus(tuple(texts)), grant, np.random.default_rng(seed))


def test_vectors_are_moved_as_the_network_says() -> None:
    """By s f(z / s), worked here with torch; s is the size of the rows' numbers."""
    import torch

    defence, artefact = fitted()
    size = artefact.values["size"]
    assert size == pytest.approx(np.sqrt(np.mean(np.concatenate(Oracle().embed(TOKENS)) ** 2)))
    first, second = torch.nn.Linear(WIDTH, 8).double(), torch.nn.Linear(8, WIDTH).double()
    names = ("first", "first_bias", "second", "second_bias")
    weights = (first.weight, first.bias, second.weight, second.bias)
    for weight, name in zip(weights, names, strict=True):
        weight.data = torch.from_numpy(np.asarray(artefact.arrays[name], dtype=np.float64))
    shown: Any = defence.on_access(Oracle(), artefact)
    clear = torch.from_numpy(Oracle().embed([TOKENS[4]])[0])
    expected = clear + size * second(torch.relu(first(clear / size)))
    assert np.allclose(shown.embed([TOKENS[4]])[0], expected.detach().numpy())


def test_rows_and_encoder_are_moved_alike() -> None:
    """The handshake compares them as before, and still finds permuted rows."""

    class Permuted(Rows):
        def _rows(self, numbers: Any) -> Any:
            return super()._rows([(number + 1) % self.count for number in numbers])

    defence, artefact = fitted()
    oracle: Any = defence.on_access(Oracle(), artefact)
    sample = OwnerSample(texts=TEXTS, row_texts=dict(enumerate(TOKENS)), oracle=oracle)
    assert [check.passed for check in defence.on_access(Rows(TEXTS), artefact).handshake(sample)] == [True]
    assert [check.passed for check in defence.on_access(Permuted(TEXTS), artefact).handshake(sample)] == [False]
    assert not np.allclose(oracle.embed(TOKENS[:1])[0], Oracle().embed(TOKENS[:1])[0])


def test_tokens_are_classes_and_rare_ones_are_keywords_or_not() -> None:
    """Of a text "b a a c k" with the keyword k: a is 0, b is 1 (equally rare ones by name), others 2, keywords 3."""
    texts = [Text(tokens=("b", "a", "a", "c", "k"), keywords=("k",)), Text(tokens=("b",))]
    defence = PrivacyMapping({"classes": 2})
    vectors, named, classes = defence._material(Rows(texts).rows([0, 1]), texts)
    assert named.tolist() == [[1], [0], [0], [2], [3], [1]]
    assert classes == 4
    assert np.array_equal(vectors, np.concatenate(Oracle().embed([text.tokens for text in texts])))
    _, pooled, _ = defence._material(Pooled(texts).rows([0, 1]), texts)
    assert pooled.tolist() == [[1, 0, 0, 2, 3], [1, -1, -1, -1, -1]]


def test_rows_that_hold_less_than_their_text_are_taken_as_they_are() -> None:
    """An encoder may read the first tokens only, and an empty text has no vector."""
    texts = [Text(tokens=("a", "b", "c")), Text(tokens=())]
    rows = [np.ones((2, 4)), np.ones((0, 4))]
    _, named, _ = PrivacyMapping()._material(rows, texts)
    assert named.tolist() == [[0], [1]]


def test_pooled_rows_are_moved_too() -> None:
    """Fitted on one vector a text."""
    defence, artefact = fitted(Pooled(TEXTS))
    shown: Any = defence.on_access(Pooled(TEXTS), artefact)
    assert shown.rows([3])[0].shape == (WIDTH,)
    assert not np.allclose(shown.rows([3])[0], Pooled(TEXTS).rows([3])[0])


def test_the_texts_behind_rows_are_the_training_texts_where_only_those_leaked() -> None:
    """As many rows as training texts, other texts in front: fitted as on the training texts alone."""
    others = tuple(Text(tokens=("x", "y"), split="test") for _ in range(5))
    _, alone = fitted()
    _, among = fitted(texts=(*others, *TEXTS))
    assert np.array_equal(alone.arrays["second"], among.arrays["second"])
    _, untold = fitted(texts=tuple(Text(tokens=text.tokens, split="test") for text in TEXTS))
    assert np.array_equal(alone.arrays["second"], untold.arrays["second"])
    _, shuffled = fitted(texts=TEXTS[::-1])
    assert not np.array_equal(alone.arrays["second"], shuffled.arrays["second"])


def test_the_mapping_is_drawn_and_no_key() -> None:
    """Another draw is another mapping; who knows the defence has the network, as a deployed one is no secret."""
    assert np.array_equal(fitted(seed=1)[1].arrays["first"], fitted(seed=1)[1].arrays["first"])
    assert not np.allclose(fitted(seed=1)[1].arrays["first"], fitted(seed=2)[1].arrays["first"])
    assert not PrivacyMapping.keeps_secret


def test_without_strength_nothing_is_fitted_and_nothing_changes() -> None:
    """The access itself comes back; so does one without vectors."""
    defence, artefact = fitted(strength=0.0)
    rows, labels = Rows(TEXTS), Labels()
    assert artefact == Artefact()
    assert defence.on_access(rows, artefact) is rows
    assert fitted()[0].on_access(labels, fitted()[1]) is labels
    with pytest.raises(InputError, match="'strength'"):
        PrivacyMapping({"strength": -1.0})


@pytest.mark.parametrize(
    ("accesses", "texts"), [([Oracle()], TEXTS), ([Rows([])], ()), ([Rows(TEXTS)], ())], ids=["access", "rows", "texts"]
)
def test_it_needs_rows_and_their_texts(accesses: list[Any], texts: tuple[Text, ...]) -> None:
    """There is nothing to learn from without either."""
    with pytest.raises(InputError, match="privacy-mapping .*leaked rows"):
        PrivacyMapping(QUICK).fit(Corpus(texts), Grant(accesses), np.random.default_rng(0))
