"""Plain values from TOML, and settings put into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.errors import InputError
from divulge.settings import apply_settings, read_audit_values, set_at

VALUES: dict[str, Any] = {
    "adversary": {"max_queries": 5},
    "attacks": [{"name": "a"}, {"name": "b", "options": {"k": [1, 2]}}],
    "defences": [],
}


def problems(settings: list[str]) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        apply_settings(VALUES, settings)
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("1_000", 1000),
        ("0.5", 0.5),
        ("true", True),
        ('"1000"', "1000"),
        ("[1, 2]", [1, 2]),
        ('{ a = 1, b = "c" }', {"a": 1, "b": "c"}),
        ("LabelAccess", "LabelAccess"),
        (" two words ", "two words"),
        ("my pin is {digit*4}", "my pin is {digit*4}"),
        ("a=b", "a=b"),
        ("", ""),
        ("True", "True"),
        ("1\nother = 2", "1\nother = 2"),
        ("9" * 5000, "9" * 5000),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_a_value_is_toml_and_a_bare_word_is_text(text: str, value: object) -> None:
    """Numbers, truth, lists and tables as TOML has them; what is no TOML, or more than one value, is text."""
    assert apply_settings({}, [f"x={text}"]) == {"x": value}


def test_settings_reach_any_place() -> None:
    """Tables by name, lists by position, tables that are not there yet; later settings win."""
    changed = apply_settings(
        VALUES,
        ["adversary.max_queries=7", "attacks.1.options.k.0=9", "run.seed=3", "attacks.0=x", " run.seed =4"],
    )
    assert changed == {
        "adversary": {"max_queries": 7},
        "attacks": ["x", {"name": "b", "options": {"k": [9, 2]}}],
        "defences": [],
        "run": {"seed": 4},
    }


def test_the_values_given_are_not_touched() -> None:
    """Settings act on a copy, all the way down."""
    before = {"attacks": [{"options": {"k": [1]}}]}
    apply_settings(before, ["attacks.0.options.k.0=2", "x.y=1"])
    assert before == {"attacks": [{"options": {"k": [1]}}]}


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("max_queries", "--set needs path=value, for example adversary.max_queries=1000. Got 'max_queries'"),
        ("=3", "--set needs path=value, for example adversary.max_queries=1000. Got '=3'"),
        ("a..b=1", "--set a..b=1: 'a..b' has an empty step"),
        (".a=1", "--set .a=1: '.a' has an empty step"),
        ("attacks.2.name=c", "--set attacks.2.name=c: '2' must be a position from 0 to 1"),
        ("attacks.-1.name=c", "--set attacks.-1.name=c: '-1' must be a position from 0 to 1"),
        ("attacks.²=c", "--set attacks.²=c: '²' must be a position from 0 to 1"),
        ("attacks.name=c", "--set attacks.name=c: 'name' must be a position from 0 to 1"),
        ("defences.0.name=c", "--set defences.0.name=c: the list is empty, so that it has no position '0'"),
        ("adversary.max_queries.x=1", "--set adversary.max_queries.x=1: adversary.max_queries is not a table"),
        ("adversary.max_queries.x.y=1", "--set adversary.max_queries.x.y=1: adversary.max_queries is not a table"),
        ("x=inf", "--set x=inf: 'x' is inf or nan; numbers must be finite"),
        ("x=[1, nan]", "--set x=[1, nan]: 'x.1' is inf or nan; numbers must be finite"),
        ("x=2020-01-31", "--set x=2020-01-31: 'x' is a date or time; write it in quotation marks"),
    ],
)
def test_a_setting_that_leads_nowhere_is_explained(setting: str, said: str) -> None:
    """What was found, and where it would have had to lead."""
    assert problems([setting]) == (said,)


def test_all_settings_are_judged_at_once() -> None:
    """Every wrong one is told, in order."""
    told = problems(["nonsense", "run.seed=1", "attacks.9=1", "x=nan"])
    assert [problem.split(":")[0].split(",")[0] for problem in told] == [
        "--set needs path=value",
        "--set attacks.9=1",
        "--set x=nan",
    ]


def test_a_place_is_set_for_whoever_asks() -> None:
    """The message begins with what the caller says."""
    values: dict[str, Any] = {"a": [1, {"b": 2}]}
    set_at(values, "a.1.b", {"c": 3}, "axis R")
    assert values == {"a": [1, {"b": {"c": 3}}]}
    with pytest.raises(InputError, match=r"^axis R: a\.0 is not a table$"):
        set_at(values, "a.0.b", 1, "axis R")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_read_with_its_settings(tmp_path: Path, mark: bytes) -> None:
    """TOML becomes plain values; a byte order mark does not hurt."""
    path = tmp_path / "audit.toml"
    path.write_bytes(mark + b'[target]\r\nkind = "caf\xc3\xa9"\r\n[[attacks]]\r\nname = "a"\r\n')
    expected = {"target": {"kind": "café"}, "attacks": [{"name": "b"}]}
    assert read_audit_values(path, ["attacks.0.name=b"]) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty. A commented start: divulge init KIND -o"),
        (b"# only words\n", "is empty"),
        (b"[target\nkind = 1", "is not TOML: .*line 1"),
        (b"seed = 1\nseed = 2", "is not TOML: Cannot overwrite"),
        (b"seed = " + b"9" * 5000, "is not TOML"),
        (b"seed = " + b"[" * 5000, "is not TOML"),
        (b'kind = "\xff"', "is not UTF-8 text"),
        (b"\xff\xfek\x00", "is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_be_understood_is_explained(tmp_path: Path, content: bytes, said: str) -> None:
    """Not TOML, not text or empty: one sentence that begins with the file's name."""
    path = tmp_path / "audit.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"^{path}: {said}"):
        read_audit_values(path)


def test_a_missing_file_and_a_folder_are_explained(tmp_path: Path) -> None:
    """With the system's reason and what to do."""
    with pytest.raises(InputError, match=r"nothing\.toml: cannot be read: No such file.*divulge init KIND"):
        read_audit_values(tmp_path / "nothing.toml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_audit_values(tmp_path)


def test_what_json_cannot_say_is_refused_with_its_place(tmp_path: Path) -> None:
    """Dates, times, inf and nan, each with its path, together with settings that are wrong."""
    path = tmp_path / "audit.toml"
    path.write_text("[run]\nseed = inf\n[target]\nwhen = [{ a = 1979-05-27, b = 07:32:00 }]\nx = [0.5, nan]\n")
    with pytest.raises(InputError) as caught:
        read_audit_values(path, ["y"])
    assert [problem.removeprefix(f"{path}: ") for problem in caught.value.problems] == [
        "'run.seed' is inf or nan; numbers must be finite",
        "'target.when.0.a' is a date or time; write it in quotation marks",
        "'target.when.0.b' is a date or time; write it in quotation marks",
        "'target.x.1' is inf or nan; numbers must be finite",
        "--set needs path=value, for example adversary.max_queries=1000. Got 'y'",
    ]
    with pytest.raises(InputError, match="4 problems"):
        read_audit_values(path)
