from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

from tests.tiny_transformers import save_bert

from divulge.targets.own.transformers_classifier import TransformersClassifier
from divulge.targets.own.transformers_names import known_names, name_misfits
from divulge.targets.own.transformers_tagger import TransformersTagger


def changed(folder: Path, file: str, **values: Any) -> None:
    """Sets values in a JSON file of the folder."""
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_outputs_that_are_not_those_of_the_data_are_told_beforehand(tmp_path: Path) -> None:
    """Other names, no names, another number of names; one in common, an adapter, or training leave it open."""
    save_bert(tmp_path, "texts", ("yes", "no"))
    mine = TransformersClassifier({"path": str(tmp_path)}).options

    def told(**settings: Any) -> list[str]:
        return name_misfits(mine.model_copy(update=settings), ("ja", "nein"), "labels")

    assert "none of the 2 labels of the data is among the 2 outputs" in told()[0]
    assert "must name the 2 outputs of the model in order. Got 3" in told(labels=("ja", "nein", "doch"))[0]
    assert told(labels=("ja", "nein")) == told(epochs=1) == told(adapter="somewhere") == []
    assert name_misfits(mine, ("yes", "maybe"), "labels") == name_misfits(mine, (), "labels") == []
    changed(tmp_path, "config.json", id2label={"0": "LABEL_0", "1": "LABEL_1"})
    assert "calls its 2 outputs LABEL_0 to LABEL_1" in told()[0]


def test_a_finished_model_tells_its_names_before_it_is_read(tmp_path: Path) -> None:
    """In the order of its outputs, or as the recipe calls them; one that is trained further has none yet."""
    texts, words = save_bert(tmp_path / "texts", "texts", ("yes", "no")), save_bert(tmp_path / "words", "words", "BO")
    assert TransformersClassifier({"path": str(texts)}).known_labels == ("yes", "no")
    assert TransformersTagger({"path": str(words)}).known_tags == ("B", "O")
    named = TransformersClassifier({"path": str(texts), "labels": ["ja", "nein"]})
    assert named.known_labels == ("ja", "nein")
    assert known_names(named.options.model_copy(update={"epochs": 1})) == ()
    changed(texts, "config.json", id2label=None)  # as two outputs without names are saved
    assert TransformersClassifier({"path": str(texts)}).known_labels == ("LABEL_0", "LABEL_1")
    assert named.known_labels == ("ja", "nein")
    assert name_misfits(named.options, ("ja", "doch"), "labels") == []


def test_labels_of_the_recipe_must_be_all_that_are_trained_on(tmp_path: Path) -> None:
    """Before anything is trained; the first few that are missing are named."""
    folder = save_bert(tmp_path, "texts", ("yes", "no"))
    target = TransformersClassifier({"path": str(folder), "epochs": 1, "labels": ["ja", "nein"]})
    assert name_misfits(target.options, ("ja",), "labels") == []
    (said,) = name_misfits(target.options, ("ja", *"abcdefg"), "labels")
    assert said == "recipe.labels names 2 labels, and the data has 7 more: 'a', 'b', 'c', 'd', 'e', …"
