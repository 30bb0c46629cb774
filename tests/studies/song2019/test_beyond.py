"""Studies of our own."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.beyond import ALARMS, EVIDENCE, REFERENCES, TRANSFORMER, VOCABULARY


def test_fewer_references_are_some_of_more() -> None:
    """At scale quick one, two and four."""
    found = {cell.values["references"]: cell.files[0].adversary.background for cell in unfold(REFERENCES, "quick")}
    assert {value: behind.shadows for value, behind in found.items()} == {1: 1, 2: 2, 4: 4}


def test_a_vocabulary_of_members_names_no_public_texts() -> None:
    """As in the paper: that of the training texts."""
    found = {
        cell.values["vocabulary"]: cell.files[0].target.recipe["words_from"] for cell in unfold(VOCABULARY, "quick")
    }
    assert found == {"public": "blog-authorship", "members": None}


def test_a_transformer_stands_beside_the_lstm() -> None:
    """Its shadows are transformers too: nothing else is told of them."""
    found = {cell.values["cell"]: cell.files[0] for cell in unfold(TRANSFORMER, "quick")}
    assert found["transformer"].target.recipe["cell"] == "transformer"
    assert "cell" not in found["lstm"].target.recipe
    assert found["transformer"].adversary.background.target is None


def test_lines_are_drawn_through_two_crowds_on_the_same_models() -> None:
    """Cells differ in whom the line is drawn through; with those known to be out, they are those of table 3."""
    files = {tuple(cell.values.values()): cell.files[0] for cell in unfold(ALARMS, "quick")}
    known, pool = files["dialog", "known", 10], files["dialog", "pool", 10]
    assert known.attacks[0].options == {"calibrated_on": "known"}
    assert pool.attacks[0].options == {"calibrated_on": "pool"}
    assert (known.target, known.data, known.adversary) == (pool.target, pool.data, pool.adversary)


def test_few_texts_are_weighed_twice() -> None:
    """The same texts of the same people, by the mean gap and by what gaps are worth."""
    files = {tuple(cell.values.values()): cell.files[0] for cell in unfold(EVIDENCE, "quick")}
    asked = {"max_texts": 1, "selection": "rarest"}
    assert files["dialog", 1, "rarest", "gap"].attacks[0].options == {**asked, "weigh": "gap"}
    assert files["dialog", 1, "rarest", "learnt"].attacks[0].options == {**asked, "weigh": "learnt"}
