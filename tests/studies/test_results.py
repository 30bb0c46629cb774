"""Kept tables."""

import json
from pathlib import Path

import pytest
from tests.studies.sample import study

from divulge.errors import ExecutionError, InputError
from divulge.studies.results import kept_scales, read_table, results_file, results_folders, write_table
from divulge.studies.rows import StudyTable


def test_a_kept_table_is_read_back(table: StudyTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the folder of its paper, one cell and one row a line, nothing else left behind."""
    path = write_table(tmp_path, study(), table)
    assert path == tmp_path / "sample" / "table1.smoke.json"
    assert [found.name for found in path.parent.iterdir()] == ["table1.smoke.json"]
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    assert read_table(study(), "smoke") == table
    assert kept_scales(study()) == ("smoke",)
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) == len(table.cells) + len(table.rows) + 3
    content = json.loads(text)
    assert content["schema_version"] == 5
    assert {"study", "paper", "scale", "rows", "versions", "seconds", "failures"} <= set(content)


def test_an_empty_table_is_valid_json(table: StudyTable, tmp_path: Path) -> None:
    """A run in which everything failed is kept with its failures."""
    path = write_table(tmp_path, study(), table.model_copy(update={"rows": ()}))
    assert json.loads(path.read_text(encoding="utf-8"))["rows"] == []


def test_a_study_without_kept_table_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file, no table, no error."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    assert read_table(study(), "smoke") is None
    assert kept_scales(study()) == ()


def test_scales_come_largest_first(table: StudyTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order in which they were kept."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    for scale in ("quick", "smoke", "paper"):
        write_table(tmp_path, study(), table.model_copy(update={"scale": scale}))
    assert kept_scales(study()) == ("paper", "quick", "smoke")


def test_the_working_folder_comes_before_the_package(
    table: StudyTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without DIVULGE_RESULTS, ./results is first; a named folder stands alone."""
    assert len(results_folders()) == 1
    monkeypatch.delenv("DIVULGE_RESULTS")
    monkeypatch.chdir(tmp_path)
    assert results_folders()[0] == Path("results")
    assert any((folder / "README.md").is_file() for folder in results_folders())  # those that come with the project
    write_table(Path("results"), study(), table)
    assert read_table(study(), "smoke") == table


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"schema_version": 2}', b'{"schema_version": 1, "study": "sample/table1"}'],
)
def test_a_damaged_file_is_an_error_of_one_line(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for an absent one."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    path = tmp_path / results_file(study(), "smoke")
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(ExecutionError, match="is no study table of this version"):
        read_table(study(), "smoke")


def test_a_table_in_the_wrong_place_is_refused(
    table: StudyTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copied file must not pass for another scale."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    path = write_table(tmp_path, study(), table)
    path.rename(tmp_path / results_file(study(), "paper"))
    with pytest.raises(ExecutionError, match="at scale smoke, not sample/table1 at paper"):
        read_table(study(), "paper")


def test_a_file_where_the_folder_should_be_is_the_callers_mistake(table: StudyTable, tmp_path: Path) -> None:
    """The message names it."""
    (tmp_path / "sample").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="sample: is not a directory"):
        write_table(tmp_path, study(), table)
