"""Tests of the printed numbers of gu2023."""

from __future__ import annotations

from divulge.studies.gu2023.published import PUBLIC, TABLE_1, TABLE_2, keywords_published, sentences_published


def found(numbers, **wanted):
    """The one printed value whose cell, attack and metric are these."""
    attack, metric = wanted.pop("attack"), wanted.pop("metric")
    hits = [
        one.value
        for one in numbers
        if (one.attack, one.metric) == (attack, metric) and wanted.items() <= dict(one.cell).items()
    ]
    assert len(hits) == 1
    return hits[0]


def test_every_row_has_all_its_columns() -> None:
    """Table 1 has eight, table 2 eight for each encoder."""
    assert {len(row) for rows in TABLE_1.values() for row in rows.values()} == {8}
    assert {len(one) for rows in TABLE_2.values() for row in rows.values() for one in row} == {8}
    assert len(keywords_published()) == 4 * 6 * 8
    assert len(sentences_published()) == 4 * 3 * 16


def test_numbers_stand_in_their_cells() -> None:
    """Read off the print once more, one in each corner."""
    one, two = keywords_published(), sentences_published()
    cms = {"data": "cms", "attack": "decoder-pretrained"}
    assert found(one, **cms, setting="white-box", stands_for="BERT", metric="count") == 1093
    assert found(one, **cms, setting="black-box", stands_for="GPT-2", metric="unique") == 114
    assert found(one, data="mt", attack="dnn", setting="white-box", stands_for="GPT-2", metric="count") == 1280
    assert found(two, **cms, setting="white-box", stands_for="BERT", metric="order_printed") == 0.59
    assert found(two, **cms, setting="black-box", stands_for="GPT-2", metric="cosine") == 0.19
    assert (
        found(two, data="skytrax", attack="gei", setting="black-box", stands_for="GPT-2", metric="order_printed")
        == 0.04
    )


def test_claims_of_the_paper_hold_in_its_own_table() -> None:
    """Pre-training helps in every cell: 835 keywords and 421 without, in the first."""
    for rows in TABLE_1.values():
        assert all(a > b for a, b in zip(rows["decoder-pretrained"], rows["decoder-vanilla"], strict=True))


def test_the_black_box_learns_on_the_other_set_of_the_domain() -> None:
    """And the white box on its own."""
    assert all((PUBLIC[data, setting] == data) == (setting == "white-box") for data, setting in PUBLIC)
    assert PUBLIC[PUBLIC["cms", "black-box"], "black-box"] == "cms"
