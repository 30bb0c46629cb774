"""Entities that a tagger finds in rows, or does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.adapters import Rows

from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.probes.entity_recognition import EntityRecognition
from divulge.records import Measurement, Text

CITIES = ("rome", "oslo", "bern", "kiev")
WORDS = ("from", "to", "via", "near", "past")
QUICK = {"hidden": 16, "epochs": 1, "learning_rate": 0.01}
ENOUGH = 12  # epochs, to learn something


def travels(count: int = 150) -> tuple[Text, ...]:
    """Two to five words, one or two of them cities, which are the keywords."""
    rng = np.random.default_rng(0)
    texts = []
    for number in range(count):
        cities = rng.choice(CITIES, 1 + number % 2).tolist()
        tokens = [*cities, *rng.choice(WORDS, 1 + number % 3).tolist()]
        texts.append(Text(tokens=tuple(rng.permutation(tokens).tolist()), keywords=tuple(cities)))
    return tuple(texts)


TEXTS = travels()


def figures(rows: Rows, texts: tuple[Text, ...] = TEXTS, seed: int = 0, **options: Any) -> dict[str, Measurement]:
    probe = EntityRecognition({**QUICK, **options})
    found = probe.measure(Grant([rows]), Corpus(texts), np.random.default_rng(seed))
    return {one.metric: one for one in found}


def test_entities_are_found_in_rows_that_name_their_tokens() -> None:
    """Nearly all of them; n is the texts tested, a fifth of all, and the value lies in its interval."""
    found = figures(Rows(TEXTS), epochs=ENOUGH)["entity_f1"]
    assert found.arm == "utility"
    assert found.n == 30
    assert found.value is not None
    assert found.value > 0.9
    assert found.low is not None
    assert found.high is not None
    assert 0.7 < found.low <= found.value <= found.high


def test_rows_that_say_nothing_cost_the_figure() -> None:
    """Noise in place of vectors: no better than calling every token an entity; the other two figures stay."""

    class Noise(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [
                np.random.default_rng(number).normal(size=row.shape)
                for number, row in zip(numbers, super()._rows(numbers), strict=True)
            ]

    plain, noisy = (figures(rows, epochs=ENOUGH) for rows in (Rows(TEXTS), Noise(TEXTS)))
    values = {metric: (plain[metric].value, noisy[metric].value) for metric in plain}
    assert values["entity_f1"][1] < values["constant_entity_f1"][1] + 0.05  # type: ignore[operator]
    assert values["constant_entity_f1"][0] == values["constant_entity_f1"][1]
    assert values["table_entity_f1"] == (1.0, 1.0)


def test_figures_without_vectors_are_worked_by_hand() -> None:
    """Ten texts "rome x", tested on five: 5 of 10 tokens are cities.

    All called entities: precision 1/2, recall 1, F1 = 2 * 5 / (10 + 5) = 2/3. By token: all right. Both are the
    owner's figures and no utility of the vectors.
    """
    texts = (Text(tokens=("rome", "x"), keywords=("rome",)),) * 10
    found = figures(Rows(texts), texts, tested=0.5)
    assert found["constant_entity_f1"].value == pytest.approx(2 / 3)
    assert found["table_entity_f1"].value == 1.0
    assert {found[metric].arm for metric in ("constant_entity_f1", "table_entity_f1")} == {"probe"}


@pytest.mark.parametrize(("entities", "expected"), [(6, 2 * 4 / (10 + 4)), (5, 0.0), (4, 0.0)])
def test_a_token_is_looked_up_by_what_it_mostly_is(entities: int, expected: float) -> None:
    """Ten texts "rome" of twenty are tested, ten are city and ten are not.

    With 6 cities among the ten learnt from, all ten tested are called one, 4 of them rightly; 5 are no majority.
    """
    texts = tuple(Text(tokens=("rome",), keywords=("rome",)[: number % 2]) for number in range(20))
    learnt = (int(np.sum(np.random.default_rng(seed).permutation(20)[10:] % 2)) for seed in range(999))
    seed = next(seed for seed, found in enumerate(learnt) if found == entities)
    assert figures(Rows(texts), texts, seed, tested=0.5)["table_entity_f1"].value == pytest.approx(expected)


def test_a_token_that_is_new_is_no_entity() -> None:
    """Every text has a word of its own: the table knows none, and finds nothing."""
    texts = tuple(Text(tokens=(f"w{number}",), keywords=(f"w{number}",)) for number in range(20))
    assert figures(Rows(texts), texts)["table_entity_f1"].value == 0.0


def test_figures_of_nothing_and_of_everything_have_an_interval_of_some_width() -> None:
    """The table finds all of five texts, or none of four: Wilson's interval of none in n, from the other end for all.

    z^2 / (n + z^2) with z^2 = 3.8415 is 0.4345 for five and 0.4899 for four.
    """
    alike = (Text(tokens=("rome", "x"), keywords=("rome",)),) * 10
    found = figures(Rows(alike), alike, tested=0.5)["table_entity_f1"]
    assert (found.value, found.low, found.high) == pytest.approx((1.0, 1 - 0.4345, 1.0), abs=1e-4)
    new = tuple(Text(tokens=(f"w{number}",), keywords=(f"w{number}",)) for number in range(20))
    found = figures(Rows(new), new)["table_entity_f1"]
    assert (found.value, found.low, found.high) == pytest.approx((0.0, 0.0, 0.4899), abs=1e-4)


def test_pieces_of_a_word_are_labelled_together() -> None:
    """With "os ##lo" cut in two, 1 + 2 of 3 tokens of "os ##lo now" are the entity's: constant F1 2 * 2 / (3 + 2)."""
    texts = (Text(tokens=("os", "##lo", "now"), keywords=("Oslo",)),) * 10
    assert figures(Rows(texts), texts)["constant_entity_f1"].value == pytest.approx(4 / 5)


