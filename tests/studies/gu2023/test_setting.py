"""Tests of what the studies of gu2023 share."""

from __future__ import annotations

import pytest

from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.parts import load
from divulge.studies import STUDIES, study_named
from divulge.studies.cells import unfold
from divulge.studies.gu2023 import setting

NAMES = sorted(name for name in STUDIES if name.startswith("gu2023/"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", ["smoke", "quick", "paper"])
def test_every_study_unfolds_at_every_scale(name: str, scale: str) -> None:
    """Each cell is a complete audit file about leaked rows."""
    cells = unfold(study_named(name), scale)
    assert cells
    assert all(file.secrets.kind == "rows" for cell in cells for file in cell.files.values())


@pytest.mark.parametrize("name", NAMES)
def test_only_smoke_is_made_up(name: str) -> None:
    """At the other scales texts are those of public sets, and the encoder is a real one."""
    for scale in ("quick", "paper"):
        for cell in unfold(study_named(name), scale):
            for file in cell.files.values():
                assert load(DATA, str(file.data.name), DataSet, "data").needs_download()
                assert file.target.kind == "sentence-encoder"


def test_private_and_public_are_different_parts_of_a_set() -> None:
    """The white box on CMS, and MT in its black box."""
    cells = {
        (cell.values["data"], cell.values["setting"]): next(iter(cell.files.values()))
        for cell in unfold(study_named("gu2023/table1"), "quick")
        if cell.values["texts"] == "public"
    }
    white, black = cells["cms", "white-box"], cells["mt", "black-box"]
    assert (white.data.name, white.data.splits) == ("cms", ("test",))
    assert (white.adversary.background.corpus.name, white.adversary.background.corpus.splits) == ("cms", ("train",))
    assert (black.data.name, black.adversary.background.corpus.name) == ("mtsamples", "cms")
    assert black.adversary.background.corpus.limit == setting.PUBLIC_QUICK


def test_decoders_alone_are_shortened() -> None:
    """Ours and the classifiers are run as they are."""
    short = {one["name"]: one.get("options", {}) for one in setting.shortened(setting.KEYWORD_ATTACKS, {"epochs": 12})}
    assert {name for name, options in short.items() if options} == {"decoder-vanilla", "decoder-pretrained"}
