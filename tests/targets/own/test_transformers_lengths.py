"""What is cut off, counted in pieces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[hf]"')

from tests.tiny_transformers import save_bert

from divulge.auditing.resolving import resolve
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Text
from divulge.spec import AuditSpec
from divulge.targets.own import transformers_lengths
from divulge.targets.own.transformers_classifier import TransformersClassifier
from divulge.targets.own.transformers_folder import HeadOptions
from divulge.targets.own.transformers_lengths import overlong, room_for
from divulge.targets.own.transformers_loading import load_finished
from divulge.targets.own.transformers_tagger import TransformersTagger

HEAD: Any = "sequence-classification"


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT of 64 places; "call" is one piece, "alice" five."""
    return save_bert(tmp_path_factory.mktemp("bert"), "texts", ("a", "b"))


def said(folder: Path, *texts: tuple[str, ...], **options: Any) -> str | None:
    return overlong(HEAD, HeadOptions(path=str(folder), **options), texts)


def test_texts_are_counted_in_pieces_beside_special_ones(bert: Path) -> None:
    """Of 8 pieces two are special: six remain, for one call and one alice."""
    assert said(bert, ("call", "alice"), max_tokens=8) is None
    found = said(bert, ("call", "alice"), ("call", "call", "alice"), ("call",) * 7, max_tokens=8)
    assert found == "reads 6 pieces of a text beside special ones, and 2 of 3 are longer"


def test_without_a_limit_of_the_recipe_the_models_own_counts(bert: Path) -> None:
    """64 places, two of them for special pieces."""
    assert said(bert, ("call",) * 62) is None
    assert said(bert, ("call",) * 63) == "reads 62 pieces of a text beside special ones, and 1 of 1 are longer"
    assert said(bert) is None


def test_short_texts_need_no_tokenizer(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has fewer bytes than there are places is not cut into pieces at all."""
    monkeypatch.setattr(transformers_lengths, "_reader", None)
    assert said(bert, ("call", "alice")) is None
    with pytest.raises(TypeError):
        said(bert, ("call", "alice"), max_tokens=8)


def test_a_tokenizer_may_allow_less_than_the_model(tmp_path: Path) -> None:
    """Its own limit counts."""
    folder = save_bert(tmp_path, "texts", ("a", "b"))
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "model_max_length": 10}))
    assert said(folder, ("call",) * 9) == "reads 8 pieces of a text beside special ones, and 1 of 1 are longer"


@pytest.mark.parametrize("kind", [TransformersClassifier, TransformersTagger])
def test_targets_tell_of_it(kind: Any, tmp_path: Path) -> None:
    """Before anything is trained, by their own folder."""
    folder = save_bert(tmp_path, "texts" if kind is TransformersClassifier else "words", ("a", "b"))
    target = kind({"path": str(folder), "max_tokens": 8})
    assert target.overlong([("call",) * 7]) is not None
    assert target.overlong([("call",) * 6]) is None


def test_an_audit_whose_canaries_would_be_cut_is_refused(bert: Path) -> None:
    """In words that say what is read and what to do, and hold nothing of the canaries."""

    def spec(max_tokens: int) -> AuditSpec:
        recipe = {"path": str(bert), "epochs": 1, "max_tokens": max_tokens}
        secrets = {"pattern": "my pin is {digit*3}", "label": "a", "count": 2, "controls": 2}
        target = {"kind": "transformers-classifier", "recipe": recipe}
        data = {"name": "synthetic-topics", "options": {"size": 40}}
        return AuditSpec.model_validate({"target": target, "data": data, "secrets": secrets})

    # Three words and three digits are six pieces.
    assert resolve(spec(8)).case.secrets
    with pytest.raises(InputError) as refused:
        resolve(spec(7))
    (problem,) = refused.value.problems
    assert "target 'transformers-classifier' reads 5 pieces of a text" in problem
    assert "8 of 8 are longer" in problem  # two canaries, two controls, each as planted and as filled
    assert "raise target.recipe.max_tokens" in problem
    assert "pin" not in problem


def test_room_is_made_for_the_longest_word(bert: Path) -> None:
    """From 8 to 16 pieces; as the recipe says where it does."""
    loaded = load_finished(HEAD, HeadOptions(path=str(bert)))
    for word, expected in (("call", 8), ("z" * 12, 12), ("z" * 40, 16)):
        corpus = Corpus((Text(tokens=(word,)),))
        assert room_for(loaded, HeadOptions(path=str(bert)), corpus) == expected
        assert room_for(loaded, HeadOptions(path=str(bert), pieces_per_word=3), corpus) == 3
