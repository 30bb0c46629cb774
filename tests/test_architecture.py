"""The house keeps its rules, and each rule can be broken: small trees, each with one fault, show that."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture import (
    HEAVY,
    Layers,
    export_problems,
    heavy_imports,
    import_problems,
    layer_problems,
    long_modules,
    modules_of,
    read_layers,
    registry_problems,
    untested_modules,
)

import divulge
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.defences import DEFENCES
from divulge.defences.base import Defence
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.parts import Part, load
from divulge.probes import PROBES
from divulge.probes.base import Probe
from divulge.report import REPORTS
from divulge.studies import STUDIES, study_named
from divulge.targets import TARGETS
from divulge.targets.base import Target

PACKAGE = Path(divulge.__file__).parent
TESTS = Path(__file__).parent
LAYERS = read_layers((TESTS.parent / "docs" / "architecture.md").read_text(encoding="utf-8"))
# Modules that are only about a heavy library, each with the reason why it is imported at the top.
ALLOWED_HEAVY: dict[str, str] = {
    "attacks.networks.decoder": "classes of torch modules",
    "attacks.networks.decoder_training": "trains torch modules",
    "attacks.networks.mixture_descent": "descends with torch",
    "attacks.networks.perceptron": "trains torch modules",
    "attacks.networks.sampling": "reads tensors of torch",
    "defences.networks.mapping": "trains torch modules",
    "probes.networks.entity_tagger": "classes of torch modules",
    "targets.networks.causal": "classes of torch modules",
    "targets.networks.characters": "classes of torch modules",
    "targets.networks.classifier": "classes of torch modules",
    "targets.networks.crf": "classes of torch modules",
    "targets.networks.encoder": "runs a network of torch",
    "targets.networks.example_lstm": "classes of torch modules",
    "targets.networks.generator": "classes of torch modules",
    "targets.networks.next_tokens": "reads tensors of torch",
    "targets.networks.pooling": "pools tensors of torch",
    "targets.networks.seq2seq": "classes of torch modules",
    "targets.networks.tagger": "classes of torch modules",
    "targets.networks.weights": "copies weights of torch modules",
    "targets.training.dp_classifier": "trains torch modules",
    "targets.training.dp_fedavg": "trains torch modules",
    "targets.training.dp_sgd": "trains torch modules",
    "targets.training.sgd": "trains torch modules",
    "targets.training.unlearning": "trains torch modules",
}
ROLES: tuple[tuple[dict[str, str], type[Part]], ...] = (
    (ATTACKS, Attack),
    (DATA, DataSet),
    (DEFENCES, Defence),
    (METRICS, Metric),
    (PROBES, Probe),
    (TARGETS, Target),
)


def test_layers_have_a_direction() -> None:
    """No layer imports itself by a detour, and every layer that is named is described."""
    assert layer_problems(LAYERS) == []


def test_imports_go_one_way() -> None:
    """Every import, also one inside a function, goes where docs/architecture.md says it may."""
    assert import_problems(PACKAGE, LAYERS) == []


def test_layers_name_only_what_exists() -> None:
    """The table of layers names no module that is gone."""
    named = {member for members in LAYERS.modules.values() for member in members} - {"divulge"}
    assert named - set(modules_of(PACKAGE)) == set()


@pytest.mark.parametrize(
    ("layer", "never"),
    [
        ("attacks", {"audit", "corpus", "data", "defences", "metrics", "probes", "spec", "targets", "testing"}),
        ("metrics", {"attacks", "audit", "corpus", "data", "defences", "probes", "seam", "spec", "targets"}),
        ("report", {"attacks", "audit", "data", "defences", "engine", "keeping", "runs", "seam", "targets"}),
        ("engine", {"attacks", "audit", "data", "defences", "metrics", "probes", "seam", "targets"}),
    ],
)
def test_the_directions_that_matter_most_are_kept(layer: str, never: set[str]) -> None:
    """Whatever else the page allows: attacks see no target, metrics and report read records, engines know no audit."""
    assert LAYERS.may[layer] & never == set()
    assert [other for other, may in LAYERS.may.items() if "cli" in may] == []


def test_every_public_name_is_there() -> None:
    """Every module says what is public, and every name it says resolves."""
    assert export_problems(PACKAGE) == []
    for name in modules_of(PACKAGE):
        if not name.endswith("__main__"):
            module = importlib.import_module(f"divulge.{name}" if name else "divulge")
            assert [public for public in getattr(module, "__all__", ()) if not hasattr(module, public)] == []


def test_every_source_file_has_its_test_file() -> None:
    """src/divulge/a/b.py has tests/a/test_b.py."""
    assert untested_modules(PACKAGE, TESTS) == []


def test_no_module_is_too_long() -> None:
    """More than 300 lines hold a second thing that wants its own room."""
    assert long_modules(PACKAGE) == []


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    """No module outside the allow list imports one at its top; every entry of the list is still needed."""
    assert heavy_imports(PACKAGE, ALLOWED_HEAVY) == []
    needed = {problem.partition(":")[0] for problem in heavy_imports(PACKAGE)}
    assert set(ALLOWED_HEAVY) - needed == set()


def test_importing_everything_loads_nothing_heavy() -> None:
    """Not by a detour either: with all modules loaded, no heavy library is."""
    names = [f"divulge.{name}" if name else "divulge" for name in modules_of(PACKAGE) if name not in ALLOWED_HEAVY]
    loaded = _loaded_after("; ".join(f"import {name}" for name in names if not name.endswith("__main__")))
    assert "divulge.cli.app" in loaded
    assert loaded & set(HEAVY) == set()


def test_help_loads_nothing_heavy() -> None:
    """`divulge --help` is quick because it loads no library that it does not need."""
    loaded = _loaded_after("from divulge.cli.app import run; assert run(['--help']) == 0")
    assert loaded & set(HEAVY) == set()


def test_registries_are_plain() -> None:
    """A registry can be read without running anything."""
    assert registry_problems(PACKAGE) == []


@pytest.mark.parametrize(("registry", "base"), ROLES, ids=lambda value: getattr(value, "__name__", ""))
def test_registered_parts_have_the_name_they_are_registered_by(registry: dict[str, str], base: type[Part]) -> None:
    """Every entry resolves to a part of its role whose own name is the key, and whose revision is a number from 1."""
    found = {name: load(registry, name, base, "part") for name in registry}
    assert {name: part.name for name, part in found.items()} == {name: name for name in registry}
    assert all(isinstance(part.revision, int) and part.revision >= 1 for part in found.values())


def test_registered_studies_have_the_name_they_are_registered_by() -> None:
    """Every entry resolves to a study whose own name is the key."""
    assert {name: study_named(name).name for name in STUDIES} == {name: name for name in STUDIES}


@pytest.mark.parametrize("path", REPORTS.values())
def test_registered_reports_are_functions(path: str) -> None:
    """Every entry resolves to something that can be called."""
    module, _, function = path.partition(":")
    assert callable(getattr(importlib.import_module(module), function))


# -- each rule can be broken ------------------------------------------------------------------------------

SMALL = Layers(
    modules={
        "words": ("records", "divulge"),
        "attacks": ("attacks",),
        "targets": ("targets",),
        "rows": ("targets.rows",),
    },
    may={
        "words": frozenset(),
        "attacks": frozenset({"words"}),
        "targets": frozenset({"words", "rows"}),
        "rows": frozenset(),
    },
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A tree without fault: a record, an attack that uses it, a target, and their tests."""
    root = tmp_path / "divulge"
    write(root / "__init__.py", '__version__ = "1"\n__all__ = ["__version__"]\n')
    write(root / "records.py", '__all__ = ["Hint"]\n\n\nclass Hint: ...\n')
    write(root / "attacks" / "__init__.py", '__all__ = ["ATTACKS"]\nATTACKS = {"beam": "divulge.attacks.beam:Beam"}\n')
    write(root / "attacks" / "beam.py", 'from divulge.records import Hint\n\n__all__ = ["Beam"]\n\nBeam = Hint\n')
    write(root / "targets" / "__init__.py", '"""Nothing but words."""\n')
    write(root / "targets" / "rows.py", "__all__ = []\n")
    for test in ("test_records.py", "attacks/test_beam.py", "targets/test_rows.py"):
        write(tmp_path / "tests" / test, "")
    return root


