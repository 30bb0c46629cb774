"""Finding parts by name, giving them options, and wording what is wrong with either."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.attacks.baselines import Blind
from divulge.canonical import Record
from divulge.errors import InputError
from divulge.parts import Part, did_you_mean, load, validate
from divulge.records import Secret
from divulge.spec import AuditFile

REGISTRY = {"kettle": "test_parts_sample:Kettle", "broken": "test_parts_sample:Nothing", "gone": "no_such_module:X"}
SAMPLE = """
from typing import ClassVar
from divulge.parts import Part
from divulge.attacks.base import Attack

class Kettle(Part):
    name = "kettle"
    summary = "boils water"

class Unfinished(Attack):
    name = "unfinished"

class Finished(Attack):
    name = "finished"
    summary = "does it"
    requires = ()
    hints = ()
    def guess(self, access, hints, knowledge, rng):
        yield from ()

number = 3
"""


class Teapot(Part):
    """A part with options."""

    name = "teapot"
    summary = "brews tea"

    class Options(Record):
        """How."""

        minutes: Annotated[int, Field(ge=1)] = 3
        leaves: tuple[str, ...] = ()


class Mug(Part):
    """A part without options of its own."""

    name = "mug"
    summary = "holds tea"


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of somebody's own modules, importable."""
    (tmp_path / "test_parts_sample.py").write_text(SAMPLE)
    (tmp_path / "test_parts_bad.py").write_text("raise RuntimeError('hunter2')\n")
    (tmp_path / "test_parts_typo.py").write_text("def (:\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("test_parts_")]:
        del sys.modules[name]


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize("name", ["kettle", "test_parts_sample:Kettle"])
def test_a_part_is_found_by_name_or_by_place(name: str) -> None:
    """The registry's name and "module:Class" lead to the same class."""
    found = load(REGISTRY, name, Part, "vessel")
    assert found.summary == "boils water"
    assert found.__module__ == "test_parts_sample"


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kettel", r"unknown vessel 'kettel'\. Did you mean 'kettle'\?"),
        ("zebra", r"unknown vessel 'zebra'\. Available: broken, gone, kettle"),
        ("", r"unknown vessel ''\. Available"),
        ("broken", r"module 'test_parts_sample' has no 'Nothing'"),
        ("gone", r"cannot be loaded: No module named 'no_such_module'.*extra.*PYTHONPATH"),
        ("test_parts_sample:", r"has no ''"),
        (":Kettle", r"cannot be loaded: ValueError"),
        (".relative:Kettle", r"cannot be loaded: TypeError"),
        ("test_parts_bad:X", r"cannot be loaded: RuntimeError in 'test_parts_bad'"),
        ("test_parts_typo:X", r"cannot be loaded: SyntaxError in 'test_parts_typo'"),
        ("test_parts_sample:number", r"must be a subclass of divulge\.parts\.Part\. Got 3"),
        ("pathlib:Path", r"must be a subclass of divulge\.parts\.Part"),
    ],
)
def test_what_cannot_be_loaded_is_explained(name: str, said: str) -> None:
    """Whatever is wrong with a name or with somebody's own code is one message about the input, never a trace."""
    with pytest.raises(InputError, match=said) as caught:
        load(REGISTRY, name, Part, "vessel")
    assert "hunter2" not in str(caught.value)


@pytest.mark.usefixtures("own_code")
def test_a_class_that_is_not_finished_is_refused() -> None:
    """All that a role demands and the class lacks is told at once; a finished one is taken."""
    with pytest.raises(InputError, match="does not define guess, hints, requires, summary, as every Attack must"):
        load(ATTACKS, "test_parts_sample:Unfinished", Attack, "attack")
    assert load(ATTACKS, "test_parts_sample:Finished", Attack, "attack").name == "finished"


def test_options_come_as_values_or_as_a_record() -> None:
    """Lists become tuples; nothing means the defaults."""
    assert Teapot().options == Teapot.Options(minutes=3)
    assert Teapot({"minutes": 5, "leaves": ["mint"]}).options == Teapot.Options(minutes=5, leaves=("mint",))
    given = Teapot.Options(minutes=7)
    assert Teapot(given).options is given


def test_wrong_options_are_told_all_at_once() -> None:
    """Each problem names the part, the key and what is allowed; no value is shown."""
    with pytest.raises(InputError) as caught:
        Teapot({"minutes": 0, "leafs": ["hunter2"], "leaves": [1]})
    assert set(caught.value.problems) == {
        "options of teapot: 'minutes': Input should be greater than or equal to 1",
        "options of teapot: 'leaves.0': Input should be a valid string",
        "options of teapot: unknown key 'leafs'. Did you mean 'leaves'?",
    }


