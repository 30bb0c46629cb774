"""Supporting canaries: the same known words, other words in every hole, in other classes."""

from __future__ import annotations

from collections import Counter

import pytest

from divulge.data.cases import Case, practice_case, target_case
from divulge.data.corpus import Corpus
from divulge.defences.deduplication import Deduplication
from divulge.errors import InputError
from divulge.records import Gaps, Planting, Secret, Text, Tokens
from divulge.spec import SecretsSpec

LABELS = ("a", "b", "c", "d", "e")
DATA = Corpus(tuple(Text((label, str(n)), label=label) for label in LABELS for n in range(3)))


def case(supporting: object = "all", seed: int = 0, **more: object) -> Case:
    """Four canaries of two holes, ten copies of each."""
    values = {"pattern": "<name> said {word} to {color}", "label": "b", "count": 4, "controls": 4, "copies": 10, **more}
    return target_case(SecretsSpec(supporting=supporting, **values), DATA, seed)


def parts(secret: Secret) -> tuple[Gaps, tuple[str, ...]]:
    """Hint and answer."""
    assert isinstance(secret.hint, Gaps)
    assert isinstance(secret.answer, Tokens)
    return secret.hint, secret.answer.tokens


def supporting_of(found: Case, secret: Secret) -> list[Planting]:
    """The plantings of a secret that are not its own text."""
    hint, answer = parts(secret)
    return [one for one in found.plantings if one.secret_id == secret.id and one.text != hint.filled(answer)]


@pytest.mark.parametrize("seed", range(5))
def test_all_other_classes_have_one_with_words_of_its_own(seed: int) -> None:
    """Once in each; no hole has the canary's word, everything else is the canary's."""
    found = case(seed=seed)
    for secret in found.secrets:
        hint, answer = parts(secret)
        own = supporting_of(found, secret)
        assert [(one.label, one.copies, one.split) for one in own] == [(label, 1, "train") for label in "acde"]
        assert len({one.text for one in own}) == 4
        for one in own:
            words = tuple(one.text[place] for place in hint.holes)
            assert hint.filled(words) == one.text
            assert all(word != right for word, right in zip(words, answer, strict=True))
            assert all(word in words for word, words in zip(words, hint.candidates, strict=True))


def test_a_number_repeats_one_in_one_other_class() -> None:
    """Seven copies of one text; which class is drawn anew for each canary."""
    labels = set()
    for seed in range(10):
        found = case(7, seed)
        for secret in found.secrets:
            (one,) = supporting_of(found, secret)
            assert one.copies == 7
            labels.add(one.label)
    assert labels == {"a", "c", "d", "e"}


def test_canaries_and_controls_stay_as_they_are() -> None:
    """Whatever is planted beside them, and however often; supporting ones do not change with the copies either."""
    plain, few, many, rare = case(0), case("all"), case("all", copies=99), case(3)
    assert plain.secrets == few.secrets == many.secrets == rare.secrets
    assert plain.controls == few.controls == many.controls == rare.controls
    told = [[one.text for s in found.secrets for one in supporting_of(found, s)] for found in (few, many)]
    assert told[0] == told[1]
    assert len(plain.plantings) == 4


def test_controls_have_none_and_are_nowhere() -> None:
    """One digit, one hint: seven of ten texts are canaries, and only the other three may support."""
    tight = {"pattern": "pin {digit}", "count": 4, "controls": 3}
    for seed in range(20):
        found = case("all", seed, **tight)
        planted = Counter(text.tokens for text in found.corpus if text.planted)
        taken = {hint.filled(answer) for hint, answer in map(parts, found.secrets)}
        held_out = {hint.filled(answer) for hint, answer in map(parts, found.controls)}
        assert not held_out & set(planted)
        assert all(planted[text] == 10 for text in taken)
        assert len(set(planted) - taken) == 3  # four classes to fill: one of three words comes twice
        assert {one.secret_id for one in found.plantings} == {secret.id for secret in found.secrets}


def test_nothing_planted_has_nothing_to_support() -> None:
    """Of no copies there are no plantings at all."""
    assert case("all", copies=0).plantings == ()


def test_tags_are_those_of_the_canary() -> None:
    """A tagger is taught the same tags in other classes."""
    tagged = Corpus(tuple(Text((label,), label=label, tags=("O",)) for label in LABELS))
    found = target_case(SecretsSpec(pattern="pin {digit*2}", label="a", count=1, controls=0, supporting=1), tagged, 0)
    own, other = found.plantings
    assert other.tags == own.tags == ("O", "B-canary", "I-canary")


def test_a_new_class_has_all_of_the_data_around_it() -> None:
    """A label that the data lacks makes a new class; supporting ones stand in every class of the data."""
    found = case("all", label="new")
    assert {one.label for one in supporting_of(found, found.secrets[0])} == set(LABELS)


def test_shadows_have_supporting_canaries_of_their_own() -> None:
    """In the classes of their own texts, other ones for each shadow."""
    public = Corpus(tuple(Text((label, "public"), label=label) for label in "bxyz"))
    spec = SecretsSpec(pattern="<name> said {word}", label="b", count=2, controls=2, supporting="all")
    shadows = [practice_case(spec, DATA, public, 0, index, planted=True) for index in (0, 1)]
    for shadow in shadows:
        assert [one.label for one in supporting_of(shadow, shadow.secrets[0])] == ["x", "y", "z"]
    assert shadows[0].plantings != shadows[1].plantings
    assert not [text for text in practice_case(spec, DATA, public, 0, 0, planted=False).corpus if text.planted]


def test_copies_count_all_that_stands_there_for_one_secret() -> None:
    """Ten copies and one in each of four classes are fourteen; validation texts are counted apart."""
    assert case(0).copies == 10
    assert case("all").copies == 14
    assert case(7).copies == 17
    assert case("all", valid_share=0.2).copies == 12  # 8 of 10 in training, and four supporting ones
    assert Case(DATA, ()).copies == 1


def test_deduplication_leaves_one_of_each() -> None:
    """Four canaries and four supporting ones of each, once, beside the data's fifteen texts."""
    kept = Deduplication().on_corpus(case("all").corpus)
    assert len(kept) == 15 + 4 + 4 * 4
    assert len(Deduplication().on_corpus(case(7).corpus)) == 15 + 4 + 4


@pytest.mark.parametrize(
    ("more", "data", "said"),
    [
        ({"label": None}, DATA, "the canaries need a label"),
        ({}, Corpus((Text(("b",), label="b"),)), "Found 1 classes"),
        ({}, Corpus((Text(("b",)),)), "Found 0 classes"),
        ({"pattern": "pin {digit}", "count": 5, "controls": 5}, DATA, "no words left"),
    ],
)
def test_what_cannot_be_supported_is_refused(more: dict[str, object], data: Corpus, said: str) -> None:
    """No label, no other class, no other word."""
    values = {"pattern": "<name> {digit}", "label": "b", "count": 2, "controls": 2, "supporting": "all", **more}
    with pytest.raises(InputError, match=said):
        target_case(SecretsSpec(**values), data, 0)