def write(path: Path, text: str) -> None:
    """Writes a file and the folders around it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_tree_without_fault_has_no_problems(package: Path) -> None:
    """The tree that the next tests break is sound."""
    assert import_problems(package, SMALL) == []
    assert export_problems(package) == []
    assert untested_modules(package, package.parent / "tests") == []
    assert long_modules(package) == []
    assert heavy_imports(package) == []
    assert registry_problems(package) == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("from divulge.targets import rows", "attacks.search:1 (attacks) imports targets.rows (rows)"),
        ("from divulge.targets.rows import x", "attacks.search:1 (attacks) imports targets.rows (rows)"),
        ("import divulge.targets", "attacks.search:1 (attacks) imports targets (targets)"),
        ("from divulge import targets", "attacks.search:1 (attacks) imports targets (targets)"),
        ("from ..records import Hint", "attacks.search:1 has a relative import"),
        ("from divulge.records import _hidden", "attacks.search:1 imports the private _hidden"),
        ("def later():\n    import divulge.targets", "attacks.search:2 (attacks) imports targets (targets)"),
        ("if TYPE_CHECKING:\n    import divulge.targets", "attacks.search:2 (attacks) imports targets (targets)"),
    ],
)
def test_an_import_against_the_direction_is_found(package: Path, line: str, problem: str) -> None:
    """However it is spelt and wherever it stands."""
    write(package / "attacks" / "search.py", line + "\n")
    assert import_problems(package, SMALL) == [problem]


def test_a_layer_below_may_not_import_a_layer_above(package: Path) -> None:
    """Also within one package, where the table splits it."""
    write(package / "targets" / "rows.py", "import divulge.targets\n")
    write(package / "targets" / "model.py", "import divulge.targets.rows\nfrom divulge import __version__\n")
    assert import_problems(package, SMALL) == ["targets.rows:1 (rows) imports targets (targets)"]


def test_a_module_without_a_layer_is_found(package: Path) -> None:
    """A new folder has to be given its place."""
    write(package / "gate.py", "")
    assert import_problems(package, SMALL) == ["gate belongs to no layer"]


def test_a_circle_of_layers_is_found() -> None:
    """Layers in a circle, and a layer that is not described."""
    circle = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a"), "d": frozenset("x"), "e": frozenset("d")}
    found = layer_problems(Layers(dict.fromkeys(circle, ()), circle))
    assert found == ["d may import x, which is no layer", *(f"{name} is part of a circle of layers" for name in "abc")]


def test_the_table_of_layers_is_read() -> None:
    """Modules are in backticks, layers are words; a dash is nothing."""
    head = "# Title\n\n| layer | modules | may import |\n| --- | --- | --- |\n"
    page = head + "| a | `b`, `c.d` | – |\n| e | `f` | a |\n\nThe rest.\n"
    assert read_layers(page) == Layers({"a": ("b", "c.d"), "e": ("f",)}, {"a": frozenset(), "e": frozenset("a")})


def test_a_missing_or_wrong_all_is_found(package: Path) -> None:
    """No `__all__`, or one that names what is not there."""
    write(package / "records.py", "class Hint: ...\n")
    write(package / "attacks" / "beam.py", '__all__ = ["Beam", "Gone"]\n\nclass Beam:\n    Gone = 1\n')
    expected = ["attacks.beam.__all__ names Gone, which is not there", "records has no __all__"]
    assert export_problems(package) == expected


def test_a_missing_test_file_is_found(package: Path) -> None:
    """A test file in the wrong folder does not count."""
    tests = package.parent / "tests"
    (tests / "attacks" / "test_beam.py").rename(tests / "test_beam.py")
    assert untested_modules(package, tests) == ["attacks/beam.py has no attacks/test_beam.py"]


def test_a_long_module_is_found(package: Path) -> None:
    """Three hundred lines are allowed, one more is not."""
    write(package / "records.py", "x = 1\n" * 300)
    assert long_modules(package) == []
    write(package / "records.py", "x = 1\n" * 301)
    assert long_modules(package) == ["records.py has 301 lines"]


@pytest.mark.parametrize(
    "line",
    [
        "import torch",
        "import scipy.stats as st",
        "from sklearn.svm import SVC",
        "try:\n    import ray\nexcept ImportError:\n    ray = None",
        "try:\n    x = 1\nexcept ImportError:\n    import ray",
        "class A:\n    import transformers",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import torch",
    ],
)
def test_a_heavy_import_at_the_top_is_found(package: Path, line: str) -> None:
    """However it is wrapped; a module on the allow list may have it."""
    write(package / "attacks" / "beam.py", line + "\n")
    assert [problem.partition(":")[0] for problem in heavy_imports(package)] == ["attacks.beam"]
    assert heavy_imports(package, {"attacks.beam"}) == []


@pytest.mark.parametrize(
    "line", ["def f():\n    import torch", "if TYPE_CHECKING:\n    import torch", "import torchlight", "import numpy"]
)
def test_an_import_that_costs_nothing_is_allowed(package: Path, line: str) -> None:
    """Inside a function, for type checkers only, or of another library."""
    write(package / "attacks" / "beam.py", line + "\n")
    assert heavy_imports(package) == []


@pytest.mark.parametrize(
    ("registry", "reason"),
    [
        ("ATTACKS = dict(beam='divulge.attacks.beam:Beam')", "is not a plain dict"),
        ("ATTACKS: dict[str, str] = {n: n for n in NAMES}", "is not a plain dict"),
        ("ATTACKS = {'beam': Beam}", "maps 'beam' to something else than 'module:Name'"),
        ("ATTACKS = {'beam': 'divulge.attacks.beam'}", "maps 'beam' to something else than 'module:Name'"),
        ("ATTACKS = {Beam.name: 'divulge.attacks.beam:Beam'}", "has a key that is not plain text"),
        ("ATTACKS = {**MORE}", "has a key that is not plain text"),
    ],
)
def test_a_registry_that_is_not_plain_is_found(package: Path, registry: str, reason: str) -> None:
    """Classes, calls and comprehensions would import or hide what there is."""
    write(package / "attacks" / "__init__.py", registry + "\n")
    assert registry_problems(package) == [f"attacks.ATTACKS {reason}"]


def _loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running `code`."""
    script = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))
