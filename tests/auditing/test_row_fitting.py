"""Tests of the adversary's encoder against the one whose rows leaked."""

from __future__ import annotations

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

from tests.tiny_encoders import KINDS

from divulge.attacks.base import Attack
from divulge.attacks.keyword_classifiers import NearestNeighbours
from divulge.attacks.nearest_sentence import NearestSentence
from divulge.attacks.parallel_decoder import ParallelDecoder
from divulge.auditing.naming import target_named
from divulge.auditing.row_fitting import reading_problems, shape_problems
from divulge.data.corpus import Corpus
from divulge.defences.pooled_rows import PooledRows
from divulge.records import Text
from divulge.testing.encoder import FakeEncoder


@pytest.mark.parametrize(
    ("kind", "recipe", "alike"),
    [("bert", {"tokens": 3}, True), ("bert", {"unit": "word"}, False), ("gpt", {}, False)],
)
def test_the_adversarys_encoder_must_cut_texts_alike(tmp_path, kind, recipe, alike):
    """Another tokenizer, or words in the place of pieces, is refused; a shorter beginning of the same is not."""
    public = Corpus((Text(("the", "cat")), Text(("the", "trainers", "sat"))))
    paths = {name: str(KINDS[name](tmp_path / name)) for name in ("bert", "gpt")}
    target = target_named("sentence-encoder", {"path": paths["bert"]})
    found = reading_problems(target, target_named("sentence-encoder", {"path": paths[kind], **recipe}), public)
    assert ["cuts texts into other tokens" in problem for problem in found] == [True] * (not alike)


UNPOOLED, POOLED_ROWS = FakeEncoder(), FakeEncoder({"pooling": "mean"})


@pytest.mark.parametrize(
    ("target", "attack", "said"),
    [
        (UNPOOLED, ParallelDecoder(), None),
        (POOLED_ROWS, NearestSentence(), None),
        (POOLED_ROWS, NearestNeighbours(), None),  # reads either
        (POOLED_ROWS, ParallelDecoder(), "reads unpooled rows, and these are pooled. Fitting: nearest-sentence"),
        (UNPOOLED, NearestSentence(), "reads pooled rows, and these are unpooled. Fitting: decoder-pretrained"),
        (UNPOOLED, None, None),
    ],
)
def test_an_attack_must_read_rows_of_their_shape(target: FakeEncoder, attack: Attack | None, said: str | None) -> None:
    """It is told before anything runs, with those that fit."""
    found = shape_problems(target, [], attack, known=False)
    assert [problem for problem in found if said is not None and said in problem] == found
    assert bool(found) == (said is not None)


def test_a_defence_that_pools_changes_the_shape() -> None:
    """For who knows of it; one of no strength changes nothing, and pooled rows are not pooled twice."""
    pooling, harmless = PooledRows(), PooledRows({"how": "none"})
    assert shape_problems(UNPOOLED, [pooling], NearestSentence(), known=True) == []
    assert "knows_defence = true" in shape_problems(UNPOOLED, [pooling], NearestSentence(), known=False)[0]
    assert (
        "unpooled rows, and these are pooled" in shape_problems(UNPOOLED, [pooling], ParallelDecoder(), known=True)[0]
    )
    assert shape_problems(UNPOOLED, [harmless], ParallelDecoder(), known=False) == []
    assert "pooled already" in shape_problems(POOLED_ROWS, [pooling], NearestSentence(), known=True)[0]
