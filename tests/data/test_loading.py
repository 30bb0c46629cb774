"""From a spec to a corpus."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.data import DATA
from divulge.data.loading import _quotas, data_entry, data_path, data_problems, load_corpus, verify
from divulge.errors import InputError
from divulge.spec import DataSpec


def write(path: Path, rows: int, splits: tuple[str, ...] = ("train",)) -> str:
    """A JSONL file whose rows go through the splits and two labels in turn."""
    lines = [
        f'{{"text": "t{i}", "label": "{"ab"[i % 2]}", "split": "{splits[i % len(splits)]}"}}\n' for i in range(rows)
    ]
    path.write_text("".join(lines))
    return str(path)


def test_an_unknown_name_brings_near_ones() -> None:
    """A misspelt data set is answered with the right name."""
    with pytest.raises(InputError, match="Did you mean 'snips'"):
        load_corpus(DataSpec(name="snisp"))


def test_several_problems_are_reported_at_once() -> None:
    """Columns for a known set, two wrong options and a wrong split are four problems of one error."""
    spec = DataSpec(
        name="synthetic-topics", columns={"text": "x"}, options={"size": 0, "topic": 3}, splits=("train", "tests")
    )
    with pytest.raises(InputError) as caught:
        load_corpus(spec)
    assert len(caught.value.problems) == 4
    for part in ("columns", "'size'", "Did you mean 'topics'", "'tests'. Available: test, train, valid"):
        assert part in str(caught.value)


def test_missing_files_are_a_problem_of_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known set whose files are not there is refused before anything is read."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    (problem,) = data_problems(DataSpec(name="snips"))
    assert "9 of 9 files" in problem


def test_a_sound_spec_has_no_problems(tmp_path: Path) -> None:
    """Nothing is found wrong with a synthetic corpus or a file that is there."""
    assert data_problems(DataSpec(name="synthetic-users", options={"users": 3})) == []
    assert data_problems(DataSpec(path=write(tmp_path / "a.jsonl", 2))) == []


def test_splits_are_chosen(tmp_path: Path) -> None:
    """Only the splits asked for are kept, in the order of the file."""
    path = write(tmp_path / "a.jsonl", 6, ("train", "dev", "test"))
    corpus = load_corpus(DataSpec(path=path, splits=("test", "train")))
    assert [text.tokens[0] for text in corpus] == ["t0", "t2", "t3", "t5"]


def test_a_split_the_file_has_not_is_an_error(tmp_path: Path) -> None:
    """The splits there are, are named."""
    with pytest.raises(InputError, match=r"no split 'valid'\. Available: dev, train"):
        load_corpus(DataSpec(path=write(tmp_path / "a.jsonl", 4, ("train", "dev")), splits=("valid",)))


def test_a_limit_keeps_splits_in_proportion(tmp_path: Path) -> None:
    """Of 80 + 20 + 20 texts a limit of 30 keeps 20 + 5 + 5, in order, always the same."""
    splits = ("train", "train", "train", "train", "valid", "test")
    spec = DataSpec(path=write(tmp_path / "a.jsonl", 120, splits), limit=30)
    corpus = load_corpus(spec)
    assert Counter(text.split for text in corpus) == {"train": 20, "valid": 5, "test": 5}
    places = [int(text.tokens[0][1:]) for text in corpus]
    assert places == sorted(set(places))
    assert load_corpus(spec) == corpus


def test_a_limit_does_not_follow_alternation(tmp_path: Path) -> None:
    """Half of a file with two labels in turn still has both, in about the same number."""
    corpus = load_corpus(DataSpec(path=write(tmp_path / "a.jsonl", 400), limit=200))
    # 200 of 400 without replacement: the standard deviation of one label's count is about 5.
    assert 80 <= Counter(text.label for text in corpus)["a"] <= 120


def test_a_limit_does_not_take_the_first(tmp_path: Path) -> None:
    """Half of a file sorted by label still has both labels, in about the same number."""
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "t{i}", "label": "{"ab"[i // 200]}"}}\n' for i in range(400)))
    corpus = load_corpus(DataSpec(path=str(tmp_path / "a.jsonl"), limit=200))
    assert 80 <= Counter(text.label for text in corpus)["a"] <= 120


def test_a_smaller_limit_keeps_a_part_of_a_larger_one(tmp_path: Path) -> None:
    """Raising the limit only adds texts; a limit beyond the corpus changes nothing."""
    path = write(tmp_path / "a.jsonl", 50)
    few, more, all_of_it = (set(load_corpus(DataSpec(path=path, limit=n)).texts) for n in (10, 20, 99))
    assert few < more < all_of_it
    assert (len(few), len(more), len(all_of_it)) == (10, 20, 50)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 50), min_size=1), st.data())
def test_quotas_are_proportional(sizes: dict[str, int], data: st.DataObject) -> None:
    """Quotas sum to the limit and differ from the exact share by less than one."""
    total = sum(sizes.values())
    limit = data.draw(st.integers(1, total))
    quotas = _quotas(sizes, limit)
    assert sum(quotas.values()) == limit
    for name, size in sizes.items():
        assert abs(quotas[name] - size * limit / total) < 1
        assert quotas[name] <= size


def test_own_data_sets_load_by_class() -> None:
    """A class of one's own is named as module:Class, as any other part."""
    corpus = load_corpus(DataSpec(name="divulge.data.synthetic.topics:SyntheticTopics", options={"size": 5}))
    assert len(corpus) == 5


def test_paths_are_of_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set with files has a folder, there or not; one that is made has none."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    assert data_path("snips") == tmp_path / "snips"
    with pytest.raises(InputError, match="no folder"):
        data_path("synthetic-users")
    with pytest.raises(InputError, match="unknown data set"):
        data_path("nothing")


def test_verify_looks_at_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absent and wrong files are found; a set that is made has nothing to verify."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    (tmp_path / "snips" / "train").mkdir(parents=True)
    (tmp_path / "snips" / "train" / "label").write_text("x")
    found = {finding.path: finding for finding in verify("snips")}
    assert [path for path, finding in found.items() if finding.present] == ["train/label"]
    assert found["train/label"].reason == "has 1 bytes; expected 184532"
    assert not any(finding.as_expected for finding in found.values())
    assert verify("synthetic-users") == []


def test_entries_describe_every_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each registered set has an entry; only those with files may be absent."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    entries = {name: data_entry(name) for name in DATA}
    assert not entries["snips"].present
    assert entries["snips"].needs_download
    assert entries["synthetic-topics"].present
    assert entries["synthetic-topics"].options["topics"] == 10


def test_data_is_light_to_import() -> None:
    """Neither the registry nor the loader brings in torch, scikit-learn or scipy."""
    code = (
        "import sys, divulge.data, divulge.data.loading\n"
        "print([m for m in ('torch', 'sklearn', 'scipy', 'transformers', 'sacrebleu') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
