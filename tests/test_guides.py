"""Every command of every guide runs, in the order of the page, and ends as the page says.

How commands are written in a guide is told at the top of docs/guides/README.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PROJECT = Path(__file__).parent.parent
GUIDES = sorted((PROJECT / "docs" / "guides").glob("*.md"))
PAGES = [*GUIDES, *sorted((PROJECT / "docs" / "audits").glob("*.md"))]
LONG = (
    "canary-extraction",
    "ci-gate",
    "own-ner",
    "reading-a-report",
)  # half a minute each, and what they run is run elsewhere too
RUN = [pytest.param(page, marks=pytest.mark.slow) if page.stem in LONG else page for page in PAGES]
STRICT = "set -euo pipefail\n"


class Command(NamedTuple):
    """One command of a guide, and the exit code it must end with."""

    text: str
    exit_code: int = 0


def commands(page: str) -> list[Command]:
    """The commands of the console blocks of a page."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page, flags=re.M | re.S)
    return [command for block in blocks for command in _of_block(block.splitlines())]


def _of_block(lines: list[str]) -> list[Command]:
    found: list[list[str]] = []
    ending: str | None = None  # of the here-document that is being read
    for line in lines:
        inner = line.removeprefix("> ") if found and line.startswith("> ") else line
        if ending is not None:
            found[-1].append(inner)
            ending = None if inner.strip() == ending else ending
        elif line.startswith("$ "):
            found.append([line.removeprefix("$ ")])
            ending = _here_document(line)
        elif found and (line.startswith("> ") or found[-1][-1].endswith("\\")):
            found[-1].append(inner.lstrip() if found[-1][-1].endswith("\\") else inner)
            ending = _here_document(inner)
        # Anything else is what the command before puts out.
    assert ending is None, f"a here-document has no end: {ending}"
    return [_command(lines) for lines in found]


def _here_document(line: str) -> str | None:
    marked = re.search(r"<<-?\s*(['\"]?)(\w+)\1", line)
    return marked[2] if marked else None


def _command(lines: list[str]) -> Command:
    expected = re.search(r"\s+# exit (\d+)\s*$", lines[0])
    first = lines[0][: expected.start()] if expected else lines[0]
    return Command("\n".join([first, *lines[1:]]), int(expected[1]) if expected else 0)


def run(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command as a reader would who has just installed the project, without network."""
    own = {
        "DIVULGE_WORKERS": "0",  # workers would each load the same libraries once more
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "DIVULGE_STORE": str(folder.parent / "store"),
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TERM": "dumb",
    }
    shell = ["bash", "-c", f"{STRICT}{command.text}\n"]
    return subprocess.run(shell, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("guide", RUN, ids=lambda guide: f"{guide.parent.name}/{guide.stem}")
def test_every_command_of_a_guide_runs(guide: Path, tmp_path: Path) -> None:
    """In one empty folder, each ends with the code that the page says; nobody meets a trace."""
    folder = tmp_path / "here"
    folder.mkdir()
    for command in commands(guide.read_text(encoding="utf-8")):
        done = run(command, folder)
        assert done.returncode == command.exit_code, f"{command.text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("guide", PAGES, ids=lambda guide: f"{guide.parent.name}/{guide.stem}")
def test_what_looks_like_a_command_is_one(guide: Path) -> None:
    """No line with a prompt stands where it would not be run; a prompt in another block is a slip."""
    page = guide.read_text(encoding="utf-8")
    outside = re.sub(r"^```console\n.*?^```$", "", page, flags=re.M | re.S)
    assert re.findall(r"^\s*\$ .*", outside, flags=re.M) == []


def test_every_guide_is_in_the_index() -> None:
    """And the index names no other."""
    index = (PROJECT / "docs" / "guides" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == {path.name for path in GUIDES} - {"README.md"}


# -- the reader of guides -----------------------------------------------------------------------------------


def page(*lines: str) -> str:
    """A page with one block."""
    return "\n".join(["Text.", "", "```console", *lines, "```", ""])


def test_a_command_is_a_line_with_a_prompt() -> None:
    """What follows without one is what it puts out; other blocks hold no commands."""
    assert commands(page("$ one", "put out", "$ two --more")) == [Command("one"), Command("two --more")]
    assert commands("```sh\n$ one\n```\n") == []


def test_the_exit_code_is_told_behind_the_command() -> None:
    """And is no part of it."""
    assert commands(page("$ one  # exit 100")) == [Command("one", 100)]
    assert commands(page("$ one  # exits")) == [Command("one  # exits", 0)]


def test_lines_that_go_on() -> None:
    """With `> ` before them, or a backslash behind the line before."""
    assert commands(page("$ one \\", "> two", "three")) == [Command("one \\\ntwo")]
    assert commands(page("$ one \\", "    two", "three")) == [Command("one \\\ntwo")]


@pytest.mark.parametrize("mark", ["", "> "])
def test_here_documents(mark: str) -> None:
    """To their end, also over empty lines and lines that look like a prompt; with or without `> `."""
    lines = ["a", "", "$ no command", "END"]
    found = commands(page("$ cat > f <<'END'", *(f"{mark}{line}" if line else line for line in lines), "put out"))
    assert found == [Command("cat > f <<'END'\na\n\n$ no command\nEND")]


def test_a_here_document_without_an_end_is_found() -> None:
    """It would swallow what comes after."""
    with pytest.raises(AssertionError, match="has no end: END"):
        commands(page("$ cat <<END", "a"))


def test_commands_run_strictly(tmp_path: Path) -> None:
    """A command within a command that fails, or a name that is not set, ends it; the project's own are found first."""
    folder = tmp_path / "here"
    folder.mkdir()
    assert run(Command("false | true"), folder).returncode == 1
    assert run(Command("echo $UNHEARD_OF"), folder).returncode != 0
    assert run(Command("exit 100"), folder).returncode == 100
    assert run(Command("divulge --version"), folder).stdout.startswith("divulge ")
    assert run(Command("cat > f <<'END'\n$HOME\nEND\ncat f"), folder).stdout == "$HOME\n"
