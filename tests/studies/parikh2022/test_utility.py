"""The study of what the tagger is worth."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.utility import UTILITY


def test_one_recipe_serves_both_data_sets() -> None:
    """Nothing but the data differs, and no attack is run."""
    snips, atis = unfold(UTILITY, "quick")
    assert [cell.files[0].data.name for cell in (snips, atis)] == ["snips", "atis"]
    assert snips.files[0].target == atis.files[0].target
    recipe = snips.files[0].target.recipe
    assert (recipe["vectors"], recipe["characters"], recipe["tune_vectors"]) == ("glove", True, True)
    assert not snips.files[0].attacks
