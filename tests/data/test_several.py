"""Several sets of texts as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.data.loading import data_problems, load_corpus
from divulge.data.several import Several
from divulge.errors import InputError
from divulge.spec import DataSpec

USERS = {"name": "synthetic-users", "options": {"users": 3, "texts": 4}}


def several(*parts: dict[str, Any], **more: Any) -> DataSpec:
    """A spec of these parts."""
    return DataSpec(name="several", options={"parts": list(parts)}, **more)


def test_parts_follow_each_other(tmp_path: Path) -> None:
    """Each with its own options, splits and limit; all texts are for training, and the name tells the parts."""
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "a b", "split": "test", "label": "x"}\n{"text": "c", "split": "train", "label": "y"}\n')
    topics = {"name": "synthetic-topics", "options": {"size": 50}, "splits": ["valid", "test"], "limit": 3}
    corpus = load_corpus(several({"path": str(path), "splits": ["test"]}, topics, USERS))
    parts = [load_corpus(DataSpec.model_validate_json(spec)) for spec in (
        '{"name": "synthetic-topics", "options": {"size": 50}, "splits": ["valid", "test"], "limit": 3}',
        '{"name": "synthetic-users", "options": {"users": 3, "texts": 4}}',
    )]  # fmt: skip
    assert [text.tokens for text in corpus] == [("a", "b"), *(text.tokens for part in parts for text in part)]
    assert corpus.texts[0].label == "x"
    assert corpus.splits == ("train",)
    assert corpus.name.split(" + ")[1:] == ["synthetic-topics", "synthetic-users"]


def test_a_limit_is_of_all_parts_together() -> None:
    """As for any other data."""
    assert len(load_corpus(several(USERS, USERS, limit=5))) == 5


def test_problems_have_the_place_of_their_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing files, wrong options, unknown names and splits are all reported, before anything is read."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    wrong = {"name": "synthetic-topics", "options": {"size": 0}, "splits": ["dev"]}
    found = data_problems(several({"name": "snips"}, USERS, wrong, {"name": "snisp"}))
    assert [problem.partition(": ")[0] for problem in found] == [f"data.options.parts[{i}]" for i in (0, 2, 2, 3)]
    for problem, part in zip(found, ("9 of 9 files", "'size'", "no split 'dev'", "Did you mean 'snips'"), strict=True):
        assert part in problem
    with pytest.raises(InputError) as caught:
        load_corpus(several({"name": "snips"}))
    assert caught.value.problems[0].startswith("data.options.parts[0]: data set 'snips'")


def test_faults_found_in_reading_have_their_place_too(tmp_path: Path) -> None:
    """A split that a file turns out not to have."""
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(InputError, match=r"data\.options\.parts\[1\]: data\.splits: .*no split 'test'"):
        load_corpus(several(USERS, {"path": str(path), "splits": ["test"]}))


def test_it_does_not_nest() -> None:
    """Neither by name nor by class; and without parts there is nothing to read."""
    for name in ("several", "divulge.data.several:Several"):
        (problem,) = data_problems(several(USERS, {"name": name, "options": {"parts": [USERS]}}))
        assert problem == f"data.options.parts[1]: is {name!r} itself; name its parts here instead"
    (problem,) = data_problems(DataSpec(name="several"))
    assert "give at least one" in problem
    with pytest.raises(InputError, match="give at least one"):
        Several().load()


def test_a_part_must_be_described_like_data() -> None:
    """Unknown keys, and both or neither of name and path, are refused with their place."""
    (problem,) = data_problems(several({"nam": "cms"}))
    assert "parts.0" in problem
    assert data_problems(several({"name": "cms", "path": "x"}))


def test_parts_are_looked_for_under_the_root_given(tmp_path: Path) -> None:
    """Not only under the one that is set."""
    folder = tmp_path / "cms"
    folder.mkdir()
    (folder / "cms_spacy.csv").write_text("text,label,spacy_label\nx ray,,ray\ny,,\n")
    corpus = Several({"parts": [{"name": "cms"}]}).load(tmp_path)
    assert {text.tokens for text in corpus} == {("x", "ray"), ("y",)}
