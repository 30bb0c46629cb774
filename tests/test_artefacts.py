"""Tests of how an artefact is spelled in one file."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from divulge.artefacts import CorruptArtefactError, decode, encode, read_info
from divulge.errors import ExecutionError
from divulge.records import Artefact, Outcome

TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)
DTYPES = st.sampled_from(["?", "u1", "i1", "<u2", ">i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", "c8", "c16"])
ARRAYS = DTYPES.flatmap(
    lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0, max_side=3))
)


def a_file(**arrays: object) -> tuple[str, bytes]:
    """A small artefact, spelled."""
    return encode(Artefact({"note": "hello"}, arrays), {"kind": "attack"})


@given(values=st.dictionaries(TEXT, JSON, max_size=3), arrays=st.dictionaries(TEXT, ARRAYS, max_size=3))
@settings(max_examples=150, deadline=None)
def test_round_trip(values, arrays):
    """Any JSON values and numeric arrays come back equal in value, dtype and shape, with their info."""
    suffix, content = encode(Artefact(values, arrays), {"seconds": 1.5})
    artefact, info = decode(suffix, content)
    assert artefact.values == values
    assert info == {"seconds": 1.5}
    assert artefact.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        back = artefact.arrays[name]
        assert (back.dtype, back.shape) == (array.dtype.newbyteorder("="), array.shape)
        assert (
            back.astype(back.dtype.newbyteorder("<")).tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()
        )


def test_files_are_plain_json_or_safetensors():
    """Without arrays the file is JSON as any tool reads it; with arrays it is safetensors."""
    suffix, content = a_file()
    assert suffix == ".json"
    assert json.loads(content)["values"] == {"note": "hello"}
    assert json.loads(content)["info"] == {"kind": "attack"}
    suffix, content = a_file(row=np.array([1.0, 2.0]))
    assert suffix == ".safetensors"
    # 8 bytes of length, the header, then 1.0 and 2.0 as little-endian doubles
    assert content.endswith(bytes.fromhex("000000000000f03f 0000000000000040"))


def test_transposed_and_strided_views_keep_their_meaning():
    """An array that is a view of another comes back with its own elements, not those of the memory under it."""
    grid = np.arange(6).reshape(2, 3)
    arrays = decode(*a_file(turned=grid.T, every_other=grid[:, ::2]))[0].arrays
    assert arrays["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert arrays["every_other"].tolist() == [[0, 2], [3, 5]]


def test_arrays_may_hold_what_json_has_not():
    """NaN, infinities and a zero-dimensional array are fine in arrays."""
    arrays = decode(*a_file(odd=np.array([np.nan, np.inf, -np.inf]), single=np.array(2.5)))[0].arrays
    assert np.isnan(arrays["odd"][0])
    assert arrays["odd"][1:].tolist() == [np.inf, -np.inf]
    assert arrays["single"].shape == ()
    assert arrays["single"] == 2.5


@pytest.mark.parametrize("locked", [False, True])
def test_arrays_read_are_the_readers_own(monkeypatch, locked):
    """An array that was read may be changed in place, as torch wants it, whatever safetensors hands out."""
    real = safetensors.numpy.load

    def load(content):
        arrays = real(content)
        for array in arrays.values():
            array.setflags(write=not locked)
        return arrays

    monkeypatch.setattr(safetensors.numpy, "load", load)
    array = decode(*a_file(row=np.zeros(2)))[0].arrays["row"]
    array[0] = 1.0
    assert array.tolist() == [1.0, 0.0]


def test_content_does_not_depend_on_the_order_of_fields():
    """Two artefacts with the same fields in another order are the same bytes."""
    one = Artefact({"a": 1, "b": 2}, {"x": np.zeros(1), "y": np.ones(1)})
    two = Artefact({"b": 2, "a": 1}, {"y": np.ones(1), "x": np.zeros(1)})
    assert encode(one, {"p": 1, "q": 2}) == encode(two, {"q": 2, "p": 1})


def test_records_are_spelled_as_json():
    """A record among the values is kept as its fields."""
    outcome = Outcome(secret_id="s1", metric="exact", value=1.0)
    values = decode(*encode(Artefact({"outcomes": (outcome,)}), {}))[0].values
    assert values == {"outcomes": [{"secret_id": "s1", "metric": "exact", "value": 1.0}]}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_non_finite_values_are_refused(number):
    """NaN and infinity among the values are refused by the name of the field."""
    with pytest.raises(ExecutionError, match="'loss' of the artefact holds NaN or infinity"):
        encode(Artefact({"fine": 1.0, "loss": [{"deep": number}]}), {})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"words": {"the word is swordfish"}}, "'words' of the artefact is not JSON: set has no JSON spelling"),
        ({"mean": np.float32(1.5)}, "'mean' of the artefact is not JSON: float32 has no JSON spelling"),
        ({1: "swordfish", "a": 2}, "text keys"),
    ],
)
def test_values_that_are_not_json_are_refused_without_showing_them(values, said):
    """What JSON cannot hold is refused with its field and type; the value itself stays out of the message."""
    with pytest.raises(ExecutionError, match=said) as caught:
        encode(Artefact(values), {})
    assert "swordfish" not in str(caught.value)


@pytest.mark.parametrize("array", [np.array([{}], dtype=object), np.array(["a"]), np.array(["2020-01-01"], "M8[D]")])
def test_arrays_that_are_not_numeric_are_refused(array):
    """Object arrays, which only pickle could keep, text and dates are refused."""
    with pytest.raises(ExecutionError, match="'odd' of the artefact must be numeric"):
        a_file(odd=array)


def test_the_name_safetensors_keeps_for_itself_is_refused():
    """An array cannot have the name of the header's own entry."""
    with pytest.raises(ExecutionError, match="__metadata__"):
        a_file(__metadata__=np.zeros(1))


@pytest.mark.parametrize("arrays", [{}, {"row": np.arange(4.0)}])
def test_every_truncation_is_noticed(arrays):
    """A file cut short at any length is corrupt, to a full reader and to one that reads only the info."""
    suffix, content = a_file(**arrays)
    for length in range(len(content)):
        cut = content[:length]
        with pytest.raises(CorruptArtefactError):
            decode(suffix, cut)
        with pytest.raises(CorruptArtefactError):
            read_info(suffix, io.BytesIO(cut), length)
    assert read_info(suffix, io.BytesIO(content), len(content)) == {"kind": "attack"}


@pytest.mark.parametrize("place", [-1, -9, -17])
def test_changed_numbers_are_noticed(place):
    """One changed bit in an array's bytes breaks the checksum."""
    suffix, content = a_file(row=np.arange(4.0))
    changed = bytearray(content)
    changed[place] ^= 1
    with pytest.raises(CorruptArtefactError, match="checksum"):
        decode(suffix, bytes(changed))


def test_changed_values_are_noticed():
    """A changed letter in the values breaks the checksum."""
    suffix, content = a_file()
    with pytest.raises(CorruptArtefactError, match="checksum"):
        decode(suffix, content.replace(b"hello", b"hallo"))


def test_too_many_values_beside_arrays_are_refused(monkeypatch):
    """Values that would burst a safetensors header are refused, with what to do."""
    monkeypatch.setattr("divulge.artefacts.MAX_DOCUMENT", 1000)
    with pytest.raises(ExecutionError, match="put long lists of numbers into arrays"):
        encode(Artefact({"long": "x" * 1000}, {"row": np.zeros(1)}), {})
