"""Which classes canaries are planted in, on data in which class number n has n + 1 training texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from divulge.data.canaries import Drawn, draw_families
from divulge.data.canary_labels import chosen_classes, spread, with_labels
from divulge.data.cases import known_out, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Gaps, Secret, Text
from divulge.spec import SecretsSpec

SIZES = {"c3": 1, "c1": 1, "c5": 2, "c2": 3, "c4": 3, "c0": 9}
TEXTS = tuple(Text((label, str(n)), label=label) for label, size in SIZES.items() for n in range(size))
# Many texts of a rare class elsewhere than in the training split change nothing.
DATA = Corpus((*TEXTS, *(Text(("c1", "test", str(n)), label="c1", split="test") for n in range(50))))


def spec(label_of: str = "rarest", **more: object) -> SecretsSpec:
    """Three canaries to plant and as many controls."""
    values = {"pattern": "<word*3> {word}", "count": 3, "controls": 3, **more}
    return SecretsSpec(label_of=label_of, **values)


def labels(secrets: tuple[Secret, ...]) -> list[str | None]:
    """What canaries are labelled."""
    return [secret.hint.label for secret in secrets if isinstance(secret.hint, Gaps)]


@pytest.mark.parametrize(
    ("label_of", "wanted"), [("rarest", ("c1", "c3", "c5")), ("most-frequent", ("c0", "c2", "c4"))]
)
def test_classes_are_chosen_by_their_size_in_training(label_of: str, wanted: tuple[str, ...]) -> None:
    """Of equals, the first by name."""
    assert chosen_classes(spec(label_of), DATA, 0, "target") == wanted


def test_any_classes_are_drawn_uniformly() -> None:
    """In 600 draws of 3 from 6 each is drawn 300 times, give or take 60: five standard deviations of 12.2."""
    drawn = [chosen_classes(spec("any"), DATA, seed, "target") for seed in range(600)]
    assert all(len(set(classes)) == 3 for classes in drawn)
    found = Counter(label for classes in drawn for label in classes)
    assert set(found) == set(SIZES)
    assert all(240 < count < 360 for count in found.values())


def test_each_arm_has_each_class_once_in_random_order() -> None:
    """Nothing but the labels is changed; every order of three comes up in either arm."""
    orders: dict[str, set[tuple[str | None, ...]]] = {"secrets": set(), "controls": set()}
    for seed in range(60):
        plain = draw_families(spec(label_of=None), seed, "target", tagged=False)
        drawn = with_labels(plain, spec(), DATA, seed, "target")
        assert [one.answer for one in (*drawn.secrets, *drawn.controls)] == [
            one.answer for one in (*plain.secrets, *plain.controls)
        ]
        for arm, met in orders.items():
            met.add(tuple(labels(getattr(drawn, arm))))
    assert all(len(found) == 6 and all(set(one) == {"c1", "c3", "c5"} for one in found) for found in orders.values())


def test_more_controls_have_the_classes_in_turn() -> None:
    """Seven controls of three classes: each class twice, one of them three times."""
    case = target_case(spec(controls=7), DATA, 1)
    assert sorted(labels(case.secrets)) == ["c1", "c3", "c5"]
    assert sorted(Counter(labels(case.controls)).values()) == [2, 2, 3]


def test_a_class_tells_nothing_about_the_coin() -> None:
    """The same canary has the same class, whether its coin fell on heads or tails."""
    tossed = draw_families(spec(coin=True, controls=9), 0, "target", tagged=False)
    turned = Drawn(tossed.controls, tossed.secrets, tossed.family)
    first, other = (with_labels(drawn, spec(coin=True, controls=9), DATA, 0, "target") for drawn in (tossed, turned))
    told = [dict(zip([s.id for s in every], labels(every), strict=True)) for every in (first.secrets, other.controls)]
    assert told[0] == told[1]
    assert Counter(labels((*first.secrets, *first.controls))) == {"c1": 4, "c3": 4, "c5": 4}


def test_known_out_and_practice_are_of_such_classes_too() -> None:
    """Shadows take the rarest classes of their own texts; whoever is known to be out has those of the target."""
    hints = known_out(spec(), DATA, 0, 6)
    assert Counter(hint.label for hint in hints if isinstance(hint, Gaps)) == {"c1": 2, "c3": 2, "c5": 2}
    public = Corpus(tuple(Text((label, "public", str(n)), label=label) for label in "abcd" for n in range(4)))
    shadow = practice_case(spec(), DATA, public, 0, 0, planted=True)
    assert sorted(labels(shadow.secrets)) == sorted(labels(shadow.controls)) == ["a", "b", "c"]
    assert {text.label for text in shadow.corpus if text.planted} == {"a", "b", "c"}


def test_too_few_classes_are_refused() -> None:
    """With both numbers; the data may have no labels at all."""
    with pytest.raises(InputError, match="each of 7 canaries .* split has 6 classes"):
        target_case(spec(count=7), DATA, 0)
    with pytest.raises(InputError, match="no training text has a label"):
        target_case(spec("any"), Corpus((Text(("a",)),)), 0)


def test_labels_are_spread_evenly() -> None:
    """Five of two classes: two whole rounds and one more."""
    found = spread(("a", "b"), 5, np.random.default_rng(0))
    assert sorted(Counter(found).values()) == [2, 3]
    assert {found[0], found[1]} == {found[2], found[3]} == {"a", "b"}


@pytest.mark.parametrize(
    ("label", "count", "said"),
    [
        (None, 1, "no training text has a label"),
        (None, 3, "no training text has a label"),
        ("c", 2, "all 2 training"),
    ],
)
def test_data_without_classes_is_told_of(label: str | None, count: int, said: str) -> None:
    """The column of labels is the likely mistake, and not the number of canaries; one canary goes into one class."""
    bare = Corpus((Text(("a",), label=label), Text(("b",), label=label)), "mine")
    with pytest.raises(InputError, match=f"mine: secrets.label_of .* {said}.*data.columns") as raised:
        chosen_classes(spec(count=count), bare, 0, "target")
    assert "secrets.count" not in str(raised.value)
    assert chosen_classes(spec(count=1), Corpus((Text(("a",), label="c"),)), 0, "target") == ("c",)
