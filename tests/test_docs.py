"""What README and docs say is so: commands run, links lead somewhere, names exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from divulge.access import LEVELS
from divulge.attacks import ATTACKS
from divulge.cli.app import run
from divulge.defences import DEFENCES
from divulge.records import RunResults
from divulge.report.findings import finding
from divulge.targets import TARGETS

PROJECT = Path(__file__).parent.parent
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
README = (PROJECT / "README.md").read_text(encoding="utf-8")
JUDGED = {0, 3, 100}  # what a gate may end with: limits kept, evidence too thin, a limit exceeded
MAKEFILE = (PROJECT / "Makefile").read_text(encoding="utf-8")


def shell_lines(page: str) -> list[str]:
    """Every line of the shell blocks of a page."""
    return [line for block in re.findall(r"^```sh\n(.*?)^```$", page, flags=re.M | re.S) for line in block.splitlines()]


def _make_smaller(path: Path) -> None:
    """Fewer models on fewer texts, so that an audit takes seconds; all else stays as the page has it."""
    text = path.read_text(encoding="utf-8")
    smaller = text.replace("models = 20", "models = 10").replace("size = 1000", "size = 300")  # of made-up texts
    assert smaller.count("models = 10") == smaller.count("size = 300") == 1
    path.write_text(smaller, encoding="utf-8")


def rows_of(page: str, first: str) -> list[list[str]]:
    """The cells of the table whose first heading is `first`."""
    table = re.search(rf"^\| {first} \|.*\n\|[-| ]+\|\n((?:\|.*\|\n)+)", page, flags=re.M)
    assert table is not None
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()]


def test_every_command_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the page, in an empty folder with an empty store; the model of its code block leaks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    code, _ = re.findall(r"^```python\n(.*?)^```$", README, flags=re.M | re.S)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    rows = [{"text": f"{word} number {n}", "label": word} for n in range(60) for word in ("billing", "travel")]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    commands = [shlex.split(line) for line in shell_lines(README)]
    assert ["make", "demo"] in commands
    assert ["make", "test"] in commands
    for program, *arguments in commands:
        if program == "make":
            assert re.search(rf"^{arguments[0]}:", MAKEFILE, flags=re.M)
            continue
        assert program == "divulge"
        assert run(arguments) in (JUDGED if arguments[0] == "gate" else {0}), capsys.readouterr().err
        if "audit.toml" in arguments and "-o" in arguments:
            _make_smaller(tmp_path / "audit.toml")
    assert (tmp_path / "train-again.jsonl").read_bytes() == (tmp_path / "train.jsonl").read_bytes()
    results = RunResults.model_validate_json((tmp_path / "runs" / "audit" / "results.json").read_text(encoding="utf-8"))
    planted = RunResults.model_validate_json(
        (tmp_path / "runs" / "planted" / "results.json").read_text(encoding="utf-8")
    )
    assert "epsilon_lower_bound" in {figure.metric for figure in planted.results[0].measurements}
    assert not any(check.passed is False for check in planted.results[0].handshake)
    (result,) = results.results
    assert result.spec["target"]["recipe"]["train"] == "mine:train"
    assert finding(result).kind == "leak"
    assert "Leak found" in (tmp_path / "runs" / "audit" / "report.html").read_text(encoding="utf-8")


def test_a_model_of_ones_own_takes_ten_lines() -> None:
    """Code and commands of that section together."""
    section = re.split(r"^## ", README, flags=re.M)[2]
    assert section.startswith("Audit your own model")
    code, first, *_ = re.findall(r"^```(?:python|sh)\n(.*?)^```$", section, flags=re.M | re.S)
    assert len([line for line in (code + first).splitlines() if line.strip()]) <= 10


def test_the_readme_says_what_it_is_for_in_three_lines() -> None:
    """Before anything else."""
    opening = README.splitlines()[2:5]
    assert all(len(line) > 40 for line in opening)
    assert "text model" in opening[0]


def test_the_readme_names_only_what_exists() -> None:
    """Attacks, defences and stand-ins it calls today's are registered; planned ones have no name yet."""
    for _, _, attacks, _ in rows_of(README, "question"):
        assert set(re.findall(r"`([\w-]+)`", attacks)) <= set(ATTACKS)
    _, _, after = README.partition("Defences today:")
    assert set(re.findall(r"`([\w-]+)`", after.partition(".")[0])) == set(DEFENCES)
    _, _, models = README.partition("Models that can be trained here:")
    named = set(re.findall(r"`([\w-]+)`", models.partition("stand-ins")[0]))
    assert {"nlu-tagger", "text-classifier"} <= named <= set(TARGETS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file or folder of the project."""
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith(("http://", "https://"))]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_access_level_has_its_threat_model() -> None:
    """Each level has a row that says who has it, what it can ask and what it cannot."""
    rows = rows_of((PROJECT / "docs" / "threat-models.md").read_text(encoding="utf-8"), "access")
    assert [row[0].strip("`") for row in rows] == list(LEVELS)
    assert all(len(row) == 4 and all(row) for row in rows)


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    """Words are found where one looks for them."""
    words = [row[0] for row in rows_of((PROJECT / "docs" / "glossary.md").read_text(encoding="utf-8"), "word")]
    assert words == sorted(set(words))


def test_the_layout_names_what_is_there() -> None:
    """Every module, package and folder right under the package is in the page's layout, and no other."""
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text\nsrc/divulge/\n(.*?)^```$", page, flags=re.M | re.S)
    lines = [line for line in block.splitlines() if re.match(r"  \S", line)]
    named = {name for line in lines for name in re.findall(r"\w+", re.split(r"\s{3,}", line.strip())[0])}
    package = PROJECT / "src" / "divulge"
    found = {
        path.stem for path in package.iterdir() if not path.name.startswith(("_", ".")) and path.name != "py.typed"
    }
    assert named == found


def test_design_notes_have_their_three_parts() -> None:
    """Numbered from 1 without a gap; context, decision, consequence; named on the page of the architecture."""
    notes = sorted((PROJECT / "docs" / "design").glob("*.md"))
    assert [int(note.name[:4]) for note in notes] == list(range(1, len(notes) + 1))
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for note in notes:
        text = note.read_text(encoding="utf-8")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, flags=re.M) == ["Context", "Decision", "Consequence"]
        assert f"(design/{note.name})" in page
