"""Tests of our own study of what asking the encoder is worth."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.asking import ASKING


def test_rows_alone_stand_beside_rows_and_encoder() -> None:
    """Four sets, the white box and two kinds of public text in the black box."""
    cells = unfold(ASKING, "quick")
    assert len(cells) == 4 * 3 * 2
    for cell in cells:
        asked = next(iter(cell.files.values())).adversary.access
        assert ("EmbeddingOracleAccess" in asked) == (cell.values["access"] == "rows and encoder")
        assert cell.attacks == ("parallel-decoder", "random")
