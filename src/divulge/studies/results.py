"""Tables that were computed before and are kept: results/<paper>/<name>.<scale>.json, one row a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import divulge
from divulge.errors import ExecutionError, InputError
from divulge.spec import Study
from divulge.studies.rows import StudyTable

__all__ = ["SCALES", "kept_scales", "read_table", "results_file", "results_folders", "write_table"]

SCALES = ("paper", "quick", "smoke")  # the largest first


def results_folders() -> tuple[Path, ...]:
    """Where kept tables are looked for: $DIVULGE_RESULTS alone, or ./results, then those that came with Divulge."""
    named = os.environ.get("DIVULGE_RESULTS")
    if named:
        return (Path(named).expanduser(),)
    package = Path(divulge.__file__).parent
    # An installed package holds its results; a checkout has them beside src.
    beside = (package.parent.parent / "results",) if package.parent.name == "src" else ()
    return Path("results"), package / "results", *beside


def results_file(study: Study, scale: str) -> Path:
    """The place of a table below a results folder."""
    return Path(study.paper) / f"{study.name.partition('/')[2]}.{scale}.json"


def kept_scales(study: Study) -> tuple[str, ...]:
    """The scales at which a table of the study is kept, the largest first."""
    return tuple(scale for scale in SCALES if _find(study, scale, results_folders()) is not None)


def read_table(study: Study, scale: str, folder: Path | None = None) -> StudyTable | None:
    """Reads a kept table, from one results folder or the first that has it; None if there is none.

    Raises:
        ExecutionError: There is a file, and it cannot be read as the table of this study.
    """
    path = _find(study, scale, results_folders() if folder is None else (folder,))
    if path is None:
        return None
    try:
        table = StudyTable.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:  # not UTF-8, not JSON, or not a table
        raise ExecutionError(f"{path}: is no study table of this version (schema_version 1 to 5)") from None
    if (table.study, table.scale) != (study.name, scale):
        raise ExecutionError(f"{path}: holds {table.study} at scale {table.scale}, not {study.name} at {scale}")
    return table


def write_table(folder: Path, study: Study, table: StudyTable) -> Path:
    """Keeps a table below a results folder; the file appears whole or not at all."""
    path = folder / results_file(study, table.scale)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(_spelling(table), encoding="utf-8")
        draft.replace(path)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path.parent}: is not a directory; results cannot be kept there") from None
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def _find(study: Study, scale: str, folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        path = folder / results_file(study, scale)
        if path.is_file():
            return path
    return None


def _spelling(table: StudyTable) -> str:
    content = table.model_dump(mode="json", by_alias=True)
    listed = {name: ",\n".join(map(_line, content.pop(name))) for name in ("cells", "rows")}
    lists = ", ".join(f'"{name}": [\n{lines}\n]' for name, lines in listed.items())
    return f"{_line(content)[:-1]}, {lists}}}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
