"""The rules of the house as functions of a source tree: each returns the problems it finds, in words.

They read the syntax tree and run nothing, so that they can be tried on small trees made to break one rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HEAVY = ("ray", "sacrebleu", "scipy", "sklearn", "torch", "transformers")
REGISTRIES = ("ATTACKS", "DATA", "DEFENCES", "METRICS", "PROBES", "REPORTS", "STUDIES", "TARGETS")
MOST_LINES = 300


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name below the package ("" is the package itself) and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def special(self) -> bool:
        """Whether it is an `__init__` or `__main__`."""
        return self.path.name.startswith("__")


@dataclass(frozen=True)
class Layers:
    """Which modules make up a layer, and which other layers each may import."""

    modules: Mapping[str, tuple[str, ...]]
    may: Mapping[str, frozenset[str]]

    def of(self, name: str) -> str | None:
        """The layer of a module: the one that names it, or the nearest package around it."""
        named = {member: layer for layer, members in self.modules.items() for member in members}
        while name not in named and "." in name:
            name = name.rpartition(".")[0]
        return named.get(name or "divulge")


def modules_of(package: Path) -> dict[str, Module]:
    """Every module of a package, by its dotted name below it."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        steps = path.relative_to(package).with_suffix("").parts
        name = ".".join(step for step in steps if step != "__init__")
        found[name] = Module(name, path, _parsed(path.read_text(encoding="utf-8")))
    return found


def read_layers(page: str) -> Layers:
    """Reads the table "| layer | modules | may import |" of a Markdown page."""
    rows = re.search(r"^\| layer \| modules \| may import \|\n\|[-| ]+\|\n((?:\|.*\|\n)+)", page, flags=re.MULTILINE)
    assert rows is not None, "the page has no table of layers"
    modules, may = {}, {}
    for row in rows[1].splitlines():
        layer, members, others = (cell.strip() for cell in row.strip("|").split("|"))
        modules[layer] = tuple(re.findall(r"`([\w.]+)`", members))
        may[layer] = frozenset(re.findall(r"\w+", others))
    return Layers(modules, may)


def layer_problems(layers: Layers) -> list[str]:
    """Layers that import in a circle, or that nobody has described."""
    problems = [
        f"{layer} may import {other}, which is no layer"
        for layer, others in layers.may.items()
        for other in sorted(others - set(layers.modules))
    ]
    left = {layer: set(others) for layer, others in layers.may.items()}
    while free := [layer for layer, others in left.items() if not others & set(left)]:
        for layer in free:
            del left[layer]
    return problems + [f"{layer} is part of a circle of layers" for layer in left]


def import_problems(package: Path, layers: Layers) -> list[str]:
    """Imports against the direction of the layers, wherever in a file they stand; relative and private ones."""
    modules = modules_of(package)
    problems = []
    for module in modules.values():
        layer = layers.of(module.name)
        if layer is None:
            problems.append(f"{module.name} belongs to no layer")
            continue
        for line, imported in _imports(module, package.name, modules):
            if imported == ".":
                problems.append(f"{module.name}:{line} has a relative import")
                continue
            other = layers.of(imported)
            if other is not None and other != layer and other not in layers.may[layer]:
                problems.append(f"{module.name}:{line} ({layer}) imports {imported or package.name} ({other})")
        problems += [
            f"{module.name}:{line} imports the private {name}" for line, name in _private(module, package.name)
        ]
    return problems


def export_problems(package: Path) -> list[str]:
    """Modules that define something without `__all__`, and names in `__all__` that nothing binds."""
    problems = []
    for module in modules_of(package).values():
        names = _exported(module.tree)
        if names is None:
            docstring_only = all(isinstance(node, ast.Expr) for node in module.tree.body)
            if not docstring_only and module.path.name != "__main__.py":
                problems.append(f"{module.name or package.name} has no __all__")
            continue
        bound = set(_bound(module.tree.body))
        called = module.name or package.name
        problems += [f"{called}.__all__ names {name}, which is not there" for name in names if name not in bound]
    return problems


def untested_modules(package: Path, tests: Path) -> list[str]:
    """Source files whose test file is missing: a/b.py wants a/test_b.py."""
    problems = []
    for module in modules_of(package).values():
        inside = module.path.relative_to(package)
        expected = inside.with_name(f"test_{inside.name}")
        if not module.special and not (tests / expected).is_file():
            problems.append(f"{inside} has no {expected}")
    return problems


def long_modules(package: Path, most: int = MOST_LINES) -> list[str]:
    """Files with more lines than a module should have."""
    counts = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(package.rglob("*.py"))}
    return [f"{path.relative_to(package)} has {count} lines" for path, count in counts.items() if count > most]


def heavy_imports(package: Path, allowed: Collection[str] = ()) -> list[str]:
    """Imports of heavy libraries that run when a module is imported."""
    return [
        f"{module.name}:{node.lineno} imports {name} at the top"
        for module in modules_of(package).values()
        if module.name not in allowed
        for node in _run_on_import(module.tree.body)
        for name in _imported_names(node)
        if name.partition(".")[0] in HEAVY
    ]


def registry_problems(package: Path) -> list[str]:
    """Registries that are not plain dicts from a name to the text "module:Name"."""
    problems = []
    for module in modules_of(package).values():
        for node in module.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names = [target.id for target in targets if isinstance(target, ast.Name) and target.id in REGISTRIES]
            for name in names:
                problems += [f"{module.name}.{name} {reason}" for reason in _unplain(getattr(node, "value", None))]
    return problems


@cache
def _parsed(text: str) -> ast.Module:
    """The syntax tree of a text; most files of a tree, and of its copies, are looked at several times."""
    return ast.parse(text)


def _unplain(value: ast.expr | None) -> Iterator[str]:
    if not isinstance(value, ast.Dict):
        yield "is not a plain dict"
        return
    for key, item in zip(value.keys, value.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            yield "has a key that is not plain text"
        elif not isinstance(item, ast.Constant) or not re.fullmatch(r"[\w.]+:\w+", str(item.value)):
            yield f"maps {key.value!r} to something else than 'module:Name'"


def _imports(module: Module, package: str, known: Collection[str]) -> Iterator[tuple[int, str]]:
    """Line and module below the package of everything imported from it; "." for a relative import."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "."
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name in _imported_names(node):
                root, _, inside = name.partition(".")
                if root != package:
                    continue
                while inside and inside not in known:  # `from a import b`: b is a module, or a name in a
                    inside = inside.rpartition(".")[0]
                yield node.lineno, inside


def _imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _private(module: Module, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
            for alias in node.names:
                if re.match(r"_(?!_)", alias.name):
                    yield node.lineno, alias.name


def _run_on_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported: not in functions, not for type checkers only."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _run_on_import(node.orelse)
            continue
        yield node
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.stmt):
                yield from _run_on_import([inner])
            elif isinstance(inner, ast.ExceptHandler | ast.match_case):
                yield from _run_on_import(inner.body)


def _exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """Names that a module's body binds, in a top-level `if` or `try` too."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
        elif isinstance(node, ast.If | ast.Try):
            yield from _bound([inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt)])
