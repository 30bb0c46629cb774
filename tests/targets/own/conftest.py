"""Code of a user's own, in a folder beside the audit file, and a store of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

NUMBERS = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes a module of one's own and gives its name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))

    def written(code: str) -> str:
        name = f"own_module_{next(NUMBERS)}"  # modules of a process must differ
        (tmp_path / f"{name}.py").write_text(code)
        return name

    return written
