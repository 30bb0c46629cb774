"""Tests of table 1 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.table1 import TABLE1


def test_all_attacks_stand_in_all_cells_of_the_print() -> None:
    """Four sets, two settings, two encoders, eight attacks; every printed number has its cell."""
    cells = [cell for cell in unfold(TABLE1, "paper") if cell.values["texts"] == "public"]
    assert len(cells) == 16
    assert {len(cell.attacks) for cell in cells} == {8}
    values = [dict(cell.values) for cell in cells]
    assert all(dict(one.cell) in values for one in TABLE1.published)


def test_text_of_the_adversarys_own_is_for_our_attack_in_black_boxes() -> None:
    """The public set and running text, read one after the other."""
    own = [cell for cell in unfold(TABLE1, "quick") if cell.values["texts"] != "public"]
    assert {cell.values["setting"] for cell in own} == {"black-box"}
    assert {cell.attacks for cell in own} == {("parallel-decoder", "random")}
    corpus = next(iter(own[0].files.values())).adversary.background.corpus
    assert corpus is not None
    assert [part["name"] for part in corpus.options["parts"]] == ["twitter-airline", "wikitext"]


def test_more_text_of_its_own_is_for_the_set_that_the_public_one_tells_least_of() -> None:
    """Three times the running text, and the whole vocabulary shown twice as often; MT only."""
    cells = {(cell.values["data"], cell.values["texts"]): cell for cell in unfold(TABLE1, "quick")}
    assert [data for data, texts in cells if texts == "public and more wikitext"] == ["mt"]
    some, more = (next(iter(cells["mt", f"public and {much}wikitext"].files.values())) for much in ("", "more "))
    sizes = [file.adversary.background.corpus.options["parts"][1]["limit"] for file in (some, more)]  # type: ignore[union-attr]
    assert sizes == [4000, 12000]
    assert [file.attacks[0].options.get("sightings") for file in (some, more)] == [None, 4]
