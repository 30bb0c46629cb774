"""Tests of examples in study tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from divulge.auditing.pooling import Attacked
from divulge.metrics.base import Scored
from divulge.records import LeakedRow, Ranking, RowContent
from divulge.spec import AuditFile, ExamplesSpec
from divulge.studies import study_named
from divulge.studies.cells import Cell, unfold
from divulge.studies.examples import examples_of

STUDY = study_named("gu2023/table4")
# Cosine over token sets: 1 (2 of 2), 0.5 (1 of 2 and 2), 0 (none).
ROWS = {"a": ("red", "car"), "b": ("blue", "##ish"), "c": ("one", "two")}
GUESSES = {"a": ("red", "car"), "b": ("blue", "sky"), "c": ("no", "way")}


def attacked() -> Attacked:
    """One attack's answers about three rows."""
    scored = Scored(
        answers={name: RowContent(tokens=tokens) for name, tokens in ROWS.items()},
        hints={name: LeakedRow(row=place) for place, name in enumerate(ROWS)},
        guesses={name: Ranking(secret_id=name, candidates=(tokens,)) for name, tokens in GUESSES.items()},
    )
    return Attacked(seed=0, model="m", arms={"attack": scored})


def shown(above: float | None = None, count: int = 10, attack: str = "parallel-decoder"):
    """The examples of a study that asks so."""
    wanted = ExamplesSpec(attacks=("parallel-decoder",), count=count, above=above)
    study = STUDY.model_copy(update={"examples": wanted})
    return list(examples_of(study, unfold(study, "smoke")[0], attack, [attacked()]))


def test_sentences_stand_beside_their_reconstructions_in_words() -> None:
    """Word pieces are joined."""
    found = {(one.truth, one.guess): one.cosine for one in shown()}
    assert found == {("red car", "red car"): 1.0, ("blueish", "blue sky"): 0.5, ("one two", "no way"): 0.0}


@pytest.mark.parametrize(("above", "count", "cosines"), [(0.4, 10, {1.0, 0.5}), (0.5, 10, {1.0}), (0.4, 1, None)])
def test_only_alike_ones_and_no_more_than_asked_for(above: float, count: int, cosines: set[float] | None) -> None:
    """Above, not at, the least cosine."""
    found = shown(above, count)
    assert len(found) == (1 if cosines is None else len(cosines))
    assert cosines is None or {one.cosine for one in found} == cosines


def test_other_attacks_and_own_files_show_nothing() -> None:
    """Private texts never stand in a table."""
    assert shown(attack="random") == []
    cell = unfold(STUDY, "smoke")[0]
    file = next(iter(cell.files.values()))
    own = AuditFile.model_validate({**file.model_dump(), "data": {"path": "own.csv"}})
    assert list(examples_of(STUDY, replace(cell, files={0: own}), "parallel-decoder", [attacked()])) == []
    assert isinstance(cell, Cell)