def test_options_of_another_part_are_refused() -> None:
    """A record of the wrong class would fail later, where nobody expects it."""
    with pytest.raises(InputError, match=r"options of teapot must be .*Teapot\.Options. Got Part\.Options"):
        Teapot(Mug.Options())
    with pytest.raises(InputError, match=r"unknown key 'minutes'\. Available: none"):
        Mug({"minutes": 1})


def test_a_part_keeps_its_options_frozen() -> None:
    """Options are part of the key, so nothing may change them later."""
    with pytest.raises(ValueError, match="frozen"):
        Teapot().options.minutes = 4


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("dropuot", ["dropout", "rounding"], " Did you mean 'dropout'?"),
        ("row", ["rows", "rowe", "tow", "line"], " Did you mean 'rows' or 'rowe' or 'tow'?"),
        ("zzz", ["b", "a"], " Available: a, b"),
        ("zzz", [], " Available: none"),
    ],
)
def test_near_names_are_offered(name: str, known: list[str], said: str) -> None:
    """At most three near ones, nearest first; if none is near, all in order."""
    assert did_you_mean(name, known) == said


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), b"hunter2"])
def test_values_without_a_spelling_are_refused(value: Any) -> None:
    """What cannot be JSON is an error of the input, not a crash."""
    with pytest.raises(InputError, match="^here: ") as caught:
        validate(Teapot.Options, {"minutes": value}, "here")
    assert "hunter2" not in str(caught.value)


def test_keys_are_suggested_where_they_belong() -> None:
    """An unknown key deep inside is compared with the keys of that table; of several kinds, with the chosen one's."""
    with pytest.raises(InputError) as caught:
        validate(
            AuditFile,
            {
                "target": {"kind": "x", "recipes": {}},
                "data": {"name": "x"},
                "secrets": {"kind": "rows"},
                "adversary": {"background": {"shadow": 1, "corpus": {"nmae": "x"}}},
                "defences": [{"name": "x"}, {"name": "y", "option": {}}],
            },
            "audit.toml",
        )
    expected = {
        "unknown key 'target.recipes'. Did you mean 'recipe'?",
        "unknown key 'adversary.background.shadow'. Did you mean 'shadows'?",
        "unknown key 'adversary.background.corpus.nmae'. Did you mean 'name'?",
        "unknown key 'defences.1.option'. Did you mean 'options'?",
    }
    assert {f"audit.toml: {problem}" for problem in expected} <= set(caught.value.problems)
    content = {"id": "s", "hint": {"kind": "row", "row": 1, "rwo": 1}, "answer": {"kind": "member", "used": True}}
    with pytest.raises(InputError, match=r"unknown key 'hint\.row\.rwo'\. Did you mean 'row'\?"):
        validate(Secret, content, "secrets")
    with pytest.raises(InputError, match="kind must be one of 'gaps', 'user', 'record', 'row'") as caught:
        validate(Secret, {**content, "hint": {"kind": "hunter2"}}, "secrets")
    assert "hunter2" not in str(caught.value)


def test_a_missing_key_is_told() -> None:
    """With its place, and without the words of the library behind."""
    with pytest.raises(InputError) as caught:
        validate(AuditFile, {"target": {}, "data": {"name": "a", "path": "b"}}, "audit.toml")
    assert set(caught.value.problems) == {
        "audit.toml: 'target.kind' is missing",
        "audit.toml: 'data': both name and path are given: remove one. --set data='{path=\"…\"}'",
        "audit.toml: 'secrets' is missing",
    }


def test_every_registered_attack_is_complete() -> None:
    """The check for somebody's own classes holds for ours too."""
    assert {load(ATTACKS, name, Attack, "attack").name for name in ATTACKS} == set(ATTACKS)
    assert load(ATTACKS, "blind", Attack, "attack") is Blind


class Half(Attack):
    """An attack whose attributes are declared but not given."""

    name = "half"
    summary = "half"
    requires: ClassVar = ()
    hints: ClassVar[tuple[type, ...]]


def test_declaring_is_not_giving() -> None:
    """A class that only repeats the declaration still lacks the attribute."""
    with pytest.raises(InputError, match="does not define guess, hints, as every Attack must"):
        load({}, f"{__name__}:Half", Attack, "attack")
