"""Tests of the studies of the decoder at full length, and of the notebooks' protocol."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.protocols import FULL, PROTOCOL


def test_the_full_training_is_the_printed_one() -> None:
    """All public sentences and the attack's own default number of epochs."""
    files = {cell.values["training"]: next(iter(cell.files.values())) for cell in unfold(FULL, "quick")}
    assert files["full"].adversary.background.corpus.limit is None
    assert "epochs" not in files["full"].attacks[0].options
    assert files["quick"].attacks[0].options["epochs"] == 12


def test_only_the_decoder_is_told() -> None:
    """Ours and random guesses are the same in both."""
    for cell in unfold(PROTOCOL, "quick"):
        told = [bool(attack.options.get("as_published")) for attack in next(iter(cell.files.values())).attacks]
        assert told == [cell.values["protocol"] == "as published", False, False]
