"""Own code is found by name, hashed with what it reads, and made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from divulge.errors import InputError, OwnCodeError
from divulge.targets.own.loading import content_hash, loaded, made, source_of, where_raised

Module = Callable[[str], str]
CODE = """
class Model:
    def __init__(self, path="default", size=1):
        self.path, self.size = path, size
    def predict(self, texts):
        return texts

class Broken:
    def __init__(self):
        raise OSError("the text of a secret")

def function(texts):
    return texts

def factory(size=3):
    return Model(size=size)

instance = Model("instance")
number = 3
"""


def test_a_class_is_made_with_its_arguments_and_once(module: Module) -> None:
    """Without arguments by its defaults; the same arguments give the same object."""
    name = module(CODE)
    first = made(f"{name}:Model", "predict", "", {"size": 2}, ["predict"])
    assert (first.path, first.size) == ("default", 2)
    assert made(f"{name}:Model", "predict", "", {"size": 2}, ["predict"]) is first
    assert made(f"{name}:Model", "predict", "", {}, ["predict"]).size == 1
    assert made(f"{name}:Model", "predict", "another source", {"size": 2}, ["predict"]) is not first


def test_functions_factories_and_objects_are_told_apart(module: Module) -> None:
    """What takes texts answers itself; what can be called with nothing, or is given arguments, makes the model."""
    name = module(CODE)
    assert made(f"{name}:function", "predict", "", {}, ["predict"])(["a"]) == ["a"]
    assert made(f"{name}:factory", "predict", "", {}, ["predict"]).size == 3
    assert made(f"{name}:factory", "predict", "", {"size": 5}, ["predict"]).size == 5
    assert made(f"{name}:instance", "predict", "", {}, ["predict"]).path == "instance"


@pytest.mark.parametrize(
    ("what", "arguments", "said"),
    [
        ("number", {}, "must be callable, or have predict. Got int"),
        ("instance", {"size": 1}, "is an object, made already"),
        ("Model", {"sise": 1}, r"path and arguments \(sise\).*unexpected keyword argument 'sise'"),
        ("absent", {}, "has no function 'absent', and no class"),
    ],
)
def test_what_cannot_be_made_is_told(module: Module, what: str, arguments: dict[str, int], said: str) -> None:
    """What was found, and what is needed."""
    with pytest.raises(InputError, match=said):
        made(f"{module(CODE)}:{what}", "predict", "", arguments, ["predict"])


def test_a_class_that_raises_is_told_with_its_place_and_without_its_words(module: Module) -> None:
    """The message of somebody's exception may quote the data."""
    name = module(CODE)
    said = rf"{name}:Broken raised OSError when it was made \({name}.py, line 10\)"
    with pytest.raises(OwnCodeError, match=said) as caught:
        made(f"{name}:Broken", "predict", "", {}, ["predict"])
    assert "secret" not in str(caught.value)


def test_the_setting_is_named_that_cannot_be_loaded() -> None:
    """A recipe may name several."""
    with pytest.raises(InputError, match=r"recipe\.vocabulary 'no_such_module:words' cannot be loaded"):
        loaded("no_such_module:words", "vocabulary")


def test_the_source_changes_with_what_is_read(module: Module, tmp_path: Path) -> None:
    """The module, those beside it, and the files of the model."""
    name, weights = module(CODE), tmp_path / "model"
    weights.mkdir()
    (weights / "a.bin").write_bytes(b"1")
    named = f"{name}:Model"
    plain, with_files = source_of(named, "predict"), source_of(named, "predict", [str(weights)])
    assert len({plain, with_files, ""}) == 3
    (weights / "b.bin").write_bytes(b"2")
    assert source_of(named, "predict", [str(weights)]) != with_files
    assert source_of(named, "predict") == plain
    (tmp_path / "beside.py").write_text("")
    assert source_of(named, "predict") != plain


def test_an_instance_has_the_source_of_its_module(module: Module) -> None:
    """Although it is no function with a module of its own."""
    assert source_of(f"{module(CODE)}:instance", "predict") != ""


def test_a_file_that_is_not_there_has_no_content(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(InputError, match="there is no such file or folder"):
        content_hash(tmp_path / "absent")


def test_the_place_is_in_the_users_own_file(module: Module) -> None:
    """Not in the library that their code called last."""
    name = module("import json\n\ndef ask(texts):\n    json.loads('{')\n")
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - any will do
        loaded(f"{name}:ask", "predict")([])
    assert where_raised(caught.value, f"{name}:ask") == f"{name}.py, line 4"
