"""Code of the user's own, by "module:name": found, hashed for the key, made once per process, faults put in words."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge.errors import InputError, OwnCodeError

__all__ = ["NAMED", "content_hash", "loaded", "made", "must_fit", "source_of", "where_raised"]

NAMED = r"^[\w.]+:\w+$"
INSTALLED = frozenset({"site-packages", "dist-packages"})


def loaded(named: str, field: str) -> Any:
    """What stands behind "module:name"; `field` is the setting that names it.

    Raises:
        InputError: The module cannot be imported, or has no such name.
    """
    module_name, _, name = named.partition(":")
    said = f"recipe.{field} {named!r} cannot be loaded"
    try:
        found = getattr(importlib.import_module(module_name), name, None)
    except ModuleNotFoundError as error:
        own = error.name == module_name
        advice = "Put it beside the audit file" if own else f"{module_name} imports it: install it, or mend the name"
        raise InputError(f"{said}: {error}. {advice}") from error
    except SyntaxError as error:
        place = f"{Path(error.filename or module_name).name}, line {error.lineno}"
        raise InputError(f"{said}: {error.msg} ({place})") from error
    except Exception as error:  # somebody's own code may fail in any way when it is run
        raise InputError(f"{said}: {type(error).__name__}: {error}") from error
    if found is None:
        raise InputError(f"recipe.{field} {named!r}: module {module_name!r} has no function {name!r}, and no class")
    return found


def source_of(named: str, field: str, paths: Sequence[str] = ()) -> str:
    """The hash of the file that it is written in, of all modules beside that, and of what lies at `paths`.

    Of an installed package it is the one file alone.
    """
    found = loaded(named, field)
    module = importlib.import_module(getattr(found, "__module__", None) or named.partition(":")[0])
    file = getattr(module, "__file__", None) or getattr(
        importlib.import_module(named.partition(":")[0]), "__file__", ""
    )
    whole = hashlib.sha256()
    for one in _sources(Path(file), named) if file else ():
        whole.update(one.name.encode() + b"\0" + one.read_bytes())
    for path in paths:
        whole.update(content_hash(Path(path)).encode())
    return whole.hexdigest()[:16] if file or paths else ""


def content_hash(path: Path) -> str:
    """SHA-256 of a file, or of all files below a folder.

    Raises:
        InputError: There is nothing.
    """
    if not path.exists():
        raise InputError(
            f"{path}: there is no such file or folder. A path counts from the folder the command is run in"
        )
    files = (path,) if path.is_file() else tuple(sorted(one for one in path.rglob("*") if one.is_file()))
    return _hashed(path, files, tuple((one.stat().st_size, one.stat().st_mtime_ns) for one in files))


def made(named: str, field: str, source: str, arguments: Mapping[str, Any], methods: Sequence[str]) -> Any:
    """The object that answers: a function, an instance, or what a class or a factory makes with the arguments.

    A function that can be called without arguments, or is given `arguments`, is a factory.

    Raises:
        InputError: It cannot be made of these arguments, or is nothing that can be asked.
        OwnCodeError: It raised.
    """
    return _made(named, field, source, json.dumps(dict(arguments), sort_keys=True), tuple(methods))


def must_fit(named: str, field: str, arguments: Mapping[str, Any], methods: Sequence[str]) -> None:
    """Raises an InputError if it cannot be made of these arguments, or asked; nothing is made yet."""
    found = loaded(named, field)
    if _makes(found, arguments):
        try:
            inspect.signature(found).bind(**arguments)
        except TypeError as error:
            given = ", ".join(sorted(arguments)) or "nothing"
            raise InputError(f"{named} cannot be made of path and arguments ({given}): {error}") from None
        except ValueError:
            pass  # written in C: it has no signature to look at
    elif arguments:
        raise InputError(f"{named} is an object, made already: path and arguments cannot be given to it")
    else:
        _must_answer(found, named, field, methods)


def where_raised(error: BaseException, named: str) -> str:
    """Where own code raised: the last line of the user's own files on the way; the message may quote the data."""
    frames = traceback.extract_tb(error.__traceback__)
    folder = _folder_of(named)
    own = [frame for frame in frames if folder is not None and Path(frame.filename).parent == folder]
    frame = (own or frames)[-1]
    return f"{Path(frame.filename).name}, line {frame.lineno}"


@lru_cache(maxsize=8)
def _made(named: str, field: str, source: str, arguments: str, methods: tuple[str, ...]) -> Any:
    del source  # another file, another object
    found, given = loaded(named, field), json.loads(arguments)
    must_fit(named, field, given, methods)
    if _makes(found, given):
        try:
            found = found(**given)
        except Exception as error:
            place = where_raised(error, named)
            raise OwnCodeError(f"{named} raised {type(error).__name__} when it was made ({place})") from error
    _must_answer(found, named, field, methods)
    return found


def _must_answer(found: Any, named: str, field: str, methods: Sequence[str]) -> None:
    if not any(callable(getattr(found, method, None)) for method in methods) and not callable(found):
        wanted = " or ".join(methods)
        raise InputError(f"recipe.{field} {named!r} must be callable, or have {wanted}. Got {type(found).__name__}")


def _makes(found: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether it is no model but makes one: a class, or a function that takes these arguments, or none."""
    return isinstance(found, type) or (inspect.isroutine(found) and (bool(arguments) or _without_arguments(found)))


def _without_arguments(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True


def _folder_of(named: str) -> Path | None:
    file = getattr(importlib.import_module(named.partition(":")[0]), "__file__", None)
    return Path(file).parent if file else None


def _sources(path: Path, named: str) -> list[Path]:
    installed = INSTALLED & set(path.parts) or named.startswith("divulge.")
    return [path] if installed else sorted(path.parent.glob("*.py"))


@lru_cache(maxsize=8)
def _hashed(root: Path, files: tuple[Path, ...], states: tuple[tuple[int, int], ...]) -> str:
    del states  # a file that changed is hashed again
    whole = hashlib.sha256()
    for one in files:
        with one.open("rb") as file:
            whole.update(f"{one.relative_to(root)}\n{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
