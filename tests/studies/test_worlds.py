"""The house's own study."""

from pathlib import Path

from divulge.spec import StudyScale
from divulge.store import Store
from divulge.studies.cells import unfold
from divulge.studies.running import run_study
from divulge.studies.worlds import LADDER


def test_the_ladder_climbs_every_access_level() -> None:
    """Each rung grants what it is called, to attacks that need no more."""
    cells = unfold(LADDER, "paper")
    assert len(cells) == 12
    for cell in cells:
        for file in cell.files.values():
            assert " + ".join(file.adversary.access) == cell.values["access"]
            assert file.target.recipe["leaks"] is (cell.values["world"] == "leaky")


def test_the_fast_rungs_tell_the_worlds_apart(tmp_path: Path) -> None:
    """In the leaky world each attack beats its control; in the silent one it is inside the control's reach."""
    scale = StudyScale(
        name="smoke",
        axes={"access": ["LabelLikelihoodAccess", "EmbeddedRowsAccess + EmbeddingOracleAccess"]},
        seeds=(0, 1),
        settings={"secrets.count": 6, "secrets.controls": 6},
    )
    small = LADDER.model_copy(update={"scales": (scale,), "metrics": ("hdt", "token_accuracy")})
    table = run_study(small, "smoke", Store(tmp_path), workers=0)
    assert table.failures == ()
    rows = {(row.cell["world"], row.metric, row.arm): row for row in table.rows if "choice" not in row.cell}
    for metric, sign in (("hdt", -1), ("token_accuracy", 1)):
        for world in ("leaky", "silent"):
            attack, control = rows[world, metric, "attack"], rows[world, metric, "control"]
            assert attack.value is not None
            assert control.value is not None
            gap = sign * (attack.value - control.value)
            assert gap > 0.7 if world == "leaky" else abs(gap) < 0.3
