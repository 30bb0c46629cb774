"""The recipes of CONTRIBUTING.md, as docs/extending.md writes them out, followed in a copy of the project."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.architecture import (
    export_problems,
    heavy_imports,
    import_problems,
    long_modules,
    read_layers,
    registry_problems,
    untested_modules,
)

PROJECT = Path(__file__).parent.parent
PAGE = (PROJECT / "docs" / "extending.md").read_text(encoding="utf-8")
SHORT = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = ("Add an attack", "Add a defence", "Add a metric", "Add a study")


class Recipe(NamedTuple):
    """What one section of the page tells a contributor to do."""

    files: dict[str, str]  # path: content
    lines: dict[tuple[str, str], str]  # (path, registry): line to add
    commands: list[str]


def section_called(title: str, page: str) -> str:
    """The text below one heading of the second rank."""
    _, _, after = page.partition(f"\n## {title}\n")
    return re.split(r"^## ", after, flags=re.MULTILINE)[0]


def recipe_called(title: str, page: str = PAGE) -> Recipe:
    """Reads one section: a block begins with the path it belongs to; `path, in NAME` is a line for a registry."""
    files, lines, commands = {}, {}, []
    section = section_called(title, page)
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL):
        first, _, rest = block.partition("\n")
        if language == "sh":
            commands += block.splitlines()
        elif place := re.fullmatch(r"# (\S+), in ([A-Z]+)", first):
            lines[place[1], place[2]] = rest
        else:
            files[first.removeprefix("# ")] = rest
    return Recipe(files, lines, commands)


def problems(project: Path) -> set[str]:
    """All that the house rules have against a tree."""
    package, layers = project / "src" / "divulge", read_layers((project / "docs" / "architecture.md").read_text())
    return {
        *import_problems(package, layers),
        *export_problems(package),
        *heavy_imports(package),
        *registry_problems(package),
        *long_modules(package),
        *untested_modules(package, project / "tests"),
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what a contributor has in front of them."""
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for folder in ("src", "tests", "docs", "results"):
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=unwanted)
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    return tmp_path


def run(project: Path, *command: str) -> str:
    """Runs a command in the copy, which then is the Divulge that is imported."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    environment = {**kept, "PYTHONPATH": str(project / "src"), "DIVULGE_STORE": str(project / "store")}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_works_as_written(title: str, project: Path) -> None:
    """One file, one line, one test: then the named tests and the contract battery pass, and every rule is kept."""
    recipe, before = recipe_called(title), problems(project)
    source, test = recipe.files
    for path, content in recipe.files.items():
        assert not (project / path).exists()
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(content, encoding="utf-8")
    ((path, registry), line) = next(iter(recipe.lines.items()))
    text = (project / path).read_text(encoding="utf-8")
    opening = f"{registry}: dict[str, str] = {{\n"
    assert text.count(opening) == 1
    (project / path).write_text(text.replace(opening, opening + line), encoding="utf-8")

    (command,) = recipe.commands
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/pytest"
    said = run(project, "pytest", "-p", "no:cacheprovider", "-rA", *arguments)
    passed = re.findall(r"^PASSED (\S+?)::", said, flags=re.MULTILINE)
    assert {test, arguments[1]} == set(passed)
    assert passed.count(arguments[1]) >= 3

    assert problems(project) - before == set()
    run(project, "ruff", "check", "--no-cache", source, test)
    run(project, "ruff", "format", "--no-cache", "--check", source, test)


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_is_one_file_one_line_one_test(title: str) -> None:
    """As the page promises, and nothing else has to be touched."""
    recipe = recipe_called(title)
    assert [path.partition("/")[0] for path in recipe.files] == ["src", "tests"]
    assert [line.count("\n") for line in recipe.lines.values()] == [1]


@pytest.mark.parametrize("title", RECIPES)
def test_the_short_recipe_is_the_long_one_in_ten_lines(title: str) -> None:
    """CONTRIBUTING.md names the same files, the same line and the same command, on at most ten lines."""
    recipe, section = recipe_called(title), section_called(title, SHORT)
    assert len(section.strip().splitlines()) <= 10
    quoted = re.findall(r"`([^`]+)`", section)
    assert set(recipe.files) <= set(quoted)
    assert {line.strip() for line in recipe.lines.values()} <= set(quoted)
    assert {registry for _, registry in recipe.lines} <= set(quoted)
    assert recipe.commands == [said for said in quoted if said.startswith(".venv/bin/")]


@pytest.mark.parametrize("page", [PAGE, SHORT], ids=["extending", "contributing"])
def test_the_pages_have_no_other_recipes(page: str) -> None:
    """A recipe that is added is followed here too."""
    assert tuple(re.findall(r"^## (Add .*)$", page, flags=re.MULTILINE)) == RECIPES
