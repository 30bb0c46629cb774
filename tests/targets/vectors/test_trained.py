"""fastText vectors trained on the texts."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.vectors import trained
from divulge.targets.vectors.subwords import Subwords
from divulge.targets.vectors.trained import TrainedVectors, train_vectors

TEXTS = [["wake", "me", "at", "seven"], ["wake", "me", "at", "eight"], ["play", "naïve", "jazz"]] * 10
OUTSIDE = ["awakened", "jazzy", "çà", "a", "0"]
SCRIPT = """
import hashlib
from divulge.targets.vectors.trained import train_vectors
texts = [["wake", "me", "at", "seven"], ["wake", "me", "at", "eight"], ["play", "naïve", "jazz"]] * 10
found = train_vectors(texts, 8, 3)
print(hashlib.sha256(found.of(["seven", "jazzy"]).tobytes() + found.table.tobytes()).hexdigest(), *found.words)
"""

pytest.importorskip("gensim")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gensim's own models, as they are trained behind the scenes."""
    library = trained.fasttext_library("a test")
    made: list[Any] = []

    def watched(**settings: Any) -> Any:
        made.append(library.FastText(**settings))
        return made[-1]

    monkeypatch.setattr(trained, "fasttext_library", lambda _: SimpleNamespace(FastText=watched))
    return made


def test_every_word_has_the_vector_that_gensim_gives(model: list[Any]) -> None:
    """Those of the texts, and any other by its n-grams, to rounding."""
    vectors = train_vectors(TEXTS, 8, 3)
    (oracle,) = model
    words = [*sorted({word for text in TEXTS for word in text}), *OUTSIDE]
    expected = np.stack([oracle.wv.get_vector(word) for word in words])
    assert np.allclose(vectors.of(words), expected, rtol=1e-5, atol=1e-8)
    assert not any(word in oracle.wv.key_to_index for word in OUTSIDE)
    assert vectors.lacking(words) == []


def test_it_is_skip_gram_of_all_words_with_few_places(model: list[Any]) -> None:
    """A word that occurs once counts; the kept n-gram table has 5,000 rows."""
    vectors = train_vectors([*TEXTS, ["once"]], 8, 3)
    (oracle,) = model
    assert (oracle.sg, oracle.workers, oracle.wv.bucket) == (1, 1, 5000)
    assert "once" in vectors.words
    assert {name: array.shape for name, array in vectors.kept()[1].items()} == {
        "vectors.words": (9, 8),
        "vectors.ngrams": (5000, 8),
    }


def test_texts_and_seed_decide() -> None:
    """Another seed or another text gives other numbers; any seed will do."""
    first = train_vectors(TEXTS, 8, 3).of(["seven"])
    assert np.array_equal(train_vectors(TEXTS, 8, 3).of(["seven"]), first)
    assert not np.array_equal(train_vectors(TEXTS, 8, 4).of(["seven"]), first)
    assert not np.array_equal(train_vectors([*TEXTS, ["seven", "jazz"]], 8, 3).of(["seven"]), first)
    assert np.isfinite(train_vectors(TEXTS, 8, 2**62).of(["seven"])).all()


def test_another_process_trains_the_same() -> None:
    """Python's own hashes of words, which differ there, have no part in it."""
    here = train_vectors(TEXTS, 8, 3)
    surroundings = {**os.environ, "PYTHONHASHSEED": "4242"}
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=surroundings)
    sha256 = hashlib.sha256(here.of(["seven", "jazzy"]).tobytes() + here.table.tobytes()).hexdigest()
    assert ended.stdout.split() == [sha256, *here.words]


def test_words_that_stand_together_are_near_each_other() -> None:
    """Two words in the same place are nearer than two that never meet: vectors are trained, not left as drawn."""
    rng = np.random.default_rng(0)
    days, foods = ["monday", "friday", "sunday"], ["pizza", "curry", "lasagne"]
    texts = [["set", "alarm", "on", str(rng.choice(days))] for _ in range(300)]
    texts += [["order", "hot", "tasty", str(rng.choice(foods))] for _ in range(300)]
    found = train_vectors(texts, 16, 0).of(["pizza", "curry", "monday"])
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1


def test_the_empty_word_is_drawn() -> None:
    """It has no n-gram; its numbers are as spread as those of the others."""
    table = np.array([[1, 3], [3, 5]], dtype=np.float32)  # standard deviations 1 and 1
    vectors = TrainedVectors(["a", "b"], table * 1000, Subwords(np.ones((5, 2), dtype=np.float32), 3, 6), 0)
    assert vectors.lacking(["a", "", "c"]) == [""]
    drawn = vectors.of([""])[0]
    assert 10 < np.abs(drawn).max() < 5000


def test_no_texts_are_refused() -> None:
    """There is nothing to train on."""
    for texts in ([], [[], ()]):
        with pytest.raises(InputError, match="hold no words"):
            train_vectors(texts, 8, 0)


def test_without_gensim_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    with pytest.raises(InputError, match=r"vectors = 'fasttext' needs the library gensim.*divulge\[vectors\]"):
        train_vectors(TEXTS, 8, 0)
