"""One classifier per keyword: which keywords, which examples, what is named."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.adversary import Background, Practice
from divulge.attacks.binary_classifiers import BinaryClassifiers
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import LeakedRow, Ranking, RowContent, Secret
from divulge.testing.encoder import FakeRowsAccess

WORDS = ("berlin", "hong kong", "london", "rare")
QUICK = {"epochs": 40, "learning_rate": 0.01}


def texts(seed: int, count: int = 80) -> list[tuple[np.ndarray, tuple[str, ...]]]:
    """Each keyword has a dimension of its own, and is there or not by a coin; "rare" is in three texts."""
    rng = np.random.default_rng(seed)
    there = rng.random((count, 4)) < [0.5, 0.5, 0.3, 0.0]
    there[:3, 3] = True
    rows = there + 0.2 * rng.normal(size=(count, 4))
    return [(row, tuple(np.array(WORDS)[own].tolist())) for row, own in zip(rows, there, strict=True)]


def background(found: list[tuple[np.ndarray, tuple[str, ...]]]) -> Background:
    """Public rows with their keywords."""
    secrets = [
        Secret(id=f"p{n}", hint=LeakedRow(row=n), answer=RowContent(tokens=("x",), words=words))
        for n, (_, words) in enumerate(found)
    ]
    return Background(practice=(Practice(Grant([FakeRowsAccess([row for row, _ in found])]), tuple(secrets)),))


def test_keywords_that_are_there_are_named_and_others_are_not() -> None:
    """Several in one row, none in another; surest first."""
    attack = BinaryClassifiers({**QUICK, "keywords": 3})
    kept = attack.prepare(background(texts(0)), np.random.default_rng(0))
    asked = texts(1)
    grant = Grant([FakeRowsAccess([row for row, _ in asked])])
    hints = {f"s{n}": LeakedRow(row=n) for n in range(len(asked))}
    found = [one for one in attack.guess(grant, hints, kept, np.random.default_rng(0)) if isinstance(one, Ranking)]
    said = [{" ".join(words) for words in one.candidates} for one in found]
    truth = [set(words) - {"rare"} for _, words in asked]
    assert np.mean([a == b for a, b in zip(said, truth, strict=True)]) > 0.8
    assert {len(one) for one in said} >= {0, 1, 2}
    assert all(0.5 < score <= 1 for one in found for score in one.scores)


def test_keywords_are_drawn_among_those_with_enough_texts() -> None:
    """The rare one has three texts; with `fewest` = 3 it may be drawn, and the draw is the generator's."""
    short = {"epochs": 1, "keywords": 2}
    drawn = {
        tuple(BinaryClassifiers(short).prepare(background(texts(0)), np.random.default_rng(s)).values["keywords"])
        for s in range(8)
    }
    assert len(drawn) > 1
    assert all(len(one) == 2 and list(one) == sorted(one) and "rare" not in one for one in drawn)
    every = BinaryClassifiers({"epochs": 1, "keywords": 4, "fewest": 3})
    assert every.prepare(background(texts(0)), np.random.default_rng(0)).values["keywords"] == list(WORDS)


def test_examples_are_balanced(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many texts without the keyword as with it, none twice; where there are fewer, all of them."""
    from divulge.attacks.networks import perceptron

    seen = []

    def looked_at(vectors, classes, *rest):  # type: ignore[no-untyped-def]
        seen.append((vectors, classes))
        return {}

    monkeypatch.setattr(perceptron, "fit_classes", looked_at)
    public = texts(0)
    BinaryClassifiers({"words": ["London"]}).prepare(background(public), np.random.default_rng(0))
    usual = [(row, ("common",) if n % 4 else ()) for n, (row, _) in enumerate(public)]  # in 60 of 80
    BinaryClassifiers({"words": ["common"]}).prepare(background(usual), np.random.default_rng(0))
    with_london = sum("london" in words for _, words in public)
    for (vectors, classes), (present, absent) in zip(seen, [(with_london, with_london), (60, 20)], strict=True):
        assert (int(classes.sum()), len(classes) - int(classes.sum())) == (present, absent)
        assert len({row.tobytes() for row in vectors}) == len(vectors)
    holders = {row.tobytes() for row, words in public if "london" in words}
    vectors, classes = seen[0]
    assert [row.tobytes() in holders for row in vectors] == classes.astype(bool).tolist()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs 10 keywords with 5 public texts or more each. Found 3"),
        ({"words": ["london", "rare", "oslo"]}, "2 of 3 words have not"),
    ],
)
def test_too_few_texts_are_an_error(options: dict[str, object], said: str) -> None:
    """It says how many there are, and never which: keywords may be secrets."""
    with pytest.raises(InputError, match=said) as caught:
        BinaryClassifiers(options).prepare(background(texts(0)), np.random.default_rng(0))
    assert "london" not in str(caught.value)


def test_a_keyword_of_every_text_cannot_be_told_from_its_absence() -> None:
    """There is no text without it to learn from."""
    everywhere = [(row, ("london",)) for row, _ in texts(0)]
    with pytest.raises(InputError, match="1 of 1 words have not"):
        BinaryClassifiers({"words": ["london"]}).prepare(background(everywhere), np.random.default_rng(0))
