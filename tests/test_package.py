"""Tests of the package as it is imported and installed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata

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
