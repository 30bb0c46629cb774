"""Table 3."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.table3 import TABLE3


def test_cells_are_those_of_the_print_and_the_whole_output() -> None:
    """Three tasks, two domains, seven outputs and all words."""
    cells = unfold(TABLE3, "quick")
    assert len(cells) == 3 * 2 * 8
    assert {cell.values["output"] for cell in cells} == {1, 5, 10, 50, 100, 500, 1000, 5000}


def test_shadows_of_another_domain_are_of_public_text() -> None:
    """Each task has one of its kind."""
    cross = {
        cell.values["task"]: cell.files[0].adversary.background.corpus
        for cell in unfold(TABLE3, "quick")
        if cell.values["domain"] == "cross"
    }
    assert {task: corpus and corpus.name for task, corpus in cross.items()} == {
        "next-word": "wikitext",
        "translation": "sated-en-fr",
        "dialog": "ubuntu-dialogs",
    }
