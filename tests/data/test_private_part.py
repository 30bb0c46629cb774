"""A public and a private part of one set of texts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.private_part import PrivatePart, distinct, near_copies, with_private_part
from divulge.errors import InputError
from divulge.parts import validate
from divulge.pieces import words_of
from divulge.records import Text

HUNDRED = [Text((f"word{i}", "of", "many")) for i in range(100)]


def text(line: str) -> Text:
    """A text of these words."""
    return Text(tuple(line.split()))


def test_a_fifth_is_private_by_default() -> None:
    """Public texts come first, each part in the order it had, and nothing is lost."""
    parted = with_private_part(HUNDRED, PrivatePart(), "a")
    assert [one.split for one in parted] == ["train"] * 80 + ["test"] * 20
    for part in (parted[:80], parted[80:]):
        numbers = [int(one.tokens[0][4:]) for one in part]
        assert numbers == sorted(numbers)
    assert sorted(one.tokens for one in parted) == sorted(one.tokens for one in HUNDRED)


def test_the_seed_and_the_name_decide_who_is_private() -> None:
    """The same seed draws the same, another seed or another set's name something else; the share is kept."""
    base = with_private_part(HUNDRED, PrivatePart(private=0.35), "a")
    assert with_private_part(HUNDRED, PrivatePart(private=0.35), "a") == base
    assert with_private_part(HUNDRED, PrivatePart(private=0.35, seed=1), "a") != base
    assert with_private_part(HUNDRED, PrivatePart(private=0.35), "b") != base
    assert Counter(one.split for one in base) == {"train": 65, "test": 35}


@given(st.lists(st.sampled_from(["a b", "A b.", "a, B", "c", "C!", "d e", "..", "?"]), max_size=8), st.integers(0, 20))
def test_equal_texts_never_stand_on_both_sides(lines: list[str], seed: int) -> None:
    """Whatever their case and punctuation; and neither side is empty where there are two different texts."""
    parted = with_private_part(distinct(map(text, lines)), PrivatePart(private=0.5, seed=seed), "a")
    sides = [
        {tuple(words_of(one.tokens)) or one.tokens for one in parted if one.split == side} for side in ("train", "test")
    ]
    assert not sides[0] & sides[1]
    if len(sides[0] | sides[1]) > 1:
        assert all(sides)


def test_private_near_copies_are_left_out() -> None:
    """The public part stays as it was; what goes are private texts as near to a public one as told, and only those."""
    lines = [
        text(f"removal of {part} {way}") for part in "abcdefgh" for way in ("open", "Open, now", f"{part}{part} x y")
    ]
    everything = with_private_part(lines, PrivatePart(private=0.3), "a")
    apart = with_private_part(lines, PrivatePart(private=0.3, near=0.75), "a")
    public = [one for one in everything if one.split == "train"]
    assert [one for one in apart if one.split == "train"] == public
    kept = [one for one in apart if one.split == "test"]
    assert kept == [one for one in everything if one.split == "test" and nearest(one, public) < 0.75]
    assert 0 < len(kept) < sum(one.split == "test" for one in everything)


def test_nearness_is_the_jaccard_similarity_of_words() -> None:
    """{the, skin, of} and {skin, of, leg, a} share 2 of 5 words: 0.4, which is near at 0.4 and not at 0.41."""
    one, other = text("The skin, of skin"), text("skin of leg a")
    assert near_copies([one], [other], 0.4) == [True]
    assert near_copies([one], [other], 0.41) == [False]
    assert near_copies([text("...")], [text("?")], 0.1) == [False]
    assert near_copies([one], [], 0.1) == [False]


@given(st.data())
def test_nearness_agrees_with_the_definition(data: st.DataObject) -> None:
    """Compared with every pair in turn."""
    line = st.lists(st.sampled_from("abcdE"), min_size=1, max_size=5).map(" ".join).map(text)
    texts, others = (data.draw(st.lists(line, max_size=4)) for _ in range(2))
    near = data.draw(st.sampled_from([0.2, 0.25, 0.5, 0.6, 0.75, 1.0]))
    expected = [any(nearest(one, [other]) >= near for other in others) for one in texts]
    assert near_copies(texts, others, near) == expected


def nearest(one: Text, others: list[Text]) -> float:
    """The largest Jaccard similarity, straight from its definition."""
    mine = {token.lower().strip(",") for token in one.tokens}
    theirs = [{token.lower().strip(",") for token in other.tokens} for other in others]
    return max(len(mine & words) / len(mine | words) for words in theirs)


def test_texts_are_kept_once() -> None:
    """The first of equal ones stays, with what it carries; texts without words go."""
    first, again = Text(("a",), keywords=("x",)), Text(("a",), keywords=("y",))
    assert distinct([first, Text(()), again, Text(("A",))]) == (first, Text(("A",)))


@pytest.mark.parametrize("wrong", [{"private": 0}, {"private": 1.0}, {"near": 0.0}, {"near": 1.1}, {"private": "half"}])
def test_shares_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    """A part must be a part, and nothing is nearer than equal."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        validate(PrivatePart, wrong, "options")


def test_nearness_in_pieces_is_that_of_the_first_fifteen(tmp_path: Path) -> None:
    """Five words alike that are fifteen pieces, then others: far in words, equal in what an encoder is asked for."""
    pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')
    from tests.tiny_encoders import save_tiny_bert

    folder = str(save_tiny_bert(tmp_path / "bert"))
    alike = ["trainers"] * 5  # train ##er ##s
    one, other = text(" ".join([*alike, "cat", "sat", "the"])), text(" ".join([*alike, "dog", "barked", "night"]))
    assert near_copies([one], [other], 0.7) == [False]
    assert near_copies([one], [other], 0.7, folder) == [True]
    assert near_copies([text("cat dog")], [text("cat train")], 0.7, folder) == [False]