def test_rows_belong_to_training_texts() -> None:
    """Where all texts have rows, those of the training split count; where only these have, they are counted alone.

    Texts of another split alone count all. The figures are the same, drawn from the same texts.
    """
    others = tuple(Text(tokens=("x", "y"), split="test") for _ in range(20))
    whole, alone = figures(Rows((*TEXTS, *others)), (*TEXTS, *others)), figures(Rows(TEXTS), (*others, *TEXTS))
    moved = tuple(replace(text, split="test") for text in TEXTS)
    assert whole == alone == figures(Rows(TEXTS), moved) == figures(Rows(TEXTS))


def test_it_asks_for_no_more_rows_than_said() -> None:
    """At most so many rows are read, and a part of them tested."""
    grant = Grant([Rows(TEXTS)])
    found = EntityRecognition({**QUICK, "rows": 40, "tested": 0.25}).measure(
        grant, Corpus(TEXTS), np.random.default_rng(0)
    )
    assert grant.meter.asked == {"EmbeddedRowsAccess": 40}
    assert {one.n for one in found} == {10}
    with pytest.raises(InputError, match="'rows'"):
        EntityRecognition({"rows": 9})


class Flat(Rows):
    """Rows of one vector each."""

    def _rows(self, numbers: Any) -> Any:
        return [row[0] for row in super()._rows(numbers)]


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        (Flat(TEXTS), TEXTS),
        (Rows(()), ()),
        (Rows(TEXTS[:2]), TEXTS[:2]),
        (Rows(TEXTS), tuple(replace(text, keywords=()) for text in TEXTS)),
    ],
    ids=["pooled", "no rows", "nothing to test", "no keywords"],
)
def test_where_nothing_can_be_labelled_there_is_no_figure(rows: Rows, texts: tuple[Text, ...]) -> None:
    """Pooled rows have no vector of a token; without keywords there is nothing to look for."""
    found = figures(rows, texts)
    assert {metric: (one.value, one.n) for metric, one in found.items()} == {"entity_f1": (None, 0)}


def test_rows_may_be_shorter_than_their_texts() -> None:
    """An encoder reads the first tokens; the labels of the others are left out, and empty rows with them."""

    class Short(Rows):
        def _rows(self, numbers: Any) -> Any:
            return [row[: number % 3] for number, row in zip(numbers, super()._rows(numbers), strict=True)]

    assert figures(Short(TEXTS))["entity_f1"].n == 20  # 100 of 150 rows have a vector, a fifth of them is tested


def test_the_same_seed_gives_the_same_figures() -> None:
    """Another one tests other texts."""
    assert figures(Rows(TEXTS), seed=3) == figures(Rows(TEXTS), seed=3)
    assert figures(Rows(TEXTS), seed=3) != figures(Rows(TEXTS), seed=4)
