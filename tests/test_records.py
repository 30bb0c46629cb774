"""Every record and spec class: frozen, strict, finite, JSON both ways; and what single records must agree on."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.record_strategies import leaves, put, records, records_of

from divulge import outcomes, secrets_spec, spec
from divulge import records as records_module
from divulge.canonical import FrozenDict, Record, canonical_json
from divulge.errors import InputError
from divulge.parts import validate
from divulge.records import (
    Gaps,
    Keywords,
    LeakedRow,
    Measurement,
    Member,
    Outcome,
    Passage,
    Planting,
    Ranking,
    RowContent,
    RunResults,
    Secret,
    Standing,
    Text,
    Tokens,
    UserTexts,
    Verdict,
)
from divulge.spec import PartSpec

KINDS = records_of(records_module, outcomes, secrets_spec, spec)
many = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
few = settings(many, max_examples=4)


def test_every_record_class_is_tried() -> None:
    """The list is made from the modules, so that none is forgotten; whatever is public there is in it or no record."""
    public = [getattr(module, name) for module in (records_module, outcomes, spec) for name in module.__all__]
    expected = {found for found in public if isinstance(found, type) and issubclass(found, Record)} - {Record}
    assert set(KINDS) == expected
    assert {Gaps, Secret, RunResults, PartSpec} < set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@many
@given(data=st.data())
def test_json_both_ways(kind: type[Record], data: st.DataObject) -> None:
    """From a record to JSON and back: equal, of the same hash and of the same canonical spelling."""
    record = data.draw(records(kind))
    for text in (record.model_dump_json(), canonical_json(record), json.dumps(record.model_dump(mode="json"))):
        again = kind.model_validate_json(text)
        assert again == record
        assert hash(again) == hash(record)
        assert canonical_json(again) == canonical_json(record)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_nothing_in_a_record_can_be_changed(kind: type[Record], data: st.DataObject) -> None:
    """No field can be set, and what fields hold is frozen to the last item."""
    record = data.draw(records(kind))
    for name in kind.model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(record, name, getattr(record, name))
        assert _is_frozen(getattr(record, name))
    with pytest.raises(ValidationError, match=r"frozen|no field"):
        record.another = 1  # type: ignore[attr-defined]


def _is_frozen(value: object) -> bool:
    if isinstance(value, FrozenDict):
        return all(_is_frozen(item) for item in value.values())
    if isinstance(value, tuple):
        return all(_is_frozen(item) for item in value)
    return value is None or isinstance(value, str | int | float | Record)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_unknown_keys_are_refused(kind: type[Record], data: st.DataObject) -> None:
    """A key too many is an error, in JSON and in Python."""
    record = data.draw(records(kind))
    with pytest.raises(ValidationError, match="Extra inputs"):
        kind.model_validate_json(json.dumps({**record.model_dump(mode="json"), "kinds": 1}))
    with pytest.raises(ValidationError, match="Extra inputs"):
        kind(**{name: getattr(record, name) for name in kind.model_fields}, kinds=1)


@pytest.mark.parametrize("kind", KINDS)
@many
@given(data=st.data())
def test_no_message_shows_a_value(kind: type[Record], data: st.DataObject) -> None:
    """Wherever a value of the wrong type stands, the message tells where and what is allowed, not what was there."""
    content = data.draw(records(kind)).model_dump(mode="json")
    path = data.draw(st.sampled_from(sorted(leaves(content), key=str)))
    held: Any = content
    for step in path:
        held = held[step]
    secret: Any = 31337 if isinstance(held, str) else "hunter2"
    put(content, path, secret)
    said = _complaint(kind, content)
    assert str(secret) not in said


def _complaint(kind: type[Record], content: dict[str, Any]) -> str:
    try:
        validate(kind, content, "here")
    except InputError as error:
        return str(error)
    return ""  # where any value may stand, none is wrong


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("kind", "content", "path"),
    [
        (Outcome, {"secret_id": "s", "metric": "m", "value": 0.0}, ("value",)),
        (Measurement, {"metric": "m", "value": 0.0, "n": 1, "arm": "probe"}, ("value",)),
        (Measurement, {"metric": "m", "value": 0.0, "n": 1, "arm": "probe"}, ("low",)),
        (Measurement, {"metric": "m", "value": 0.0, "n": 1, "arm": "probe"}, ("high",)),
        (Measurement, {"metric": "m", "value": 0.0, "n": 1, "arm": "probe", "group": {"a": {}}}, ("group", "a")),
        (Verdict, {"secret_id": "s"}, ("statistic",)),
        (Verdict, {"secret_id": "s", "statistic": 0.0}, ("p_value",)),
        (Ranking, {"secret_id": "s", "candidates": [["a"]], "scores": [0.0]}, ("scores", 0)),
        (Standing, {"secret_id": "s", "rank": 1, "among": 1, "space": 1}, ("exposure",)),
        (PartSpec, {"name": "n", "options": {"a": [{"b": 0.0}]}}, ("options", "a", 0, "b")),
    ],
)
def test_numbers_must_be_finite(kind: type[Record], content: Any, path: tuple[int | str, ...], number: float) -> None:
    """NaN and infinities are refused in every place where a number may stand, however they are spelt."""
    content = json.loads(json.dumps(content))
    put(content, path, number)
    with pytest.raises(ValidationError, match="finite"):
        kind.model_validate_json(json.dumps(content))
    with pytest.raises(InputError):
        validate(kind, content, "here")
    with pytest.raises(ValidationError, match="finite"):
        kind.model_validate_json(json.dumps(content).replace("Infinity", "1e999"))


def test_types_are_strict() -> None:
    """Text is no number and truth is no count; a whole number may stand for a real one."""
    assert isinstance(Outcome(secret_id="s", metric="m", value=1).value, float)
    for wrong in ("1", True, None):
        with pytest.raises(ValidationError):
            Outcome(secret_id="s", metric="m", value=wrong)  # type: ignore[arg-type]
    for wrong in (1.0, "1", True):
        with pytest.raises(ValidationError):
            LeakedRow(row=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        Member(used=1)  # type: ignore[arg-type]


def test_lists_become_tuples_only_from_json() -> None:
    """JSON has no tuples; in Python a list would be a value that somebody else can change."""
    read = Ranking.model_validate_json('{"secret_id": "s", "candidates": [["a", "b"]], "scores": [1]}')
    assert read.candidates == (("a", "b"),)
    with pytest.raises(ValidationError, match="tuple"):
        Ranking(secret_id="s", candidates=[["a"]])  # type: ignore[arg-type]


def test_a_mapping_is_taken_as_a_copy() -> None:
    """What the caller does to its own dict afterwards does not reach the record."""
    own: dict[str, Any] = {"a": [1]}
    held = PartSpec(name="n", options=own)
    own["a"].append(2)
    own["b"] = 3
    assert held.options == {"a": (1,)}
    with pytest.raises(TypeError, match="frozen record"):
        held.options["a"] = 2  # type: ignore[index]


def test_secrets_do_not_show_themselves() -> None:
    """Neither hint nor answer nor planted text is in what a debugger or a log would print."""
    secret = Secret(id="s1", hint=LeakedRow(row=31337), answer=Tokens(tokens=("hunter2",)))
    planting = Planting(secret_id="s1", text=("hunter2",))
    assert "s1" in repr(secret)
    assert "hunter2" not in f"{secret!r} {secret} {planting!r}"
    assert "31337" not in repr(secret)


GAPS = Gaps(tokens=("my", None, "is", None), candidates=(("pin", "code"), ("0", "1", "2")))


def test_gaps_know_their_holes() -> None:
    """Holes at 1 and 3; 2 x 3 = 6 completions; one is filled in from left to right."""
    assert GAPS.holes == (1, 3)
    assert GAPS.space == 6
    assert GAPS.filled(("code", "2")) == ("my", "code", "is", "2")
    assert Gaps(tokens=("a",), candidates=()).space == 1


@pytest.mark.parametrize("completion", [(), ("code",), ("code", "2", "3")])
def test_a_completion_must_fill_the_holes(completion: tuple[str, ...]) -> None:
    """One token too few or too many is a fault of the caller, and its words are not repeated."""
    with pytest.raises(ValueError, match=rf"^2 holes but {len(completion)} tokens to fill them$"):
        GAPS.filled(completion)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"candidates": (("hunter2",),)}, "2 holes but 1 candidate sets"),
        ({"candidates": (("hunter2",), ())}, "empty candidate set"),
        ({"candidates": (("hunter2", "hunter2"), ("0",))}, "names a token twice"),
        ({"tags": ("O", "O", "O")}, "4 tokens but 3 tags"),
    ],
)
def test_gaps_must_agree_with_themselves(change: dict[str, Any], problem: str) -> None:
    """Holes, candidates and tags must fit; the message counts and quotes nothing."""
    with pytest.raises(ValidationError, match=problem) as caught:
        Gaps(**{"tokens": GAPS.tokens, "candidates": GAPS.candidates, **change})
    assert "hunter2" not in str(caught.value)


def test_a_ranking_must_agree_with_itself() -> None:
    """As many scores as candidates, or none; best first, ties allowed."""
    candidates = (("a",), ("b",), ("c",))
    assert Ranking(secret_id="s", candidates=candidates, scores=(2.0, 2.0, -1.0)).scores == (2, 2, -1)
    assert Ranking(secret_id="s", candidates=candidates).scores == ()
    with pytest.raises(ValidationError, match="3 candidates but 2 scores"):
        Ranking(secret_id="s", candidates=candidates, scores=(2.0, 1.0))
    with pytest.raises(ValidationError, match="not best first"):
        Ranking(secret_id="s", candidates=candidates, scores=(2.0, 1.0, 1.5))


@pytest.mark.parametrize("hint", [GAPS, UserTexts(examples=(Passage(tokens=("a",)),)), LeakedRow(row=3)])
@pytest.mark.parametrize("answer", [Tokens(tokens=()), Keywords(words=()), Member(used=False), RowContent(tokens=())])
def test_kinds_of_hints_and_answers_are_told_apart(hint: Any, answer: Any) -> None:
    """What a secret holds comes back from JSON as the class it was."""
    again = Secret.model_validate_json(Secret(id="s", hint=hint, answer=answer).model_dump_json())
    assert (type(again.hint), type(again.answer)) == (type(hint), type(answer))


def test_a_text_is_a_value() -> None:
    """Texts can be compared, put into sets, and not be changed."""
    assert len({Text(tokens=("a",)), Text(tokens=("a",)), Text(tokens=("a",), planted=True)}) == 2
    with pytest.raises(FrozenInstanceError):
        Text(tokens=("a",)).label = "b"  # type: ignore[misc]
