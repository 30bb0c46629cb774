"""Table 3."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.table3 import COMBINATIONS, TABLE3


def named(scale: str, defence: str) -> list[dict[str, object]]:
    """The cells of one defence, for one canary."""
    cells = [dict(cell.values) for cell in unfold(TABLE3, scale)]
    return [cell for cell in cells if cell["defence"] == defence and cell["canary"] == "pin"]


def test_values_go_together() -> None:
    """A rate with dropout, two adversaries with characters, DP-SGD at one R."""
    assert COMBINATIONS == ("none", "D", "ES", "CE", "D+ES", "D+CE", "ES+CE", "D+ES+CE", "DP")
    assert {cell["rate"] for cell in named("quick", "D")} == {0.2, 0.1}
    assert {cell["rate"] for cell in named("quick", "D+ES")} == {0.2}
    assert {cell["rate"] for cell in named("paper", "D+ES")} == {0.2, 0.1}
    assert {cell["rate"] for cell in named("quick", "ES")} == {None}
    assert {cell["adversary"] for cell in named("quick", "D+CE")} == {"static", "adaptive"}
    assert {cell["adversary"] for cell in named("quick", "D+ES")} == {"static"}
    assert [cell["R"] for cell in named("quick", "DP")] == [500]
    assert {cell["R"] for cell in named("paper", "DP")} == {10, 500, 1000}


def test_early_stopping_is_patient_at_scale_paper() -> None:
    """A patience of 20 epochs would never fire in a short run: at scale quick it is 3."""
    for scale, patience, epochs in (("quick", 3, 30), ("paper", 20, 100)):
        cell = next(cell for cell in unfold(TABLE3, scale) if cell.values["defence"] == "D+ES+CE")
        defences = {one.name: dict(one.options) for one in cell.files[0].defences}
        assert defences["early-stopping"] == {"patience": patience, "epochs": epochs}
        assert defences["dropout"] == {"rate": cell.values["rate"]}
        assert list(defences) == ["dropout", "early-stopping", "character-embeddings"]


def test_an_adaptive_adversary_goes_through_the_characters() -> None:
    """The models are the same; only what soft tokens are differs."""
    cells = [cell for cell in unfold(TABLE3, "quick") if cell.values["defence"] == "CE"]
    static, adaptive = (
        next(cell.files[0] for cell in cells if cell.values["adversary"] == one) for one in ("static", "adaptive")
    )
    assert static.attacks[0].options["characters"] == "unknown"
    assert adaptive.attacks[0].options["characters"] == "mixed"
    assert static.attacks[1:] == adaptive.attacks[1:]
    assert (static.target, static.defences, static.secrets) == (adaptive.target, adaptive.defences, adaptive.secrets)


def test_print_stands_beside_both_rates_and_both_adversaries() -> None:
    """D + CE and DP-SGD are not printed, and no accuracy is."""
    published = [one for one in TABLE3.published if one.attack == "soft-token" and one.arm == "attack"]
    assert {one.metric for one in published} == {"hdt"}
    assert {one.cell["defence"] for one in published} == set(COMBINATIONS) - {"D+CE", "DP"}
    pins = {
        (one.cell["rate"], one.value)
        for one in published
        if (one.cell["canary"], one.cell["R"], one.cell["defence"]) == ("pin", 500, "D")
    }
    assert pins == {(0.2, 0.54), (0.1, 0.54)}
