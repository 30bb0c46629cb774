"""Tests of the package as it is imported and installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import divulge

HEAVY = ("torch", "transformers", "sklearn", "ray", "scipy", "sacrebleu")


def loaded(code: str) -> set[str]:
    """The heavy libraries that a fresh process has loaded after running some code."""
    told = f"{code}\nimport json, sys\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import divulge",
        "from divulge.cli.app import run; assert run(['--help']) == 0",
        "from divulge.cli.app import run; assert run(['list', '--json']) == 0",
        "import divulge.auditing.tasks, divulge.runs, divulge.auditing.forecast, divulge.report, divulge.testing",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code):
    """Importing, asking for help and listing stay light."""
    assert loaded(code) == set()


def test_what_is_loaded_is_noticed():
    """The test above can fail."""
    assert "sklearn" in loaded("import sklearn")


def test_the_version_is_that_of_the_distribution():
    """One number, told in two places."""
    assert divulge.__version__ == metadata.version("divulge")


def test_errors_can_be_had_from_the_package():
    """Callers catch one kind."""
    for name in ("BudgetExhausted", "EvidenceError", "ExecutionError", "InputError"):
        assert issubclass(getattr(divulge, name), divulge.AuditError)


def test_importing_the_package_loads_no_library_at_all():
    """What takes time is found when it is first asked for."""
    code = (
        "import divulge, json, sys; print(json.dumps([n for n in ('numpy', 'pydantic', 'typer') if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_every_public_name_is_found():
    """Also those that are found later; a name that there is not is an AttributeError like any other."""
    for name in divulge.__all__:
        assert getattr(divulge, name) is not None
        assert name in dir(divulge)
    assert callable(divulge.audit)
    with pytest.raises(AttributeError, match="no attribute 'audits'"):
        divulge.audits  # noqa: B018


def test_type_checkers_see_the_same_names():
    """The stub names what the package names, from the same modules; the marker of types is shipped with it."""
    package = Path(divulge.__file__).parent
    stub = ast.parse((package / "__init__.pyi").read_text(encoding="utf-8"))
    imported = {
        alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert sorted([*imported, "__version__"]) == sorted(divulge.__all__)
    assert {name: getattr(divulge, name).__module__ for name in imported} == imported
    assert (package / "py.typed").is_file()
