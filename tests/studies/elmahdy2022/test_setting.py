"""What the studies of elmahdy2022 share."""

from __future__ import annotations

import pytest

from divulge.data.reddit_topics import RedditTopics
from divulge.studies import STUDIES, study_named
from divulge.studies.cells import unfold
from divulge.studies.elmahdy2022 import setting
from divulge.studies.elmahdy2022.beyond import PLACES
from divulge.studies.elmahdy2022.table2 import TABLE2
from divulge.studies.elmahdy2022.table3 import TABLE3
from divulge.studies.elmahdy2022.table4 import TABLE4
from divulge.studies.planning import plan_study

OURS = sorted(name for name in STUDIES if name.startswith("elmahdy2022/"))


@pytest.mark.parametrize("name", OURS)
def test_every_printed_number_has_a_cell(name: str) -> None:
    """At scale paper there is a cell for each; a number that stands nowhere would be lost without a word."""
    study = study_named(name)
    cells = {repr(sorted(cell.values.items(), key=str)) for cell in unfold(study, "paper")}
    placed = [{axis: value for axis, value in one.cell.items() if axis != "k"} for one in study.published]
    assert {repr(sorted(cell.items(), key=str)) for cell in placed} <= cells
    assert {one.cell["k"] for one in study.published if "k" in one.cell} <= set(setting.KS)


def test_the_note_names_the_classes_that_are_rare() -> None:
    """Those that the options of the data make rare."""
    assert RedditTopics(setting.DATA_OPTIONS).rare_classes == setting.RARE
    assert all(name in setting.IN_RARE for name in setting.RARE)


def test_so_many_words_are_missing_of_ten() -> None:
    """The pattern has ten words whatever is missing; they are looked for among all."""
    patterns = [told["secrets.pattern"] for told in setting.of_tokens().values()]
    assert patterns == ["<word*9> {word}", "<word*8> {word*2}", "<word*7> {word*3}"]
    assert not any(told["attacks.1.options.prune"] for told in setting.of_tokens().values())


def test_tables_share_the_models_they_have_in_common() -> None:
    """By the recipe, the secrets and the seed: table 3 trains three R anew, table 4 all four of its numbers."""
    models = [
        {
            (repr(sorted(dict(file.secrets).items(), key=str)), file.run.seed)
            for cell in unfold(study, "quick")
            for file in cell.files.values()
        }
        for study in (TABLE2, TABLE3, TABLE4)
    ]
    assert [len(one) for one in models] == [6, 8, 8]
    assert len(models[0] & models[1]) == 2
    assert not models[2] & (models[0] | models[1])


def test_the_penalty_makes_no_model_and_asks_ours_nothing_new() -> None:
    """At scale smoke: two lambdas, two numbers of words, two seeds; ours has no lambda."""
    tasks = list(plan_study(TABLE2, "smoke").plan.graph)
    assert sum(task.kind == "train-target" for task in tasks) == 4
    named = [task.label.split()[-1] for task in tasks if task.kind == "attack"]
    assert (named.count("label-likelihood"), named.count("calibrated-likelihood")) == (8, 4)


def test_larger_scales_have_more() -> None:
    """Trials, posts and epochs; and each says of itself how many."""
    quick, paper = (next(iter(unfold(TABLE3, scale))).files[0] for scale in ("quick", "paper"))
    assert [len(next(iter(unfold(TABLE3, scale))).files) for scale in ("smoke", "quick", "paper")] == [2, 2, 10]
    assert (quick.data.options["each"], paper.data.options["each"]) == (20, 100)
    assert (quick.target.recipe["epochs"], paper.target.recipe["epochs"]) == (5, 10)
    notes = {scale.name: scale.note for scale in TABLE3.scales}
    assert "5 canaries in each of 2 models" in notes["quick"]
    assert "20 posts of 24 words" in notes["quick"]
    assert "5 canaries in each of 10 models" in notes["paper"]
    assert "canaries" not in notes["smoke"]


def test_words_are_counted_in_what_is_trained_on() -> None:
    """The train split of the same posts."""
    file = next(iter(unfold(TABLE2, "quick"))).files[0]
    corpus = file.adversary.background.corpus
    assert corpus is not None
    assert (corpus.name, corpus.splits, corpus.options) == (setting.POSTS, ("train",), file.data.options)


def test_places_differ_in_how_frequent_their_classes_are() -> None:
    """Ten, fifteen and a hundred posts."""
    options = next(iter(unfold(PLACES, "quick"))).files[0].data.options
    assert options["rare_each"] < options["each"] < options["frequent_each"]
    topics = RedditTopics(dict(options))
    assert len(topics.rare_classes) == len(topics.frequent_classes) == 5
    assert topics.rare_classes == setting.RARE
