"""Tests of table 2 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.table1 import TABLE1
from divulge.studies.gu2023.table2 import TABLE2


def test_table_2_reads_the_guesses_of_table_1() -> None:
    """The same audits but for the classifiers, which guess no sentences."""
    one, two = (
        [next(iter(cell.files.values())) for cell in unfold(study, "quick") if cell.values["texts"] == "public"]
        for study in (TABLE1, TABLE2)
    )
    for first, second in zip(one, two, strict=True):
        shared = [attack for attack in first.attacks if attack in second.attacks]
        assert len(shared) == len(second.attacks) == 5
        assert first.model_copy(update={"attacks": second.attacks}) == second


def test_the_print_is_the_oracles_choice() -> None:
    """What no adversary can do."""
    assert {one.cell["choice"] for one in TABLE2.published} == {"oracle"}
