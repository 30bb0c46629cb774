"""Classes of chosen sizes, on a made-up set of ten classes with thirty texts each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.data.class_sizes import ClassifiedTexts, ClassSizes
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text

LABELS = tuple(f"topic{number}" for number in range(10))
TEXTS = tuple(Text(("about", label, str(number)), label=label) for number in range(30) for label in LABELS)


class Made(ClassifiedTexts):
    """Ten classes."""

    name = "made"
    summary = "made up"
    source = licence = "none"
    known_labels = LABELS

    class Options(ClassSizes):
        """The defaults, but for the small splits."""

        valid_each: int = 3
        test_each: int | None = 5

    def load(self, root: Path | None = None) -> Corpus:
        """The texts in their sizes."""
        del root
        return Corpus(self.sized(TEXTS), self.name)


def counts(corpus: Corpus, split: str) -> Counter[str | None]:
    """How many texts of a split each label has."""
    return Counter(text.label for text in corpus.split(split))


def test_each_class_is_split_alike() -> None:
    """Of 30 texts 5 are test, 3 valid, and 22 are left to train on: 30 - 5 - 3; train comes first."""
    corpus = Made().load()
    assert [set(counts(corpus, split).values()) for split in ("train", "valid", "test")] == [{22}, {3}, {5}]
    assert [len(counts(corpus, split)) for split in ("train", "valid", "test")] == [10, 10, 10]
    assert corpus.texts[0].split == "train"
    assert corpus.texts[-1].split == "test"


def test_rare_classes_are_told_without_reading_and_have_fewer_training_texts() -> None:
    """Three of six classes keep 4 texts, the others 9; validation and test are as large as ever."""
    made = Made({"classes": 6, "each": 9, "rare": 3, "rare_each": 4})
    corpus = made.load()
    assert set(corpus.labels) == set(made.kept_classes)
    assert {label for label, count in counts(corpus, "train").items() if count == 4} == set(made.rare_classes)
    assert sorted(counts(corpus, "train").values()) == [4, 4, 4, 9, 9, 9]
    assert set(counts(corpus, "test").values()) == {5}
    assert Made({"seed": 1, "rare": 3}).rare_classes != Made({"seed": 2, "rare": 3}).rare_classes
    assert Made().rare_classes == ()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 21), st.integers(2, 9), st.integers(0, 5))
def test_more_keeps_what_fewer_keep(each: int, classes: int, seed: int) -> None:
    """Another `each` or another number of classes changes neither validation nor test, and draws nobody else."""
    few = Made({"each": each, "classes": classes, "seed": seed}).load()
    many = Made({"each": each + 1, "classes": classes + 1, "seed": seed}).load()
    assert set(few.texts) < set(many.texts)
    assert len({text.tokens for text in many}) == len(many)


def test_the_seed_draws_others() -> None:
    """The same seed draws the same texts, another one others."""
    first, again, other = (Made({"each": 5, "seed": seed}).load() for seed in (1, 1, 2))
    assert first.fingerprint == again.fingerprint != other.fingerprint


def test_the_same_text_is_in_one_split_only() -> None:
    """Cut to two words, the texts of a class are one: the test text, spelt with capitals, is the one that stays."""
    texts = [*TEXTS[:10], *(Text(("About", f"{label},", "x"), label=label, split="test") for label in LABELS)]
    made = Made({"words": 2, "valid_each": 0, "test_each": None})
    with pytest.raises(InputError, match="class 'topic0' of 'made' has 1 different texts"):
        made.sized(texts)
    apart = [Text((str(n), label), label=label) for n in range(4) for label in LABELS]
    corpus = Corpus(made.sized([*texts, *apart]))
    assert Counter(text.split for text in corpus) == {"train": 40, "test": 10}
    assert all(text.tokens[0] == "About" for text in corpus.split("test"))


def test_a_published_test_set_stays_the_test_set() -> None:
    """None of its texts is trained on, and no other becomes a test text; fewer of them can be kept."""
    given_out = [Text((label, "test", str(n)), label=label, split="test") for n in range(4) for label in LABELS]
    for wanted, kept in ((None, 4), (3, 3), (9, 4)):
        corpus = Corpus(Made({"test_each": wanted}).sized([*TEXTS, *given_out]))
        assert set(counts(corpus, "test").values()) == {kept}
        assert {text.tokens[1] for text in corpus.split("test")} == {"test"}
        assert {text.tokens[0] for text in corpus.split("train", "valid")} == {"about"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"classes": 11}, "data.options.classes is 11: 'made' has 10 classes"),
        ({"rare": 10}, "data.options.rare is 10, of 10 classes"),
        ({"classes": 4, "rare": 4}, "data.options.rare is 4, of 4 classes"),
        ({"each": 20, "rare": 1}, "rare_each is 20, and each 20"),
        ({"test_each": 27}, "none is left to train on beside 27 for test, 3 for valid"),
        ({"words": 0}, "words"),
    ],
)
def test_sizes_that_cannot_be_are_refused(options: dict[str, int], said: str) -> None:
    """Before the data is read where possible, and in any case with both numbers."""
    with pytest.raises(InputError, match=said):
        Made(options).load()


def test_what_can_be_told_without_the_data_is(tmp_path: Path) -> None:
    """Two problems at once, without a file."""
    assert len(Made({"classes": 12, "rare": 20}).request_problems(tmp_path)) == 2
    assert Made({"classes": 10, "rare": 9}).request_problems() == []


def test_frequent_classes_have_more_training_texts() -> None:
    """Two of ten keep 15 texts, one 4, the others 9; none is both, and all must not be one or the other."""
    made = Made({"each": 9, "rare": 1, "rare_each": 4, "frequent": 2, "frequent_each": 15})
    sizes = counts(made.load(), "train")
    assert sorted(sizes.values()) == [4, *[9] * 7, 15, 15]
    assert {label for label, count in sizes.items() if count == 15} == set(made.frequent_classes)
    assert made.rare_classes == Made({"each": 9, "rare": 1, "rare_each": 4}).rare_classes
    assert Made().frequent_classes == ()
    with pytest.raises(InputError, match="a frequent class needs more texts than others"):
        Made({"each": 9, "frequent": 1, "frequent_each": 9})
    with pytest.raises(InputError, match="all that there are"):
        Made({"frequent": 1})
    (said,) = Made({"each": 9, "rare": 4, "rare_each": 4, "frequent": 6, "frequent_each": 10}).request_problems()
    assert "rare is 4 and frequent 6, of 10 classes" in said
