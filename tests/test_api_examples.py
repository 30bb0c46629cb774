"""The examples of the Python API run as they stand, and their types are sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
EXAMPLES = PROJECT / "examples" / "python_api"
# What each must print, in this order.
SAID: dict[str, tuple[str, ...]] = {
    "callable_model.py": ("The audit found a leak.", "record-loss", "attack 0.99"),
    "embeddings.py": ("The audit found a leak.", "parallel-decoder", "in place: 100"),
    "load_and_gate.py": ("runs/before exceeded 100", "runs/after passed 0", "exposure {} better"),
    "own_classifier.py": ("The audit found a leak.", "label-likelihood", "without the model"),
}


def test_every_example_is_tested() -> None:
    """A new one needs a line here."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", sorted(SAID))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    """In an empty folder with an empty store, without a warning; it says what it was written to say."""
    environment = {**os.environ, "DIVULGE_STORE": str(tmp_path / "store"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    place = 0
    for words in SAID[name]:
        place = done.stdout.index(words, place)
    if name == "own_classifier.py":
        assert (tmp_path / "own_classifier.html").is_file()


@pytest.mark.slow
def test_the_types_of_the_examples_are_sound() -> None:
    """Strictly, by the settings of the project."""
    command = [sys.executable, "-m", "mypy", str(EXAMPLES)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
