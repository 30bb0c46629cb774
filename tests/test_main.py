"""Tests of `python -m divulge`."""

from __future__ import annotations

import subprocess
import sys

from divulge import __version__


def test_the_package_runs_as_the_command_line():
    """With its name, its version and its exit codes."""
    version = subprocess.run(
        [sys.executable, "-m", "divulge", "--version"], capture_output=True, text=True, check=False
    )
    assert (version.returncode, version.stdout, version.stderr) == (0, f"divulge {__version__}\n", "")
    wrong = subprocess.run([sys.executable, "-m", "divulge", "nonsense"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("divulge: No such command 'nonsense'")


def test_importing_it_runs_nothing():
    """Tools that walk a package import every module."""
    done = subprocess.run(
        [sys.executable, "-c", "import divulge.__main__"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
